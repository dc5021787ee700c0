import type { confirmPayer } from '../../application/account.ts'
import type { Context } from '../../application/handle.ts'
import type { SerialByKey } from '../../application/serial-by-key.ts'
import { refuse } from '../../domain/refusal.ts'
import { dayMs } from '../../domain/time.ts'
import type { CountedBy } from '../../projections/counted-amounts.ts'
import type { ShownRequest } from './request.ts'

export type StepUpNeeds = {
  /** The highest amount that needs no further code, in minor units; undefined for any. */
  readonly stepUpAbove: (currency: string) => number | undefined
  readonly countedBy: CountedBy
  /** Acceptances of one payer follow each other. */
  readonly acceptsInOrder: SerialByKey
  readonly confirmPayer: ReturnType<typeof confirmPayer>
}

/**
 * The amount above which a code is asked for, where this payment is above it with what the payer
 * has accepted within a day.
 */
export const stepUpFor = (
  { stepUpAbove, countedBy }: Pick<StepUpNeeds, 'stepUpAbove' | 'countedBy'>,
  { request: { currency, ...asked } }: Pick<ShownRequest, 'request'>,
  additionalAmount: number | null,
  { actor, at }: Pick<Context, 'actor' | 'at'>,
): number | undefined => {
  const above = stepUpAbove(currency)
  if (above === undefined) return undefined
  const total = asked.amount + (additionalAmount ?? asked.additionalAmount)
  return countedBy({ actor, currency, since: at - dayMs }) + total > above ? above : undefined
}

type Given = { readonly payer: string; readonly code: string; readonly known?: string | undefined }

/**
 * Asks for the second factor again before a high payment is accepted; a repeat needs none.
 * @throws Refusal second_factor_is_needed, sign_in_is_wrong, sign_in_is_locked
 */
export const stepUp =
  (needs: StepUpNeeds) =>
  (
    look: () => Promise<ShownRequest>,
    additionalAmount: number | null,
    { payer, code, known }: Given,
    context: Context,
    accept: () => Promise<void>,
  ): Promise<void> =>
    needs.acceptsInOrder(payer, async () => {
      // What was accepted meanwhile counts, and may have been this.
      const shown = await look()
      const isNeeded = stepUpFor(needs, shown, additionalAmount, context) !== undefined
      if (isNeeded && shown.outcome.status === 'pending') {
        if (code === '') return refuse('second_factor_is_needed')
        await needs.confirmPayer(payer, { code, known }, context)
      }
      await accept()
    })
