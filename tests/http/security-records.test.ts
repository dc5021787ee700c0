import { afterAll, beforeAll, expect, test } from 'vitest'
import { operatorHere } from '../../harness/operator.ts'
import { authorizedPayment, paths, startService, type Service } from '../support/http-service.ts'

let service: Service
beforeAll(async () => {
  service = await startService()
})
afterAll(() => service.stop())

const recorded = async (type: string): Promise<Record<string, unknown>[]> => {
  const { output } = await operatorHere(service.settings)('--json', 'audit', 'security')
  const lines = output.trimEnd().split('\n')
  return lines.map((line) => JSON.parse(line)).filter((line) => line.type === type)
}
const [merchant, address] = ['sandbox', '127.0.0.1']

test('given callers who are let in, then each is recorded once for its address', async () => {
  for (let n = 0; n < 5; n++) await service.pos1('GET', paths.pointsOfSale)
  await service.admin('GET', paths.pointsOfSale)
  expect(await recorded('authenticated')).toMatchObject([
    { actor: 'user:pos1', merchant, address },
    { actor: 'user:admin', merchant, address },
  ])
})

test('given requests that need more, then the refusals tell why', async () => {
  const user = { id: 'till', pubkey: undefined, secret: 'a secret of tests' }
  await service.pos1('POST', paths.users, user)
  const path = await authorizedPayment(service)
  await service.admin('POST', paths.users, user)
  const till = service.withSecret('sandbox', 'till', user.secret)
  await till('PUT', path, { action: 'refund', amount: '1.00', currency: 'NOK' })
  await service.admin('PUT', `${paths.users}till/`, { netmask: '192.0.2.0/24' })
  await till('GET', paths.pointsOfSale)
  expect(await recorded('refused')).toMatchObject([
    { actor: 'user:pos1', merchant, address, reason: 'level too low' },
    { actor: 'user:till', merchant, address, reason: 'level too low' },
    { actor: 'user:till', reason: 'Requests of this user may not come from this address.' },
  ])
  expect((await recorded('changed')).map(({ reason }) => reason)).toEqual(
    expect.arrayContaining(['UserRegistered', 'UserChanged']),
  )
})

test('given a payer’s data, when a merchant reads it, then that is recorded', async () => {
  const request = { customer: '+4799999901', scope: 'openid profile', expires_in: 600 }
  const asked = { pos_id: 'till-1', pos_tid: 'permission-1', ...request }
  const made = await service.pos1('POST', '/merchant/v1/permission_request/', asked)
  const { id } = made.body
  await service.call('POST', `/sandbox/v1/permission_request/${id}/accept/`)
  const outcome = `/merchant/v1/permission_request/${id}/outcome/`
  const { body } = await service.pos1('GET', outcome)
  expect(body.user_info).not.toBeNull()
  const { access_token: token } = body
  await service.call('GET', '/oauth2/v1/userinfo', {
    headers: { Authorization: `Bearer ${token}` },
  })
  expect(await recorded('personal_data_read')).toMatchObject([
    { actor: 'user:pos1', merchant, address, about: `permission-${id}` },
    { actor: 'token of sandbox', merchant, about: expect.stringMatching(/^payer-/) },
  ])
})

test('given a payer’s data, when the feed or a callback shows it, it is recorded', async () => {
  const granted = { customer: '+4799999902', scope: 'openid profile', expires_in: 600 }
  const asked = { pos_id: 'till-1', pos_tid: 'permission-2', ...granted }
  const { id } = (await service.pos1('POST', '/merchant/v1/permission_request/', asked)).body
  await service.call('POST', `/sandbox/v1/permission_request/${id}/accept/`, {
    body: { payer: 'bob' },
  })
  const about = `permission-${id}`
  const readings = async () =>
    (await recorded('personal_data_read')).filter((line) => line['about'] === about)
  const list = await service.pos1('GET', `/merchant/v1/callback/?resource=${id}`)
  expect([list.body.uris.length, await readings()]).toEqual([1, []])
  const read = await service.pos1('GET', list.body.uris[0])
  expect(JSON.parse(read.body.body).object.user_info).toMatchObject({ name: 'Bob Berg' })
  expect(await readings()).toMatchObject([{ actor: 'user:pos1', merchant, address }])
  const { body } = await service.admin('GET', '/merchant/v1/callback/feed/')
  expect(body.messages.at(-1).object.user_info).toMatchObject({ name: 'Bob Berg' })
  expect(await readings()).toMatchObject([{ actor: 'user:pos1' }, { actor: 'user:admin' }])
})
