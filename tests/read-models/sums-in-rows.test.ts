import { describe, expect, test } from 'vitest'
import { gatheredMessageQueries } from '../../projections/gathered-messages.ts'
import { journalQueries } from '../../projections/journal.ts'
import { scanCountQueries } from '../../projections/scans.ts'
import { settledTurnoverQueries } from '../../projections/settled-turnover.ts'
import { events, hours, morning } from '../domain/payments.ts'
import { foldedFile } from './folded-file.ts'

const file = foldedFile()

const { happened } = file

const day = Math.floor(morning / (24 * hours)) * 24 * hours

describe('the scans of codes', () => {
  const scanned = (code: string, scannedAt: number, merchant = 'sandbox', argstring = '') => {
    const scan = { scan: `${code}-${scannedAt}`, payer: 'alice', argstring, scannedAt }
    const data = { ...scan, tokenDigest: scan.scan }
    happened(`scans-${code}`, { type: 'ShortlinkScanned', data }, { merchant })
  }

  test('between two instants are counted for each code of the merchant', () => {
    const { ofCodes } = scanCountQueries(file.db)
    for (const after of [0, 0.4, 1, 23.5, 24, 47.5, 48]) scanned('door', day + after * hours)
    scanned('table', day + 24 * hours)
    scanned('theirs', day + 24 * hours, 'other')
    const counts = (start: number, end: number) =>
      Object.fromEntries(
        ofCodes('sandbox', day + start * hours, day + end * hours).map((one) => [
          one.shortlink,
          one.count,
        ]),
      )
    expect(counts(0, 72)).toEqual({ door: 7, table: 1 })
    expect(counts(0.5, 48)).toEqual({ door: 4, table: 1 })
    expect(counts(23.5, 24)).toEqual({ door: 1 })
    expect(counts(48.5, 72)).toEqual({})
  })

  test('between two instants are counted for each label of a code, whatever it says', () => {
    const { ofLabels } = scanCountQueries(file.db)
    const labels = ['', 'Table 7', 'Table 7', '7 "a" 1800000', 'Table 7']
    for (const [index, label] of labels.entries())
      scanned('door', day + index * 12 * hours, 'sandbox', label)
    scanned('table', day, 'sandbox', 'Table 7')
    const counts = (start: number, end: number) =>
      Object.fromEntries(
        ofLabels('door', day + start * hours, day + end * hours).map(({ argstring, count }) => [
          argstring,
          count,
        ]),
      )
    expect(counts(0, 72)).toEqual({ '': 1, 'Table 7': 3, '7 "a" 1800000': 1 })
    expect(counts(12.5, 48)).toEqual({ 'Table 7': 1, '7 "a" 1800000': 1 })
    expect(counts(60, 72)).toEqual({})
  })

  test('of one code stand by the half hour', () => {
    const { since } = scanCountQueries(file.db)
    for (const [index, after] of [0, 0.4, 1].entries())
      scanned('door', day + after * hours, 'sandbox', `Table ${index}`)
    scanned('table', day)
    expect(since('door', day)).toEqual([
      { since: day, count: 2 },
      { since: day + hours, count: 1 },
    ])
    expect(since('door', day + hours)).toEqual([{ since: day + hours, count: 1 }])
  })
})

describe('what a settlement took', () => {
  const charge = { fee: 180, interchange: 20, vat: 45, taxcode: 'NO:2013' }
  const captured = (tid: string, amount: number, currency = 'NOK') => {
    happened(`payment-${tid}`, events.requested({ posTid: tid, currency }, null))
    happened(`payment-${tid}`, events.authorized())
    const { type, data } = events.captured(null, amount, 0)
    happened(`payment-${tid}`, { type, data: { ...data, charge } } as never)
  }
  const refunded = (tid: string, amount: number) => {
    const { type, data } = events.refunded('r', amount, 0)
    happened(`payment-${tid}`, { type, data: { ...data, charge } } as never)
  }
  const started = (serial: number) =>
    happened('settlement-sandbox', {
      type: 'SettlementStarted',
      data: { serial, settlementId: `S-${serial}`, dueAt: null },
    })

  test('is each line since the one before, by currency and action', () => {
    const { of } = settledTurnoverQueries(file.db)
    captured('a', 10_000)
    captured('b', 500, 'EUR')
    refunded('a', 3_000)
    started(1)
    captured('c', 700)
    started(2)
    started(3)
    captured('d', 1)
    const [first, second, third] = [1, 2, 3].map((serial) => of('sandbox', serial))
    expect([first?.('NOK', 'capture'), first?.('NOK', 'refund')]).toEqual(['10000', '-3000'])
    expect([first?.('EUR', 'capture'), first?.('EUR', 'refund')]).toEqual(['500', '0'])
    expect([second?.('NOK', 'capture'), second?.('NOK', 'refund')]).toEqual(['700', '0'])
    expect(third?.('NOK', 'capture')).toBe('0')
  })
})

test('a message whose id has no time is searched among those older than timed ids', () => {
  const query = () => {
    const { find } = gatheredMessageQueries(file.db)
    return { find: () => find('00000000-0000-4000-8000-000000000000') }
  }
  const [plan = []] = file.plansOf(query, 'instr(')
  expect(plan).toContainEqual(
    expect.stringContaining('SEARCH gathered_messages USING INDEX gathered_messages_by_time'),
  )
})

test('what cannot be the id of a message is looked for in no text of messages', () => {
  const query = (id: string) => () => {
    const { find } = gatheredMessageQueries(file.db)
    return { find: () => find(id) }
  }
  for (const text of ['1', 'order-17', 'Table 7', '12345678'])
    expect([text, file.plansOf(query(text), 'gathered_messages')]).toEqual([text, []])
  expect(file.plansOf(query('00000000-0000-4000-8000-000000000000'), 'instr(')).toHaveLength(1)
})

describe('what a merchant is owed', () => {
  test('is the sum of some accounts by currency, where it is not zero', () => {
    const { balancesOf } = journalQueries(file.db)
    const captured = (tid: string, currency: string, merchant = 'sandbox') => {
      happened(`payment-${tid}`, events.requested({ posTid: tid, currency, merchant }, null))
      happened(`payment-${tid}`, events.authorized())
      happened(`payment-${tid}`, events.captured(null, 10_000, 0))
    }
    captured('a', 'NOK')
    captured('b', 'NOK')
    captured('c', 'EUR')
    captured('d', 'SEK', 'other')
    const owed = [
      { currency: 'EUR', sum: '-10000' },
      { currency: 'NOK', sum: '-20000' },
    ]
    expect(balancesOf('sandbox', ['merchant_payable'])).toEqual(owed)
    expect(balancesOf('sandbox', ['unsettled_fees', 'merchant_payable'])).toEqual(owed)
    expect(balancesOf('sandbox', ['unsettled_fees'])).toEqual([])
    happened('payment-c', events.refunded('r', 10_000, 0))
    expect(balancesOf('sandbox', ['merchant_payable'])).toEqual(owed.slice(1))
  })

  test('is read by its merchant, however many currencies there are', () => {
    const query = () => {
      const { balancesOf } = journalQueries(file.db)
      return { find: () => balancesOf('sandbox', ['merchant_payable']) }
    }
    const [plan = [], ...others] = file.plansOf(query, 'journal_balances')
    expect(others).toEqual([])
    expect(plan).toContainEqual(expect.stringContaining('journal_balances_by_merchant'))
  })
})
