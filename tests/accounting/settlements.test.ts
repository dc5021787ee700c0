// @module-tag long
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import {
  callbacks,
  feeSchedules,
  settlementAccounts,
  settlements,
} from '../../domain/aggregates.ts'
import { takeSeries } from '../../application/settle-merchants.ts'
import { noFees } from '../../domain/accounting/fees.ts'
import { payoutDay } from '../../domain/calendar.ts'
import { bankHolidaysOf } from '../../infrastructure/bank/bank-holidays.ts'
import { parseEvent } from '../../domain/events.ts'
import { within } from '../../domain/stream.ts'
import { dayOf } from '../../domain/time.ts'
import { settle as settleAndOrder } from '../../cli/settlements.ts'
import { accountingStatus } from '../../cli/status.ts'
import { readSettings } from '../../infrastructure/settings.ts'
import Database from '../../infrastructure/sqlite.ts'
import { runCommand } from '../support/shop-process.ts'
import { openPlace, type Place } from '../../harness/ledger-service.ts'
import { problemsOfPayoutFile } from './payout-file-structure.ts'

let place: Place

beforeAll(async () => {
  place = await openPlace()
})

afterAll(async () => {
  await place.stop()
  place.remove()
})

const settle = () => place.sandbox('settlement/', { merchant: 'sandbox' })
const settlement = (id: number, of = place) => of.get(`/merchant/v1/settlement/${id}/`)

test('given merchants whose series would be alike, then each has its own, and keeps it', async () => {
  const { handle, contextOf } = place.core
  const candidate = (merchant: string, number: number): string =>
    number === 0 ? 'ALIKE2' : `${merchant.toUpperCase()}${number}`
  const series = takeSeries({ handle, candidate })
  const taken = (merchant: string) => series(merchant, contextOf('daybook', merchant))
  expect(await taken('first')).toBe('ALIKE2')
  expect(await taken('other')).toBe('OTHER1')
  const again = await Promise.all(['other', 'first', 'third', 'third'].map(taken))
  expect(again).toEqual(['OTHER1', 'ALIKE2', 'THIRD1', 'THIRD1'])
})

