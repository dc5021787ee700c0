// @module-tag long
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { noFees } from '../../domain/accounting/fees.ts'
import {
  balanced,
  postingsOfLine,
  postingsOfSettlement,
  Unbalanced,
} from '../../domain/accounting/journal.ts'
import { ledger, type LedgerCommand } from '../../domain/accounting/ledger.ts'
import { settlement, type SettlementCommand } from '../../domain/accounting/settlement.ts'
import type { SettlementEvent, SettlementMade } from '../../domain/accounting/settlement-events.ts'
import { addLine, totalNet } from '../../domain/accounting/totals.ts'
import type { TransactionLine } from '../../domain/accounting/transaction-line.ts'
import { fold } from '../../domain/decider.ts'
import {
  journalProjection,
  trialBalanceOf,
  type JournalBalance,
} from '../../projections/journal.ts'

const minor = (max: number) => fc.integer({ min: 0, max })

/**
 * A capture, a refund or dispute (negative amounts), or an answered permission (no amounts), with
 * any charges, or a correction of either sign, with none.
 */
const moneyLine = fc
  .record({
    amount: minor(1_000_000),
    additionalAmount: minor(10_000),
    fee: minor(2_000),
    interchange: minor(5_000),
    vat: minor(1_000),
    action: fc.constantFrom('capture', 'refund', 'dispute', 'correction', 'permission_answered'),
    isGiven: fc.boolean(),
    currency: fc.constantFrom('NOK', 'EUR'),
    merchant: fc.constantFrom('a', 'b'),
  })
  .map(
    ({ fee, interchange, vat, amount, additionalAmount, isGiven, ...about }): TransactionLine => {
      const correction = isGiven ? 1 : -1
      const signs = { capture: 1, refund: -1, dispute: -1, correction, permission_answered: 0 }
      const sign = signs[about.action]
      const ofLine = { fee, interchange: sign === 0 ? 0 : interchange, vat }
      const charged = about.action === 'correction' ? { fee: 0, interchange: 0, vat: 0 } : ofLine
      return {
        ...about,
        position: 1,
        ledger: 'default',
        tid: 't',
        subId: null,
        at: 0,
        credit: true,
        customer: null,
        amount: 0 + sign * amount,
        additionalAmount: 0 + sign * additionalAmount,
        charge: { ...charged, taxcode: 'NO:2013' },
        text: null,
      }
    },
  )

const netOf = ({ amount, additionalAmount, charge }: TransactionLine): number =>
  amount + additionalAmount - (charge?.fee ?? 0) - (charge?.interchange ?? 0) - (charge?.vat ?? 0)

/** Makes a settlement of the lines after earlier ones, as the decider does. */
const settled = (
  before: Parameters<typeof settlement.evolve>[0],
  lines: readonly TransactionLine[],
  settlementFixed: number,
) => {
  const serial = before.started + 1
  const start = {
    type: 'StartSettlement',
    serial,
    settlementId: `s-${serial}`,
    dueAt: null,
  } as const
  const started = fold(settlement, settlement.decide(start, before), before)
  const totals = [...lines.reduce(addLine, [] as ReturnType<typeof addLine>)]
  const completion = { counters: {}, totals, transactionLogs: [], scopeLogs: [] }
  const terms = { ...noFees, settlementFixed }
  const end = {
    type: 'CompleteSettlement',
    serial,
    completion,
    terms: { NOK: terms, EUR: terms },
    payoutDay: '2026-11-23',
  } as const
  const [event] = settlement.decide(end, started)
  if (event?.type !== 'SettlementMade') throw new Error('nothing was settled')
  return { made: event.data, after: fold(settlement, [event], started) }
}

/** Half of the debt in NOK. */
const writeOffHalf = (state: Parameters<typeof settlement.evolve>[0]) => {
  const { fees = '0', refunds = '0' } = state.debts.owed['NOK'] ?? {}
  const amount = String(-(BigInt(fees) + BigInt(refunds)) / 2n)
  if (amount === '0') return []
  const about = { correction: `c${state.made}`, currency: 'NOK', reason: 'bankrupt' }
  const events = settlement.decide({ type: 'WriteOffDebt', ...about, amount }, state)
  return events.filter((event) => event.type === 'DebtWrittenOff')
}

type State = Parameters<typeof settlement.evolve>[0]

