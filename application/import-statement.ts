import type { EntryProblem } from '../domain/accounting/bank-entry.ts'
import type { ReturnReason } from '../domain/accounting/payout-events.ts'
import { bankEntries, settlements } from '../domain/aggregates.ts'
import type { Sum } from '../domain/money/money.ts'
import type { Context, Handle } from './handle.ts'
import {
  matchEntry,
  payoutsOfMessage,
  type MatchNeeds,
  type OrderedPayout,
  type StatementEntry,
} from './match-bank-entries.ts'

/** The bank's refusal to pay a payout, or all payouts of a message. */
export type Rejection = {
  readonly messageId: string
  /** Null if all payouts are refused. */
  readonly endToEndId: string | null
  readonly day: string
  readonly reason: ReturnReason
}

type Needs = MatchNeeds & {
  readonly handle: Handle
  readonly caughtUp: () => Promise<void>
  readonly contextOf: (merchant: string | null) => Context
}

/** The outcome for an entry or a rejection. */
export type ImportedOne = {
  readonly outcome: 'paid' | 'returned' | 'known' | 'unmatched'
  /** Null for a rejection of a whole message. */
  readonly endToEndId: string | null
  readonly messageId: string | null
  readonly day: string
  readonly amount: { readonly sum: Sum; readonly currency: string } | null
  readonly payouts: readonly OrderedPayout[]
  /** Why it matches no payout. */
  readonly problem: EntryProblem | null
}

/** The result of an import; `known` counts entries from earlier imports. */
export type Imported = {
  paid: number
  returned: number
  known: number
  unmatched: number
  readonly all: ImportedOne[]
}

const refOf = ({ settlement, payout }: OrderedPayout) => ({
  ...{ merchant: settlement.merchant, serial: settlement.serial, currency: payout.currency },
})

const nothing = (): Imported => ({ paid: 0, returned: 0, known: 0, unmatched: 0, all: [] })

const toldEntry = ({ endToEndId, messageId, day, amount: sum, currency }: StatementEntry) => ({
  ...{ endToEndId, messageId, day, amount: { sum, currency } },
  ...{ payouts: [], problem: null },
})

const toldRejection = ({ endToEndId, messageId, day }: Rejection) => ({
  ...{ endToEndId, messageId, day, amount: null, payouts: [], problem: null },
})

/** Outgoing payments come before returns. */
const inOrder = (one: StatementEntry, other: StatementEntry): number =>
  one.day === other.day
    ? Number(one.side < other.side) - Number(one.side > other.side)
    : one.day < other.day
      ? -1
      : 1

/** Records what a statement's entries say about payouts. Known entries have no effect. */
export const importEntries = (needs: Needs) => {
  const { handle, caughtUp, contextOf, entries } = needs

  const settle = async (entry: StatementEntry, one: OrderedPayout): Promise<void> => {
    const { serial, merchant, currency } = refOf(one)
    const { id, day, side, reason } = entry
    const which = { serial, currency, messageId: one.order.messageId, day, entry: id }
    const command =
      side === 'debit'
        ? ({ type: 'ConfirmPayout', ...which } as const)
        : ({ type: 'ReturnPayout', ...which, reason } as const)
    // An earlier import was interrupted, or another file contains the entry.
    if (side === 'debit' && one.payout.status === 'paid') return
    if (one.payout.returned?.entry === id) return
    await handle(settlements, merchant, command, contextOf(merchant))
  }

  const importOne = async (entry: StatementEntry, done: Imported): Promise<void> => {
    const { id, reason: _, ...told } = entry
    const known = entries.find(id)
    const about = toldEntry(entry)
    const isKnown = (problem: EntryProblem | null): void => {
      done.known += 1
      done.all.push({ ...about, outcome: 'known', problem })
    }
    if (known?.match) return isKnown(null)
    const matched = matchEntry(needs, entry)
    const as = entry.side === 'debit' ? 'paid' : 'returned'
    if ('problem' in matched) {
      if (known) return isKnown(matched.problem)
      done.unmatched += 1
      done.all.push({ ...about, outcome: 'unmatched', problem: matched.problem })
      const command = { type: 'RecordEntry', entry: told, outcome: matched } as const
      return void (await handle(bankEntries, id, command, contextOf(null)))
    }
    for (const one of matched.found) await settle(entry, one)
    done[as] += matched.found.length
    done.all.push({ ...about, outcome: as, payouts: matched.found })
    const match = { payouts: matched.found.map(refOf), as } as const
    const command = { type: 'RecordEntry', entry: told, outcome: { match } } as const
    await handle(bankEntries, id, command, contextOf(null))
    await caughtUp()
  }

  return async (all: readonly StatementEntry[]): Promise<Imported> => {
    await caughtUp()
    const done = nothing()
    for (const entry of [...all].sort(inOrder)) await importOne(entry, done)
    return done
  }
}

/** Records rejections from a status report: payouts for which no money has moved. */
export const importRejections = (needs: Needs) => {
  const { handle, caughtUp, contextOf } = needs

  const reject = async (one: OrderedPayout, rejection: Rejection, done: Imported) => {
    const { day, reason } = rejection
    const { serial, merchant, currency } = refOf(one)
    const about = { ...toldRejection(rejection), payouts: [one] }
    if (one.payout.status !== 'ordered') {
      done.known += 1
      return void done.all.push({ ...about, outcome: 'known' })
    }
    const which = { serial, currency, messageId: one.order.messageId, day, entry: null, reason }
    const command = { type: 'ReturnPayout', ...which } as const
    await handle(settlements, merchant, command, contextOf(merchant))
    done.returned += 1
    done.all.push({ ...about, outcome: 'returned' })
  }

  return async (all: readonly Rejection[]): Promise<Imported> => {
    const done = nothing()
    for (const rejection of all) {
      await caughtUp()
      const found = payoutsOfMessage(needs, rejection.messageId).filter(
        ({ order }) => rejection.endToEndId === null || order.endToEndId === rejection.endToEndId,
      )
      if (found.length === 0) {
        done.unmatched += 1
        const about = toldRejection(rejection)
        done.all.push({ ...about, outcome: 'unmatched', problem: 'unknown_payout' })
      }
      for (const one of found) await reject(one, rejection, done)
    }
    return done
  }
}
