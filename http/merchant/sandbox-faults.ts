import { z } from 'zod'
import { merchants } from '../../domain/aggregates.ts'
import type { Find } from '../../application/find-state.ts'
import type { RequestedPayment } from '../../domain/payment/payment-state.ts'
import type { Fitting } from '../fitting.ts'
import type { Issue } from '../errors.ts'
import { acceptanceFaults } from './acceptance-faults.ts'
import { issuesOf } from '../refusal-answers.ts'
import { routesOf } from '../routes-of.ts'
import { amountText } from '../wire.ts'

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
type Asked<Body> = { readonly body: Body }
type Faults = Promise<readonly Issue[]>

/** What only memory can tell of a body, told with the other faults (interface 2). */
export const sandboxFaults = ({ find, findPayer }: Needs) => {
  const ofPayer = async ({ body }: Asked<{ readonly payer?: string | undefined }>): Faults => {
    const isKnown = body.payer === undefined || (await findPayer(body.payer)) !== undefined
    return isKnown ? [] : issuesOf(['payer_is_unknown'])
  }
  const ofMerchant = async ({ body }: Asked<{ readonly merchant?: string }>): Faults => {
    const { merchant } = body
    const isKnown = merchant === undefined || (await find(merchants, merchant)).status === 'present'
    return isKnown ? [] : issuesOf(['merchant_is_unknown'])
  }
  const ofAcceptance = async (
    { body }: Asked<Fitting<z.output<typeof acceptInput>>>,
    { status, request }: RequestedPayment,
  ): Faults => {
    const wish = { ...body, confirmed: true }
    const ofWish = status === 'pending' ? acceptanceFaults(wish, request) : []
    return [...(await ofPayer({ body })), ...ofWish]
  }
  return { ofPayer, ofMerchant, ofAcceptance }
}
