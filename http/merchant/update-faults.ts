import { payments } from '../../domain/aggregates.ts'
import type { Find } from '../../application/find-state.ts'
import { isLedgerOpen } from '../../application/request-payment.ts'
import { faultsOfPart, type KnownPart } from '../../domain/payment/payment-capture.ts'
import type { RequestedPayment } from '../../domain/payment/payment-state.ts'
import { holding, type RefusalCode } from '../../domain/refusal.ts'
import type { Instant } from '../../domain/time.ts'
import { callerOf, type Call } from '../call.ts'
import type { Issue } from '../errors.ts'
import type { Fitting } from '../fitting.ts'
import { issuesOf } from '../refusal-answers.ts'
import { readableAmount } from '../wire.ts'
import { checkLineAmounts, sumProblems } from './line-items.ts'
import type { PaymentUpdate } from './payment-update.ts'

type Needs = { readonly find: Find }

const partFaults = (
  { action, ...input }: Fitting<PaymentUpdate>,
  payment: RequestedPayment,
  at: Instant,
): readonly RefusalCode[] => {
  const { currency } = payment.request
  if (input.currency != null && input.currency !== currency)
    return ['currency_differs_from_payment']
  if (action !== 'capture' && action !== 'refund') return []
  const amountOf = (text: string | null | undefined) =>
    input.currency == null ? undefined : readableAmount(text ?? undefined, currency)
  const [amount, additionalAmount] = [input.amount, input.additional_amount].map(amountOf)
  const id = action === 'capture' ? input.capture_id : input.refund_id
  const known: KnownPart = {
    id,
    ...(amount !== undefined && { amount }),
    ...(additionalAmount !== undefined && { additionalAmount }),
  }
  return faultsOfPart(action, known, payment, at)
}

const lineFaults = (
  { line_items: items = [] }: Fitting<PaymentUpdate>,
  { request: { amount, currency } }: RequestedPayment,
): readonly Issue[] => {
  const context = { issues: [] }
  checkLineAmounts(items, currency, context)
  return [...context.issues, ...sumProblems(items, amount, currency)]
}

/** What else is wrong with PUT /payment_request/<tid>/. */
export const updateFaults =
  ({ find }: Needs) =>
  async (
    call: Call<{ readonly tid: string }, unknown, Fitting<PaymentUpdate>>,
  ): Promise<readonly Issue[]> => {
    const { merchant, isSigned } = callerOf(call)
    const payment = await find(payments, call.params.tid)
    const isOwn = payment.status !== 'unrequested' && payment.request.merchant === merchant
    // Refunds need a signature.
    if (!isOwn || (call.body.action === 'refund' && !isSigned)) return []
    const { ledger } = call.body
    const isClosed = ledger !== undefined && !(await isLedgerOpen({ find }, merchant, ledger))
    const codes = holding({ ledger_is_unknown: isClosed && ledger !== payment.details.ledger })
    return [
      ...issuesOf([...partFaults(call.body, payment, call.at), ...codes]),
      ...lineFaults(call.body, payment),
    ]
  }
