import { rmSync } from 'node:fs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Recorded } from '../../domain/events.ts'
import {
  advance,
  authorize,
  capture,
  pathOf,
  runCommand,
  startShop,
  type TestShop,
} from '../support/shop-process.ts'
import { newFolder } from '../../harness/in-process.ts'
import { readLog } from '../support/event-log.ts'

const settings = { DATA_DIR: newFolder() }

const settlementPath = '/merchant/v1/settlement/'

const reportPath = '/merchant/v1/ledger/default/report/1/'

let shops: readonly [TestShop, TestShop]

beforeAll(async () => {
  shops = [await startShop(settings), await startShop(settings)]
})

afterAll(async () => {
  for (const { service } of shops) await service.stop()
  rmSync(settings.DATA_DIR, { recursive: true })
})

const both = <T>(ask: (shop: TestShop) => Promise<T>): Promise<T[]> => Promise.all(shops.map(ask))

/** Moves the clock of both processes at once to midnight after some weekdays. */
const moveBoth = async (days: number): Promise<void> => {
  const now = Date.parse(`${(await advance(shops[0].world, 0)).replace(' ', 'T')}Z`)
  const later = new Date(now + days * 86_400_000).toISOString().slice(0, 19).replace('T', ' ')
  const moved = await both(({ world }) => world('POST', '/sandbox/v1/clock/', { now: later }))
  expect(moved.map(({ status }) => status)).toEqual([200, 200])
  await both(({ world }) => advance(world, 0))
}

const textOf = async ({ service }: TestShop, uri: string): Promise<string> =>
  (await fetch(new URL(uri, service.address))).text()

const settlementsOf = (log: readonly Recorded[]) =>
  log
    .map(({ type }) => type)
    .filter((type) => type === 'SettlementStarted' || type === 'SettlementMade')

/** A settlement according to each process, without links, which each signs anew. */
const told = (serial: number) =>
  both(async ({ till }) => {
    const { transaction_log_uris: _, ...rest } = (await till('GET', `${settlementPath}${serial}/`))
      .body
    return rest
  })

/** The bytes of log files from each process. */
const bytesOf = (path: string) =>
  both(async (shop) => {
    const { transaction_log_uris: uris } = (await shop.till('GET', path)).body
    return Promise.all(uris.map((uri: string) => textOf(shop, uri)))
  })

let tids: string[]

test('the clock of two processes on one folder moved over a settlement time at once: one settlement, which both tell alike', async () => {
  tids = await Promise.all(shops.map((shop) => authorize(shop)))
  for (const [index, shop] of shops.entries())
    expect((await capture(shop.till, tids[index]!, 'one', '60.00')).status).toBe(204)
  await moveBoth(4)
  expect(settlementsOf(await readLog(settings.DATA_DIR))).toEqual([
    'SettlementStarted',
    'SettlementMade',
  ])
  const lists = await both(({ till }) => till('GET', settlementPath))
  for (const { body } of lists) expect(body.uris).toEqual([`${settlementPath}1/`])
  const [one, other] = await told(1)
  expect(other).toEqual(one)
  // Two captures of 60.00, each less 1.80, and the settlement less 15.00.
  expect(one.payout_details).toMatchObject([{ gross: '120.00', net: '101.40', payout: '101.40' }])
  const [lines, same] = await bytesOf(`${settlementPath}1/`)
  expect(same).toEqual(lines)
  expect(lines?.[0]?.trimEnd().split('\n')).toHaveLength(4)
})

