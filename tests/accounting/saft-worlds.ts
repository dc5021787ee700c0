// Months of an operator's books, as fast-check makes them.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { writeJournal } from '../../audit/export/write-journal.ts'
import { fundingReceipt, unplaced, type Placing } from '../../domain/accounting/funding-receipt.ts'
import {
  accounts,
  movedByEvent,
  movedByLine,
  type Moved,
  type Posting,
  type PostingEvent,
} from '../../domain/accounting/journal.ts'
import { newMerchant } from '../../domain/merchant/merchant.ts'
import { decimalsOf } from '../../domain/money/currency.ts'
import { keyOfPosting, type JournalBalance } from '../../projections/journal.ts'
import { anyName } from './payout-worlds.ts'

const currency = fc.constantFrom('NOK', 'EUR', 'JPY', 'KWD')
const merchant = fc.oneof(fc.constantFrom('cafe', 'kiosk'), fc.stringMatching(/^[a-z0-9]{1,64}$/))
const minor = fc.oneof(fc.integer({ min: 0, max: 1_000_000 }), fc.constantFrom(1, 9_007_199_254))
const vatRate = fc.constantFrom(0, 0.12, 0.15, 0.25, 0.19)
const day = fc.constantFrom('2026-11-01', '2026-11-30', '2026-10-31')

const line = fc
  .record({
    ...{ merchant, currency, amount: minor, fee: fc.integer({ max: 50_000, min: -50_000 }) },
    ...{ interchange: fc.integer({ min: -900, max: 900 }), rate: vatRate, name: anyName },
    action: fc.constantFrom('capture' as const, 'refund' as const, 'dispute' as const),
  })
  .map(({ rate, name, ...about }) => {
    const amount = about.action === 'capture' ? about.amount : 0 - about.amount
    const tags = { ledger: 'default', tid: 'tid-1', subId: name.slice(0, 50), posTid: name }
    const vat = Math.round(about.fee * rate) + 0
    return movedByLine({ ...about, ...tags, amount, additionalAmount: 0, vat, taxcode: '' })
  })

const signed = ({ amount, isOut }: { readonly amount: number; readonly isOut: boolean }) => ({
  amount: String(amount + 1),
  side: isOut ? ('debit' as const) : ('credit' as const),
})

/** A movement on an account of funding: it pays something, or nothing, or another file tells it. */
const receipts = fc
  .record({
    ...{ currency, day, fee: fc.integer({ min: -99, max: 9_999 }) },
    movement: fc.record({ amount: minor, isOut: fc.boolean() }).map(signed),
    fates: fc.array(fc.constantFrom('paid', 'nothing', 'known'), { minLength: 1, maxLength: 3 }),
  })
  .map(({ currency: code, day: on, fee, movement, fates }): PostingEvent[] => {
    const about = { account: 'NO9386011117947', currency: code, day: on, endToEndId: 'tid-1' }
    const receipt = { ...about, ...movement, messageId: null, reference: null }
    const from = { ...receipt, source: { kind: 'camt.053', id: 's' } }
    const received = movement.side === 'debit' ? `-${movement.amount}` : movement.amount
    const place = { day: on, tid: 'tid-1', line: 7, received, explained: String(fee) }
    const placings: Readonly<Record<string, Placing>> = {
      paid: { place: { ...place, captured: 0, rate: null }, sameAs: null },
      nothing: unplaced,
      known: { place: null, sameAs: 'other' },
    }
    let state = fundingReceipt.initial
    return fates.flatMap((fate) => {
      const placing = placings[fate] ?? unplaced
      const command = { type: 'RecordReceipt', receipt: from, placing, isBooked: true } as const
      const events = fundingReceipt.decide(command, state)
      state = events.reduce(
        (all, event) => fundingReceipt.evolve(all, event, { at: 0, position: 1 }),
        state,
      )
      return [...events] as PostingEvent[]
    })
  })

