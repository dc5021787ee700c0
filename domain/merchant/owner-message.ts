import { z } from 'zod'
import type { Decider, EventsOf } from '../decider.ts'

/** News that needs nobody, told only to those of a merchant's staff who have asked for it. */
export const newsTopics = ['payout_sent', 'big_refund', 'daily_sum'] as const

export type NewsTopic = (typeof newsTopics)[number]

/** Streams `owner_message-<cause>`, by the event or the day that a message is about. */
export const ownerMessageEvents = {
  StaffMessageOwed: z.object({
    topic: z.enum(newsTopics),
    /** The serial of the settlement, the tid, or the day (`YYYY-MM-DD`). */
    about: z.string(),
    /** Null for a day, and for what is too large. */
    money: z.object({ currency: z.string(), amount: z.int() }).nullable(),
  }),
  /** `left`: members who are still to receive it. */
  OwnersNotified: z.object({ members: z.array(z.string()), left: z.int() }),
} as const

export type OwnerMessageEvent = EventsOf<typeof ownerMessageEvents>

export type OwedNews = z.output<(typeof ownerMessageEvents)['StaffMessageOwed']>

export type OwnerMessage = {
  readonly isOwed: boolean
  readonly notified: readonly string[]
  readonly isDone: boolean
}

export type OwnerMessageCommand =
  | ({ readonly type: 'OweMessage' } & OwedNews)
  | { readonly type: 'NotifyOwners'; readonly members: readonly string[]; readonly left: number }

/** Who has received a message to a merchant's staff, so that each receives it once. */
export const ownerMessage: Decider<OwnerMessageCommand, OwnerMessageEvent, OwnerMessage> = {
  initial: { isOwed: false, notified: [], isDone: false },
  decide(command, { isOwed, isDone }) {
    if (command.type === 'OweMessage') {
      const { type: _, ...data } = command
      return isOwed ? [] : [{ type: 'StaffMessageOwed', data }]
    }
    const { members, left } = command
    return isDone ? [] : [{ type: 'OwnersNotified', data: { members: [...members], left } }]
  },
  evolve(state, event) {
    if (event.type === 'StaffMessageOwed') return { ...state, isOwed: true }
    const { members, left } = event.data
    return { ...state, notified: [...state.notified, ...members], isDone: left === 0 }
  },
}
