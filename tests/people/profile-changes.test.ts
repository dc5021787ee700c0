import { afterAll, beforeAll, expect, test } from 'vitest'
import { codeOf, startPeopleService, type PeopleService } from '../../harness/people-service.ts'

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

test('a change of a profile that names nothing new is no event', async () => {
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

test('a changed e-mail address is told as not verified, also when it is changed back', async () => {
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
