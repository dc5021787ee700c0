import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { stickers } from '../../domain/aggregates.ts'
import { fold } from '../../domain/decider.ts'
import { maxFreeScans, scans, type ScanEvent } from '../../domain/merchant/scans.ts'
import type { PaymentCommand } from '../../domain/payment/payment-command.ts'
import { payment } from '../../domain/payment/payment.ts'
import {
  paymentRequest,
  startMerchantService,
  type MerchantService,
} from '../support/merchant-service.ts'

let service: MerchantService
let merchant: string
let receiver: Server
const received: { path: string; body: any }[] = []

beforeAll(async () => {
  service = await startMerchantService()
  merchant = await service.newMerchant()
  receiver = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const body: unknown = JSON.parse(Buffer.concat(chunks).toString())
      received.push({ path: request.url ?? '', body })
      response.end()
    })
  })
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve))
})
afterAll(async () => {
  expect(service.bugs).toEqual([])
  await service.stop()
  receiver.close()
})

const hook = (path: string): string =>
  `http://127.0.0.1:${(receiver.address() as AddressInfo).port}${path}`

const post = async (path: string, body: object, headers: Record<string, string> = {}) => {
  const answer = await service.call(path, { method: 'POST', headers, body })
  const text = await answer.text()
  return { status: answer.status, body: (text === '' ? null : JSON.parse(text)) as any }
}
const newShortlink = async (body: object = {}, by = merchant): Promise<string> =>
  (await post('/merchant/v1/shortlink/', body, service.as(by))).body.id
const scan = async (id: string, body: object = {}): Promise<string> =>
  (await post(`/sandbox/v1/shortlink/${id}/scan/`, body)).body.id
const request = async (customer: string, change: object = {}, by = merchant): Promise<string> => {
  const input = paymentRequest({ customer, ...change })
  const { status, body } = await post('/merchant/v1/payment_request/', input, service.as(by))
  expect(status).toBe(201)
  return body.id
}
const accept = async (tid: string, payer?: string): Promise<number> =>
  (await post(`/sandbox/v1/payment_request/${tid}/accept/`, { payer })).status
const abort = (tid: string) =>
  service.call(`/merchant/v1/payment_request/${tid}/`, {
    method: 'PUT',
    headers: service.as(merchant),
    body: { action: 'abort' },
  })
const outcome = async (tid: string, by = merchant) =>
  (await (
    await service.call(`/merchant/v1/payment_request/${tid}/outcome/`, {
      headers: service.as(by),
    })
  ).json()) as Record<string, unknown>

test('only its payer can pick up a request for a scan', async () => {
  const code = await newShortlink()
  await scan(code, { payer: 'bob' })
  const tid = await request(`shortlink_id:${code}`)
  expect(await accept(tid, 'alice')).toBe(409)
  expect(await accept(tid)).toBe(204)
  expect(await outcome(tid)).toMatchObject({ status: 'auth', customer: `shortlink_id:${code}` })
})

test('a request without a scan cannot be answered; after a scan its payer can answer', async () => {
  const code = await newShortlink()
  const tid = await request(`shortlink_id:${code}`)
  expect(await accept(tid)).toBe(409)
  await scan(code, { payer: 'bob' })
  expect(await accept(tid, 'alice')).toBe(409)
  expect(await accept(tid, 'bob')).toBe(204)
})

test('by default a scan counts for sixty seconds, and for as long as max_scan_age says', async () => {
  const [inTime, late, longer, shorter] = await Promise.all([1, 2, 3, 4].map(() => newShortlink()))
  for (const code of [inTime, late, longer, shorter]) await scan(code as string)
  await service.advance(58)
  expect(await accept(await request(`shortlink_id:${inTime}`))).toBe(204)
  expect(await accept(await request(`shortlink_id:${shorter}`, { max_scan_age: 10 }))).toBe(409)
  await service.advance(3)
  expect(await accept(await request(`shortlink_id:${late}`))).toBe(409)
  expect(await accept(await request(`shortlink_id:${longer}`, { max_scan_age: 90 }))).toBe(204)
})

test('an aborted or expired request no longer listens: the scan goes to the one before', async () => {
  const code = await newShortlink()
  const first = await request(`shortlink_id:${code}`)
  const expiring = await request(`shortlink_id:${code}`, { expires_in: 5 })
  const aborted = await request(`shortlink_id:${code}`)
  await abort(aborted)
  await service.advance(6)
  await scan(code)
  expect(await accept(aborted)).toBe(409)
  expect(await accept(expiring)).toBe(409)
  expect(await accept(first)).toBe(204)
  await service.core.readModels.caughtUp()
  expect(service.core.merchants.pickUps.due(10)).toEqual([])
})