test('both close a report at once: it is closed once, its bytes are the same from both, and stay through refunds, the next settlement and a rebuild', async () => {
  const closed = await both(({ till }) => till('PUT', reportPath, {}))
  expect(closed.map(({ status }) => status)).toEqual([204, 204])
  await both(({ world }) => advance(world, 0))
  const log = await readLog(settings.DATA_DIR)
  expect(log.filter(({ type }) => type === 'ReportClosed')).toHaveLength(1)
  const [before, same] = await bytesOf(reportPath)
  expect(same).toEqual(before)
  expect(before?.[0]).toContain(tids[0])

  const refund = { action: 'refund', amount: '10.00', currency: 'NOK', refund_id: 'cold' }
  expect((await shops[0].owner('PUT', pathOf(tids[0]!), refund)).status).toBe(204)
  await moveBoth(4)
  expect(settlementsOf(await readLog(settings.DATA_DIR))).toHaveLength(4)
  const [second] = await told(2)
  expect(second.payout_details).toMatchObject([
    { gross: '-10.00', net: '-25.00', payout: '0.00', unsettled_fees_after: '-15.00' },
  ])
  const [negative] = await bytesOf(`${settlementPath}2/`)
  expect(negative?.[0]).toContain(',refund,,')
  expect(negative?.[0]).toContain('-10.00')

  const { output } = await runCommand(settings, '--json', 'rebuild')
  expect(JSON.parse(output).events).toBeGreaterThan(10)
  await shops[1].service.stop()
  shops = [shops[0], await startShop(settings)]
  expect(await bytesOf(reportPath)).toEqual([before, before])

  // A process that has used the older read models continues to do so alone.
  await shops[1].service.stop()
  const next = reportPath.replace('/1/', '/2/')
  expect((await shops[0].till('PUT', next, {})).status).toBe(204)
  await advance(shops[0].world, 0)
  expect((await shops[0].till('GET', next)).body.status).toBe('closed')
  shops = [shops[0], await startShop(settings)]
})

test('the operator sets where and when a merchant is paid, and both processes know; a wrong account is refused', async () => {
  const set = (...words: string[]) =>
    runCommand(settings, '--json', 'settlement-account', 'set', 'sandbox', ...words)
  const wrong = await set('--payout-account', 'NO9386011117948')
  expect(wrong.code).toBe(1)
  expect(wrong.errors).toContain('IBAN')
  const account = ['--payout-account', 'NO93 8601 1117 947', '--payout-delay', '2']
  expect((await set(...account, '--frequency', 'weekly', '--start-of-day', '06:30')).code).toBe(0)
  for (const { till } of shops)
    expect((await till('GET', '/merchant/v1/settlement_account/default/')).body).toEqual({
      id: 'default',
      currency: 'NOK',
      payout_account: 'NO9386011117947',
      frequency: 'weekly',
      start_of_day: '06:30',
      payout_delay: 2,
    })
})

test('the operator sees that the journal balances, and fees that change count from their date on', async () => {
  const now = (await advance(shops[0].world, 0)).replace(' ', 'T')
  const tomorrow = new Date(Date.parse(`${now}Z`) + 86_400_000).toISOString().slice(0, 10)
  const set = ['fees', 'set', 'sandbox', '--from', tomorrow, '--transaction-rate', '0.009']
  const fees = await runCommand(settings, '--json', ...set)
  expect(JSON.parse(fees.output)).toMatchObject({ from: `${tomorrow}T00:00:00.000Z` })

  const feeOf = async (currency = 'NOK'): Promise<string> => {
    const tid = await authorize(shops[1], { amount: '1000.00', currency })
    await capture(shops[1].till, tid, 'all', '1000.00', currency)
    return (await shops[0].till('GET', `${pathOf(tid)}outcome/`)).body.transaction_fee
  }
  expect(await feeOf()).toBe('1.80')
  expect(await feeOf('EUR')).toBe('0.00')
  await shops[0].world('POST', '/sandbox/v1/clock/', { now: `${tomorrow} 00:00:00` })
  // The other one observes it a moment later.
  await advance(shops[1].world, 0)
  // The fixed part does not change.
  expect(await feeOf()).toBe('10.80')
  expect(await feeOf('EUR')).toBe('9.00')

  const status = await runCommand(settings, '--json', 'status')
  expect(status.code).toBe(0)
  expect(JSON.parse(status.output)).toMatchObject({
    journal_balanced: true,
    trial_balance: [
      { currency: 'EUR', imbalance: '0.00', fee_income: '-9.00' },
      { currency: 'NOK', imbalance: '0.00' },
    ],
    reports_closing: 0,
    settlements_unfinished: 0,
  })
})
