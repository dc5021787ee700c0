import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { decodeJwt } from 'jose'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startPeopleService, type PeopleService } from '../support/people-service.ts'
import { makeVisitor } from './visitor.ts'

let service: PeopleService
let number = 0

beforeAll(async () => {
  service = await startPeopleService()
})
afterAll(() => service.stop())

const ask = async (fields: Readonly<Record<string, unknown>>) => {
  number += 1
  const request = { pos_id: 'till-1', pos_tid: `p-${number}`, customer: '4799999901', ...fields }
  return service.call('POST', '/merchant/v1/permission_request/', request)
}
const rid = async (fields: Readonly<Record<string, unknown>>): Promise<string> => {
  const { status, body } = await ask(fields)
  expect(status, JSON.stringify(body)).toBe(201)
  return body.id
}
const outcomeOf = async (id: string) =>
  (await service.call('GET', `/merchant/v1/permission_request/${id}/outcome/`)).body
const answer = async (id: string, how: 'accept' | 'decline', body: object = {}) =>
  (await service.call('POST', `/sandbox/v1/permission_request/${id}/${how}/`, body)).status

test('given a request, when the payer grants a part of it, then the outcome holds tokens for that part', async () => {
  const id = await rid({ scope: 'openid profile phone address', text: 'Please' })
  expect(await outcomeOf(id)).toMatchObject({ status: 'pending', status_code: 1003, rid: id })
  expect(await answer(id, 'accept', { scope: 'openid phone' })).toBe(204)
  const outcome = await outcomeOf(id)
  expect(outcome).toMatchObject({
    status: 'ok',
    status_code: 2000,
    scope: 'openid phone',
    token_type: 'Bearer',
    transaction_fee: '2.00',
    report_id: '1',
    report_uri: '/merchant/v1/ledger/default/report/1/',
    currency: 'NOK',
    user_info: { phone_number: '+4799999901', phone_number_verified: true },
  })
  expect(outcome.access_token).toMatch(/^[\w-]{43}$/)
  expect(decodeJwt(outcome.id_token)).toMatchObject({ aud: 'sandbox', sub: outcome.user_info.sub })
  // The same tokens again, although only their hashes are stored.
  const { expires_in: _, ...lasting } = outcome
  expect(await outcomeOf(id)).toMatchObject(lasting)
  const tokens = [outcome.access_token, outcome.refresh_token]
  expect(
    service.files().filter(({ bytes }) => tokens.some((token) => bytes.includes(token))),
  ).toEqual([])
})

test('given a request, when it is read and repeated, then it is as it was made, and other data conflict', async () => {
  const fields = { pos_tid: 'again', scope: 'profile openid' }
  const id = await rid(fields)
  expect(await rid(fields)).toBe(id)
  const { body } = await service.call('GET', `/merchant/v1/permission_request/${id}/`)
  expect(body).toMatchObject({ id, scope: 'openid profile', customer: '4799999901', text: null })
  expect((await ask({ ...fields, scope: 'openid' })).status).toBe(409)
})

test('given what a payer has granted to one merchant, when another asks for it, then there is none', async () => {
  const id = await rid({ scope: 'openid phone' })
  expect(await answer(id, 'accept')).toBe(204)
  await service.operator('merchant', 'add', 'other', '--name', 'Other', '--currency', 'NOK')
  await service.operator('user', 'add', 'other', 'u', '--secret', 'other-secret')
  const headers = service.merchantHeaders('other', 'u', 'other-secret')
  for (const path of [`${id}/`, `${id}/outcome/`]) {
    const read = (as?: typeof headers) =>
      service.call('GET', `/merchant/v1/permission_request/${path}`, undefined, as)
    expect((await read(headers)).status).toBe(404)
    expect((await read()).status).toBe(200)
  }
})

test('given bad input, when permissions are requested, then the faulty fields are named', async () => {
  const { status, body } = await ask({ scope: ['openid'] })
  expect(status).toBe(400)
  expect(Object.keys(body.error_details)).toEqual(['scope'])
  expect((await ask({ scope: 'openid', pos_id: 'nowhere' })).body.error_details).toHaveProperty(
    'pos_id',
  )
})

test('given unknown scopes, when permissions are requested, then they are ignored', async () => {
  const { status, body } = await ask({ scope: 'openid offline_access everything' })
  expect(status).toBe(201)
  const path = `/merchant/v1/permission_request/${body.id}/`
  expect((await service.call('GET', path)).body.scope).toBe('openid')
})

