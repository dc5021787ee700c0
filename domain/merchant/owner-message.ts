import { z } from 'zod'
import type { Decider, EventsOf } from '../decider.ts'

/** Streams `owner_message-<cause>`, by the event that a message is about. */
export const ownerMessageEvents = {
  /** `left`: owners who are still to receive it. */
  OwnersNotified: z.object({ members: z.array(z.string()), left: z.int() }),
} as const

export type OwnerMessageEvent = EventsOf<typeof ownerMessageEvents>

export type OwnerMessage = { readonly notified: readonly string[]; readonly isDone: boolean }

export type OwnerMessageCommand = {
  readonly type: 'NotifyOwners'
  readonly members: readonly string[]
  readonly left: number
}

/** Who has received a message to a merchant's owners, so that each receives it once. */
export const ownerMessage: Decider<OwnerMessageCommand, OwnerMessageEvent, OwnerMessage> = {
  initial: { notified: [], isDone: false },
  decide: ({ members, left }, { isDone }) =>
    isDone ? [] : [{ type: 'OwnersNotified', data: { members: [...members], left } }],
  evolve: ({ notified }, { data: { members, left } }) => ({
    notified: [...notified, ...members],
    isDone: left === 0,
  }),
}
