import type { LinesSummed } from '../rules/causes.ts'
import {
  correctionEvents,
  type Correction,
  type CorrectionEvent,
} from '../../domain/accounting/correction.ts'
import { addLine, countLine } from '../../domain/accounting/totals.ts'
import { movesMoney, type TransactionLine } from '../../domain/accounting/transaction-line.ts'
import type { Recorded } from '../../domain/events.ts'
import { isPaymentEvent } from '../../domain/payment/payment-events.ts'
import { available, type Payment } from '../../domain/payment/payment-state.ts'
import { permissionEvents, type PermissionEvent } from '../../domain/people/permission.ts'
import type { permission } from '../../domain/people/permission.ts'
import { idIn, within } from '../../domain/stream.ts'
import { transactionLine } from '../../projections/payment-lines.ts'
import { correctionLine } from '../../projections/corrections.ts'
import { permissionLine } from '../../projections/permissions.ts'

const beforePayment = (tid: string, state: Payment) => {
  if (state.status === 'unrequested') return undefined
  const { request, details, answer, status, captured } = state
  const { merchant, posId, customer, currency, amount } = request
  const isAccepted = answer?.type === 'accepted'
  const left = status === 'auth' ? available(state) : { amount: 0, additionalAmount: 0 }
  return {
    tid,
    merchant,
    posId,
    customer,
    currency,
    amount,
    ledger: details.ledger,
    additionalAmount: isAccepted ? answer.additionalAmount : request.additionalAmount,
    credit: isAccepted && answer.credit,
    captured: captured.amount + captured.additionalAmount,
    amountLeft: left.amount,
    additionalAmountLeft: left.additionalAmount,
  }
}

const beforePermission = (rid: string, state: (typeof permission)['initial']) => {
  if (state.status === 'unrequested') return undefined
  const { merchant, customer } = state.request
  return { rid, merchant, customer, currency: state.currency }
}

const isCorrectionEvent = (event: Recorded): event is Recorded<CorrectionEvent> =>
  event.type in correctionEvents

const isPermissionEvent = (event: Recorded): event is Recorded<PermissionEvent> =>
  event.type in permissionEvents

/**
 * The line that an event adds to a ledger, derived from the previous state and not from a read
 * model.
 */
export const lineOf = (event: Recorded, before: unknown): TransactionLine | undefined => {
  const id = idIn(event.stream)
  if (isPaymentEvent(event)) return transactionLine(beforePayment(id, before as Payment), event)
  if (isCorrectionEvent(event)) {
    const proposed = before as Correction
    return correctionLine(proposed.status === 'unproposed' ? undefined : proposed, event)
  }
  if (!isPermissionEvent(event)) return undefined
  return permissionLine(beforePermission(id, before as (typeof permission)['initial']), event)
}

const nothing: LinesSummed = { counters: {}, totals: [] }

const withLine = (sums: LinesSummed | undefined, line: TransactionLine): LinesSummed => ({
  counters: countLine((sums ?? nothing).counters, line),
  totals: addLine((sums ?? nothing).totals, line),
})

/** Sums of lines, collected until they are taken. */
const gatherSums = () => {
  const open = new Map<string, LinesSummed>()
  const taken = new Map<string, LinesSummed>()
  return {
    add: (key: string, line: TransactionLine): void => {
      open.set(key, withLine(open.get(key), line))
    },
    take: (key: string, by: string): void => {
      taken.set(by, open.get(key) ?? nothing)
      open.delete(key)
    },
    takenBy: (by: string): LinesSummed => taken.get(by) ?? nothing,
    forget: (by: string): void => void taken.delete(by),
    /** Sums not taken yet. */
    open: (): ReadonlyMap<string, LinesSummed> => open,
  }
}

const reportOf = (ledger: string, report: number): string => `${ledger}#${report}`
const settlementOf = (merchant: string, serial: number): string => `${merchant}/${serial}`

/** The lines of each report and settlement, in log order. Each line belongs to one of both. */
export const lineBook = () => {
  const reports = gatherSums()
  const settlements = gatherSums()
  return {
    add: (line: TransactionLine): void => {
      reports.add(within(line.merchant, line.ledger), line)
      if (movesMoney(line)) settlements.add(line.merchant, line)
    },
    /** Call with every event, after its line. */
    read: (event: Recorded): void => {
      const id = idIn(event.stream)
      switch (event.type) {
        case 'ReportClosed':
          return reports.take(id, reportOf(id, event.data.report))
        case 'ReportCompleted':
          return reports.forget(reportOf(id, event.data.report))
        case 'SettlementStarted':
          return settlements.take(id, settlementOf(id, event.data.serial))
        case 'SettlementMade':
          return settlements.forget(settlementOf(id, event.data.serial))
        default:
          return
      }
    },
    facts: {
      linesOfReport: (merchant: string, ledger: string, report: number): LinesSummed =>
        reports.takenBy(reportOf(within(merchant, ledger), report)),
      linesOfSettlement: (merchant: string, serial: number): LinesSummed =>
        settlements.takenBy(settlementOf(merchant, serial)),
    },
    /** By merchant: lines that no settlement has taken. */
    unsettled: settlements.open,
  }
}
