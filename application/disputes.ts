import { payments } from '../domain/aggregates.ts'
import type { AttachmentCommand } from '../domain/merchant/attachment.ts'
import type { MinorUnits } from '../domain/money/money.ts'
import { disputeId, readDisputeId } from '../domain/payment/dispute.ts'
import type { PaymentCommand } from '../domain/payment/payment-command.ts'
import type { Dispute, RequestedPayment } from '../domain/payment/payment-state.ts'
import { refuse } from '../domain/refusal.ts'
import type { Instant } from '../domain/time.ts'
import type { FindTerms } from './fee-book.ts'
import { dryRun, type Find } from './find-state.ts'
import type { Context, Deciding } from './handle.ts'

/** A dispute with what its payment tells of it. */
export type KnownDispute = {
  readonly id: string
  readonly tid: string
  readonly currency: string
  readonly dispute: Dispute
}

export const knownDispute = (
  tid: string,
  { request, disputes }: RequestedPayment,
  number: number,
): KnownDispute => {
  const dispute = disputes[number - 1] ?? refuse('resource_is_unknown')
  return { id: disputeId(tid, number), tid, currency: request.currency, dispute }
}

/** @throws Refusal resource_is_unknown */
export const requestedPayment = async (find: Find, tid: string): Promise<RequestedPayment> => {
  const payment = await find(payments, tid, 'log')
  return payment.status === 'unrequested' ? refuse('resource_is_unknown') : payment
}

const placeOf = (id: string) => readDisputeId(id) ?? refuse('resource_is_unknown')

type Needs = Deciding & { readonly findTerms: FindTerms }

export type NewDispute = {
  /** Repeating a number opens nothing; the next one if absent. */
  readonly number?: number | undefined
  /** Both pots together; null for all that can be disputed. */
  readonly gross: MinorUnits | null
  readonly fee: MinorUnits
  readonly reason: string
  readonly due: Instant
}

/** How the operator opens and closes disputes. */
export const operateDisputes = ({ handle, find, findTerms }: Needs) => {
  const carryOut = async (
    tid: string,
    number: number,
    command: PaymentCommand,
    context: Context,
  ): Promise<KnownDispute> => {
    const { state } = await handle(payments, tid, command, context)
    return knownDispute(tid, state as RequestedPayment, number)
  }

  return {
    /** @throws Refusal */
    openDispute: async (
      tid: string,
      { number, ...details }: NewDispute,
      contextOf: (merchant: string) => Context,
    ): Promise<KnownDispute> => {
      const { request, disputes } = await requestedPayment(find, tid)
      const context = contextOf(request.merchant)
      const terms = await findTerms(request.merchant, request.currency, context.at)
      const dispute = number ?? disputes.length + 1
      const command = { type: 'OpenDispute', at: context.at, dispute, ...details, terms } as const
      return carryOut(tid, dispute, command, context)
    },
    /** @throws Refusal */
    closeDispute: async (
      id: string,
      outcome: 'won' | 'lost',
      contextOf: (merchant: string) => Context,
    ): Promise<KnownDispute> => {
      const [tid, dispute] = placeOf(id)
      const { request } = await requestedPayment(find, tid)
      const command = { type: 'CloseDispute', dispute, outcome } as const
      return carryOut(tid, dispute, command, contextOf(request.merchant))
    },
  }
}

export type OperateDisputes = ReturnType<typeof operateDisputes>

/** Sealed files, and what stores them. */
export type SealedContents = {
  readonly contents: AttachmentCommand['contents']
  readonly keep: () => Promise<void>
}

/** Sends a merchant's evidence. `seal` gets the payment. @throws Refusal */
export const sendEvidence =
  ({ handle, find }: Deciding) =>
  async (
    id: string,
    seal: (payment: RequestedPayment) => Promise<SealedContents>,
    context: Context,
  ): Promise<KnownDispute> => {
    const [tid, dispute] = placeOf(id)
    const payment = await requestedPayment(find, tid)
    if (payment.request.merchant !== context.merchant) return refuse('resource_is_unknown')
    const { contents, keep } = await seal(payment)
    const command = { type: 'SendEvidence', at: context.at, dispute, contents } as const
    // Check before keeping content, and keep it before recording, so readers always find it.
    await dryRun(find, payments, tid, command)
    await keep()
    const { state } = await handle(payments, tid, command, context)
    return knownDispute(tid, state as RequestedPayment, dispute)
  }
