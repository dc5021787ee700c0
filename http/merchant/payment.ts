import { z } from 'zod'
import { payments } from '../../domain/aggregates.ts'
import type { FindTerms } from '../../application/fee-book.ts'
import type { Context, Handle } from '../../application/handle.ts'
import type { Find } from '../../application/find-state.ts'
import type { MerchantViews } from '../../application/merchant-views.ts'
import { paymentCommand } from '../../application/payment-acts.ts'
import { isLedgerOpen } from '../../application/request-payment.ts'
import { defaultLedger } from '../../domain/accounting/ledger.ts'
import type { PaymentRequest } from '../../domain/payment/payment-events.ts'
import { refuse, holding, type RefusalCode } from '../../domain/refusal.ts'
import { merchantPrefix, tidParams, type Links } from '../addresses.ts'
import { callerOf, contextOf, type Call } from '../call.ts'
import { recordReading, type RecordingNeeds } from '../personal-data.ts'
import { type Route, routesOf } from '../route.ts'
import { contextOfOrder, unauthorized } from '../signed-request.ts'
import { createdReply, readableAmount } from '../wire.ts'
import type { AttachmentLink } from './attachment.ts'
import { outcomeReply, outcomeView, reportOfLine, type ReportHolding } from './outcome-reply.ts'
import { paymentRequestInput } from './payment-input.ts'
import {
  checkoutUri,
  paymentRequestReply,
  paymentRequestView,
  type RequestView,
} from './payment-reply.ts'
import {
  actOf,
  detailsOf,
  fieldsUsedBy,
  paymentUpdateInput,
  type PaymentUpdate,
} from './payment-update.ts'
import { requestFaults } from './sandbox-faults.ts'
import { faultsOfPart, type KnownPart } from '../../domain/payment/payment-actions.ts'
import type { RequestedPayment } from '../../domain/payment/payment-state.ts'
import type { Instant } from '../../domain/time.ts'
import type { Issue } from '../errors.ts'
import type { Fitting } from '../validation.ts'
import { issuesOf } from '../refusal-answers.ts'
import { checkLineAmounts, sumProblems } from './line-items.ts'

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
const updateFaults =
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

type PaymentNeeds = RecordingNeeds & {
  readonly handle: Handle
  readonly find: Find
  readonly links: Links
  readonly findTerms: FindTerms
  readonly attachmentLink: AttachmentLink
  /** Known and not erased. */
  readonly hasPerson: (person: string) => boolean
  readonly requestPayment: (request: PaymentRequest, context: Context) => Promise<string>
  readonly findOutcome: MerchantViews['findOutcome']
  readonly reportHolding: ReportHolding
  /** The customer is null once erased. */
  readonly findRequested: (merchant: string, tid: string) => Promise<RequestView | undefined>
}

const listPath = `${merchantPrefix}/payment_request/`

export const detailPath = (tid: string): string => `${listPath}${tid}/`

export const outcomePath = (tid: string): string => `${detailPath(tid)}outcome/`

const { get, post, put } = routesOf({ access: 'SECRET', group: 'Payment request' })

const requestedReply = createdReply
  .extend({ uri: z.string().nullable() })
  .meta({ id: 'PaymentRequestCreated' })

/** Payment requests (interface 4). */
export const paymentRoutes = (needs: PaymentNeeds): Route[] => {
  const { handle, links, findOutcome } = needs
  const reportOf = reportOfLine(links, needs.reportHolding)

  const amendment = async (merchant: string, currency: string, input: PaymentUpdate) => {
    const changes = detailsOf(input, currency)
    const ledgerIsOpen = await isLedgerOpen(needs, merchant, changes.ledger ?? defaultLedger)
    return { type: 'AmendPayment', changes, ledgerIsOpen } as const
  }

  const update = async (tid: string, input: PaymentUpdate, call: Call): Promise<void> => {
    const { actor, isSigned, mayRefund, merchant: own } = callerOf(call)
    if (input.action === 'refund' && !isSigned) {
      const { remoteAddress: address } = call.request
      const who = { actor, merchant: own, address }
      needs.securityLog.record({ type: 'refused', ...who, reason: 'level too low' })
      return unauthorized('Level too low: a refund must be signed with a key.')
    }
    const payment = await needs.find(payments, tid)
    if (payment.status === 'unrequested' || payment.request.merchant !== own)
      return refuse('resource_is_unknown')
    if (input.action === 'refund' && !(await mayRefund())) return refuse('user_may_not_refund')
    const { at } = call
    const { action } = input
    const context = action ? contextOfOrder(call, fieldsUsedBy(action)) : contextOf(call)
    const { merchant, currency } = payment.request
    const act = actOf(input)
    const command = act
      ? await paymentCommand(needs, payment.request, act, at)
      : await amendment(merchant, currency, input)
    await handle(payments, tid, command, context)
  }

  return [
    post(listPath, {
      summary: 'Request a payment',
      description: 'The same request again, by pos_id and pos_tid, answers as the first did.',
      body: paymentRequestInput,
      success: 'created',
      reply: requestedReply,
      furtherFaults: requestFaults(needs),
      handle: async (call) => {
        const request = { merchant: callerOf(call).merchant, ...call.body }
        const tid = await needs.requestPayment(request, contextOf(call))
        const uri = checkoutUri(links, tid, request)
        return { location: links.full(detailPath(tid)), value: { id: tid, uri } }
      },
    }),
    get(`${listPath}:tid/`, {
      isPrompt: true,
      summary: 'Read a payment request',
      params: tidParams,
      reply: paymentRequestReply,
      handle: async (call) => {
        const { tid } = call.params
        const { merchant } = callerOf(call)
        const found = await needs.findRequested(merchant, tid)
        if (!found) return refuse('resource_is_unknown')
        return paymentRequestView(tid, checkoutUri(links, tid, found.payment.request), found)
      },
    }),
    put(`${listPath}:tid/`, {
      summary: 'Capture, release, renew, refund or amend a payment',
      description:
        'What has taken effect answers 204 again without a second effect. Captures and refunds ' +
        'are told apart by capture_id and refund_id; one without an id takes everything that is ' +
        'left, once: its amounts may be absent, or are exactly what is left. Each reauth renews ' +
        'from its own instant. A refund needs KEY. After the payer has answered, line_items and ' +
        'links can no longer be changed: 409.',
      params: tidParams,
      body: paymentUpdateInput,
      furtherFaults: updateFaults(needs),
      handle: (call) => update(call.params.tid, call.body, call),
    }),
    get(`${listPath}:tid/outcome/`, {
      isPrompt: true,
      summary: 'Read the outcome of a payment request',
      params: tidParams,
      reply: outcomeReply,
      handle: async (call) => {
        const found = await findOutcome(callerOf(call).merchant, call.params.tid, call.at)
        const view = found ?? refuse('resource_is_unknown')
        const { outcome } = view
        if (view.tokens) recordReading(needs, call, `payment-${call.params.tid}`)
        // Attachments are sealed with the payer's key, so none after erasure. Callbacks see only
        // the log and keep the link.
        const isErased = outcome.payer !== null && !needs.hasPerson(outcome.payer)
        const link = isErased ? {} : needs.attachmentLink(outcome, call.at)
        return outcomeView(view, await reportOf(outcome), link)
      },
    }),
  ]
}
