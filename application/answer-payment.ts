import { parseScope } from '../domain/people/scope.ts'
import { refuse, Refusal } from '../domain/refusal.ts'
import { streamOf } from '../domain/stream.ts'
import { payments } from '../domain/aggregates.ts'
import { refuseDisabled } from './merchants.ts'
import { dryRun } from './find-state.ts'
import type { RefusalOfFunds } from '../domain/payment/payment-events.ts'
import type { Approval, FundingSource } from './funding.ts'
import { startSpanWithin } from './tracing.ts'
import { issueTokens, type Tokens } from './tokens.ts'
import type { Context, Deciding } from './handle.ts'

type Needs = Deciding & {
  readonly funding: FundingSource
  readonly tokens: Tokens
}

type PaymentWish = {
  /** Null keeps the requested amount. */
  readonly additionalAmount: number | null
  /** The payer confirmed an additional amount above the amount. */
  readonly isConfirmed?: boolean
  readonly credit: boolean
}

/** Asks the funding source, in a span of the trace if that is recorded. */
const approveTraced = async (
  funding: FundingSource,
  approval: Approval,
  { traceparent }: Context,
): Promise<RefusalOfFunds | null> => {
  const span = startSpanWithin(traceparent, () => ({
    name: 'approve funding',
    kind: 'client',
    attributes: { 'daybook.payment': approval.payment },
  }))
  try {
    return await funding.approve(approval, span?.traceparent ?? traceparent)
  } finally {
    span?.end()
  }
}

/** Requests approval from the funding source and records the answer. */
export const acceptPayment =
  ({ handle, find, funding, tokens }: Needs) =>
  async (tid: string, payer: string, wish: PaymentWish, context: Context): Promise<void> => {
    const { at } = context
    const answer = { type: 'AuthorizePayment', at, payer, ...wish } as const
    // Check the rules first; request the money only if they allow it.
    const payment = await dryRun(find, payments, tid, answer)
    if (payment.status === 'unrequested') return refuse('resource_is_unknown')
    const { request, status } = payment
    const scope = parseScope(request.requiredScope ?? '')
    const permissions = scope.length > 0 && {
      scope: [...scope],
      tokens: issueTokens(tokens, streamOf(payments, tid), 0, at),
    }
    const accept = permissions ? { ...answer, permissions } : answer
    const record = (command: Parameters<typeof payments.decider.decide>[0]) =>
      handle(payments, tid, command, context)
    // A repeat: the money is already approved.
    if (status !== 'pending') return void (await record(accept))
    await refuseDisabled(find, request.merchant)
    const additionalAmount = wish.additionalAmount ?? request.additionalAmount
    const amount = request.amount + additionalAmount
    const { currency } = request
    const approval = { payment: tid, payer, currency, amount, credit: wish.credit }
    const statusCode = await approveTraced(funding, approval, context)
    if (statusCode !== null)
      return void (await record({ type: 'RefuseFunds', at, payer, statusCode }))
    try {
      const { events, state } = await record(accept)
      // Another process accepted first and the payment has ended, so the new approval is unused.
      if (events.length === 0 && state.status === 'fail') await funding.cancel(approval)
    } catch (error) {
      // After other errors the acceptance may have been recorded.
      if (error instanceof Refusal) await funding.cancel(approval)
      throw error
    }
  }