/** All of the debt in NOK that is left, in every third period. */
const billed = (state: State) => {
  const { fees = '0', refunds = '0' } = state.debts.owed['NOK'] ?? {}
  if (state.made % 3 !== 0 || BigInt(fees) + BigInt(refunds) === 0n) return []
  const bill = { type: 'BillDebt', currency: 'NOK', invoiceId: `i${state.made}` } as const
  const events = settlement.decide(bill, state)
  const after = fold(settlement, events, state)
  // Asked twice, it is one invoice; another one has nothing to bill.
  expect(settlement.decide(bill, after)).toEqual([])
  expect(() => settlement.decide({ ...bill, invoiceId: 'other' }, after)).toThrow()
  return events.filter((event) => event.type === 'DebtBilled')
}

describe('settlements of any lines', () => {
  test('over 100 periods, debt + nets − payouts + billed + written off = debt after', () => {
    const periods = fc.array(fc.array(moneyLine, { minLength: 1, maxLength: 6 }), {
      minLength: 100,
      maxLength: 100,
    })
    fc.assert(
      fc.property(periods, minor(3_000), (given, settlementFixed) => {
        let state = settlement.initial
        const sums = { net: 0n, payout: 0n, lines: 0n, fees: 0n, off: 0n, billed: 0n }
        let invoice = { sum: 0n, refunds: 0n }
        for (const lines of given) {
          const own = lines.map((line) => ({ ...line, currency: 'NOK' }))
          const { made, after } = settled(state, own, settlementFixed)
          const [payout] = made.payouts
          if (!payout) throw new Error('no payout')
          const { fees = '0', refunds = '0' } = state.debts.owed['NOK'] ?? {}
          expect(BigInt(payout.billed)).toBe(invoice.sum)
          expect(BigInt(payout.billedRefunds ?? 0)).toBe(invoice.refunds)
          expect(payout.invoiceId).toBe(invoice.sum === 0n ? null : `i${state.made}`)
          const [feesBefore, refundsBefore] = [
            BigInt(payout.unsettledFeesBefore),
            BigInt(payout.unsettledRefundsBefore ?? 0),
          ]
          expect(feesBefore).toBe(BigInt(fees) - (invoice.sum - invoice.refunds))
          expect(refundsBefore).toBe(BigInt(refunds) - invoice.refunds)
          const debtAfter =
            BigInt(payout.unsettledFeesAfter) + BigInt(payout.unsettledRefundsAfter ?? 0)
          const cash = BigInt(payout.net) - BigInt(payout.payout) + BigInt(payout.billed)
          expect(feesBefore + refundsBefore + cash).toBe(debtAfter)
          expect(BigInt(payout.payout)).toBeGreaterThanOrEqual(0n)
          expect(BigInt(payout.unsettledFeesAfter)).toBeLessThanOrEqual(0n)
          expect(BigInt(payout.unsettledRefundsAfter ?? 0)).toBeLessThanOrEqual(0n)
          sums.net += BigInt(payout.net)
          sums.payout += BigInt(payout.payout)
          sums.fees += BigInt(settlementFixed)
          for (const line of own) sums.lines += BigInt(netOf(line))
          const part = writeOffHalf(after)
          for (const { data } of part) sums.off += BigInt(data.fees) + BigInt(data.refunds)
          state = fold(settlement, part, after)
          invoice = { sum: 0n, refunds: 0n }
          for (const event of billed(state)) {
            const { fees: billedFees, refunds: billedRefunds } = event.data
            invoice = {
              sum: BigInt(billedFees) + BigInt(billedRefunds),
              refunds: BigInt(billedRefunds),
            }
            sums.billed += invoice.sum
            state = fold(settlement, [event], state)
          }
        }
        expect(sums.net).toBe(sums.lines - sums.fees)
        const { fees = '0', refunds = '0' } = state.debts.owed['NOK'] ?? {}
        expect(BigInt(fees) + BigInt(refunds)).toBe(sums.net - sums.payout + sums.off + sums.billed)
      }),
      { numRuns: 20 },
    )
  })

  test('the sum of the nets of lines is the net of their total', () => {
    fc.assert(
      fc.property(fc.array(moneyLine, { maxLength: 50 }), (lines) => {
        const totals = lines.reduce(addLine, [] as ReturnType<typeof addLine>)
        for (const total of totals) {
          const own = lines.filter(({ currency }) => currency === total.currency)
          const net = own.reduce((sum, line) => sum + netOf(line), 0)
          expect(totalNet(total)).toBe(String(net))
        }
      }),
    )
  })

  test('a settlement that another process started is not started again, nor made twice', () => {
    const start = { type: 'StartSettlement', serial: 1, settlementId: 's-1', dueAt: 5 } as const
    const started = fold(settlement, settlement.decide(start, settlement.initial))
    expect(settlement.decide(start, started)).toEqual([])
    const { after } = settled(settlement.initial, [], 0)
    const completion = { counters: {}, totals: [], transactionLogs: [], scopeLogs: [] }
    const end = { type: 'CompleteSettlement', completion, terms: {}, payoutDay: '' } as const
    expect(settlement.decide({ ...end, serial: 1 }, after)).toEqual([])
    expect(() => settlement.decide({ ...end, serial: 2 }, after)).toThrow('unknown')
  })
})

