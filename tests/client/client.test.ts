import { generateKeyPairSync } from 'node:crypto'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  Client,
  Conflict,
  DaybookError,
  NotFound,
  ServiceError,
  Unauthorized,
  ValidationError,
} from '../../client/index.ts'
import { operations } from '../../client/generated/operations.ts'
import { startCallbackService, type CallbackService } from '../support/callback-service.ts'
import { allOf, input } from './shop.ts'

let service: CallbackService
let till: Client
let owner: Client
beforeAll(async () => {
  service = await startCallbackService()
  const { address: url } = service
  till = new Client({ url, merchant: 'sandbox', user: 'pos1', secret: 'sandbox-secret' })
  const key = readFileSync(join(service.folder, 'sandbox-admin-key.pem'))
  owner = new Client({ url: `${url}//`, merchant: 'sandbox', user: 'admin', key })
})
afterAll(async () => {
  await service.stop()
  rmSync(service.folder, { recursive: true })
})

test('a payment goes from request to settlement, its money as exact text', async () => {
  const { id, uri } = await till.createPaymentRequest(input({ amount: '100.10' }))
  expect(uri).toBeNull()
  await till.acceptSandboxPaymentRequest(id)
  const part = { amount: '33.40', currency: 'NOK' }
  await till.updatePaymentRequest(id, { action: 'capture', capture_id: 'a', ...part })
  await till.updatePaymentRequest(id, { action: 'release' })
  const refund = { refund_id: 'r', amount: '0.10', currency: 'NOK', text: 'a stain' } as const
  await owner.updatePaymentRequest(id, { action: 'refund', ...refund })
  const outcome = await till.getPaymentRequestOutcome(id)
  expect(outcome).toMatchObject({ status: 'ok', amount: '100.10', released_amount: '66.70' })
  expect(outcome.refunds).toMatchObject([{ id: 'r', amount: '0.10', text: 'a stain' }])
  await expect(till.getLastSettlement()).rejects.toThrow(NotFound)
  await till.createSandboxSettlement({ merchant: 'sandbox' })
  const settlement = await till.getLastSettlement()
  expect(settlement.payout_details).toMatchObject([{ currency: 'NOK', gross: '33.30' }])
  expect(await allOf(till.listSettlements())).toMatchObject([{ id: settlement.id }])
  const [log = ''] = settlement.transaction_log_uris
  expect(await till.get<string>(log)).toMatch(/^tid,sub_id,[^]*,a,[^,]*,capture,,.*,NOK,33.40,/)
  expect(await till.get(outcome.report_uri ?? '')).toMatchObject({ id: '1', status: 'open' })
})

test('every operation is a method, and a misspelt one is none', () => {
  for (const name of Object.keys(operations)) expect(till).toHaveProperty(name)
  expect(till).not.toHaveProperty('capturePayment')
})

describe('the class of an error identifies it:', () => {
  const refusedBy = async (asked: Promise<unknown>): Promise<ServiceError> => {
    const error = await asked.catch((error: unknown) => error)
    if (!(error instanceof ServiceError))
      throw new Error('it is none of the service', { cause: error })
    return error
  }

  test('wrong fields', async () => {
    const error = await refusedBy(
      till.createPaymentRequest(input({ amount: '1.005', pos_id: '?' })),
    )
    expect(error).toBeInstanceOf(ValidationError)
    expect(error).toMatchObject({
      name: 'ValidationError',
      status: 400,
      error_type: 'validation_error',
      error_details: {
        amount: ['Has more decimals than its currency.'],
        pos_id: ['Letters, digits and _ . -, at most 64.'],
      },
      request_id: expect.stringMatching(/./),
    })
    expect(error.message).toContain('amount: Has more decimals than its currency.')
  })

  test('wrong credentials', async () => {
    const options = { url: service.address, merchant: 'sandbox', user: 'pos1' }
    const stranger = new Client({ ...options, secret: 'another-secret' })
    expect(await refusedBy(stranger.getPos('till-1'))).toBeInstanceOf(Unauthorized)
    const unsigned = await refusedBy(till.createUser({ id: 'till-2', secret: 'a long secret' }))
    expect(unsigned.message).toBe(
      'POST /merchant/v1/user/: 401 Level too low: this request must be signed with a key.',
    )
  })

  test('a conflict', async () => {
    await till.createPos({ id: 'bar', name: 'Bar', type: 'store' })
    const other = refusedBy(till.createPos({ id: 'bar', name: 'Pub', type: 'store' }))
    expect(await other).toBeInstanceOf(Conflict)
    expect(await other).toBeInstanceOf(DaybookError)
  })

  test('an unknown resource, with any characters in its id', async () => {
    expect(await refusedBy(till.getPos('a/../b?c#d'))).toBeInstanceOf(NotFound)
  })
})

