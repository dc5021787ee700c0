import type { Confirmation } from '../../application/account.ts'
import type { Context } from '../../application/handle.ts'
import { refuse } from '../../domain/refusal.ts'
import type { ShownRequest } from './request.ts'

export type StepUpNeeds = {
  /** The highest amount that needs no further code, in minor units; undefined for any. */
  readonly stepUpAbove: (currency: string) => number | undefined
  readonly confirmPayer: (
    payer: string,
    confirmation: Confirmation,
    context: Context,
  ) => Promise<void>
}

/** The amount above which a code is asked for, where this payment is above it. */
export const stepUpFor = (
  { stepUpAbove }: Pick<StepUpNeeds, 'stepUpAbove'>,
  { request }: Pick<ShownRequest, 'request'>,
  additionalAmount: number | null,
): number | undefined => {
  const above = stepUpAbove(request.currency)
  const total = request.amount + (additionalAmount ?? request.additionalAmount)
  return above !== undefined && total > above ? above : undefined
}

type Given = { readonly payer: string; readonly code: string; readonly known?: string | undefined }

/**
 * Asks for the second factor again before a high payment; a repeat of an answer needs none.
 * @throws Refusal second_factor_is_needed, sign_in_is_wrong, sign_in_is_locked
 */
export const stepUp =
  (needs: StepUpNeeds) =>
  async (
    shown: ShownRequest,
    additionalAmount: number | null,
    { payer, code, known }: Given,
    context: Context,
  ): Promise<void> => {
    const isNeeded = stepUpFor(needs, shown, additionalAmount) !== undefined
    if (!isNeeded || shown.outcome.status !== 'pending') return
    if (code === '') return refuse('second_factor_is_needed')
    await needs.confirmPayer(payer, { code, known }, context)
  }
