// @module-tag long
import { afterAll, beforeAll, expect, test } from 'vitest'
import { codeOf, startPeopleService, type PeopleService } from '../support/people-service.ts'
import { makeVisitor } from './visitor.ts'

let service: PeopleService
let headers: Record<string, string>

const path = '/payer/v1/profile/'
const put = async (body: object) => (await service.call('PUT', path, body, headers)).status
const shown = async () => (await service.call('GET', path, undefined, headers)).body

beforeAll(async () => {
  service = await startPeopleService()
  const who = { phone: '4799999901', pin: '1234', code: codeOf('alice') }
  const { token } = (await service.call('POST', '/payer/v1/session/', who, {})).body
  headers = { Authorization: `Bearer ${token}` }
})
afterAll(() => service.stop())

test('changes of a profile that come at once all stay', async () => {
  for (const round of [1, 2, 3, 4, 5]) {
    const address = { street: `Quay ${round}`, postal_code: '1', locality: 'Oslo', country: 'NO' }
    const changes = {
      name: `Alice the ${round}th`,
      email: `alice${round}@example.org`,
      address,
      shipping_address: { ...address, name: `At work ${round}` },
    }
    const answers = Object.entries(changes).map(([field, value]) => put({ [field]: value }))
    expect(await Promise.all(answers)).toEqual([204, 204, 204, 204])
    expect(await shown()).toMatchObject(changes)
  }
})

test('a profile change without new values records no event', async () => {
  const count = async () =>
    (await service.events()).filter(({ type }) => type === 'PayerProfileChanged').length
  const address = { street: 'Quay 9', postal_code: '1', locality: 'Oslo', country: 'NO' }
  expect(await put({ name: 'Alice', email: '', address })).toBe(204)
  const before = await count()
  expect([await put({}), await put({ name: 'Alice' }), await put({ email: '' })]).toEqual([
    204, 204, 204,
  ])
  expect(await count()).toBe(before)
})

test('a changed e-mail address is not verified, even if it is changed back', async () => {
  const request = {
    pos_id: 'till-1',
    pos_tid: 'email',
    customer: '4799999902',
    scope: 'openid email',
  }
  const { id } = (await service.call('POST', '/merchant/v1/permission_request/', request)).body
  await service.call('POST', `/sandbox/v1/permission_request/${id}/accept/`, {})
  const outcome = `/merchant/v1/permission_request/${id}/outcome/`
  const { access_token } = (await service.call('GET', outcome)).body
  const bearer = { Authorization: `Bearer ${access_token}` }
  const told = async () => {
    const { body } = await service.call('GET', '/oauth2/v1/userinfo', undefined, bearer)
    const { email, email_verified } = body
    return { email, email_verified }
  }
  const who = { phone: '4799999902', pin: '5678', code: codeOf('bob') }
  const { token } = (await service.call('POST', '/payer/v1/session/', who, {})).body
  const change = async (body: object) => {
    const headers = { Authorization: `Bearer ${token}` }
    expect((await service.call('PUT', path, body, headers)).status).toBe(204)
  }
  const bobs = 'bob@example.com'
  expect(await told()).toEqual({ email: bobs, email_verified: true })
  await change({ name: 'Bob, renamed' })
  expect(await told()).toEqual({ email: bobs, email_verified: true })
  await change({ email: 'alice@example.com' })
  expect(await told()).toEqual({ email: 'alice@example.com', email_verified: false })
  await change({ email: bobs })
  expect(await told()).toEqual({ email: bobs, email_verified: false })
  await change({ email: null })
  expect(await told()).toEqual({ email: bobs, email_verified: false })
  await change({ email: '' })
  expect(await told()).toEqual({})
})

/** Names with a line break, reversed text, and two look-alikes. */
const misleading = ['Alice\nPaid', 'A\u202eecil', 'Al\u200bice', 'Al\u200fice']

test('a name that cannot be read for what it is is refused wherever it is typed', async () => {
  const address = { street: 'Quay 9', postal_code: '1', locality: 'Oslo', country: 'NO' }
  const application = { redirect_uris: ['https://shop.example/back'] }
  const post = async (path: string, body: object, given = service.merchantHeaders()) =>
    (await service.call('POST', path, body, given)).status
  const alice = makeVisitor(service)
  await alice.signIn('alice')
  const details = await alice.visit('/payer/profile')
  const stranger = makeVisitor(service)
  const signUp = await stranger.visit('/payer/sign-up')
  const toShip = { shipping_street: 'Quay 9', shipping_postal_code: '1' }
  const shipping = { ...toShip, shipping_locality: 'Oslo', shipping_country: 'NO' }
  const newcomer = { phone: '4740000044', pin: '2468' }
  const all = async (name: string) => [
    await put({ name }),
    await put({ shipping_address: { ...address, name } }),
    (await alice.submit(details, { name })).status,
    (await alice.submit(details, { name: 'Alice', ...shipping, shipping_name: name })).status,
    (await stranger.submit(signUp, { name, ...newcomer })).status,
    await post('/payer/v1/sign_up/', { name, ...newcomer }, {}),
    await post('/merchant/v1/application/', { name, ...application }),
    await post('/merchant/v1/pos/', { id: `n${name.length}`, name, type: 'store' }),
  ]
  for (const name of misleading)
    expect([JSON.stringify(name), ...new Set(await all(name))]).toEqual([JSON.stringify(name), 400])
  const before = (await shown()).name
  for (const name of ['\u3164', '\u2800']) {
    // As if no change had been sent.
    const [change, , ...others] = await all(name)
    expect([change, ...new Set(others)]).toEqual([204, 400])
  }
  expect((await shown()).name).toBe(before)
  for (const name of ['Åse O\u2019Hara', 'علی\u200cرضا', '\u{1f469}\u200d\u{1f373}'])
    expect([name, await put({ name })]).toEqual([name, 204])
})