test('the same request again does not take a second scan', async () => {
  const code = await newShortlink()
  const body = paymentRequest({ customer: `shortlink_id:${code}` })
  const send = () => post('/merchant/v1/payment_request/', body, service.as(merchant))
  await scan(code, { payer: 'bob' })
  await scan(code, { payer: 'alice' })
  const { body: first } = await send()
  expect((await send()).body).toEqual(first)
  expect(await accept(first.id, 'alice')).toBe(204)
  expect((await send()).body).toEqual(first)
  expect(await accept(await request(`shortlink_id:${code}`), 'bob')).toBe(204)
})

test('a serial number names the code of its sticker, for the merchant that claimed it', async () => {
  const { core } = service
  await core.handle(stickers, 'S-1', { type: 'AddSticker' }, core.contextOf('operator'))
  const code = await newShortlink({ serial_number: 'S-1' })
  const tid = await request('shortlink_sn:S-1')
  await scan(code)
  expect(await accept(tid)).toBe(204)
  const other = await service.newMerchant()
  const theirs = await request('shortlink_sn:S-1', {}, other)
  expect(await outcome(theirs, other)).toMatchObject({ status: 'fail', status_code: 4004 })
})

test.each([
  'shortlink_id:',
  'shortlink_id:nosuchcode',
  'shortlink_sn:',
  'shortlink_sn:blåbær',
  'token:1',
  'token:',
  'nobody',
])('the customer %j names nobody: the request is made and fails', async (customer) => {
  const tid = await request(customer)
  expect(await outcome(tid)).toMatchObject({ status: 'fail', status_code: 4004 })
})

test('a scan token names the payer for one day, and only for the merchant whose code was scanned', async () => {
  const token = await scan(await newShortlink(), { payer: 'bob' })
  const other = await service.newMerchant()
  const theirs = await request(token, {}, other)
  expect(await outcome(theirs, other)).toMatchObject({ status_code: 4004 })
  const tid = await request(token)
  expect(await accept(tid, 'alice')).toBe(409)
  expect(await accept(tid)).toBe(204)
  await service.advance(86_390)
  expect(await accept(await request(token))).toBe(204)
  await service.advance(20)
  expect(await outcome(await request(token))).toMatchObject({ status_code: 4004 })
})

test('each scan is sent to the shortlink’s callback, in order, with its object even over http', async () => {
  const code = await newShortlink({ callback_uri: hook('/before') })
  const one = await scan(code, { argstring: 'one' })
  await service.advance(1)
  const headers = service.as(merchant)
  const change = { callback_uri: hook('/after') }
  const path = `/merchant/v1/shortlink/${code}/`
  await service.call(path, { method: 'PUT', headers, body: change })
  const two = await scan(code)
  await service.advance(1)
  await service.call(path, { method: 'PUT', headers, body: { callback_uri: '' } })
  await scan(code)
  await service.advance(1)
  const told = received.map(({ path, body }) => ({
    path,
    seqno: body.meta.seqno,
    event: body.meta.event,
    uri: body.meta.uri,
    object: body.object,
  }))
  const meta = { event: 'shortlink_scanned', uri: null }
  expect(told).toEqual([
    { ...meta, path: '/before', seqno: 1, object: { id: one, argstring: 'one' } },
    { ...meta, path: '/after', seqno: 2, object: { id: two, argstring: '' } },
  ])
  expect(new Set(received.map(({ body }) => body.meta.id)).size).toBe(2)
})

test('one code keeps the latest thousand unmatched scans', () => {
  const scanned = (number: number): readonly ScanEvent[] => [
    {
      type: 'ShortlinkScanned',
      data: {
        scan: `s${number}`,
        payer: 'alice',
        argstring: '',
        scannedAt: number,
        tokenDigest: '',
      },
    },
  ]
  const numbers = Array.from({ length: maxFreeScans + 5 }, (_, number) => number)
  const { free } = fold(scans, numbers.flatMap(scanned))
  expect(free.length).toBe(maxFreeScans)
  expect(free[0]?.scan).toBe('s5')
})

test('a payment that one scan has picked up refuses every other, and takes the same one again', () => {
  const history = [
    {
      type: 'PaymentRequested',
      data: {
        request: { posId: 'till', expiresIn: 60 } as never,
        payer: null,
        shortlink: 'code',
        expiresAt: 60_000,
      },
    },
    { type: 'PaymentPickedUp', data: { payer: 'alice', scan: 's1' } },
  ] as const
  const state = fold(payment, history)
  const pickUp = (scan: string, at: number): PaymentCommand => ({
    type: 'PickUpPayment',
    at,
    payer: 'alice',
    scan,
  })
  expect(payment.decide(pickUp('s1', 99_000), state)).toEqual([])
  expect(() => payment.decide(pickUp('s2', 1000), state)).toThrow('payment is picked up')
  const waiting = fold(payment, history.slice(0, 1))
  expect(() => payment.decide(pickUp('s1', 60_000), waiting)).toThrow('payment is expired')
  expect(payment.decide(pickUp('s1', 59_999), waiting)).toHaveLength(1)
})
