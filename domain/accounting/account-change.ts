import { z } from 'zod'
import type { Causes } from '../causes.ts'
import type { Decider, EventsOf } from '../decider.ts'
import { refuse } from '../refusal.ts'
import { instant, type Instant } from '../time.ts'

/** How long owners can see a requested account change before it takes effect. */
const accountChangeWaitMs = 86_400_000

const asked = z.object({
  change: z.string(),
  payoutAccount: z.string(),
  /** Null if there was none. */
  before: z.string().nullable(),
  /** The staff member who requested it. */
  by: z.string(),
  takesEffectAt: instant,
})

/** A merchant's staff requests another payout account. Changes by the operator apply at once. */
export const accountChangeEvents = {
  AccountChangeAsked: asked,
  /** All owners were notified. */
  AccountChangeAnnounced: z.object({ change: z.string(), members: z.array(z.string()) }),
  AccountChangeWithdrawn: z.object({
    change: z.string(),
    /** A staff member, or `daybook` if the change could not be applied when it fell due. */
    by: z.string(),
  }),
  /** The wait is over and the settlement account is changed. */
  AccountChangeDone: z.object({ change: z.string() }),
} as const

type AccountChangeEvent = EventsOf<typeof accountChangeEvents>
export type AskedChange = z.output<typeof asked>

type AccountChangeCommand =
  | (Omit<AskedChange, 'takesEffectAt'> & {
      readonly type: 'AskAccountChange'
      readonly at: Instant
    })
  | {
      readonly type: 'AnnounceAccountChange'
      readonly change: string
      readonly members: readonly string[]
    }
  | { readonly type: 'WithdrawAccountChange'; readonly change: string; readonly by: string }
  | { readonly type: 'FinishAccountChange'; readonly change: string; readonly at: Instant }

type State = {
  readonly waiting: AskedChange | null
  readonly isAnnounced: boolean
  readonly last: string | null
}

export const accountChange: Decider<AccountChangeCommand, AccountChangeEvent, State> = {
  initial: { waiting: null, isAnnounced: false, last: null },
  decide(command, { waiting, isAnnounced, last }) {
    const { change } = command
    if (command.type === 'AskAccountChange') {
      if (last === change) return []
      if (waiting) return refuse('account_change_is_waiting')
      const { type: _, at, ...about } = command
      const data = { ...about, takesEffectAt: at + accountChangeWaitMs }
      return [{ type: 'AccountChangeAsked', data }]
    }
    if (waiting?.change !== change)
      return command.type === 'WithdrawAccountChange' ? refuse('resource_is_unknown') : []
    switch (command.type) {
      case 'AnnounceAccountChange': {
        const members = [...command.members]
        return isAnnounced ? [] : [{ type: 'AccountChangeAnnounced', data: { change, members } }]
      }
      case 'WithdrawAccountChange':
        return [{ type: 'AccountChangeWithdrawn', data: { change, by: command.by } }]
      case 'FinishAccountChange':
        if (command.at < waiting.takesEffectAt) return []
        return [{ type: 'AccountChangeDone', data: { change } }]
    }
  },
  evolve(state, { type, data }) {
    if (type === 'AccountChangeAsked')
      return { waiting: data, isAnnounced: false, last: data.change }
    if (type === 'AccountChangeAnnounced') return { ...state, isAnnounced: true }
    return { ...state, waiting: null }
  },
}

export const accountChangeCauses: Causes<AccountChangeCommand, AccountChangeEvent, State> = {
  AccountChangeAsked: ({ takesEffectAt, ...about }) => [
    { type: 'AskAccountChange', at: takesEffectAt - accountChangeWaitMs, ...about },
  ],
  AccountChangeAnnounced: (data) => [{ type: 'AnnounceAccountChange', ...data }],
  AccountChangeWithdrawn: (data) => [{ type: 'WithdrawAccountChange', ...data }],
  AccountChangeDone: ({ change }, { at }) => [{ type: 'FinishAccountChange', change, at }],
}
