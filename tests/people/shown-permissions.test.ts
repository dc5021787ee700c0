// @module-tag long
import { decodeJwt } from 'jose'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { payers } from '../../domain/aggregates.ts'
import { callbackEventNames } from '../../domain/callback-names.ts'
import { parseEvent } from '../../domain/events.ts'
import { codeOf, startPeopleService, type PeopleService } from '../support/people-service.ts'

let service: PeopleService
let token: string

beforeAll(async () => {
  service = await startPeopleService()
  const who = { phone: '4799999901', pin: '1234', code: codeOf('alice') }
  token = (await service.call('POST', '/payer/v1/session/', who, {})).body.token
})
afterAll(() => service.stop())

const changeEmail = async (email: string) => {
  const headers = { Authorization: `Bearer ${token}` }
  expect((await service.call('PUT', '/payer/v1/profile/', { email }, headers)).status).toBe(204)
}

const accept = (path: string) => service.call('POST', `/sandbox/v1${path}accept/`, {})

/** An accepted payment with required scope; returns its tid. */
const authorized = async (customer = '4799999901'): Promise<string> => {
  const { id } = await service.requestPayment({ customer, required_scope: 'openid email' })
  await accept(`/payment_request/${id}/`)
  return id
}

let number = 0
const granted = async (scope: string): Promise<string> => {
  number += 1
  const request = { pos_id: 'till-1', pos_tid: `shown-${number}`, customer: '4799999901', scope }
  const { body } = await service.call('POST', '/merchant/v1/permission_request/', request)
  await accept(`/permission_request/${body.id}/`)
  return body.id
}
const outcomeOfPermission = async (rid: string) =>
  (await service.call('GET', `/merchant/v1/permission_request/${rid}/outcome/`)).body

/** The text of an event's callback, made now. */
const callbackOf = async (
  subject: string,
  type: keyof typeof callbackEventNames,
): Promise<string> => {
  const log = (await service.events()).filter(({ stream }) => stream === subject)
  const history = log.map(parseEvent)
  const { revision = -1 } = history.find((event) => event.type === type) ?? {}
  const message = { subject, revision, event: callbackEventNames[type], seqno: 1 }
  return service.wordCallback(message, 'https://shop.example/')
}
const post = async (path: string, fields: Readonly<Record<string, string>>) => {
  const body = new URLSearchParams(fields)
  const headers = service.merchantHeaders()
  const answer = await fetch(service.address + path, { method: 'POST', headers, body })
  return { status: answer.status, body: (await answer.json()) as any }
}
const refresh = (refresh_token: string, scope = 'openid email') =>
  post('/oauth2/token', { grant_type: 'refresh_token', refresh_token, scope })

const objectOf = (text: string) => (JSON.parse(text) as { object: any }).object

test('a callback contains the payer’s data as of its event, also if built later', async () => {
  const tid = await authorized()
  const rid = await granted('openid email')
  const make = () =>
    Promise.all([
      callbackOf(`payment-${tid}`, 'PaymentAuthorized'),
      callbackOf(`permission-${rid}`, 'PermissionGranted'),
    ])
  const [first, second] = await make()
  const email = 'alice@elsewhere.example'
  await changeEmail(email)
  await service.operator('key', 'rotate')
  await service.advance(1)
  await service.call('PUT', `/merchant/v1/payment_request/${tid}/`, { action: 'capture' })
  expect(await make()).toEqual([first, second])
  expect(objectOf(first).permissions.user_info.email).toBe('alice@example.com')
  expect(objectOf(second).user_info.email).toBe('alice@example.com')
  expect(decodeJwt(objectOf(second).id_token).iss).toBe(service.address)
  // Reads, and callbacks of later events, show the current knowledge.
  const captured = objectOf(await callbackOf(`payment-${tid}`, 'PaymentCaptured'))
  expect(captured.permissions.user_info.email).toBe(email)
  expect((await service.outcome(tid)).permissions.user_info.email).toBe(email)
  expect((await outcomeOfPermission(rid)).user_info.email).toBe(email)
})

test('a callback rebuilt later contains nothing about an erased payer', async () => {
  const phone = '4743219876'
  const known = ['--name', 'Eva Glemt', '--pin', '4711', '--email', 'eva@example.com']
  await service.operator('payer', 'add', phone, ...known)
  const tid = await authorized(phone)
  const make = () => callbackOf(`payment-${tid}`, 'PaymentAuthorized')
  expect(objectOf(await make()).permissions.user_info.email).toBe('eva@example.com')
  // The key is destroyed only after that.
  const { core } = service
  const person = core.vault.findPerson(phone) ?? ''
  await core.handle(payers, person, { type: 'ErasePayer' }, core.contextOf('test'))
  expect(objectOf(await make()).permissions.user_info).toBeNull()
  await service.operator('payer', 'erase', phone)
  const { customer, permissions } = objectOf(await make())
  expect([customer, permissions.user_info]).toEqual([null, null])
})

test('an outcome shows the tokens of the latest refresh, which are valid', async () => {
  const [tid, rid] = [await authorized(), await granted('openid email')]
  const ofPayment = async () => (await service.outcome(tid)).permissions
  const ofPermission = () => outcomeOfPermission(rid)
  for (const read of [ofPayment, ofPermission]) {
    const first = await read()
    const { body: second } = await refresh(first.refresh_token, 'openid')
    const { access_token, refresh_token, id_token } = second
    const latest = { access_token, refresh_token, id_token, scope: 'openid' }
    expect(await read()).toMatchObject({ ...latest, expires_in: expect.toSatisfy((s) => s > 3500) })
    await service.advance(3700)
    expect(await read()).toMatchObject({ ...latest, expires_in: 0 })
    const third = await refresh((await read()).refresh_token)
    expect(third.status).toBe(200)
    expect(await read()).toMatchObject({
      access_token: third.body.access_token,
      refresh_token: third.body.refresh_token,
      scope: 'openid email',
      user_info: { email: expect.any(String) },
    })
  }
})

test('a callback has the latest tokens as of its event, and no revoked ones', async () => {
  const tid = await authorized()
  const stream = `payment-${tid}`
  const told = async (type: Parameters<typeof callbackOf>[1]) =>
    objectOf(await callbackOf(stream, type)).permissions
  const change = (action: string, fields = {}) =>
    service.call('PUT', `/merchant/v1/payment_request/${tid}/`, { action, ...fields })
  const first = await told('PaymentAuthorized')
  const { body: second } = await refresh(first.refresh_token)
  await change('capture', { capture_id: 'a', amount: '10.00', currency: 'NOK' })
  await post('/oauth2/revoke', { token: second.access_token })
  await change('release')
  expect(await told('PaymentAuthorized')).toEqual(first)
  expect((await told('PaymentCaptured')).refresh_token).toBe(second.refresh_token)
  expect(await told('PaymentReleased')).toBeNull()
  expect((await service.outcome(tid)).permissions).toBeNull()
})
