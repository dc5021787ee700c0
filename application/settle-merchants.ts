import type { Completion } from '../domain/accounting/completion.ts'
import type { FeeTerms } from '../domain/accounting/fees.ts'
import { settlementFeesBy, type SettlementFee } from '../domain/accounting/settlement.ts'
import { payoutDay, type IsHoliday } from '../domain/calendar.ts'
import { refuse } from '../domain/refusal.ts'
import type { Instant } from '../domain/time.ts'
import { dateIn, type TimeZone } from '../domain/time-zone.ts'
import { settlements, settlementSeries } from '../domain/aggregates.ts'
import { perKeyBackOff, type OutageOf } from './per-key-back-off.ts'
import type { Context, Handle } from './handle.ts'
import { listOwn, type Share } from './share.ts'

type SeriesNeeds = {
  readonly handle: Handle
  /** The merchant's first, second … candidate; merchants may share candidates. */
  readonly candidate: (merchant: string, number: number) => string
}

/** Takes the first candidate that no other merchant has. */
export const takeSeries =
  ({ handle, candidate }: SeriesNeeds) =>
  async (merchant: string, context: Context): Promise<string> => {
    for (let number = 0; ; number++) {
      const series = candidate(merchant, number)
      const { state } = await handle(
        settlementSeries,
        series,
        { type: 'TakeSeries', merchant },
        context,
      )
      if (state.merchant === merchant) return series
    }
  }

type Account = {
  readonly merchant: string
  readonly payoutDelay: number
  readonly timeZone: TimeZone
  readonly lastSerial: number
  readonly unsettledSince: Instant | null
  readonly dueAt: Instant | null
}

type Started = { readonly merchant: string; readonly serial: number; readonly startedAt: Instant }

type Needs<Settlement extends Started> = {
  readonly handle: Handle
  readonly share: Share
  readonly accounts: {
    find(merchant: string): Account | undefined
    due(now: Instant, limit: number): readonly Account[]
    nextDue(now: Instant): Instant | null
    unsettled(): readonly Account[]
  }
  readonly settlements: {
    /** The first unfinished settlement of each merchant, oldest first. */
    nextUnfinished(limit: number): readonly Settlement[]
  }
  /** By currency; other currencies have no settlement fee. */
  readonly findAllTerms: (
    merchant: string,
    at: Instant,
  ) => Promise<Readonly<Record<string, FeeTerms>>>
  /** Bank holidays of the merchant's jurisdiction. */
  readonly bankHolidaysOf: (merchant: string) => Promise<IsHoliday>
  /** Six characters unique to the merchant. */
  readonly seriesOf: (handle: Handle, merchant: string, context: Context) => Promise<string>
  readonly makeLogs: (settlement: Settlement, fees: readonly SettlementFee[]) => Promise<Completion>
  readonly caughtUp: () => Promise<void>
  readonly now: () => Instant
  readonly newId: () => string
  readonly outageOf: OutageOf
}

/** Who settles by hand. */
type ByHand = Pick<Context, 'actor' | 'correlationId' | 'operator'>

const batchSize = 200

const keyOf = ({ merchant }: { readonly merchant: string }): string => merchant

const settlementSteps = <Settlement extends Started>(needs: Needs<Settlement>, handle: Handle) => {
  const { accounts } = needs

  const contextAt = (at: Instant, merchant: string, by?: ByHand): Context => {
    const byItself = { actor: 'daybook', correlationId: needs.newId(), operator: undefined }
    const { actor, correlationId, operator } = by ?? byItself
    return { at, merchant, actor, correlationId, operator }
  }

  return {
    start: async (account: Account, at: Instant, dueAt: Instant | null, by?: ByHand) => {
      const { merchant, lastSerial, timeZone } = account
      const context = contextAt(at, merchant, by)
      const serial = lastSerial + 1
      const series = await needs.seriesOf(handle, merchant, context)
      const settlementId = `${series}-${dateIn(timeZone, at)}-${serial}`
      const command = { type: 'StartSettlement', serial, settlementId, dueAt } as const
      await handle(settlements, merchant, command, context)
    },
    complete: async (settlement: Settlement): Promise<void> => {
      const { merchant, serial, startedAt } = settlement
      const terms = await needs.findAllTerms(merchant, startedAt)
      const completion = await needs.makeLogs(settlement, settlementFeesBy(terms, startedAt))
      const account = accounts.find(merchant) ?? refuse('resource_is_unknown')
      const isHoliday = await needs.bankHolidaysOf(merchant)
      const { payoutDelay, timeZone } = account
      const { day, holidays } = payoutDay(startedAt, payoutDelay, timeZone, isHoliday)
      const facts = { serial, completion, terms, payoutDay: day, holidays }
      const command = { type: 'CompleteSettlement', ...facts } as const
      // Writing the log files takes a while.
      await handle(settlements, merchant, command, contextAt(needs.now(), merchant))
    },
  }
}

