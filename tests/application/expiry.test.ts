import { randomUUID } from 'node:crypto'
import { setImmediate as turn } from 'node:timers/promises'
import { pino } from 'pino'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { StoreUnavailable, type EventStore } from '../../application/event-store.ts'
import { expirePayments } from '../../application/expire-requests.ts'
import { makeHandler } from '../../application/handle.ts'
import { allWork } from '../../application/share.ts'
import type { Log } from '../../infrastructure/logs/log.ts'
import { runBackgroundWork } from '../../service/background-work.ts'
import { aboutOf } from '../../service/about.ts'
import { linksWith } from '../../service/callback-wire.ts'
import { makeQrCodes } from '../../infrastructure/pictures/qr-codes.ts'
import { fundingOf } from '../../service/funding.ts'
import { merchantSlice } from '../../service/features/merchants.ts'
import { paymentSlice } from '../../service/features/payments.ts'
import { openGranted } from '../../service/people/grants.ts'
import { openMessages } from '../../service/people/messages.ts'
import { peopleSlice } from '../../service/features/people.ts'
import { readSettings } from '../../infrastructure/settings.ts'
import { openPlace, type Place } from '../../harness/ledger-service.ts'

let place: Place

beforeAll(async () => {
  place = await openPlace()
})
afterAll(async () => {
  await place.stop()
  place.remove()
})

let count = 0
const about = () => ({
  pos_id: 'till-1',
  pos_tid: `e${++count}`,
  customer: '4799999901',
  expires_in: 60,
})
const requestPayment = async (): Promise<string> => {
  const wish = { action: 'auth', currency: 'NOK', amount: '10.00', allow_credit: false }
  const path = '/merchant/v1/payment_request/'
  return (await place.ask('POST', path, { ...about(), ...wish })).body.id
}
const requestPermission = async (): Promise<string> => {
  const path = '/merchant/v1/permission_request/'
  return (await place.ask('POST', path, { ...about(), scope: 'openid' })).body.id
}

/** Time passes, but due work is not run. */
const pass = async (seconds: number): Promise<void> => {
  await place.core.advanceClock({ by: seconds * 1000 }, place.core.contextOf('test'))
  await place.core.readModels.caughtUp()
}

const eventsOf = async (stream: string) =>
  (await place.core.store.readStream(stream)).map(({ type }) => type)

test('given a payment whose expiry cannot be recorded, then all others expire', async () => {
  const { core } = place
  const [broken, healthy] = [await requestPayment(), await requestPayment()]
  let isBroken = true
  const store: EventStore = {
    ...core.store,
    append: (stream, ...rest) =>
      isBroken && stream === `payment-${broken}`
        ? Promise.reject(new Error('broken'))
        : core.store.append(stream, ...rest),
  }
  const told: unknown[] = []
  const expire = expirePayments({
    share: allWork(
      makeHandler({ store, eventId: () => randomUUID(), commandId: randomUUID }).handle,
    ),
    rows: core.payments.payments,
    caughtUp: core.readModels.caughtUp,
    newId: randomUUID,
    outageOf: (tid) => ({
      failed: (error) => told.push([tid, String(error)]),
      worked: () => told.push([tid, 'works']),
    }),
  })
  await pass(60)
  const at = core.now()
  const look = (now: number) => expire(now, new AbortController().signal)
  expect(await look(at)).toBe(at + 1000)
  expect(await eventsOf(`payment-${healthy}`)).toEqual(['PaymentRequested', 'PaymentExpired'])
  expect(await eventsOf(`payment-${broken}`)).toEqual(['PaymentRequested'])
  expect(told).toEqual([[broken, 'Error: broken']])
  isBroken = false
  expect(await look(at + 1000)).toBeNull()
  expect(await eventsOf(`payment-${broken}`)).toEqual(['PaymentRequested', 'PaymentExpired'])
  expect(told.slice(1)).toEqual([[broken, 'works']])
})

