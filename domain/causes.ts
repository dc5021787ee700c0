import type { FeeTerms } from './accounting/fees.ts'
import type { Counters, Totals } from './accounting/totals.ts'
import type { Permissions } from './people/grant.ts'
import type { Instant } from './time.ts'
import type { TimeZone } from './time-zone.ts'

/** The sums of the lines of a report or a settlement. */
export type LinesSummed = { readonly counters: Counters; readonly totals: Totals }

/** An event that tells a message, and what the message is called. */
type TellingEvent = {
  readonly id: string
  readonly event: string
  readonly position: number
  readonly at: Instant
}

/**
 * What the rest of the log tells about the moment of an event. Of what changed within the last
 * minute both is possible: a process may not have heard of it.
 */
export type Facts = {
  readonly posIsKnown: (merchant: string, posId: string) => boolean
  readonly ledgerIsOpen: (merchant: string, ledger: string) => boolean
  /** The currency of a merchant; undefined for none of that id. */
  readonly currencyOf: (merchant: string) => string | undefined
  /** Fee terms that may have been in force, the likeliest first. */
  readonly termsOf: (merchant: string, currency: string) => readonly FeeTerms[]
  /** By currency, at the start of a settlement. */
  readonly settlementTermsOf: (
    merchant: string,
    at: Instant,
  ) => readonly Readonly<Record<string, FeeTerms>>[]
  /** Weekdays from the settlement to the payout, the likeliest first. */
  readonly payoutDelaysOf: (merchant: string) => readonly number[]
  /** Of the merchant's clocks, the likeliest first. */
  readonly timeZonesOf: (merchant: string) => readonly TimeZone[]
  /** Six characters that the ids of a merchant's settlements begin with. */
  readonly seriesOf: (merchant: string) => string | undefined
  readonly settlementStartedAt: (merchant: string, serial: number) => Instant | undefined
  readonly reportOpenedAt: (merchant: string, ledger: string) => Instant | undefined
  readonly linesOfReport: (merchant: string, ledger: string, report: number) => LinesSummed
  readonly linesOfSettlement: (merchant: string, serial: number) => LinesSummed
  /** The ids that payments and permission requests have by those of their shops. */
  readonly tidOf: (merchant: string, posId: string, posTid: string) => string
  readonly ridOf: (merchant: string, posId: string, posTid: string) => string
  /** Whether one-time codes work once, as in production. */
  readonly codesWorkOnce: () => boolean
  /** What the event at that place of the log tells of its subject. */
  readonly toldBy: (subject: string, revision: number) => TellingEvent | undefined
  /** What the request of that stream was granted. */
  readonly grantedBy: (stream: string) => Permissions | null
}

export type Given<Event, State> = {
  /** Of the aggregate. */
  readonly id: string
  /** When it was decided. */
  readonly at: Instant
  readonly merchant: string | null
  /** Before the event. */
  readonly state: State
  /** Events that were recorded right after it, at the same moment. */
  readonly next: readonly Event[]
  readonly facts: Facts
}

type Decided = { readonly type: string; readonly data: object }

/**
 * For each type of event the commands that can have led to it, the likeliest first, or why there is
 * none. What facts tell comes from them, everything else from the event. So an event holds if
 * `decide` gives it again.
 */
export type Causes<Command, Event extends Decided, State> = {
  readonly [Type in Event['type']]: (
    data: Extract<Event, { readonly type: Type }>['data'],
    given: Given<Event, State>,
  ) => readonly Command[] | string
}