describe('settling now', () => {
  test('given nothing to settle, then there is no settlement', async () => {
    await settle()
    expect((await place.get('/merchant/v1/settlement/')).uris).toEqual([])
    expect((await place.ask('GET', '/merchant/v1/last_settlement/')).status).toBe(404)
    expect((await place.ask('POST', '/sandbox/v1/settlement/', { merchant: 'who' })).status).toBe(
      400,
    )
  })

  test('given captures, then they are paid out less the fees of all and of the settlement', async () => {
    await place.capture(await place.authorize({ amount: '200.00', credit: true }))
    await place.capture(await place.authorize({ amount: '100.00' }))
    await place.authorize({ amount: '5.00' })
    await settle()
    const last = await place.ask('GET', '/merchant/v1/last_settlement/')
    expect([last.status, last.location]).toEqual([
      302,
      'http://daybook.test/merchant/v1/settlement/1/',
    ])
    const made = await settlement(1)
    expect(made.settlement_id).toMatch(/^[A-Z2-9]{6}-\d{4}-\d\d-\d\d-1$/)
    expect(made.settlement_summary).toMatchObject([
      {
        currency: 'NOK',
        gross: '300.00',
        fees: [
          { type: 'transaction_fee', amount: '3.60' },
          { type: 'interchange', amount: '2.00' },
          { type: 'settlement_fee', amount: '15.00' },
        ],
        interchange: '2.00',
        net: '279.40',
        settlement_fee: '15.00',
        scope_fee: '0.00',
        transaction_fee: '3.60',
      },
    ])
    expect(made.payout_details).toMatchObject([
      {
        currency: 'NOK',
        gross: '300.00',
        net: '279.40',
        unsettled_fees_before: '0.00',
        unsettled_fees_after: '0.00',
        payout: '279.40',
        billed: '0.00',
        invoice_id: null,
      },
    ])
    const lines = await place.lines(made.transaction_log_uris)
    expect(lines.map(({ action }) => action)).toEqual(['capture', 'capture', 'fee'])
    expect(lines.at(-1)).toMatchObject({ tid: '', gross: '0.00', fee: '15.00', net: '-15.00' })
    const nets = lines.reduce((sum, { net }) => sum + Math.round(Number(net) * 100), 0)
    expect(nets).toBe(27940)
    expect(new Set(lines.map((line) => line['settlement_id']))).toEqual(
      new Set([made.settlement_id]),
    )
  })

  test('given a refund after the settlement, then the next has it as a negative line, and the debt is carried', async () => {
    const tid = await place.authorize({ amount: '50.00' })
    await place.capture(tid)
    await settle()
    expect((await settlement(2)).payout_details[0].payout).toBe('33.20')
    await place.refund(tid)
    await settle()
    const third = await settlement(3)
    expect(await place.lines(third.transaction_log_uris)).toMatchObject([
      { tid, action: 'refund', gross: '-50.00', net: '-50.00' },
      { tid: '', action: 'fee', net: '-15.00', settlement_id: third.settlement_id },
    ])
    expect(third.payout_details).toMatchObject([
      {
        net: '-65.00',
        payout: '0.00',
        unsettled_fees_before: '0.00',
        unsettled_fees_after: '-15.00',
        unsettled_refunds_after: '-50.00',
      },
    ])
    await place.capture(await place.authorize({ amount: '100.00' }))
    await settle()
    expect((await settlement(4)).payout_details).toMatchObject([
      {
        net: '83.20',
        payout: '18.20',
        unsettled_fees_before: '-15.00',
        unsettled_fees_after: '0.00',
        unsettled_refunds_before: '-50.00',
      },
    ])
    const uris = (await place.get('/merchant/v1/settlement/')).uris
    expect(uris.map((uri: string) => uri.split('/').at(-2))).toEqual(['4', '3', '2', '1'])
  })

  test('given a report closed after the settlement, then its log names the settlement', async () => {
    const { transaction_log_uris } = await place.close(1)
    const lines = await place.lines(transaction_log_uris)
    const { settlement_id } = await settlement(1)
    const of = (action: string) => lines.filter((line) => line['action'] === action)
    expect(of('capture').filter((line) => line['settlement_id'] === settlement_id)).toHaveLength(2)
    expect(of('capture').filter((line) => line['settlement_id'] === '')).toEqual([])
    expect(new Set(of('request').map((line) => line['settlement_id']))).toEqual(new Set(['']))
  })

  test('given payments in two currencies, then one settlement pays both', async () => {
    await place.capture(await place.authorize({ amount: '20.00' }))
    await place.capture(await place.authorize({ amount: '7.000', currency: 'KWD' }))
    await settle()
    const { payout_details } = await settlement(5)
    expect(payout_details).toMatchObject([
      { currency: 'KWD', payout: '7.000' },
      { currency: 'NOK', payout: '3.20' },
    ])
  })

  test('then the journal balances, and holds what was paid', async () => {
    const balances = place.core.accounting.journal.trialBalance()
    expect(balances.map(({ imbalance }) => imbalance)).toEqual(['0', '0'])
    // 279.40 + 33.20 + 18.20 + 3.20 are to be paid out; nothing has been ordered yet.
    expect(balances[1]?.balances).toMatchObject({
      payouts_payable: '-33400',
      bank: '0',
      merchant_payable: '0',
      unsettled_fees: '0',
      unsettled_refunds: '0',
      interchange: '-200',
    })
    const metrics = (await place.ask('GET', '/metrics')).text
    expect(metrics).toContain('daybook_journal_imbalance_minor_units{currency="NOK"} 0')
  })
})

test('given a journal that does not balance, then the operator’s status fails, and the metrics show by how much', async () => {
  const file = new Database(place.core.readModelFile)
  const add = (minor: number) =>
    file.exec(
      `UPDATE journal_balances SET balance = balance + ${minor} WHERE account = 'payouts_payable' AND currency = 'NOK'`,
    )
  add(7)
  try {
    expect(accountingStatus(place.core)).toMatchObject({
      journal_balanced: false,
      trial_balance: [
        { currency: 'KWD', imbalance: '0.000' },
        { currency: 'NOK', imbalance: '0.07' },
      ],
    })
    expect(process.exitCode).toBe(1)
    const metrics = (await place.ask('GET', '/metrics')).text
    expect(metrics).toContain('daybook_journal_imbalance_minor_units{currency="NOK"} 7')
  } finally {
    process.exitCode = 0
    add(-7)
    file.close()
  }
  expect(accountingStatus(place.core).journal_balanced).toBe(true)
})

describe('the settlement account', () => {
  test('then every merchant has one', async () => {
    expect(await place.get('/merchant/v1/settlement_account/default/')).toEqual({
      id: 'default',
      currency: 'NOK',
      payout_account: 'NO9386011117947',
      frequency: 'daily',
      start_of_day: '00:00',
      payout_delay: 0,
    })
    expect((await place.ask('GET', '/merchant/v1/settlement_account/no/')).status).toBe(404)
  })
})

