import type { PaymentRequest } from '../../domain/payment/payment-events.ts'
import { faultsOfAcceptance } from '../../domain/payment/payment-request.ts'
import type { Issues } from '../checking.ts'
import type { Issue } from '../errors.ts'
import { issuesOf } from '../refusal-answers.ts'
import { amountIn, read } from '../wire.ts'

type Accepted = {
  readonly additional_amount?: string | undefined
  readonly confirmed?: boolean | undefined
  readonly credit?: boolean | undefined
}

/** The amount that a payer adds; null for that of the request. @throws Malformed */
export const additionalAmountIn = (text: string | undefined, currency: string): number | null =>
  text === undefined
    ? null
    : read((context) => amountIn(context, ['additional_amount'], text, currency))

/** What is wrong with how a payer accepts a payment, as far as it can be read. */
export const acceptanceFaults = (
  { additional_amount: text, confirmed, credit }: Accepted,
  request: PaymentRequest,
): readonly Issue[] => {
  const context: Issues = { issues: [] }
  const additionalAmount =
    text === undefined
      ? undefined
      : amountIn(context, ['additional_amount'], text, request.currency)
  const known = {
    ...(additionalAmount !== undefined && context.issues.length === 0 && { additionalAmount }),
    ...(confirmed !== undefined && { isConfirmed: confirmed }),
    ...(credit !== undefined && { credit }),
  }
  return [...context.issues, ...issuesOf(faultsOfAcceptance(known, request))]
}
