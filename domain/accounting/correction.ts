import { z } from 'zod'
import type { Decider, EventsOf } from '../decider.ts'
import { jsonEquals } from '../json-equality.ts'
import { refuse } from '../refusal.ts'
import { charge, type FeeTerms } from './fees.ts'

/** Characters. */
export const longestReason = 1_000

const proposal = z.object({
  merchant: z.string(),
  /** Whose lines it joins; of no matter for a write-off. */
  ledger: z.string(),
  currency: z.string(),
  /** Not zero; below zero it takes from the merchant. A write-off is above zero. */
  amount: z.int(),
  reason: z.string(),
  /** It reduces what the merchant owes from earlier settlements, and is no line. */
  isWriteOff: z.literal(true).optional(),
  /** It is no line, but what came in for this invoice; of a write-off, what it does not pay. */
  invoice: z
    .object({
      id: z.string(),
      /** The bank's day and reference. */
      paid: z.object({ day: z.string(), entry: z.string() }).optional(),
    })
    .optional(),
  /** Who proposed it. */
  by: z.string(),
})

export type CorrectionProposal = z.output<typeof proposal>

/** Whether it moves a debt or an invoice, and is no line. */
export const isOfDebt = ({
  isWriteOff,
  invoice,
}: Pick<CorrectionProposal, 'isWriteOff' | 'invoice'>): boolean =>
  isWriteOff === true || invoice !== undefined

/** Proposed by one person, approved or turned down by another. */
export const correctionEvents = {
  CorrectionProposed: proposal,
  /** The line follows, unless it is a write-off: that has no charge. */
  CorrectionApproved: z.object({
    by: z.string(),
    currency: z.string(),
    amount: z.int(),
    /** No fees, but the tax code. */
    charge: charge.optional(),
    /** The id of an invoice that it is about. */
    invoice: z.string().optional(),
  }),
  CorrectionTurnedDown: z.object({ by: z.string() }),
} as const

export type CorrectionEvent = EventsOf<typeof correctionEvents>

export type Correction =
  | { readonly status: 'unproposed' }
  | (CorrectionProposal & {
      readonly status: 'proposed' | 'approved' | 'turned_down'
      readonly decidedBy: string | null
    })

export type KnownCorrection = Exclude<Correction, { status: 'unproposed' }>

export type CorrectionCommand =
  | { readonly type: 'ProposeCorrection'; readonly proposal: CorrectionProposal }
  | {
      readonly type: 'ApproveCorrection'
      readonly by: string
      readonly terms: Pick<FeeTerms, 'taxcode'>
    }
  | { readonly type: 'TurnDownCorrection'; readonly by: string }

const decideProposal = (
  proposal: CorrectionProposal,
  state: Correction,
): readonly CorrectionEvent[] => {
  if (state.status !== 'unproposed') {
    const { status: _, decidedBy: __, ...earlier } = state
    return jsonEquals(earlier, proposal) ? [] : refuse('id_used_with_other_data')
  }
  const { amount } = proposal
  if (amount === 0 || (isOfDebt(proposal) && amount < 0)) return refuse('correction_is_nothing')
  return [{ type: 'CorrectionProposed', data: proposal }]
}

/** A correction of what a merchant has: a line of its own, or a debt written off. */
export const correction: Decider<CorrectionCommand, CorrectionEvent, Correction> = {
  initial: { status: 'unproposed' },
  decide(command, state) {
    if (command.type === 'ProposeCorrection') return decideProposal(command.proposal, state)
    if (state.status === 'unproposed') return refuse('resource_is_unknown')
    const { by } = command
    const { status, currency, amount, invoice } = state
    switch (command.type) {
      case 'ApproveCorrection': {
        if (status === 'approved') return []
        if (status === 'turned_down') return refuse('correction_is_decided')
        if (by === state.by) return refuse('second_person_is_needed')
        const { taxcode } = command.terms
        const free = { fee: 0, interchange: 0, vat: 0, taxcode }
        const about = isOfDebt(state) ? invoice && { invoice: invoice.id } : { charge: free }
        return [{ type: 'CorrectionApproved', data: { by, currency, amount, ...about } }]
      }
      case 'TurnDownCorrection':
        if (status === 'turned_down') return []
        if (status === 'approved') return refuse('correction_is_decided')
        return [{ type: 'CorrectionTurnedDown', data: { by } }]
    }
  },
  evolve(state, { type, data }) {
    if (type === 'CorrectionProposed') return { ...data, status: 'proposed', decidedBy: null }
    if (state.status === 'unproposed') return state
    const status = type === 'CorrectionApproved' ? 'approved' : 'turned_down'
    return { ...state, status, decidedBy: data.by }
  },
}
