import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  authorizedPayment,
  paths,
  requestPayment,
  startService,
  wrongFields,
  type Service,
} from '../support/http-service.ts'
import { operatorHere } from '../../harness/operator.ts'
import { codeOf } from '../support/people-service.ts'
import { sandboxPayers } from '../../service/sandbox/sandbox-data.ts'

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

/** Advances the service's clock to another second. */
const passTime = async (seconds = 2): Promise<void> => {
  const { status } = await service.call('POST', paths.clock, { body: { advance_seconds: seconds } })
  expect(status).toBe(200)
}

/** Everything except the upload link, which expires. */
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

  test('its outcome as of before is that of before, by position and by time', async () => {
    for (const asOf of [position, time, inSeconds(time), inSeconds(time).replace('T', '%20')])
      expect([asOf, lasting((await askAsOf(outcome, asOf)).body)]).toEqual([asOf, before])
    expect(lasting((await service.pos1('GET', outcome)).body)).not.toEqual(before)
  })

  test('a time in whole seconds has all of that second, as times are shown', async () => {
    const after = (await service.pos1('GET', outcome)).body
    const asShown = await askAsOf(outcome, after.date_modified.replace(' ', 'T'))
    expect(asShown.body.captures).toEqual(after.captures)
  })

  test('before its request there is no such payment', async () => {
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
  // Checkpoints are signed meanwhile.
  for (const asOf of [(await head()) + 100, tomorrow, tomorrow.slice(0, 10), 'yesterday', '-1'])
    expect([asOf, await askAsOf(path, asOf)]).toMatchObject([asOf, wrongFields('as_of')])
  expect((await askAsOf(paths.statusCodes, tomorrow)).status).toBe(400)
  expect((await askAsOf(paths.statusCodes, await head())).status).toBe(200)
  // An empty value counts as absent.
  expect((await askAsOf(path, '')).status).toBe(200)
})

test('who may ask is decided by now: a user of today asks about earlier times', async () => {
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

test('given a payer who is erased, answers as of before only lack the name', async () => {
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

test('given a payer who withdraws consent, their claims are read nowhere any more', async () => {
  const payment = await authorizedPayment(service, { required_scope: 'openid profile phone' })
  const time = now()
  const feed = '/merchant/v1/callback/feed/'
  const ask = () =>
    Promise.all([
      askAsOf(`${payment}outcome/`, time),
      askAsOf(feed, time),
      service.pos1('GET', feed),
    ])
  const own = payment.split('/').at(-2)
  const messageOf = ({ body }: any) => body.messages.find((one: any) => one.object.tid === own)
  const shown = async () => {
    const [outcome, then, since] = await ask()
    const all = [outcome.body, messageOf(then).object, messageOf(since).object]
    return all.map(({ permissions }) => permissions.user_info)
  }
  expect(await shown()).toEqual(Array(3).fill(expect.objectContaining({ name: 'Alice Andersen' })))
  await passTime()
  const { phone, pin } = sandboxPayers.alice
  const body = { phone, pin, code: codeOf('alice') }
  const { token } = (await service.call('POST', '/payer/v1/session/', { body })).body
  const headers = { Authorization: `Bearer ${token}` }
  await service.call('DELETE', '/payer/v1/permission/sandbox/', { headers })
  expect(await shown()).toEqual([null, null, null])
})
