import { z } from 'zod'
import { merchants } from '../../domain/aggregates.ts'
import type { Find } from '../../application/find-state.ts'
import type { RequestedPayment } from '../../domain/payment/payment-state.ts'
import type { Fitting, Issues } from '../validation.ts'
import type { Issue } from '../errors.ts'
import { issuesOf } from '../refusal-answers.ts'
import { routesOf } from '../route.ts'
import { amountText, amountIn, read } from '../wire.ts'
import type { PaymentRequest } from '../../domain/payment/payment-events.ts'
import { faultsOfAcceptance } from '../../domain/payment/payment-request.ts'
import { isLedgerOpen, isPosKnown } from '../../application/request-payment.ts'
import { holding } from '../../domain/refusal.ts'
import { callerOf, type Call } from '../call.ts'

export type Named = { readonly pos_id?: string | undefined; readonly ledger?: string | undefined }

/** What else is wrong with a new request, of a payment or of permissions. */
export const requestFaults =
  (needs: { readonly find: Find }) =>
  async (call: Call<unknown, unknown, Named>): Promise<readonly Issue[]> => {
    const { merchant } = callerOf(call)
    const { pos_id: pos, ledger } = call.body
    const codes = {
      pos_is_unknown: pos !== undefined && !(await isPosKnown(needs, merchant, pos)),
      ledger_is_unknown: ledger !== undefined && !(await isLedgerOpen(needs, merchant, ledger)),
    }
    return issuesOf(holding(codes))
  }

export type Accepted = {
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

export const inSandbox = routesOf({ access: 'OPEN', group: 'Sandbox', isPrompt: true })

export const payerInput = z.string().max(100).optional().meta({
  description: 'Id or phone number; by default the payer named in the request, else alice.',
})

export const acceptInput = z
  .object({
    payer: payerInput,
    additional_amount: amountText.optional(),
    credit: z.boolean().default(false),
  })
  .meta({ id: 'SandboxAccept' })

type Needs = {
  readonly find: Find
  readonly findPayer: (name: string) => Promise<string | undefined>
}

type WithBody<Body> = { readonly body: Body }

type Faults = Promise<readonly Issue[]>

/** What only memory can tell of a body, told with the other faults (interface 2). */
export const sandboxFaults = ({ find, findPayer }: Needs) => {
  const ofPayer = async ({ body }: WithBody<{ readonly payer?: string | undefined }>): Faults => {
    const isKnown = body.payer === undefined || (await findPayer(body.payer)) !== undefined
    return isKnown ? [] : issuesOf(['payer_is_unknown'])
  }
  const ofMerchant = async ({ body }: WithBody<{ readonly merchant?: string }>): Faults => {
    const { merchant } = body
    const isKnown = merchant === undefined || (await find(merchants, merchant)).status === 'present'
    return isKnown ? [] : issuesOf(['merchant_is_unknown'])
  }
  const ofAcceptance = async (
    { body }: WithBody<Fitting<z.output<typeof acceptInput>>>,
    { status, request }: RequestedPayment,
  ): Faults => {
    const wish = { ...body, confirmed: true }
    const ofWish = status === 'pending' ? acceptanceFaults(wish, request) : []
    return [...(await ofPayer({ body })), ...ofWish]
  }
  return { ofPayer, ofMerchant, ofAcceptance }
}
