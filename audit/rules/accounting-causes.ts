import type { Causes } from './causes.ts'
import type {
  SeriesEvent,
  SeriesCommand,
  Series,
  settlement,
  SettlementCommand,
} from '../../domain/accounting/settlement.ts'
import type {
  SeenEntry,
  BankEntryEvent,
  BankEntryCommand,
  Entry,
} from '../../domain/accounting/bank-entry.ts'
import {
  unplaced,
  type DifferenceCommand,
  type DifferenceEvent,
  type DifferenceState,
  type ReceiptCommand,
  type ReceiptEvent,
  type ReceiptState,
} from '../../domain/accounting/funding-receipt.ts'
import type { EventsOf } from '../../domain/decider.ts'
import type { feeEvents, FeeSchedule, FeeSchedules } from '../../domain/accounting/fees.ts'
import type { Taxcode, taxcodeEvents } from '../../domain/accounting/taxcodes.ts'
import { merchantAndIdIn } from '../../domain/stream.ts'
import {
  defaultLedger,
  type Ledger,
  type LedgerCommand,
  type LedgerEvent,
} from '../../domain/accounting/ledger.ts'
import type {
  Correction,
  CorrectionCommand,
  CorrectionEvent,
} from '../../domain/accounting/correction.ts'
import { payoutDay } from '../../domain/calendar.ts'
import { addUp } from '../../domain/money/money.ts'
import { dateIn } from '../../domain/time-zone.ts'
import type { SettlementEvent } from '../../domain/accounting/settlement-events.ts'

export const seriesCauses: Causes<SeriesCommand, SeriesEvent, Series> = {
  SeriesTaken: ({ merchant }) => [{ type: 'TakeSeries', merchant }],
}

export const bankEntryCauses: Causes<BankEntryCommand, BankEntryEvent, Entry> = {
  BankEntrySeen: ({ problem, ...entry }, { next: [after] }) => {
    if (problem !== null) return [{ type: 'RecordEntry', entry, outcome: { problem } }]
    if (after?.type !== 'BankEntryMatched') return 'no payout is said to be that of the entry'
    return [{ type: 'RecordEntry', entry, outcome: { match: after.data } }]
  },
  /** Already recorded from another file; its contents are irrelevant here. */
  BankEntryMatched: (match) => [{ type: 'RecordEntry', entry: unknownEntry, outcome: { match } }],
  BankEntryDismissed: ({ note }) => [{ type: 'DismissEntry', note }],
}

export const unknownEntry: Omit<SeenEntry, 'problem'> = {
  account: '',
  side: 'debit',
  amount: '0',
  currency: '',
  day: '',
  endToEndId: null,
  messageId: null,
  reference: null,
  source: { kind: '', id: '' },
}

export const receiptCauses: Causes<ReceiptCommand, ReceiptEvent, ReceiptState> = {
  FundingReceiptSeen: ({ books, ...receipt }, { next: [after] }) => {
    const placed =
      after?.type === 'FundingReceiptPlaced' && !after.data.isByHand ? after.data : null
    const placing = placed ? { place: placed.place, sameAs: placed.sameAs } : unplaced
    const isBooked = (books ?? placed?.books) !== undefined
    return [{ type: 'RecordReceipt', receipt, placing, isBooked }]
  },
  FundingReceiptPlaced: ({ place, sameAs, currency, isByHand, books }) => {
    const isBooked = books !== undefined
    if (isByHand)
      return place ? [{ type: 'PlaceReceipt', place, isBooked }] : 'nobody places it nowhere'
    const receipt = { ...unknownEntry, currency }
    return [{ type: 'RecordReceipt', receipt, placing: { place, sameAs }, isBooked }]
  },
}

export const differenceCauses: Causes<DifferenceCommand, DifferenceEvent, DifferenceState> = {
  FundingDifferenceTaken: (data) => [{ type: 'TakeDifference', ...data }],
  FundingDifferenceClosed: ({ books, ...data }, { state: { closings: known } }) => {
    const account = books && 'unexplained' in books ? 'unexplained' : 'payer_clearing'
    return [{ type: 'CloseDifference', ...data, known, heldIn: books ? account : null }]
  },
  FundingFeeWithheld: ({ currency, fee }) => [{ type: 'WithholdFee', currency, fee }],
}

export type ScheduleFees = { readonly type: 'ScheduleFees'; readonly schedule: FeeSchedule }

export const feeCauses: Causes<ScheduleFees, EventsOf<typeof feeEvents>, FeeSchedules> = {
  FeesScheduled: (schedule) => [{ type: 'ScheduleFees', schedule }],
}

export type AddTaxcode = { readonly type: 'AddTaxcode'; readonly taxcode: Taxcode }

export type TaxcodeEvent = EventsOf<typeof taxcodeEvents>

export const taxcodeCauses: Causes<AddTaxcode, TaxcodeEvent, readonly Taxcode[]> = {
  TaxcodeAdded: (taxcode) => [{ type: 'AddTaxcode', taxcode }],
}

export type Decided = Parameters<Causes<LedgerCommand, LedgerEvent, Ledger>['LedgerEnabled']>[1]

/** The default ledger of a merchant, which exists without registration. */
export const impliedBy = ({ id, facts }: Decided) => {
  const [merchant, ledger] = merchantAndIdIn(id)
  const currency = ledger === defaultLedger ? facts.currencyOf(merchant) : undefined
  return currency === undefined ? null : { merchant, id: ledger, currency, description: null }
}