test('given expiries recorded days late, then outcomes and logs tell their instants', async () => {
  const [asked, rid] = [await requestPayment(), await requestPermission()]
  const held = await place.authorize({ amount: '20.00' })
  const partly = await place.authorize({ amount: '20.00' })
  const part = { amount: '5.00', currency: 'NOK', capture_id: 'a' }
  expect((await place.capture(partly, part)).status).toBe(204)
  const permission = `/merchant/v1/permission_request/${rid}/`
  const tids = [asked, held, partly]
  const outcomes = () => Promise.all(tids.map(place.outcome))
  const expected = (await outcomes()).map(({ date_expires }) => date_expires)
  await pass(10 * 86_400)
  const modified = async () => (await outcomes()).map(({ date_modified }) => date_modified)
  expect(await modified()).toEqual(expected)
  await place.sandbox('clock/', { advance_seconds: 0 })
  expect((await eventsOf(`payment-${held}`)).at(-1)).toBe('PaymentAuthorizationExpired')
  expect(await modified()).toEqual(expected)
  const report = Number((await place.ledger()).open_report_uri.split('/').at(-2))
  const { transaction_log_uris, scope_log_uris } = await place.close(report)
  const lines = await place.lines(transaction_log_uris)
  const last = tids.map((wanted) => lines.filter(({ tid }) => tid === wanted).at(-1))
  expect(last.map((line) => line?.['action'])).toEqual(['expire', 'expire', 'release'])
  expect(last.map((line) => line?.['timestamp'])).toEqual(expected)
  const answers = (await place.lines(scope_log_uris)).filter((line) => line['rid'] === rid)
  const { date_expires } = await place.get(permission)
  expect(answers.at(-1)).toMatchObject({ status: 'fail', timestamp: date_expires })
})

test.each(['payments', 'permissions'] as const)(
  'given %s of which none can be listed, then what else has come to its end expires',
  async (kind) => {
    const { directory } = place
    const [tid, rid] = [await requestPayment(), await requestPermission()]
    const lines: string[] = []
    const log = pino({ level: 'error', errorKey: 'error' }, { write: (line) => lines.push(line) })
    const due = (): never => {
      throw new Error('no such table')
    }
    const { payments: listed, people: known } = place.core
    const broken =
      kind === 'payments'
        ? { payments: { ...listed, payments: { ...listed.payments, due } } }
        : { people: { ...known, permissions: { ...known.permissions, due } } }
    const core = { ...place.core, ...broken, log: log as Log }
    const settings = readSettings({ DATA_DIR: directory })
    const granted = await openGranted(core, () => 'https://pay.example')
    const own = aboutOf(settings)
    const links = linksWith(core)
    const qrImage = makeQrCodes('inline')
    const merchants = merchantSlice(core, { links, qrImage, verifySecret: async () => false })
    const funding = fundingOf(settings)
    const payments = await paymentSlice(core, own, { links, funding, merchants, granted })
    const messages = openMessages(core, undefined)
    const people = peopleSlice(core, own, { links, messages, merchants, granted })
    const work = [...payments.work, ...people.work]
    const processes = runBackgroundWork(core, work)
    onTestFinished(processes.stop)
    await pass(60)
    await processes.settle()
    await turn()
    const expired = [
      (await eventsOf(`payment-${tid}`)).includes('PaymentExpired'),
      (await eventsOf(`permission-${rid}`)).includes('PermissionExpired'),
    ]
    expect(expired).toEqual([kind !== 'payments', kind !== 'permissions'])
    expect(lines.map((line) => JSON.parse(line).error.message)).toEqual(['no such table'])
  },
)

test('a merchant who is told of an expiry finds it recorded, once', async () => {
  const [tid, rid] = [await requestPayment(), await requestPermission()]
  const paths = [`payment_request/${tid}/outcome/`, `permission_request/${rid}/outcome/`]
  const outcomes = async () => Promise.all(paths.map((path) => place.get(`/merchant/v1/${path}`)))
  const pending = { status: 'pending' }
  expect(await outcomes()).toMatchObject([pending, pending])
  expect(await eventsOf(`payment-${tid}`)).toEqual(['PaymentRequested'])
  await pass(60)
  const expired = { status: 'fail', status_code: 5011 }
  expect(await outcomes()).toMatchObject([expired, expired])
  expect(await outcomes()).toMatchObject([expired, expired])
  expect(await eventsOf(`payment-${tid}`)).toEqual(['PaymentRequested', 'PaymentExpired'])
  expect(await eventsOf(`permission-${rid}`)).toEqual(['PermissionRequested', 'PermissionExpired'])
})

test('a log that takes nothing hides an expiry only beside other nodes', async () => {
  const tid = await requestPayment()
  await pass(60)
  const { core } = place
  const problem = new StoreUnavailable('the disk is full')
  const shownWith = async (EVENT_STORE: string) => {
    const settings = { ...core.settings, EVENT_STORE }
    const handle = () => Promise.reject(problem)
    const { views } = await openGranted({ ...core, settings, handle })
    return views.findOutcome('sandbox', tid, core.now())
  }
  expect((await shownWith('sqlite'))?.outcome).toMatchObject({ status: 'fail', statusCode: 5011 })
  await expect(shownWith('esdb://node')).rejects.toBe(problem)
  expect(await eventsOf(`payment-${tid}`)).toEqual(['PaymentRequested'])
})