test('given a request, when the payer declines, then it is answered and there is no token', async () => {
  const id = await rid({ scope: 'openid' })
  expect(await answer(id, 'decline')).toBe(204)
  expect(await answer(id, 'decline')).toBe(204)
  expect(await answer(id, 'accept')).toBe(409)
  expect(await outcomeOf(id)).toMatchObject({ status: 'ok', status_code: 2000, access_token: null })
})

test('given a request that has expired, when the payer answers, then that is said, recorded or not', async () => {
  const id = await rid({ scope: 'openid', expires_in: 1 })
  await service.advance(2)
  const { status, body } = await service.call(
    'POST',
    `/sandbox/v1/permission_request/${id}/accept/`,
    {},
  )
  expect([status, body.error_description]).toEqual([409, 'The permission request has expired.'])
})

test('given a request for one payer, when another answers or grants too much, then it is refused', async () => {
  const id = await rid({ scope: 'openid' })
  expect(await answer(id, 'accept', { payer: 'bob' })).toBe(409)
  expect(await answer(id, 'accept', { scope: 'openid phone' })).toBe(400)
  expect(await outcomeOf(id)).toMatchObject({ status: 'pending' })
})

test('given a request for nobody, when it is read, then it has failed with 4004', async () => {
  const id = await rid({ scope: 'openid', customer: '4700000000' })
  expect(await outcomeOf(id)).toMatchObject({ status: 'fail', status_code: 4004 })
})

test('given a payment that requires a scope, when the payer accepts, then its outcome holds the permissions', async () => {
  const { id } = await service.requestPayment({
    customer: '4799999901',
    required_scope: 'openid email',
    required_scope_text: 'For your receipt',
  })
  expect(await service.outcome(id)).toMatchObject({ permissions: null })
  await service.call('POST', `/sandbox/v1/payment_request/${id}/accept/`, {})
  await service.call('POST', `/sandbox/v1/payment_request/${id}/accept/`, {})
  expect(await service.outcome(id)).toMatchObject({
    status: 'auth',
    permissions: {
      scope: 'openid email',
      currency: null,
      fee: '0.00',
      report_id: null,
      user_info: { email: 'alice@example.com' },
    },
  })
})

test('given a payment that requires no scope that is known, when the payer accepts, then nothing is granted', async () => {
  for (const required_scope of ['anything', '', ' ']) {
    const { id } = await service.requestPayment({ customer: '4799999901', required_scope })
    await service.call('POST', `/sandbox/v1/payment_request/${id}/accept/`, {})
    expect(await service.outcome(id)).toMatchObject({ status: 'auth', permissions: null })
  }
})

test('given an access token, when it names the customer of a payment, then its payer can pay, and only while it is good', async () => {
  const id = await rid({ scope: 'openid' })
  await answer(id, 'accept')
  const { access_token: customer, scope } = await outcomeOf(id)
  expect(scope).toBe('openid')
  const payment = await service.requestPayment({ customer })
  expect(await service.outcome(payment.id)).toMatchObject({ status: 'pending', customer })
  const accept = await service.call('POST', `/sandbox/v1/payment_request/${payment.id}/accept/`, {})
  expect(accept.status).toBe(204)
  const asked = await rid({ scope: 'openid', customer })
  expect(await outcomeOf(asked)).toMatchObject({ status: 'pending' })

  await service.advance(3600)
  const late = await service.requestPayment({ customer })
  expect(await service.outcome(late.id)).toMatchObject({
    status: 'fail',
    status_code: 4004,
    customer,
  })
  expect(service.files().some(({ bytes }) => bytes.includes(customer))).toBe(false)
})

