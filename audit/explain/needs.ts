import type { ListedLine, MoneyLineRange, SummedLines } from '../../domain/accounting/money-line.ts'
import type { Completion } from '../../domain/accounting/completion.ts'
import type { Sum } from '../../domain/money/money.ts'
import type { RequestedPayment } from '../../domain/payment/payment-state.ts'
import type { Instant } from '../../domain/time.ts'
import type { EventStore, Revision } from '../../application/event-store.ts'
import type { OpenAddress } from './event-words.ts'
import type { StoryTexts } from './story-forms.ts'

/** The result of one check. `holds` is null if it could not be checked. */
export type Check = { readonly holds: boolean | null; readonly says: string }

type ClosedReport = {
  readonly openedAt: Instant
  readonly closedAt: Instant
  readonly closedPosition: number
  /** Null until its log files are written. */
  readonly completion: Completion | null
}

/** Queries of the read models for lines, reports, settlements and the journal. */
export type AuditRows = {
  /** The first lines, in the order of the log. */
  readonly lines: (range: MoneyLineRange, limit: number) => Promise<readonly ListedLine[]>
  readonly sums: (range: MoneyLineRange) => Promise<readonly SummedLines[]>
  readonly report: (merchant: string, ledger: string, number: number) => ClosedReport | undefined
  /** The number of the open report; undefined if there is no such ledger. */
  readonly openReport: (merchant: string, ledger: string) => number | undefined
  readonly reportHolding: (merchant: string, ledger: string, position: number) => number
  readonly settlement: (
    merchant: string,
    serial: number,
  ) => { readonly settlementId: string; readonly startedPosition: number } | undefined
  readonly settlementNamed: (
    settlementId: string,
  ) => { readonly merchant: string; readonly serial: number } | undefined
  readonly settlementTaking: (
    merchant: string,
    position: number,
  ) => { readonly settlementId: string } | undefined
  readonly settledMerchants: () => readonly string[]
  /** Of receipts and differences of the funding source. */
  readonly fundingStreams: () => readonly string[]
  readonly balances: (
    account: string,
    merchant: string | null,
  ) => readonly { readonly currency: string; readonly balance: Sum }[]
}

export type PaymentNow = { readonly payment: RequestedPayment; readonly revision: Revision }

export type ExplainNeeds = {
  readonly store: Pick<EventStore, 'readStream' | 'readAll'>
  readonly rows: AuditRows
  readonly openAddress: OpenAddress
  readonly now: () => Instant
  readonly texts: StoryTexts
  /** A payment that is remembered; where this is left out, all of its events are read. */
  readonly paymentNow?: (tid: string) => Promise<PaymentNow | undefined>
}