export type Changes = Partial<
  Omit<Extract<LedgerCommand, { type: 'ChangeLedger' }>, 'type' | 'implied'>
>

export const changesBy = (event: LedgerEvent): Changes | undefined => {
  switch (event.type) {
    case 'LedgerChanged':
      return { description: event.data.description }
    case 'LedgerScheduled':
      return { closes: event.data.closes }
    case 'LedgerEnabled':
      return { enabled: true }
    case 'LedgerDisabled':
      return { enabled: false }
    default:
      return undefined
  }
}

/** One command may have produced several events. The candidate that explains most comes first. */
export const change = (about: Decided, first: Changes): readonly LedgerCommand[] => {
  const implied = impliedBy(about)
  const commands: LedgerCommand[] = []
  let changes = first
  for (const next of [undefined, ...about.next]) {
    if (next) {
      const more = changesBy(next)
      if (!more || Object.keys(more).some((name) => name in changes)) break
      changes = { ...changes, ...more }
    }
    commands.unshift({ type: 'ChangeLedger', ...changes, implied })
  }
  return commands
}

export const ledgerCauses: Causes<LedgerCommand, LedgerEvent, Ledger> = {
  LedgerRegistered: (data, about) => [{ type: 'RegisterLedger', data, implied: impliedBy(about) }],
  LedgerChanged: ({ description }, about) => change(about, { description }),
  LedgerScheduled: ({ closes }, about) => change(about, { closes }),
  LedgerDisabled: (_, about) => change(about, { enabled: false }),
  LedgerEnabled: (_, about) => change(about, { enabled: true }),
  ReportClosed: ({ report, openedAt: recorded, callbackUri, due }, about) => {
    if (report < about.state.open)
      return `report ${report} is closed already: lines would stand in two reports`
    if (due && due.at > about.at) return 'it closed before it was due'
    const [merchant, ledger] = merchantAndIdIn(about.id)
    const openedAt = about.facts.reportOpenedAt(merchant, ledger) ?? recorded
    const closing = { type: 'CloseReport', report, openedAt, callbackUri, due } as const
    return [{ ...closing, implied: impliedBy(about) }]
  },
  /** Its sums are those of the lines between two closings. */
  ReportCompleted: ({ report, ...completion }, { id, facts }) => {
    const [merchant, ledger] = merchantAndIdIn(id)
    const { counters, totals } = facts.linesOfReport(merchant, ledger, report)
    const summed = { ...completion, counters, totals: [...totals] }
    return [{ type: 'CompleteReport', report, completion: summed }]
  },
}

export type Settlements = (typeof settlement)['initial']

export const settlementCauses: Causes<SettlementCommand, SettlementEvent, Settlements> = {
  SettlementStarted: ({ serial, dueAt }, { id: merchant, at, facts }) => {
    if (dueAt !== null && dueAt > at) return 'it began before it was due'
    return facts.timeZonesOf(merchant).map((zone) => {
      const settlementId = `${facts.seriesOf(merchant)}-${dateIn(zone, at)}-${serial}`
      return { type: 'StartSettlement', serial, settlementId, dueAt } as const
    })
  },
  /** Its sums are those of the lines that no earlier settlement took. */
  SettlementMade: (data, { id: merchant, at, facts }) => {
    const { serial, settlementId: _, payouts: __, payoutDay: ___, ...made } = data
    const { holidays: recorded = [], ...completion } = made
    const startedAt = facts.settlementStartedAt(merchant, serial) ?? at
    const { counters, totals } = facts.linesOfSettlement(merchant, serial)
    const summed = { ...completion, counters, totals: [...totals] }
    // Of the holidays, the log records only those that postponed the payout.
    const isHoliday = (day: string): boolean => recorded.includes(day)
    const days = facts
      .payoutDelaysOf(merchant)
      .flatMap((delay) =>
        facts.timeZonesOf(merchant).map((zone) => payoutDay(startedAt, delay, zone, isHoliday)),
      )
    return facts.settlementTermsOf(merchant, startedAt).flatMap((terms) =>
      days.map(({ day, holidays }) => {
        const facts = { serial, completion: summed, terms, payoutDay: day, holidays }
        return { type: 'CompleteSettlement', ...facts } as const
      }),
    )
  },
  DebtWrittenOff: ({ serial: _, fees, refunds, ...about }) => [
    { type: 'WriteOffDebt', ...about, amount: addUp(fees, refunds) },
  ],
  DebtBilled: ({ currency, invoiceId }) => [{ type: 'BillDebt', currency, invoiceId }],
  InvoicePaid: ({ serial: _, currency: __, ...paid }) => [{ type: 'PayInvoice', ...paid }],
  PayoutOrdered: ({ paid: _, ...order }) => [{ type: 'OrderPayout', ...order }],
  PayoutPaid: ({ amount: _, heldIn: __, ...paid }) => [{ type: 'ConfirmPayout', ...paid }],
  PayoutReturned: ({ amount: _, heldIn: __, ...back }) => [{ type: 'ReturnPayout', ...back }],
}

export const correctionCauses: Causes<CorrectionCommand, CorrectionEvent, Correction> = {
  CorrectionProposed: (proposal) => [{ type: 'ProposeCorrection', proposal }],
  CorrectionApproved: ({ by, currency }, { state, facts }) => {
    const merchant = state.status === 'unproposed' ? '' : state.merchant
    return facts
      .termsOf(merchant, currency)
      .map((terms) => ({ type: 'ApproveCorrection', by, terms }))
  },
  CorrectionTurnedDown: ({ by }) => [{ type: 'TurnDownCorrection', by }],
}
