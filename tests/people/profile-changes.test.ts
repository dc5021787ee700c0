import { afterAll, beforeAll, expect, test } from 'vitest'
import { codeOf, startPeopleService, type PeopleService } from './people-service.ts'

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
  expect(await put({ name: 'Alice', email: null })).toBe(204)
  const before = await count()
  expect([await put({}), await put({ name: 'Alice' }), await put({ email: null })]).toEqual([
    204, 204, 204,
  ])
  expect(await count()).toBe(before)
})
