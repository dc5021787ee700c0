import {
  nameOf,
  placingsOf,
  type FundingAccount,
  type FundingFact,
  type FundingLine,
} from '../domain/accounting/funding-match.ts'
import { unplaced, type Placing, type Receipt } from '../domain/accounting/funding-receipt.ts'
import { fundingReceipts } from '../domain/aggregates.ts'
import { jsonEquals } from '../domain/json-equality.ts'
import type { Instant } from '../domain/time.ts'
import { dateIn, type TimeZone } from '../domain/time-zone.ts'
import type { Context, Handle } from './handle.ts'
import type { ImportedOne, StatementEntry } from './match-bank-entries.ts'

/** What the read models know of a receipt. */
export type ReceiptRow = Placing & {
  readonly id: string
  readonly receipt: Receipt
  /** What nothing expected, below zero if it left the account. */
  readonly rest: string
}

type MovedLine = Omit<FundingLine, 'day' | 'action'> & {
  readonly action: string
  readonly at: Instant
}

export type FundingNeeds = {
  readonly accounts: readonly FundingAccount[]
  /** Of the funding source's days. */
  readonly zone: TimeZone
  readonly receipts: {
    find(id: string): ReceiptRow | undefined
    named(name: string): readonly ReceiptRow[]
  }
  /** The lines of a payment that move money, oldest first. */
  readonly linesOf: (tid: string) => readonly MovedLine[]
}

type Needs = FundingNeeds & {
  readonly handle: Handle
  readonly caughtUp: () => Promise<void>
  readonly contextOf: (merchant: string | null) => Context
}

const isOfSource = (line: MovedLine): line is MovedLine & Pick<FundingLine, 'action'> =>
  ['capture', 'refund', 'dispute'].includes(line.action)

const receiptOf = ({ reason: _, ...entry }: StatementEntry): FundingFact => entry

/** Another process may import other files of the same payment. */
const mostPasses = 10

/** What became of a movement that was not known before; another is known. */
const outcomeOf = (fact: FundingFact, row: ReceiptRow | undefined): ImportedOne => {
  const { endToEndId, messageId, day, side, amount: sum, currency } = fact
  const outcome = !row || row.sameAs !== null ? 'known' : row.place ? 'received' : 'unmatched'
  const problem = outcome === 'unmatched' ? 'unexpected_money' : null
  const about = { endToEndId, messageId, day, side, amount: { sum, currency } }
  return { ...about, outcome, payouts: [], problem }
}

/** Brings all receipts of a name to what they pay together. */
const makeSettle = (needs: Needs) => {
  const { accounts, zone, receipts, linesOf, handle, contextOf } = needs
  const accountOf = (account: string) => accounts.find((one) => one.account === account)

  const linesNamed = (name: string | null): readonly FundingLine[] =>
    (name === null ? [] : linesOf(name))
      .filter(isOfSource)
      .map((line) => ({ ...line, day: dateIn(zone, line.at) }))

  const recordedWith = (name: string | null, facts: readonly FundingFact[]) => {
    const rows = name === null ? facts.flatMap(({ id }) => receipts.find(id) ?? []) : null
    return rows ?? receipts.named(name ?? '')
  }

  /** @returns whether anything was new */
  return async (name: string | null, facts: readonly FundingFact[]): Promise<boolean> => {
    const rows = new Map(recordedWith(name, facts).map((row) => [row.id, row]))
    const known = [...rows.values()].map(({ id, receipt }): FundingFact => ({ id, ...receipt }))
    const all = [...new Map([...facts, ...known].map((fact) => [fact.id, fact])).values()]
    const placings = placingsOf(all, linesNamed(name), accountOf)
    let isChanged = false
    for (const { id, ...receipt } of all) {
      const placing = placings.get(id) ?? unplaced
      const row = rows.get(id)
      if (row && jsonEquals({ place: row.place, sameAs: row.sameAs }, placing)) continue
      const command = { type: 'RecordReceipt', receipt, placing, isBooked: true } as const
      const { events } = await handle(fundingReceipts, id, command, contextOf(null))
      isChanged = events.length > 0 || isChanged
    }
    return isChanged
  }
}

/** Records what arrives on accounts of funding, and what each movement pays. */
export const receiveFunding = (needs: Needs) => {
  const { accounts, receipts, caughtUp } = needs
  const settle = makeSettle(needs)

  /** The end is the same for every order of files, and however often each is read. */
  const receive = async (entries: readonly StatementEntry[]): Promise<readonly ImportedOne[]> => {
    if (entries.length === 0) return []
    await caughtUp()
    const facts = entries.map(receiptOf)
    const isNew = new Map(facts.map(({ id }) => [id, receipts.find(id) === undefined]))
    const names = new Map<string | null, FundingFact[]>()
    for (const fact of facts) {
      const name = nameOf(fact)
      names.set(name, [...(names.get(name) ?? []), fact])
    }
    for (let pass = 1; pass <= mostPasses; pass++) {
      let isChanged = false
      for (const [name, own] of names) isChanged = (await settle(name, own)) || isChanged
      await caughtUp()
      if (!isChanged) break
    }
    return facts.map((fact): ImportedOne => {
      const row = isNew.get(fact.id) ? receipts.find(fact.id) : undefined
      isNew.set(fact.id, false)
      return outcomeOf(fact, row)
    })
  }
  return { isOf: (account: string) => accounts.some((one) => one.account === account), receive }
}
