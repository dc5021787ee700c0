import type { Completion } from '../domain/accounting/completion.ts'
import type { FeeTerms } from '../domain/accounting/fees.ts'
import { settlementFeesBy, type SettlementFee } from '../domain/accounting/settlement.ts'
import { payoutDay } from '../domain/calendar.ts'
import { refuse } from '../domain/refusal.ts'
import { dayOf, type Instant } from '../domain/time.ts'
import { settlements } from '../domain/aggregates.ts'
import { perKeyBackOff, type OutageOf } from './per-key-back-off.ts'
import type { Context, Handle } from './handle.ts'

type Account = {
  readonly merchant: string
  readonly payoutDelay: number
  readonly lastSerial: number
  readonly unsettledSince: Instant | null
  readonly dueAt: Instant | null
}

type Started = { readonly merchant: string; readonly serial: number; readonly startedAt: Instant }

type Needs<Settlement extends Started> = {
  readonly handle: Handle
  readonly accounts: {
    find(merchant: string): Account | undefined
    due(now: Instant, limit: number): readonly Account[]
    /** The next instant after now at which somebody becomes due. */
    nextDue(now: Instant): Instant | null
    unsettled(): readonly Account[]
  }
  readonly settlements: {
    /** The next settlement of each merchant that is started and not made, the oldest first. */
    nextUnfinished(limit: number): readonly Settlement[]
  }
  /** By currency; in others a settlement costs nothing. */
  readonly findAllTerms: (
    merchant: string,
    at: Instant,
  ) => Promise<Readonly<Record<string, FeeTerms>>>
  /** Six characters that name a merchant, and no other, in settlement ids. */
  readonly seriesOf: (merchant: string, context: Context) => Promise<string>
  readonly makeLogs: (settlement: Settlement, fees: readonly SettlementFee[]) => Promise<Completion>
  readonly caughtUp: () => Promise<void>
  readonly newId: () => string
  readonly outageOf: OutageOf
}

const atOnce = 200

/**
 * Settles merchants: a settlement is started, which cuts the log, and then completed with what its lines add up to.
 * Whatever stops between the two is completed by the next who looks; starting one that has been started is nothing.
 */
export const settleMerchants = <Settlement extends Started>(needs: Needs<Settlement>) => {
  const { handle, accounts, caughtUp, outageOf } = needs
  const keyOf = ({ merchant }: { readonly merchant: string }): string => merchant
  const starting = perKeyBackOff<Account>({ keyOf, outageOf })
  const completing = perKeyBackOff<Settlement>({ keyOf, outageOf })

  const contextAt = (at: Instant, merchant: string): Context => ({
    at,
    merchant,
    actor: 'daybook',
    correlationId: needs.newId(),
  })

  const start = async (account: Account, at: Instant, dueAt: Instant | null): Promise<void> => {
    const { merchant, lastSerial } = account
    const context = contextAt(at, merchant)
    const serial = lastSerial + 1
    const settlementId = `${await needs.seriesOf(merchant, context)}-${dayOf(at)}-${serial}`
    const command = { type: 'StartSettlement', serial, settlementId, dueAt } as const
    await handle(settlements, merchant, command, context)
  }

  const complete = async (settlement: Settlement, at: Instant): Promise<void> => {
    const { merchant, serial, startedAt } = settlement
    const terms = await needs.findAllTerms(merchant, startedAt)
    const completion = await needs.makeLogs(settlement, settlementFeesBy(terms, startedAt))
    const account = accounts.find(merchant) ?? refuse('resource_is_unknown')
    const day = payoutDay(startedAt, account.payoutDelay)
    const facts = { serial, completion, terms, payoutDay: day }
    const command = { type: 'CompleteSettlement', ...facts } as const
    await handle(settlements, merchant, command, contextAt(at, merchant))
  }

  const startAll = async (
    { attempt }: typeof starting,
    some: readonly Account[],
    at: Instant,
    dueAtOf: (account: Account) => Instant | null,
  ): Promise<void> => {
    await Promise.all(
      some.map((account) => attempt(account, at, () => start(account, at, dueAtOf(account)))),
    )
    await caughtUp()
  }

  /** Those of one merchant one after another, those of several merchants side by side. */
  const completeAll = async (at: Instant, stopped?: AbortSignal): Promise<void> => {
    while (!stopped?.aborted) {
      const some = completing.due(at, atOnce, needs.settlements.nextUnfinished)
      if (some.length === 0) return
      await Promise.all(
        some.map((settlement) =>
          completing.attempt(settlement, at, () => complete(settlement, at)),
        ),
      )
      await caughtUp()
    }
  }

  /** Settles whoever is due, and answers when the next one is. */
  const settleDue = async (now: Instant, stopped: AbortSignal): Promise<Instant | null> => {
    while (!stopped.aborted) {
      const some = starting.due(now, atOnce, (limit) => accounts.due(now, limit))
      if (some.length === 0) break
      // A clock that was ahead may have put the due time far off.
      await startAll(starting, some, now, ({ dueAt }) =>
        dueAt !== null && dueAt <= now ? dueAt : null,
      )
    }
    await completeAll(now, stopped)
    return completing.nextLook(starting.nextLook(accounts.nextDue(now)))
  }

  /** Settles now what is unsettled, of one merchant or of all; answers whose settlements fail. */
  const settleNow = async (now: Instant, merchant?: string): Promise<readonly string[]> => {
    await caughtUp()
    const unsettled =
      merchant === undefined ? accounts.unsettled() : [accounts.find(merchant)].filter((a) => !!a)
    const some = unsettled.filter(({ unsettledSince }) => unsettledSince !== null)
    // Not with `starting`: it takes whoever rests and is not listed as due for settled, and these are not due.
    const startingNow = perKeyBackOff<Account>({ keyOf, outageOf })
    await startAll(startingNow, some, now, () => null)
    await completeAll(now)
    return [...new Set([...startingNow.failing(), ...completing.failing()])]
  }

  return { settleDue, settleNow }
}