const debts = fc
  .record({ currency, day, fees: minor, refunds: minor, net: fc.integer({ min: -9e6, max: 9e6 }) })
  .map(({ currency: code, day: on, fees, refunds, net }): PostingEvent[] => {
    const [serial, invoiceId, reason] = [1, 'S-1-B', 'why']
    const [owed, off] = [
      { serial, currency: code },
      { fees: String(fees), refunds: '0' },
    ]
    const parts = { ...owed, fees: String(fees), refunds: String(refunds) }
    const written = { ...owed, ...off, reason, correction: 'c' }
    const before = -fees
    const after = Math.min(0, before + net)
    const payout = {
      ...{ currency: code, gross: String(net), net: String(net), billed: '0', invoiceId: null },
      ...{ unsettledFeesBefore: String(0 + before), unsettledFeesAfter: String(after) },
      payout: String(before + net - after),
    }
    const made = {
      ...{ serial, settlementId: 'S-1', counters: {}, totals: [], transactionLogs: [] },
      ...{ scopeLogs: [], payouts: [payout], payoutDay: on },
    }
    const heldIn = 'payout_clearing' as const
    const paid = { ...owed, messageId: 'm', amount: payout.payout, heldIn, day: on, entry: 'e' }
    return [
      { type: 'SettlementMade', data: made },
      { type: 'PayoutPaid', data: paid },
      { type: 'DebtBilled', data: { ...parts, invoiceId } },
      {
        type: 'InvoicePaid',
        data: { ...owed, invoiceId, amount: off.fees, day: on, entry: 'e' },
      },
      { type: 'DebtWrittenOff', data: written },
      { type: 'DebtWrittenOff', data: { ...written, invoiceId } },
      {
        type: 'FundingFeeWithheld',
        data: {
          ...{ currency: code, fee: off.fees },
          books: { funding_fees: off.fees, payer_clearing: String(0 - fees) },
        },
      },
    ]
  })

const posting = fc
  .record({ account: fc.constantFrom(...accounts), merchant, currency, amount: minor })
  .map(({ amount, ...about }): Posting => ({ ...about, amount: String(amount) }))

export const saftWorld = fc.record({
  opening: fc.array(posting, { maxLength: 4 }),
  lines: fc.array(line, { maxLength: 6 }),
  events: fc.array(fc.oneof(receipts, debts), { maxLength: 6 }),
  payee: anyName,
  company: fc.record({ name: anyName, registrationNumber: anyName, contact: anyName }),
})

export type SaftWorld = typeof saftWorld extends fc.Arbitrary<infer World> ? World : never

type Sums = Map<string, { readonly about: Omit<Posting, 'amount'>; amount: bigint }>

const add = (sums: Sums, { amount, ...about }: Posting): void => {
  const key = keyOfPosting(about)
  const known = sums.get(key) ?? { about, amount: 0n }
  sums.set(key, { about, amount: known.amount + BigInt(amount) })
}

const balancesOf = (sums: Sums): JournalBalance[] =>
  [...sums].map(([key, { about, amount }]) => ({ key, ...about, balance: String(amount) }))

/** The SAF-T files of a world, and what its journal moves and holds in minor units. */
export const booksOf = ({ opening, lines, events, payee, company }: SaftWorld) => {
  const entries: Moved[] = [
    ...lines,
    ...events.flat().map((event) => movedByEvent('cafe', event, 'S-2026-11-30-1')),
  ].filter(({ postings }) => postings.length > 0)
  const [before, after]: Sums[] = [new Map(), new Map()]
  for (const one of opening) for (const sums of [before, after]) add(sums as Sums, one)
  for (const one of entries.flatMap(({ postings }) => postings)) add(after as Sums, one)
  const folder = mkdtempSync(join(tmpdir(), 'daybook-saft-'))
  try {
    const closing = balancesOf(after as Sums)
    const journal = writeJournal(folder, balancesOf(before as Sums), closing)
    for (const [position, { bankDay, ...moved }] of entries.entries())
      journal.add({
        ...{ ...moved, position, day: bankDay ?? '2026-11-30', at: Date.UTC(2026, 10, 30) },
        ...{ payee, actor: payee },
      })
    const period = { created: '2026-12-01', from: '2026-11-01', to: '2026-11-30' }
    const known = { id: 'cafe', businessName: payee, currency: 'NOK', netmask: null }
    const data = newMerchant({ ...known, lookupIds: [], organizationId: '987654321' })
    const findMerchant = (id: string) => (id === 'cafe' ? data : undefined)
    const header = { company, version: '1', ...period, findMerchant }
    journal.finish('2026-11-30', header)
    const codes = [...new Set(closing.map((one) => one.currency))]
    return codes
      .filter((code) => decimalsOf(code) <= 2)
      .map((code) => ({
        file: readFileSync(join(folder, `saf-t-${code}.xml`), 'utf8'),
        decimals: decimalsOf(code),
        closing: closing.filter((one) => one.currency === code),
        moved: entries.map(({ postings }) => postings.filter((one) => one.currency === code)),
      }))
  } finally {
    rmSync(folder, { recursive: true })
  }
}