/**
 * Settles merchants: starting a settlement cuts the log, completing it records the sums. Any
 * process can complete what another started; starting twice has no effect.
 * Long because scheduled and manual settlement share their failures.
 */
export const settleMerchants = <Settlement extends Started>(needs: Needs<Settlement>) => {
  const { accounts, caughtUp, outageOf, share } = needs
  const own = settlementSteps(needs, share.handle)
  const byHand = settlementSteps(needs, needs.handle)
  const starting = perKeyBackOff<Account>({ keyOf, outageOf })
  const completing = perKeyBackOff<Settlement>({ keyOf, outageOf })

  const startAll = async (
    { attempt }: typeof starting,
    batch: readonly Account[],
    at: Instant,
    dueAtOf: (account: Account) => Instant | null,
    by?: ByHand,
  ): Promise<void> => {
    const startOne = (account: Account) =>
      attempt(account, at, () => (by ? byHand : own).start(account, at, dueAtOf(account), by))
    await Promise.all(batch.map(startOne))
    await caughtUp()
  }

  /** One at a time for each merchant. */
  const completeAll = async (
    { complete }: typeof own,
    list: (limit: number) => readonly Settlement[],
    at: Instant,
    stopped?: AbortSignal,
  ): Promise<void> => {
    while (!stopped?.aborted) {
      const batch = completing.due(at, batchSize, list)
      if (batch.length === 0) return
      const completeOne = (settlement: Settlement) =>
        completing.attempt(settlement, at, () => complete(settlement))
      await Promise.all(batch.map(completeOne))
      await caughtUp()
    }
  }

  /** Returns when the next settlement is due. */
  const settleDue = async (now: Instant, stopped: AbortSignal): Promise<Instant | null> => {
    while (!stopped.aborted) {
      const list = (limit: number) => accounts.due(now, limit)
      const batch = starting.due(now, batchSize, listOwn<Account>(share, keyOf, list))
      if (batch.length === 0) break
      // The due time may lie in the future if the clock was ahead.
      await startAll(starting, batch, now, ({ dueAt }) =>
        dueAt !== null && dueAt <= now ? dueAt : null,
      )
    }
    const list = listOwn<Settlement>(share, keyOf, needs.settlements.nextUnfinished)
    await completeAll(own, list, now, stopped)
    return completing.nextLook(starting.nextLook(accounts.nextDue(now)))
  }

  /** Settles one merchant or all now, by hand; returns the merchants that failed. */
  const settleNow = async (now: Instant, by: ByHand, merchant?: string) => {
    await caughtUp()
    const unsettled =
      merchant === undefined ? accounts.unsettled() : [accounts.find(merchant)].filter((a) => !!a)
    const batch = unsettled.filter(({ unsettledSince }) => unsettledSince !== null)
    // Not `starting`, which would treat merchants that back off as settled.
    const startingNow = perKeyBackOff<Account>({ keyOf, outageOf })
    await startAll(startingNow, batch, now, () => null, by)
    await completeAll(byHand, needs.settlements.nextUnfinished, now)
    return [...new Set([...startingNow.failing(), ...completing.failing()])]
  }

  return { settleDue, settleNow }
}