describe('settling on time', () => {
  const count = async (of: Place) => (await of.get('/merchant/v1/settlement/')).uris.length

  test('given two processes on one directory and the clock moved over a due time, then there is one settlement', async () => {
    const other = await openPlace(place.directory)
    const before = await count(place)
    await place.capture(await place.authorize({ amount: '60.00' }))
    await Promise.all([
      place.sandbox('clock/', { advance_seconds: 4 * 86_400 }),
      other.sandbox('clock/', { advance_seconds: 0 }),
    ])
    await other.sandbox('clock/', { advance_seconds: 0 })
    expect([await count(place), await count(other)]).toEqual([before + 1, before + 1])
    const made = await settlement(before + 1)
    expect(await settlement(before + 1, other)).toMatchObject({
      settlement_id: made.settlement_id,
      payout_details: made.payout_details,
    })
    await other.sandbox('clock/', { advance_seconds: 4 * 86_400 })
    expect(await count(place)).toBe(before + 1)
    await other.stop()
  })

  test('given a process that stopped between the start of a settlement and its end, then the next one ends it', async () => {
    const before = await count(place)
    await place.capture(await place.authorize({ amount: '60.00' }))
    const { directory } = place
    await place.stop()
    place = await openPlace(directory)
    await place.service.stop()
    const serial = before + 1
    const start = {
      type: 'StartSettlement',
      serial,
      settlementId: `x-${serial}`,
      dueAt: null,
    } as const
    await place.core.handle(settlements, 'sandbox', start, place.core.contextOf('test', 'sandbox'))
    await place.core.close()
    place = await openPlace(directory)
    await place.sandbox('clock/', { advance_seconds: 0 })
    expect(await count(place)).toBe(before + 1)
    expect((await settlement(serial)).payout_details).toMatchObject([{ payout: '43.20' }])
    const events = (await place.core.store.readStream('settlement-sandbox')).map(parseEvent)
    const started = events.filter(({ type }) => type === 'SettlementStarted')
    const made = events.filter(({ type }) => type === 'SettlementMade')
    expect([started.length, made.length]).toEqual([serial, serial])
  })
})