const heldIn = 'payout_clearing' as const
const reason = { code: 'AC04', text: null }
const fates = ['paid', 'refused', 'returned'] as const

describe('the journal', () => {
  const folded = (
    rows: Map<string | number, JournalBalance>,
    lines: readonly TransactionLine[],
  ) => {
    for (const line of lines) {
      const sum = { ...line, count: 1 }
      for (const key of journalProjection.sums?.keysOf(sum) ?? []) {
        const row = journalProjection.sums?.apply(rows.get(key), sum, key)
        if (row) rows.set(key, row)
      }
    }
  }

  test('balances after each event, whatever becomes of payouts, also when they come back', () => {
    const periods = fc.array(fc.array(moneyLine, { minLength: 1, maxLength: 8 }), { maxLength: 10 })
    fc.assert(
      fc.property(periods, minor(3_000), (given, settlementFixed) => {
        const rows = new Map<string | number, JournalBalance>()
        const check = () => {
          for (const { imbalance } of trialBalanceOf([...rows.values()]))
            expect(imbalance).toBe('0')
        }
        const happened = (about: SettlementEvent) => {
          const event = { ...about, metadata: { merchant: 'a' } } as never
          for (const key of journalProjection.keysOf(event)) {
            const row = journalProjection.apply(rows.get(key), event, key)
            if (row) rows.set(key, row)
          }
          check()
        }
        const balancesOf = (account: string) =>
          new Set([...rows.values()].filter((row) => row.account === account).map((r) => r.balance))
        const paid: Record<string, bigint> = { NOK: 0n, EUR: 0n }
        let off = 0n
        let claimed = 0n
        const sumIn = (account: string) =>
          [...rows.values()]
            .filter((row) => row.account === account)
            .reduce((sum, { balance }) => sum + BigInt(balance), 0n)
        const due: Record<string, bigint> = { NOK: 0n, EUR: 0n }
        let state = settlement.initial
        for (const lines of given) {
          const own = lines.map((line) => ({ ...line, merchant: 'a' }))
          for (const line of own) {
            folded(rows, [line])
            check()
          }
          const { made, after } = settled(state, own, settlementFixed)
          const settledTo = balancesOf('bank')
          happened({ type: 'SettlementMade', data: made })
          expect(balancesOf('merchant_payable')).toEqual(new Set(['0']))
          expect(balancesOf('bank')).toEqual(settledTo)
          const { serial } = made
          const messageId = `m${serial}`
          const order = { serial, messageId, payoutAccount: 'x', payoutDay: '2026-11-23', heldIn }
          const decide = (command: SettlementCommand) => {
            const events = settlement.decide(command, state)
            events.forEach(happened)
            state = fold(settlement, events, state)
          }
          state = after
          for (const event of writeOffHalf(state)) {
            happened(event)
            off += BigInt(event.data.fees) + BigInt(event.data.refunds)
            state = fold(settlement, [event], state)
          }
          for (const event of billed(state)) {
            happened(event)
            state = fold(settlement, [event], state)
            const { invoiceId, fees, refunds } = event.data
            const half = (BigInt(fees) + BigInt(refunds) + 1n) / 2n
            const part = { type: 'PayInvoice', invoiceId, day: '2026-11-23' } as const
            decide({ ...part, amount: String(half), entry: `in${serial}` })
            // The same entry of the bank again changes nothing; more than is open is refused.
            decide({ ...part, amount: String(half), entry: `in${serial}` })
            expect(() =>
              settlement.decide({ ...part, amount: String(half + 1n), entry: 'more' }, state),
            ).toThrow()
            claimed += BigInt(fees) + BigInt(refunds) - half
            paid['NOK'] = (paid['NOK'] ?? 0n) - half
          }
          expect(sumIn('invoices')).toBe(claimed)
          for (const { fees, refunds } of [
            state.debts.owed['NOK'] ?? { fees: '0', refunds: '0' },
          ]) {
            const own = [...rows.values()].filter(({ currency }) => currency === 'NOK')
            const of = (account: string) =>
              own.filter((row) => row.account === account).map(({ balance }) => BigInt(balance))
            const claims = [...of('unsettled_fees'), ...of('unsettled_refunds')]
            expect(claims.reduce((sum, one) => sum + one, 0n)).toBe(-BigInt(fees) - BigInt(refunds))
            expect(of('written_off').reduce((sum, one) => sum + one, 0n)).toBe(off)
          }
          decide({ type: 'OrderPayout', ...order })
          expect([...balancesOf('payouts_payable')].filter((sum) => sum !== '0')).toEqual([])
          for (const { currency, payout } of made.payouts) {
            const which = { serial, currency, messageId, day: '2026-11-23' }
            const entry = `${serial}/${currency}`
            const back = { type: 'ReturnPayout', ...which, reason } as const
            const fate = fates[(serial + (currency === 'EUR' ? 1 : 0)) % fates.length]
            if (fate === 'refused') decide({ ...back, entry: null })
            else if (payout !== '0') decide({ type: 'ConfirmPayout', ...which, entry })
            if (fate === 'returned') decide({ ...back, entry: `${entry}/back` })
            if (fate === 'paid') paid[currency] = (paid[currency] ?? 0n) + BigInt(payout)
            else due[currency] = (due[currency] ?? 0n) + BigInt(payout)
          }
          for (const { account, currency, balance } of rows.values()) {
            if (account === 'bank') expect(BigInt(balance)).toBe(-(paid[currency] ?? 0n))
            if (account === 'payout_clearing') expect(balance).toBe('0')
            if (account === 'payouts_payable') expect(BigInt(balance)).toBe(-(due[currency] ?? 0n))
          }
          // A returned payout is ordered again, and paid.
          decide({ type: 'OrderPayout', ...order, messageId: `${messageId}-2` })
          for (const { currency, payout } of made.payouts) {
            const which = { serial, currency, messageId: `${messageId}-2`, day: '2026-11-24' }
            if (payout === '0') continue
            decide({ type: 'ConfirmPayout', ...which, entry: `${serial}/${currency}/2` })
          }
          for (const { currency } of made.payouts) {
            paid[currency] = (paid[currency] ?? 0n) + (due[currency] ?? 0n)
            due[currency] = 0n
          }
          for (const { account, currency, balance } of rows.values())
            if (account === 'bank') expect(BigInt(balance)).toBe(-(paid[currency] ?? 0n))
        }
      }),
      { numRuns: 50 },
    )
  })

  test('each merchant has a payable account of its own', () => {
    fc.assert(
      fc.property(moneyLine, (line) => {
        for (const { account, merchant } of postingsOfLine(line))
          expect(merchant).toBe(account === 'merchant_payable' ? line.merchant : null)
      }),
    )
  })

  test('an entry whose sides differ is refused, in each currency by itself', () => {
    const post = (currency: string, amount: string) =>
      ({ account: 'bank', merchant: null, currency, amount }) as const
    expect(() => balanced([post('NOK', '5'), post('NOK', '-5')])).not.toThrow()
    expect(() => balanced([post('NOK', '5'), post('EUR', '-5')])).toThrow(Unbalanced)
    const { made } = settled(settlement.initial, [], 0)
    const payouts = [
      {
        currency: 'NOK',
        gross: '5',
        net: '5',
        unsettledFeesBefore: '0',
        unsettledFeesAfter: '0',
        payout: '4',
        billed: '0',
        invoiceId: null,
      },
    ]
    const wrong: SettlementMade = { ...made, payouts }
    expect(() => postingsOfSettlement('a', wrong)).toThrow('off by 1 minor units of NOK')
  })
})