test('attachments are uploaded where the outcome says, and read back', async () => {
  const { id } = await till.createPaymentRequest(input())
  await till.acceptSandboxPaymentRequest(id)
  const { attachment_uri = '' } = await till.getPaymentRequestOutcome(id)
  const items = { items: [{ item_name: 'Waffle', item_gross_total: '100.00' }] }
  const type = 'application/vnd.service.itemlist.v1+json'
  const form = new FormData()
  form.set('items', new Blob([JSON.stringify(items)], { type }), 'items.json')
  await till.uploadAttachments(attachment_uri, form)
  const [attachment] = await allOf(till.listPaymentRequestAttachments(id))
  expect(await till.getPaymentRequestAttachment(id, attachment?.id ?? '')).toMatchObject(items)
})

test('an integrator signs for a merchant, and finds it', async () => {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', {
    modulusLength: 2048,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  })
  const file = join(service.folder, 'integrator.pem')
  writeFileSync(file, publicKey)
  await service.operator(
    ...['merchant', 'add', 'harbour', '--name', 'Harbour', '--currency', 'NOK'],
    ...['--lookup-id', '987654321'],
  )
  await service.operator(
    ...['integrator', 'add', 'tills', '--name', 'Tills', '--pubkey', file],
    ...['--merchant', 'sandbox', '--merchant', 'harbour'],
  )
  const options = { url: service.address, merchant: 'sandbox', integrator: 'tills' }
  const integrator = new Client({ ...options, key: privateKey })
  expect(await integrator.getPos('till-1')).toMatchObject({ id: 'till-1' })
  expect(await integrator.findMerchant('987654321')).toMatchObject({ id: 'harbour' })
  expect(() => new Client({ ...options, secret: 'a long secret' })).toThrow(/integrator signs/)
})

test.each([
  [{ user: 'pos1', secret: 'a', url: 'pay.example' }, /pay.example is not an http or https URL/],
  [{ user: 'pos1', secret: 'a', url: 'https://pay.example/?a=b' }, /a query, a fragment or a user/],
  [{ user: 'pos1' }, /a secret or a key/],
  [{ user: 'pos1', secret: 'a', key: 'b' }, /a secret or a key/],
  [{ secret: 'a' }, /a user or an integrator/],
])('a client says what is missing of %o', (options, problem) => {
  const url = 'https://pay.example'
  expect(() => new Client({ url, merchant: 'sandbox', ...options })).toThrow(problem)
})

test('an id that is missing is missed before anything is sent', async () => {
  await expect(till.getPos('')).rejects.toThrow('pos_id is missing.')
  for (const id of ['.', '..'])
    await expect(till.getPos(id)).rejects.toThrow('pos_id must not be . or ..')
  await expect(till.getPos(undefined as unknown as string)).rejects.toThrow(TypeError)
})

test('credentials go to no other service, whatever URI is given', async () => {
  const asked: string[] = []
  const thief = createServer((request, response) => {
    asked.push(request.url ?? '')
    response.end()
  })
  await new Promise<void>((resolve) => thief.listen(0, '127.0.0.1', resolve))
  const { port } = thief.address() as AddressInfo
  const { host } = new URL(service.address)
  for (const uri of [
    `http://127.0.0.1:${port}/`,
    `http://${host}@127.0.0.1:${port}/`,
    `//127.0.0.1:${port}/`,
    `${service.address}@127.0.0.1:${port}/`,
    `${service.address}.example/`,
  ])
    await expect(till.get(uri)).rejects.toThrow(
      DaybookError.prototype instanceof Error ? Error : Error,
    )
  expect(asked).toEqual([])
  thief.close()
})
