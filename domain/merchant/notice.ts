import { z } from 'zod'
import type { Decider, EventsOf } from '../decider.ts'
import { refuse } from '../refusal.ts'
import { instant, type Instant } from '../time.ts'

/** What needs attention. */
export const noticeKinds = [
  'authorization_expires',
  'callback_address_rested',
  'event_destination_disabled',
  'payout_returned',
  'new_owner',
] as const

export type NoticeKind = (typeof noticeKinds)[number]

/** Derived from the cause, so that repeated checks give the same id. */
const notice = z.string()

/** Streams `notice-<merchant>`. */
export const noticeEvents = {
  NoticeRaised: z.object({
    notice,
    kind: z.enum(noticeKinds),
    /** The tid, address, settlement or member concerned; once the merchant of a settlement. */
    about: z.string(),
    money: z.object({ currency: z.string(), amount: z.int() }).nullable(),
    /** When it is too late to act; null for never. */
    until: instant.nullable(),
  }),
  /** Somebody has dealt with it. */
  NoticeSettled: z.object({ notice }),
} as const

export type NoticeEvent = EventsOf<typeof noticeEvents>

export type Notice = z.output<(typeof noticeEvents)['NoticeRaised']>

export type OpenNotice = Notice & { readonly raisedAt: Instant }

export type Notices = {
  /** Newest last. */
  readonly open: readonly OpenNotice[]
  /** Raised before; anything older is not raised again. */
  readonly known: readonly string[]
}

export type NoticeCommand =
  | ({ readonly type: 'RaiseNotice' } & Notice)
  | { readonly type: 'SettleNotice'; readonly notice: string }

const mostOpen = 200

const mostKnown = 1000

/** What needs the attention of a merchant's staff, until somebody has dealt with it. */
export const notices: Decider<NoticeCommand, NoticeEvent, Notices> = {
  initial: { open: [], known: [] },
  decide(command, { known, open }) {
    switch (command.type) {
      case 'RaiseNotice': {
        const { type: _, ...data } = command
        return known.includes(data.notice) ? [] : [{ type: 'NoticeRaised', data }]
      }
      case 'SettleNotice': {
        const { notice } = command
        if (!known.includes(notice)) return refuse('resource_is_unknown')
        if (!open.some((one) => one.notice === notice)) return []
        return [{ type: 'NoticeSettled', data: { notice } }]
      }
    }
  },
  evolve({ open, known }, event, { at }) {
    const { notice } = event.data
    const others = open.filter((one) => one.notice !== notice)
    if (event.type === 'NoticeSettled') return { open: others, known }
    return {
      open: [...others, { ...event.data, raisedAt: at }].slice(-mostOpen),
      known: [...known, notice].slice(-mostKnown),
    }
  },
}
