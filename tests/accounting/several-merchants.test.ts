// @module-tag long
import { afterAll, beforeAll, expect, test } from 'vitest'
import { settlementAccounts } from '../../domain/aggregates.ts'
import { impliedAccount } from '../../domain/accounting/settlement-account.ts'
import { within } from '../../domain/stream.ts'
import {
  paymentRequest,
  startMerchantService,
  type MerchantService,
} from '../support/merchant-service.ts'

let service: MerchantService

beforeAll(async () => {
  service = await startMerchantService()
})
afterAll(async () => {
  expect(service.bugs).toEqual([])
  await service.stop()
})

const base = '/merchant/v1'
const ask = async (...asked: Parameters<MerchantService['ask']>) =>
  (await service.ask(...asked)).body
const authorize = async (shop: string): Promise<string> => {
  const request = paymentRequest({ customer: '+4799999901' })
  const { id } = await ask(shop, 'POST', `${base}/payment_request/`, request)
  await ask('sandbox', 'POST', `/sandbox/v1/payment_request/${id}/accept/`)
  return `${base}/payment_request/${id}/`
}
const capture = async (shop: string): Promise<void> =>
  ask(shop, 'PUT', await authorize(shop), { action: 'capture' })
const settle = (merchant: string) => ask('sandbox', 'POST', '/sandbox/v1/settlement/', { merchant })
const settlementsOf = async (shop: string): Promise<string[]> =>
  (await ask(shop, 'GET', `${base}/settlement/`)).uris
const report = (shop: string, number: number) =>
  ask(shop, 'GET', `${base}/ledger/default/report/${number}/`)
const close = async (shop: string, number: number) => {
  await ask(shop, 'PUT', `${base}/ledger/default/report/${number}/`, {})
  await service.advance(0)
  return report(shop, number)
}
const idsOfSettlementsIn = async (shop: string, uris: readonly string[]) => {
  const text = await (await service.call(uris[0] ?? '', { headers: service.as(shop) })).text()
  const [header = '', ...lines] = text.trimEnd().split('\n')
  const column = header.split(',').indexOf('settlement_id')
  return lines.filter((line) => line.includes(',capture,')).map((line) => line.split(',')[column])
}

test('paging through a merchant’s ledgers returns each once, and none of another’s', async () => {
  const [shop, other] = [await service.newMerchant(), await service.newMerchant()]
  const own = ['default', ...Array.from({ length: 100 }, (_, index) => `l${index}`)]
  for (const id of own.slice(1)) await ask(shop, 'POST', `${base}/ledger/`, { id, currency: 'NOK' })
  await ask(other, 'POST', `${base}/ledger/`, { id: 'theirs', currency: 'NOK' })
  const seen: string[] = []
  for (let path = `${base}/ledger/`; path !== null;) {
    const { uris, next } = await ask(shop, 'GET', path)
    seen.push(...uris)
    path = next
  }
  expect(seen).toEqual(own.map((id) => `${base}/ledger/${id}/`).reverse())
})

test('the lines of a report name the settlements of their own merchant only', async () => {
  const [unsettled, settled] = [await service.newMerchant(), await service.newMerchant()]
  for (const shop of [unsettled, settled]) await capture(shop)
  await settle(settled)
  const { settlement_id } = await ask(settled, 'GET', `${base}/settlement/1/`)
  const idsOf = async (shop: string) =>
    idsOfSettlementsIn(shop, (await close(shop, 1)).transaction_log_uris)
  expect([await idsOf(unsettled), await idsOf(settled)]).toEqual([[''], [settlement_id]])
})

test('given settlements across reports, the lines of each name those that took them', async () => {
  const shop = await service.newMerchant()
  const idOf = async (serial: number): Promise<string> =>
    (await ask(shop, 'GET', `${base}/settlement/${serial}/`)).settlement_id
  const idsIn = async (number: number) =>
    idsOfSettlementsIn(shop, (await close(shop, number)).transaction_log_uris)
  await capture(shop)
  await settle(shop)
  await capture(shop)
  expect((await idsIn(1)).toSorted()).toEqual(['', await idOf(1)])
  await settle(shop)
  await capture(shop)
  await settle(shop)
  await capture(shop)
  expect((await idsIn(2)).toSorted()).toEqual(['', await idOf(3)])
  await capture(shop)
  await settle(shop)
  expect(await idsIn(3)).toEqual([await idOf(4)])
})

test('an open report begins with nothing of the closed one before it', async () => {
  const shop = await service.newMerchant()
  await capture(shop)
  await service.advance(100)
  const closed = await close(shop, 1)
  const [from, to] = [closed.date_created, closed.time_closed].map((time) => Date.parse(`${time}Z`))
  expect(Number(to) - Number(from)).toBeGreaterThanOrEqual(100_000)
  const nothing = { status: 'open', payment_capture_count: 0, payment_request_count: 0 }
  expect(await report(shop, 2)).toMatchObject({ ...nothing, report_summary: [] })
  await capture(shop)
  expect(await report(shop, 2)).toMatchObject({
    payment_capture_count: 1,
    report_summary: [{ gross: '50.00' }],
  })
})

test('authorisations, and answers that cost nothing, bring about no settlement', async () => {
  const shop = await service.newMerchant()
  await authorize(shop)
  const wish = { pos_id: 'till', pos_tid: 'free', customer: '+4799999901', scope: 'openid' }
  const { id } = await ask(shop, 'POST', `${base}/permission_request/`, wish)
  await ask('sandbox', 'POST', `/sandbox/v1/permission_request/${id}/accept/`, {})
  await settle(shop)
  await service.advance(4 * 86_400)
  const outcome = await ask(shop, 'GET', `${base}/permission_request/${id}/outcome/`)
  expect(outcome).toMatchObject({ status: 'ok', transaction_fee: '0.00' })
  expect(await settlementsOf(shop)).toEqual([])
})

test('given another account while something is unsettled, it is settled', async () => {
  const shop = await service.newMerchant()
  await capture(shop)
  await settle(shop)
  await capture(shop)
  const { handle, contextOf } = service.core
  const data = { ...impliedAccount(shop, 'NOK'), frequency: 'weekly' as const }
  const id = within(shop, data.id)
  const register = { type: 'Register', data } as const
  await handle(settlementAccounts, id, register, contextOf('test', shop))
  await settle(shop)
  const paths = [2, 1].map((serial) => `${base}/settlement/${serial}/`)
  expect(await settlementsOf(shop)).toEqual(paths)
  expect(await ask(shop, 'GET', paths[0] ?? '')).toMatchObject({
    payout_details: [{ gross: '50.00' }],
  })
})
