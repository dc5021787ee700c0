import type { confirmPayer } from '../../application/account.ts'
import type { Context } from '../../application/handle.ts'
import type { SerialByKey } from '../../application/serial-by-key.ts'
import { refuse, Refusal } from '../../domain/refusal.ts'
import { dayMs, type Instant } from '../../domain/time.ts'
import type { CountedBy, NewestCounted } from '../../projections/counted-amounts.ts'
import type { RequestView } from './request.tsx'

export type StepUpNeeds = {
  /** The highest amount that needs no further code, in minor units; undefined for any. */
  readonly stepUpAbove: (currency: string) => number | undefined
  readonly countedBy: CountedBy
  readonly newestCounted: NewestCounted
  /** Whether this is the first acceptance of that name, on any node; false after a moment. */
  readonly isFirstAcceptance: (name: string, at: Instant) => Promise<boolean>
  /** It is in the log, or was refused: the next acceptance on this node may have its name. */
  readonly acceptanceHasEnded: (name: string) => void
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
  { request: { currency, ...amounts } }: Pick<RequestView, 'request'>,
  additionalAmount: number | null,
  { actor, at }: Pick<Context, 'actor' | 'at'>,
): number | undefined => {
  const above = stepUpAbove(currency)
  if (above === undefined) return undefined
  const total = amounts.amount + (additionalAmount ?? amounts.additionalAmount)
  return countedBy({ actor, currency, since: at - dayMs }) + total > above ? above : undefined
}

/** How often another node may be first, before a code is asked for. */
const mostTries = 20

/**
 * Names the acceptance that comes next for the payer. Of nodes that have counted the same, one may
 * accept without a code: what another accepts meanwhile is not counted yet.
 */
const nextOf = (
  { newestCounted }: Pick<StepUpNeeds, 'newestCounted'>,
  { currency }: RequestView['request'],
  { actor }: Pick<Context, 'actor'>,
): string => `${actor} ${currency} ${newestCounted({ actor, currency })}`

/** After any other failure it may still come to the log. */
const ending = async (accept: () => Promise<void>, hasEnded: () => void): Promise<void> => {
  try {
    await accept()
  } catch (error) {
    if (error instanceof Refusal) hasEnded()
    throw error
  }
  hasEnded()
}

type SecondFactor = {
  readonly payer: string
  readonly code: string
  readonly known?: string | undefined
}

/**
 * Asks for the second factor again before a high payment is accepted; a repeat needs none.
 * @throws Refusal second_factor_is_needed, sign_in_is_wrong, sign_in_is_locked
 */
export const stepUp =
  (needs: StepUpNeeds) =>
  (
    look: () => Promise<RequestView>,
    additionalAmount: number | null,
    { payer, code, known }: SecondFactor,
    context: Context,
    accept: () => Promise<void>,
  ): Promise<void> =>
    needs.acceptsInOrder(payer, async () => {
      for (let tries = 1; ; tries++) {
        // What was accepted meanwhile counts, and may have been this.
        const view = await look()
        if (view.outcome.status !== 'pending') return accept()
        // Named before the sum is read, so that an acceptance in between is part of the sum.
        const next = nextOf(needs, view.request, context)
        const isNeeded = stepUpFor(needs, view, additionalAmount, context) !== undefined
        const isLimited = needs.stepUpAbove(view.request.currency) !== undefined
        if (!isNeeded && !isLimited) return accept()
        if (!isNeeded && (await needs.isFirstAcceptance(next, context.at)))
          return ending(accept, () => needs.acceptanceHasEnded(next))
        if (!isNeeded && tries < mostTries) continue
        if (code === '') return refuse('second_factor_is_needed')
        await needs.confirmPayer(payer, { code, known }, context)
        return accept()
      }
    })
