import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  authorizedPayment,
  pathOf,
  requestPayment,
  paths,
  startService,
  type Caller,
  type Service,
} from '../support/http-service.ts'
import { paymentInput } from '../../harness/register-merchant.ts'
import { codeOf } from '../support/people-service.ts'
import { faultyBodies, line } from './faulty-bodies.ts'

/** One response lists all faults of a body (interface 2). */

let service: Service

let other: Caller

let payer: Caller

let pending: string

let authorized: string

let captured: string

beforeAll(async () => {
  service = await startService({ PUSHER_KEY: 'shop.key', PUSHER_SECRET: 'only tests know this' })
  other = await service.addMerchant('other')
  const who = { phone: '4799999901', pin: '1234', code: codeOf('alice') }
  const { token } = (await service.call('POST', '/payer/v1/session/', { body: who })).body
  payer = (method, path, body) =>
    service.call(method, path, { body, headers: { Authorization: `Bearer ${token}` } })
  pending = await requestPayment(service.pos1)
  authorized = await authorizedPayment(service)
  captured = await authorizedPayment(service)
  await service.pos1('PUT', captured, { action: 'capture' })
})

afterAll(() => service.stop())

const acceptPath = () => `/payer/v1/payment_request/${pending.split('/').at(-2)}/accept/`

const faultsIn = async (answer: Promise<{ status: number; body: any }>) => {
  const { status, body } = await answer
  expect([status, body.error_type]).toEqual([400, 'validation_error'])
  return Object.keys(body.error_details).sort()
}

describe('all faults of a body are listed at once:', () => {
  test.each(faultyBodies)('%s', async (_, who, method, path, body, fields) => {
    const ask = { pos1: service.pos1, admin: service.admin, payer }[who]
    const inSandbox = acceptPath().replace('/payer/', '/sandbox/')
    const accepts = { accept: acceptPath(), 'sandbox accept': inSandbox }
    const named = { pending, authorized, captured, ...accepts }
    const url = Object.hasOwn(named, path) ? named[path as keyof typeof named] : path
    expect(await faultsIn(ask(method, url, body))).toEqual(fields.split(' '))
  })

  test('lines of which one cannot be read have no sum, fifty and more have one', async () => {
    const lines = Array.from({ length: 80 }, () => line('2.00'))
    const told = (line_items: readonly object[]) =>
      faultsIn(service.pos1('POST', paths.payments, paymentInput({ action: 'foo', line_items })))
    expect(await told(lines)).toEqual(['action', 'line_items'])
    expect(await told([{ ...lines[0], total: 'x' }, ...lines])).toEqual([
      'action',
      'line_items.0.total',
    ])
    expect(await told(lines.slice(0, 50))).toEqual(['action'])
  })
})

describe('who may not ask learns nothing of what is there', () => {
  const update = { action: 'capture', amount: '999.00', currency: 'NOK', capture_id: 'a b' }

  test('for a payment of another merchant only the faults of the body are listed', async () => {
    expect(await faultsIn(other('PUT', pending, update))).toEqual(['capture_id'])
    expect(await faultsIn(other('PUT', pending, { callback_uri: 'x', ledger: 'nope' }))).toEqual([
      'callback_uri',
    ])
  })

  test('and so is a refund that is not signed', async () => {
    const refund = { ...update, action: 'refund', capture_id: null, refund_id: 'a b' }
    expect(await faultsIn(service.pos1('PUT', captured, refund))).toEqual(['refund_id'])
  })

  test('a wrong secret is reported before any fault of the body', async () => {
    const stranger = service.withSecret('sandbox', 'pos1', 'another-secret')
    const answer = await stranger('POST', paths.payments, { pos_id: 'nope' })
    expect([answer.status, answer.body.error_details]).toEqual([401, null])
  })

  test('without a session nothing is told of the body at all', async () => {
    const body = { additional_amount: '1.00', credit: 'yes' }
    expect((await service.call('POST', acceptPath(), { body })).status).toBe(401)
  })

  test('what is not there, or has ended, is a 404 or a 409 as before', async () => {
    const nowhere = pending.replace(/[^/]+\/$/, 'nowhere/')
    expect((await service.pos1('PUT', nowhere, { action: 'capture' })).status).toBe(404)
    const input = paymentInput({ pos_tid: 'again' })
    const made = await service.pos1('POST', paths.payments, input)
    expect(pathOf(made.headers.location)).toMatch(/payment_request/)
    const changed = { ...input, pos_id: 'till-1', amount: '2.00', ledger: 'nope' }
    expect((await service.pos1('POST', paths.payments, changed)).status).toBe(409)
  })
})
