// @module-tag long
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { users } from '../../domain/aggregates.ts'
import { within } from '../../domain/stream.ts'
import { operatorHere } from '../../harness/operator.ts'
import { error, paths, sign, startService, type Service } from '../support/http-service.ts'

let service: Service
let earlier: Service[]
beforeEach(async () => {
  service = await startService()
  earlier = []
})
afterEach(async () => {
  for (const one of earlier) await one.stop(false)
  await service.stop()
})

/** A second service on the same data. */
const onAnotherNode = async () => {
  earlier.push(service)
  service = await startService({ PUBLIC_URL: earlier[0]!.address }, service.folder)
}
const afterRestart = async () => {
  const [address, folder] = [service.address, service.folder]
  await service.stop(false)
  service = await startService({ PUBLIC_URL: address }, folder)
}

/** A signed request that can be sent again as it is. */
const signed = (method: string, path: string, secondsAgo: number, body?: object) => {
  const url = service.address + path
  const key = service.adminKey
  const at = Date.now() - secondsAgo * 1000
  const who = { merchant: 'sandbox', user: 'admin' }
  const headers = sign({ method, url, body, key, at, ...who })
  const send = () => service.call(method, path, { headers, ...(body && { body }) })
  return send
}

const user = `${paths.users}till/`
const made = (secondsAgo: number) =>
  signed('POST', paths.users, secondsAgo, { id: 'till', secret: 'a secret of tests' })
const older = { status: 409, body: error('Conflict', /sign it again/) }
const isSecret = async (secret: string): Promise<boolean> =>
  (await service.withSecret('sandbox', 'till', secret)('GET', paths.pointsOfSale)).status === 200
const eventsOf = async () =>
  (await service.core.store.readStream(`user-${within('sandbox', 'till')}`)).length

describe('given a signed change that a later one has replaced,', () => {
  test.each([
    ['there', async () => {}],
    ['after a restart', afterRestart],
    ['on another node', onAnotherNode],
  ])('when it is sent again %s, then it is refused, and the later one stands', async (_, move) => {
    await made(90)()
    const first = signed('PUT', user, 60, { secret: 'the old secret' })
    const later = signed('PUT', user, 30, { secret: 'the new secret' })
    expect([(await first()).status, (await later()).status]).toEqual([204, 204])
    const before = await eventsOf()
    await move()
    expect(await first()).toMatchObject(older)
    expect((await later()).status).toBe(204)
    expect(await eventsOf()).toBe(before)
    expect([await isSecret('the old secret'), await isSecret('the new secret')]).toEqual([
      false,
      true,
    ])
  })

  test('when both are of one second, then the first again does nothing', async () => {
    await made(90)()
    const first = signed('PUT', user, 30, { secret: 'the old secret' })
    const later = signed('PUT', user, 30, { secret: 'the new secret' })
    for (const send of [first, later, later, first]) expect((await send()).status).toBe(204)
    expect(await isSecret('the new secret')).toBe(true)
  })

  test('when the user was ended, then its registration does not bring it back', async () => {
    const registered = made(60)
    const ended = signed('DELETE', user, 30)
    expect([(await registered()).status, (await ended()).status]).toEqual([201, 204])
    expect(await registered()).toMatchObject(older)
    expect((await ended()).status).toBe(204)
  })

  test('when the operator has made the later change, then it is refused too', async () => {
    const registered = made(60)
    expect((await registered()).status).toBe(201)
    const daybook = operatorHere(service.settings)
    await daybook('user', 'remove', 'sandbox', 'till')
    expect(await registered()).toMatchObject(older)
  })
})

test('given a signed request for an application, when it is sent again, there is one', async () => {
  const body = { name: 'Shop', redirect_uris: ['https://shop.example/'] }
  const send = signed('POST', '/merchant/v1/application/', 10, body)
  const [first, again] = [await send(), await send()]
  expect(first.status).toBe(201)
  expect(again.body).toEqual(first.body)
  const list = await service.pos1('GET', '/merchant/v1/application/')
  expect(list.body.uris).toHaveLength(1)
  const end = signed('DELETE', `/merchant/v1/application/${first.body.id}/`, 5)
  expect([(await end()).status, (await end()).status]).toEqual([204, 204])
  expect(await send()).toMatchObject(older)
})

test('given a signed change of a callback secret, then it counts once', async () => {
  const path = '/merchant/v1/callback_secret/'
  const first = signed('POST', path, 60)
  const made = await first()
  expect(made).toMatchObject({ status: 200, body: { earlier: [{}] } })
  expect((await first()).body).toEqual(made.body)
  const later = await signed('POST', path, 30)()
  expect(later.body.earlier).toHaveLength(2)
  expect(await first()).toMatchObject(older)
  expect((await signed('GET', path, 0)()).body).toEqual(later.body)
})

test('given an account changed by the operator, then the event has the time', async () => {
  const daybook = operatorHere(service.settings)
  await daybook('settlement-account', 'set', 'sandbox', '--frequency', 'weekly')
  const stream = `settlement_account-${within('sandbox', 'default')}`
  const event = (await service.core.store.readStream(stream)).at(-1)
  expect(event?.metadata).toMatchObject({ asked: { at: expect.any(Number), signature: null } })
})

test('given events of an older log, without such a time, then they fold as before', () => {
  const entry = { merchant: 'm', id: 'u', roles: [], netmask: null }
  const data = { ...entry, secretHash: 'hash', publicKey: null }
  const place = { at: 0, position: 0 }
  const { initial, evolve } = users.decider
  const made = evolve(initial, { type: 'UserRegistered', data }, place)
  expect(made).toEqual({ status: 'present', registered: data, data })
})
