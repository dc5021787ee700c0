import type { FeeTerms } from '../../domain/accounting/fees.ts'
import type { Counters, Totals } from '../../domain/accounting/totals.ts'
import type { Permissions } from '../../domain/people/grant.ts'
import type { Instant } from '../../domain/time.ts'
import type { TimeZone } from '../../domain/time-zone.ts'

/** The sums of the lines of a report or a settlement. */
export type LinesSummed = { readonly counters: Counters; readonly totals: Totals }

/** An event that announces a callback message, and the message's name. */
type AnnouncedMessage = {
  readonly id: string
  readonly event: string
  readonly position: number
  readonly at: Instant
}

/**
 * Facts from the rest of the log at the moment of an event. A change of the last minute may or may
 * not have been known to the process that decided.
 */
export type Facts = {
  readonly posIsKnown: (merchant: string, posId: string) => boolean
  readonly ledgerIsOpen: (merchant: string, ledger: string) => boolean
  /** The currency of a merchant; undefined if there is none. */
  readonly currencyOf: (merchant: string) => string | undefined
  /** Fee terms that may have been in force, most likely first. */
  readonly termsOf: (merchant: string, currency: string) => readonly FeeTerms[]
  /** By currency, at the start of a settlement. */
  readonly settlementTermsOf: (
    merchant: string,
    at: Instant,
  ) => readonly Readonly<Record<string, FeeTerms>>[]
  /** Working days from the settlement to the payout, most likely first. */
  readonly payoutDelaysOf: (merchant: string) => readonly number[]
  /** Time zones of the merchant, most likely first. */
  readonly timeZonesOf: (merchant: string) => readonly TimeZone[]
  /** Six characters that the merchant's settlement ids begin with. */
  readonly seriesOf: (merchant: string) => string | undefined
  readonly settlementStartedAt: (merchant: string, serial: number) => Instant | undefined
  readonly reportOpenedAt: (merchant: string, ledger: string) => Instant | undefined
  readonly linesOfReport: (merchant: string, ledger: string, report: number) => LinesSummed
  readonly linesOfSettlement: (merchant: string, serial: number) => LinesSummed
  /** Ids of payments and permission requests, derived from the shop's own ids. */
  readonly tidOf: (merchant: string, posId: string, posTid: string) => string
  readonly ridOf: (merchant: string, posId: string, posTid: string) => string
  /** Whether one-time codes can be used only once, as in production. */
  readonly codesWorkOnce: () => boolean
  /** What the event at that revision announces about its subject. */
  readonly announcedBy: (subject: string, revision: number) => AnnouncedMessage | undefined
  /** What the request in that stream was granted. */
  readonly grantedBy: (stream: string) => Permissions | null
  /** Whether a payment is over, with nothing captured. */
  readonly endedUnpaid: (tid: string) => boolean
}

export type Circumstances<Event, State> = {
  readonly id: string
  /** When it was decided. */
  readonly at: Instant
  readonly merchant: string | null
  /** The state before the event. */
  readonly state: State
  /** Events recorded right after it, at the same moment. */
  readonly next: readonly Event[]
  readonly facts: Facts
}

type Decided = { readonly type: string; readonly data: object }

/**
 * For each event type, the commands that may have led to it, most likely first, or why none can.
 * Facts come from the log, everything else from the event. The event is valid if `decide` returns
 * it again.
 */
export type Causes<Command, Event extends Decided, State> = {
  readonly [Type in Event['type']]: (
    data: Extract<Event, { readonly type: Type }>['data'],
    circumstances: Circumstances<Event, State>,
  ) => readonly Command[] | string
}
