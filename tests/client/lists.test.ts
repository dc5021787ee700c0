// @module-tag long
import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Client } from '../../client/index.ts'
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
  owner = new Client({ url: `${url}/`, merchant: 'sandbox', user: 'admin', key })
})
afterAll(async () => {
  await service.stop()
  rmSync(service.folder, { recursive: true })
})

describe('a list', () => {
  const register = async (from: number, to: number): Promise<void> => {
    for (let number = from; number < to; number++)
      await till.createPos({ id: `table-${number}`, name: `Table ${number}`, type: 'mobile' })
  }

  test('gives what is there on all its pages once, while others come and go', async () => {
    await register(0, 105)
    const seen: string[] = []
    for await (const { id } of till.listPos()) {
      if (seen.length === 0) {
        await owner.deletePos('table-60')
        await owner.deletePos('table-1')
        await register(200, 201)
      }
      if (id.startsWith('table-')) seen.push(id)
    }
    const numbers = Array.from({ length: 105 }, (_, index) => 104 - index)
    const stayed = numbers.filter((number) => number !== 60 && number !== 1)
    expect(seen).toEqual(stayed.map((number) => `table-${number}`))
    const paths = await allOf(till.listPos().uris())
    expect(paths[0]).toBe('/merchant/v1/pos/table-200/')
    expect(new Set(paths).size).toBe(paths.length)
  })

  test('gives what its pages hold themselves, with its query on each page', async () => {
    const { id } = await till.createPaymentRequest(input())
    await till.updatePaymentRequest(id, { action: 'abort' })
    const [callback, ...others] = await allOf(till.listCallbacks({ resource: id, attempts: 1 }))
    expect(others).toEqual([])
    expect(callback).toMatchObject({ event: 'payment_aborted_by_merchant', status: 'unaddressed' })
    const { body } = await till.getCallback(callback?.id ?? '')
    expect(JSON.parse(body).object).toMatchObject({ tid: id, status: 'fail' })
  })

  test('that nobody reads further is not requested further', async () => {
    for await (const { id } of till.listPos()) {
      expect(id).toBe('table-200')
      break
    }
  })
})

test('the feed is followed from any message on, until it is aborted', async () => {
  const told: string[] = []
  const { next: start } = await till.readCallbackFeed({ after: 'now' })
  const { id } = await till.createPaymentRequest(input())
  const controller = new AbortController()
  const follow = async (): Promise<void> => {
    for await (const { messages } of till.followFeed(start, { signal: controller.signal })) {
      told.push(...messages.map(({ meta }) => meta.event))
      if (told.length === 1) await till.updatePaymentRequest(id, { action: 'abort' })
      else controller.abort(new Error('enough'))
    }
  }
  const followed = follow()
  await till.acceptSandboxPaymentRequest(id)
  await expect(followed).rejects.toThrow('enough')
  expect(told).toEqual(['payment_authorized', 'payment_auth_released'])
})

test('what was answered earlier is read as of then, on each page and redirect', async () => {
  const { id } = await till.createPaymentRequest(input())
  await till.acceptSandboxPaymentRequest(id)
  const settle = () => till.createSandboxSettlement({ merchant: 'sandbox' })
  await till.updatePaymentRequest(id, {
    ...{ action: 'capture', amount: '1', currency: 'NOK', capture_id: 'a' },
  })
  await settle()
  const { id: settlement } = await till.getLastSettlement()
  const before = await allOf(till.listPos().uris())
  const asOf = new Date(service.core.now())
  await till.advanceSandboxClock({ advance_seconds: 2 })
  await till.updatePaymentRequest(id, { action: 'capture' })
  await till.createPos({ id: 'later', name: 'Opened later', type: 'store' })
  await settle()

  expect(await till.getPaymentRequestOutcome(id, { asOf })).toMatchObject({ status: 'auth' })
  expect(await till.getPaymentRequestOutcome(id)).toMatchObject({ status: 'ok' })
  expect(before.length).toBeGreaterThan(100)
  expect(await allOf(till.listPos({ asOf }).uris())).toEqual(before)
  expect(await till.getLastSettlement({ asOf })).toMatchObject({ id: settlement })
  expect(await till.getLastSettlement()).not.toMatchObject({ id: settlement })
  await expect(till.getPos('later', { asOf })).rejects.toThrow('404')
})