test('given callbacks, when requests are answered and expire, then each is sent once', async () => {
  const told: { meta: { event: string; uri: string; seqno: number } }[] = []
  let arrive = () => {}
  const arrived = new Promise<void>((resolve) => (arrive = resolve))
  const server = createServer((request, response) => {
    let text = ''
    request.on('data', (part: Buffer) => (text += part.toString()))
    request.on('end', () => {
      told.push(JSON.parse(text) as (typeof told)[number])
      response.end()
      if (told.length === 2) arrive()
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const callback_uri = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
  const answered = await rid({ scope: 'openid', callback_uri })
  const expiring = await rid({ scope: 'openid', callback_uri, expires_in: 60 })
  await answer(answered, 'accept')
  await service.advance(60)
  await arrived
  server.close()
  expect(await outcomeOf(expiring)).toMatchObject({ status: 'fail', status_code: 5011 })
  const seen = told.map(({ meta }) => `${meta.event} ${meta.seqno} ${new URL(meta.uri).pathname}`)
  expect(seen.toSorted()).toEqual([
    `permission_request_answered 1 /merchant/v1/permission_request/${answered}/outcome/`,
    `permission_request_expired 1 /merchant/v1/permission_request/${expiring}/outcome/`,
  ])
})

test('given the scope profile alone, then the name can be read, and nothing that takes openid besides', async () => {
  const id = await rid({ scope: 'profile phone email address' })
  expect(await answer(id, 'accept')).toBe(204)
  const { access_token: token, id_token, user_info } = await outcomeOf(id)
  const name = 'Alice Andersen'
  expect([id_token, user_info]).toEqual([null, { sub: user_info.sub, name }])
  const bearer = { Authorization: `Bearer ${token}` }
  const told = await service.call('GET', '/oauth2/v1/userinfo', undefined, bearer)
  expect([told.status, told.body]).toEqual([200, { sub: user_info.sub, name }])
  const phoneOnly = await rid({ scope: 'phone' })
  expect(await answer(phoneOnly, 'accept')).toBe(204)
  const other = { Authorization: `Bearer ${(await outcomeOf(phoneOnly)).access_token}` }
  const refused = await service.call('GET', '/oauth2/v1/userinfo', undefined, other)
  expect([refused.status, refused.body.error]).toEqual([403, 'insufficient_scope'])
})

describe('given a granted scope, then the outcome holds its claims beside the tokens', () => {
  const shipping_address = {
    name: 'Alice Andersen',
    street_address: expect.any(String),
    postal_code: expect.any(String),
    locality: expect.any(String),
    country: 'NO',
  }
  const proof = { date: expect.any(String), method: expect.any(String) }
  const byBank = { issuer: 'bankid', ...proof }
  const id = expect.stringMatching(/^\d{11}$/)
  const personal_id = { jurisdiction: 'NO', id, proofs: expect.arrayContaining([byBank]) }
  const email = { email: 'alice@example.com', email_verified: true }

  test.each([
    ['shipping_address', { shipping_address }],
    ['fodselsnummer', { personal_id }],
    ['bankid', { personal_id: { ...personal_id, proofs: [byBank] } }],
    ['openid email shipping_address bankid', { ...email, shipping_address, personal_id }],
  ])('as of %s', async (scope, claims) => {
    const asked = await rid({ scope })
    expect(await answer(asked, 'accept')).toBe(204)
    const { user_info } = await outcomeOf(asked)
    expect(user_info).toEqual({ sub: expect.any(String), ...claims })
  })

  test('and so it does for a payment that required the scope', async () => {
    const { id: tid } = await service.requestPayment({
      customer: '4799999901',
      required_scope: 'openid email shipping_address',
    })
    await service.call('POST', `/sandbox/v1/payment_request/${tid}/accept/`, {})
    const { permissions } = await service.outcome(tid)
    expect(permissions.user_info).toEqual({ sub: expect.any(String), ...email, shipping_address })
  })

  test('but none that takes openid besides', async () => {
    const asked = await rid({ scope: 'phone email' })
    await answer(asked, 'accept')
    expect((await outcomeOf(asked)).user_info).toBeNull()
  })
})

test('an outcome, which may hold tokens, is kept by no cache', async () => {
  const id = await rid({ scope: 'openid' })
  const path = `/merchant/v1/permission_request/${id}/outcome/`
  const { headers } = await service.call('GET', path)
  expect(headers.get('cache-control')).toBe('no-store')
})

test('given a payer who signed up alone, then merchants get a verified number and no e-mail', async () => {
  const visitor = makeVisitor(service)
  const who = { phone: '4748000001', name: 'Ny Kunde', pin: '8642' }
  await visitor.signUpAt(await visitor.visit('/payer/sign-up'), who)
  const id = await rid({ scope: 'openid phone email address', customer: who.phone })
  expect(await answer(id, 'accept')).toBe(204)
  const { user_info } = await outcomeOf(id)
  const phone = { phone_number: `+${who.phone}`, phone_number_verified: true }
  expect(user_info).toEqual({ sub: user_info.sub, ...phone })
})

test('given a national id without proof from a bank identity, then it is verified, but not by the bank', async () => {
  const phone = '4748000002'
  const known = ['--name', 'Uten Bank', '--pin', '4711', '--national-id', '01017000027']
  await service.operator('payer', 'add', phone, ...known)
  const id = await rid({ scope: 'fodselsnummer bankid', customer: phone })
  expect(await answer(id, 'accept')).toBe(204)
  const headers = { Authorization: `Bearer ${(await outcomeOf(id)).access_token}` }
  const told = (kind: string) =>
    service.call('GET', `/oauth2/v1/scope/personal_id/no/${kind}`, undefined, headers)
  expect((await told('id')).body).toMatchObject({
    id: '01017000027',
    proofs: [{ issuer: 'daybook', method: 'operator' }],
  })
  expect((await told('bankid')).status).toBe(404)
})