describe('the decider of a ledger', () => {
  const implied = { merchant: 'a', id: 'default', currency: 'NOK', description: null }
  const decide = (command: LedgerCommand, state = ledger.initial) => ledger.decide(command, state)
  const close = (report: number) =>
    ({ type: 'CloseReport', report, openedAt: 0, callbackUri: null, implied }) as const
  const completion = { counters: {}, totals: [], transactionLogs: [], scopeLogs: [] }

  test('closes the open report only, each once, and completes them in order', () => {
    const once = fold(ledger, decide(close(1)))
    expect(once.open).toBe(2)
    expect(decide(close(1), once)).toEqual([])
    expect(() => decide(close(3), once)).toThrow('unknown')
    const twice = fold(ledger, decide(close(2), once), once)
    const complete = (report: number) => ({ type: 'CompleteReport', report, completion }) as const
    expect(() => decide(complete(2), twice)).toThrow('unknown')
    const completed = fold(ledger, decide(complete(1), twice), twice)
    expect(decide(complete(1), completed)).toEqual([])
    expect(decide(complete(2), completed)).toHaveLength(1)
    expect(() => decide(complete(3), completed)).toThrow('unknown')
  })

  test('knows nothing of a ledger that was not registered and is not implied', () => {
    expect(() => decide({ ...close(1), implied: null })).toThrow('unknown')
    expect(() => decide({ type: 'ChangeLedger', enabled: false, implied: null })).toThrow('unknown')
  })
})