test('given a clock that was ahead and was put back, then settlements go on, and messages of then are sent', async () => {
  let own = await openPlace()
  const server = createServer((request, response) => {
    request.resume()
    response.end()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(async () => {
    await own.stop()
    own.remove()
    server.close()
  })
  const arrived = once(server, 'request')
  const { port } = server.address() as AddressInfo
  await own.service.stop()
  const ahead = { ...own.core.contextOf('test', 'sandbox'), at: own.core.now() + 40 * 86_400_000 }
  const start = { type: 'StartSettlement', serial: 1, settlementId: 'S-1', dueAt: null } as const
  await own.core.handle(settlements, 'sandbox', start, ahead)
  const test = { type: 'RequestTest', uri: `http://127.0.0.1:${port}/` } as const
  await own.core.handle(callbacks, 'test-of-then', test, ahead)
  await own.core.close()

  own = await openPlace(own.directory)
  await own.capture(await own.authorize({ amount: '60.00' }))
  await own.sandbox('clock/', { advance_seconds: 4 * 86_400 })
  await arrived
  expect((await settlement(2, own)).payout_details).toMatchObject([{ payout: '43.20' }])
})

describe('the payout file', () => {
  const folder = mkdtempSync(join(tmpdir(), 'daybook-payouts-'))
  const file = (name: string) => join(folder, name)
  afterAll(() => rmSync(folder, { recursive: true }))

  const bank = {
    MODE: 'sandbox',
    BANK_ACCOUNT: 'NO9386011117947',
    BANK_ACCOUNT_NAME: 'Daybook & Sons',
    BANK_BIC: 'DNBANOKK',
  }
  const daybook = async (...words: string[]) => {
    const settings = { ...bank, DATA_DIR: place.directory }
    const { output } = await runCommand(settings, '--json', ...words)
    return JSON.parse(output)
  }

  test('asks the bank once for every payout, in the structure of pain.001.001.09', async () => {
    // Six settlements, of which one has two currencies.
    expect(accountingStatus(place.core).payouts_to_order).toBe(7)
    await place.capture(await place.authorize({ amount: '900.00' }))
    const run = await daybook('settle', '--pain001', file('out.xml'))
    expect(run.settled).toMatchObject([{ merchant: 'sandbox', payouts: [{ payout: '883.20' }] }])
    const xml = readFileSync(file('out.xml'), 'utf8')
    expect(problemsOfPayoutFile(xml)).toEqual([])
    expect(xml).toContain('<Nm>Daybook + Sons</Nm>')
    expect(xml).toContain('<InstdAmt Ccy="NOK">883.20</InstdAmt>')
    // 279.40 + 33.20 + 18.20 + 3.20 + 7.000 + 43.20 + 43.20 + 883.20
    expect(xml).toContain('<NbOfTxs>8</NbOfTxs>\n      <CtrlSum>1310.6</CtrlSum>')
    expect(run).toMatchObject({ payouts_ordered: 8, payouts_waiting_for_an_account: 0 })

    const settings = readSettings({ ...bank, DATA_DIR: place.directory })
    const order = (options: { pain001: string; again?: string }) =>
      settleAndOrder(place.core, settings, [], options)
    const next = await order({ pain001: file('next.xml') })
    expect(next).toMatchObject({ settled: [], payouts_ordered: 0, payout_file: null })
    await order({ pain001: file('again.xml'), again: run.message_id })
    const withoutTime = (text: string) => text.replace(/<CreDtTm>.*<\/CreDtTm>/, '')
    expect(withoutTime(readFileSync(file('again.xml'), 'utf8'))).toBe(withoutTime(xml))

    expect(accountingStatus(place.core)).toMatchObject({
      journal_balanced: true,
      trial_balance: [
        { currency: 'KWD', imbalance: '0.000' },
        { currency: 'NOK', imbalance: '0.00' },
      ],
      payouts_to_order: 0,
    })
  })

  test('the check of the structure sees what is out of place', () => {
    const xml = readFileSync(file('out.xml'), 'utf8')
    const broken = (from: string | RegExp, to: string) =>
      problemsOfPayoutFile(xml.replace(from, to)).length
    expect(broken(/<PmtMtd>TRF<\/PmtMtd>\s*/, '')).toBeGreaterThan(0)
    expect(broken(/(<Cdtr>.*?<\/Cdtr>)\s*(<CdtrAcct>.*?<\/CdtrAcct>)/s, '$2$1')).toBeGreaterThan(0)
    expect(broken('883.20', '883.201234')).toBeGreaterThan(0)
    expect(broken('NO9386011117947', 'no93')).toBeGreaterThan(0)
    expect(broken('<NbOfTxs>8', '<NbOfTxs>7')).toBeGreaterThan(0)
  })
})

test('given a settlement that is made a week after its start, then its fee and its payout day are those of the start', async () => {
  const own = await openPlace()
  onTestFinished(async () => {
    await own.stop()
    own.remove()
  })
  const { core } = own
  const context = () => core.contextOf('test', 'sandbox')
  const account = within('sandbox', 'default')
  const delay = { type: 'Change', changes: { payoutDelay: 2 } } as const
  await core.handle(settlementAccounts, account, delay, context())
  await own.capture(await own.authorize({ amount: '100.00' }))
  const [settlementId, startedAt] = ['ABCDEF-2026-01-01-1', core.now()]
  const start = { type: 'StartSettlement', serial: 1, settlementId, dueAt: null } as const
  await core.handle(settlements, 'sandbox', start, { ...context(), at: startedAt })
  const dearer = { ...noFees, currency: 'NOK', from: startedAt + 3_600_000, settlementFixed: 9900 }
  const schedule = { type: 'ScheduleFees', schedule: dearer } as const
  await core.handle(feeSchedules, 'sandbox', schedule, context())

  await own.sandbox('clock/', { advance_seconds: 7 * 86_400 })

  expect((await settlement(1, own)).payout_details).toMatchObject([{ payout: '83.20' }])
  const isHoliday = await bankHolidaysOf(core.find)('sandbox')
  expect(core.accounting.settlements.find('sandbox', 1)?.made?.payoutDay).toBe(
    payoutDay(startedAt, 2, 'UTC', isHoliday).day,
  )

  await own.capture(await own.authorize({ amount: '200.00' }))
  const days = [dayOf(core.now())]
  await own.sandbox('settlement/', { merchant: 'sandbox' })
  days.push(dayOf(core.now()))
  const next = await settlement(2, own)
  expect(next.payout_details).toMatchObject([{ payout: '101.00' }])
  expect(days.map((day) => `-${day}-2`)).toContain(next.settlement_id.slice(6))
})
