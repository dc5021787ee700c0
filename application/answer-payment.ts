import type { RefusalOfFunds } from '../domain/payment/payment-events.ts'
import { parseScope } from '../domain/people/scope.ts'
import { refuse, Refusal } from '../domain/refusal.ts'
import { streamOf } from '../domain/stream.ts'
import { payments } from './aggregates.ts'
import { findAccepting } from './find-accepting.ts'
import { issueTokens, type Tokens } from './grants.ts'
import type { Context, Find, Handle } from './handle.ts'

/** What would be authorised. Two that are equal in all members are one: a source that holds money for it holds it once. */
export type Approval = {
  /** The tid of the payment. */
  readonly payment: string
  readonly payer: string
  readonly currency: string
  /** All that would be authorised, in minor units. */
  readonly amount: number
  readonly credit: boolean
}

/** Knows whether a payer's money is good. */
export type FundingSource = {
  /** Answers null when it is, else why not. Asked again when what became of an answer is not known. */
  approve(wanted: Approval): Promise<RefusalOfFunds | null>
  /**
   * What was approved has not come about: another was first, or the request ended meanwhile. Nobody is told so when the
   * process ends in between: what has become of an approval for good is in the log.
   */
  release(approved: Approval): Promise<void>
}

type Needs = {
  readonly handle: Handle
  readonly find: Find
  readonly funding: FundingSource
  readonly tokens: Tokens
}

/** The payer accepts: the funding source is asked, and what it says is recorded. */
export const acceptPayment =
  ({ handle, find, funding, tokens }: Needs) =>
  async (
    tid: string,
    payer: string,
    wish: { readonly additionalAmount: number | null; readonly credit: boolean },
    context: Context,
  ): Promise<void> => {
    const { at } = context
    const answer = { type: 'AuthorizePayment', at, payer, ...wish } as const
    // What the rules forbid is refused before anybody's money is asked for.
    const payment = await findAccepting(find, payments, tid, answer)
    if (payment.status === 'unrequested') return refuse('resource_is_unknown')
    const { request, status } = payment
    const scope = request.requiredScope === null ? undefined : parseScope(request.requiredScope)
    const permissions = scope && {
      scope: [...scope],
      tokens: issueTokens(tokens, streamOf(payments, tid), 0, at),
    }
    const accept = permissions ? { ...answer, permissions } : answer
    const record = (command: Parameters<typeof payments.decider.decide>[0]) =>
      handle(payments, tid, command, context)
    // It is a repeat: the money has been asked for.
    if (status !== 'pending') return void (await record(accept))
    const additionalAmount = wish.additionalAmount ?? request.additionalAmount
    const amount = request.amount + additionalAmount
    const { currency } = request
    const approval = { payment: tid, payer, currency, amount, credit: wish.credit }
    const statusCode = await funding.approve(approval)
    if (statusCode !== null)
      return void (await record({ type: 'RefuseFunds', at, payer, statusCode }))
    try {
      await record(accept)
    } catch (error) {
      // Of any other error it is not known whether the answer was recorded.
      if (error instanceof Refusal) await funding.release(approval)
      throw error
    }
  }
