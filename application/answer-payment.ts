import type { RefusalOfFunds } from '../domain/payment/payment-events.ts'
import { parseScope } from '../domain/people/scope.ts'
import { refuse } from '../domain/refusal.ts'
import { streamOf } from '../domain/stream.ts'
import { payments } from './aggregates.ts'
import { findAccepting } from './find-accepting.ts'
import { issueTokens, type Tokens } from './grants.ts'
import type { Context, Find, Handle } from './handle.ts'

/** Knows whether a payer's money is good. */
export type FundingSource = {
  /** Answers null when it is, else why not. */
  approve(request: {
    readonly payer: string
    readonly currency: string
    /** All that would be authorised, in minor units. */
    readonly amount: number
    readonly credit: boolean
  }): Promise<RefusalOfFunds | null>
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
    if (status === 'pending') {
      const additionalAmount = wish.additionalAmount ?? request.additionalAmount
      const amount = request.amount + additionalAmount
      const { currency } = request
      const statusCode = await funding.approve({ payer, currency, amount, credit: wish.credit })
      if (statusCode !== null)
        return void (await handle(
          payments,
          tid,
          { type: 'RefuseFunds', at, payer, statusCode },
          context,
        ))
    }
    await handle(payments, tid, accept, context)
  }
