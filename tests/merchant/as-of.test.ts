import { existsSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { keepDays } from '../../infrastructure/as-of/keep-days.ts'
import { makePast, makeWithin } from '../../infrastructure/as-of/moments.ts'
import type { Where } from '../../infrastructure/worker.ts'
import {
  authorizedPayment,
  paths,
  requestPayment,
  startService,
  wrongFields,
  type Service,
} from '../../harness/http-service.ts'
import { operatorHere } from '../../harness/operator.ts'

let service: Service
beforeAll(async () => {
  service = await startService({ LOG_LEVEL: 'error' })
})
afterAll(() => service.stop())

const head = () => service.core.store.head()
const askAsOf = (path: string, asOf: string | number, caller = service.pos1) =>
  caller('GET', `${path}?as_of=${asOf}`)
const now = (): string => new Date(service.core.now()).toISOString()
const inSeconds = (text: string): string => text.slice(0, 19)

/** Lets the service's time pass, so that what comes is in another second. */
const passTime = async (seconds = 2): Promise<void> => {
  const { status } = await service.call('POST', paths.clock, { body: { advance_seconds: seconds } })
  expect(status).toBe(200)
}

/** All but the link for uploads, which expires. */
const lasting = ({ attachment_uri: _, ...outcome }: any) => outcome

describe('given a payment that was captured later, then', () => {
  let outcome: string
  let before: unknown
  let [position, time] = [0, '']
  beforeAll(async () => {
    const payment = await authorizedPayment(service)
    outcome = `${payment}outcome/`
    before = lasting((await service.pos1('GET', outcome)).body)
    position = await head()
    time = now()
    await passTime()
    await service.pos1('PUT', payment, { action: 'capture' })
  })

  test('its outcome as of before is that of before, by position, by time and by the second', async () => {
    for (const asOf of [position, time, inSeconds(time), inSeconds(time).replace('T', '%20')])
      expect([asOf, lasting((await askAsOf(outcome, asOf)).body)]).toEqual([asOf, before])
    expect(lasting((await service.pos1('GET', outcome)).body)).not.toEqual(before)
  })

  test('a time in whole seconds has all of that second, as times are shown', async () => {
    const after = (await service.pos1('GET', outcome)).body
    const asShown = await askAsOf(outcome, after.date_modified.replace(' ', 'T'))
    expect(asShown.body.captures).toEqual(after.captures)
  })

  test('before it was requested there was no such payment, and before the first event nothing at all', async () => {
    for (const asOf of [1, 0, '2020-01-01'])
      expect([asOf, (await askAsOf(outcome, asOf)).status]).toEqual([asOf, 404])
  })

  test('HEAD answers as of then too', async () => {
    expect((await service.pos1('HEAD', `${outcome}?as_of=1`)).status).toBe(404)
    expect((await service.pos1('HEAD', `${outcome}?as_of=${position}`)).status).toBe(200)
  })
})

test('a moment that has not come yet, or that is none, is a 400 about as_of', async () => {
  const path = `${paths.pointsOfSale}till-1/`
  const tomorrow = new Date(service.core.now() + 86_400_000).toISOString()
  for (const asOf of [(await head()) + 1, tomorrow, tomorrow.slice(0, 10), 'yesterday', '', '-1'])
    expect([asOf, await askAsOf(path, asOf)]).toMatchObject([asOf, wrongFields('as_of')])
  expect((await askAsOf(paths.statusCodes, tomorrow)).status).toBe(400)
  expect((await askAsOf(paths.statusCodes, await head())).status).toBe(200)
})

test('who may ask is decided by now: a user of today asks about times before there was one', async () => {
  const other = await service.addMerchant('newcomer')
  const mine = `/merchant/v1/merchant/newcomer/`
  expect((await askAsOf(mine, 1, other)).status).toBe(404)
  expect((await askAsOf(mine, await head(), other)).status).toBe(200)
  const payment = await requestPayment(service.pos1)
  expect((await askAsOf(payment, await head(), other)).status).toBe(404)
  expect((await service.call('GET', `${payment}?as_of=1`)).status).toBe(401)
})

test('a payment that had expired by then, recorded or not, is shown as expired', async () => {
  const payment = await requestPayment(service.pos1, { expires_in: 30 })
  const outcome = `${payment}outcome/`
  const { date_expires } = (await service.pos1('GET', outcome)).body
  const asked = new Date(`${date_expires.replace(' ', 'T')}Z`).getTime()
  await passTime(60)
  const statusAt = async (at: number) => {
    const { body } = await askAsOf(outcome, new Date(at).toISOString())
    return [body.status, body.status_code]
  }
  expect(await statusAt(asked - 1)).toEqual(['pending', 1003])
  expect(await statusAt(asked)).toEqual(['fail', 5011])
})

test('a feed does not wait for messages of then', async () => {
  const feed = '/merchant/v1/callback/feed/'
  const { status, body } = await service.pos1('GET', `${feed}?after=now&wait=30&as_of=1`)
  expect([status, body.messages]).toEqual([200, []])
})

test('given a payer who is erased, then answers as of before are as they were, without the name', async () => {
  const operator = operatorHere(service.settings)
  const phone = '+4741234567'
  await operator('payer', 'add', phone, '--name', 'Kari Nordmann', '--pin', '4711')
  const payment = await authorizedPayment(service, {
    customer: phone,
    required_scope: 'openid profile phone',
  })
  await service.pos1('PUT', payment, {
    action: 'capture',
    amount: '1.00',
    currency: 'NOK',
    capture_id: 'a',
  })
  await passTime()
  const kept = [
    payment,
    `${payment}outcome/`,
    '/merchant/v1/ledger/default/report/1/',
    '/merchant/v1/callback/',
  ]
  const ask = (asOf: string) => Promise.all(kept.map((path) => askAsOf(path, asOf)))
  const time = now()
  const before = await ask(time)
  expect(before[1]?.body).toMatchObject({
    customer: phone,
    permissions: { user_info: { name: 'Kari Nordmann' } },
  })
  await passTime()
  await operator('payer', 'erase', phone)

  const after = await ask(time)
  expect(after.map(({ text }) => text).join()).not.toMatch(/Nordmann|41234567/)
  const nameless = ({
    body: { customer: _, attachment_uri: __, permissions, ...figures },
  }: any) => ({
    ...figures,
    ...(permissions && { permissions: { ...permissions, user_info: null } }),
  })
  expect(after.map(nameless)).toEqual(before.map(nameless))
})

describe('moments are made', () => {
  const folderOf = () => join(service.folder, 'as-of')
  const past = (where: Where = 'inline', waitMs?: number) => {
    const made = makePast(service.core, service.settings, where, waitMs)
    onTestFinished(() => made.close())
    return made
  }
  const anyAnswer = async () => 'answered'

  test('once: those who ask again have the same file', async () => {
    const { at, files } = past()
    const files0 = files.all().length
    const asked = { position: 7 }
    await Promise.all([at(asked, 'a', anyAnswer), at(asked, 'b', anyAnswer)])
    await at(asked, 'c', anyAnswer)
    expect(files.all()).toHaveLength(files0 + 1)
  })

  test('anew when their file is damaged, though it is open', async () => {
    const { at, files } = past()
    const read = () =>
      at({ position: 9 }, 'a', async ({ queries }) => queries.merchants.merchants.all().length)
    const count = await read()
    const [file] = readdirSync(folderOf()).filter((name) => name.endsWith('-9.sqlite'))
    writeFileSync(join(folderOf(), file ?? ''), Buffer.alloc(450_560, 7))
    await expect(read()).rejects.toMatchObject({ name: 'StoreUnavailable' })
    expect(await read()).toBe(count)
    expect(existsSync(files.pathOf(9))).toBe(true)
  })

  test('beside the request when they take long: whoever asks again has them', async () => {
    const { at } = past('worker', 0)
    const ask = () => at({ position: 11 }, 'a', anyAnswer)
    await expect(ask()).rejects.toMatchObject({ code: 'moment_is_being_made', retryAfter: 5 })
    await expect.poll(ask, { timeout: 20_000 }).toBe('answered')
  })

  test('one at a time, and whoever asks for too many waits', async () => {
    const ends: (() => void)[] = []
    const begun: number[] = []
    const slowly = (end: number) =>
      new Promise<number>((resolve) => {
        begun.push(end)
        ends.push(() => resolve(0))
      })
    const { make } = makeWithin(slowly)
    const asked = Array.from({ length: 9 }, (_, end) => make(end, 'a'))
    const refused = { code: 'moments_are_too_many', retryAfter: 5 }
    await expect(make(9, 'a')).rejects.toMatchObject(refused)
    asked.push(make(10, 'b'))
    for (let turn = 0; turn < 10; turn++) {
      await nextTurn()
      expect(begun).toHaveLength(turn + 1)
      ends[turn]?.()
    }
    await Promise.all(asked)
    // The other merchant had its turn soon.
    expect(begun.slice(0, 4)).toContain(10)
  })

  test('for whoever has had them made for long only after a while', async () => {
    let elapsed = 0
    const { make, keep } = makeWithin(
      async () => (elapsed += 61_000),
      () => elapsed,
    )
    for (let count = 0; count < 3; count++) await make(count, 'a')
    const refused = await make(3, 'a').catch((error: unknown) => error)
    expect(refused).toMatchObject({ code: 'moments_are_too_many' })
    const { retryAfter } = refused as { readonly retryAfter: number }
    expect(retryAfter).toBeGreaterThan(60)
    await make(3, 'b')
    await keep(4)
    elapsed += retryAfter * 1_000
    await make(3, 'a')
  })

  test('beforehand at the end of each day on which enough came', async () => {
    const { files, ...made } = past()
    await passTime(86_400)
    const midnight = Math.floor(service.core.now() / 86_400_000) * 86_400_000
    const end = service.core.moments.positionAt(midnight - 1)
    const stopped = new AbortController().signal
    const next = await keepDays(service.core, { files, ...made }, 10_000)(midnight + 5, stopped)
    expect([next, files.isKept(end)]).toEqual([midnight + 86_400_000, false])
    const keep = keepDays(service.core, { files, ...made }, 1)
    await keep(midnight + 5, stopped)
    expect(files.isKept(end)).toBe(true)
  })
})
