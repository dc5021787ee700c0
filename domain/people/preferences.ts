import { z } from 'zod'
import type { StaffAction } from '../merchant/staff-roles.ts'

/** What staff can be told by a message, with the action of the roles that may be told. */
export const staffTopics = {
  payout_sent: 'see_money',
  payout_returned: 'see_money',
  callbacks_failing: 'change_callbacks',
  big_refund: 'see_money',
  daily_sum: 'see_money',
} as const satisfies Readonly<Record<string, StaffAction>>

export type StaffTopic = keyof typeof staffTopics

/** The last one is about the person's own account. */
export const noticeTopics = [
  'payout_sent',
  'payout_returned',
  'callbacks_failing',
  'big_refund',
  'daily_sum',
  'sign_in',
] as const satisfies readonly (StaffTopic | 'sign_in')[]

export type NoticeTopic = (typeof noticeTopics)[number]

/** How somebody is told: not at all, by text message or by mail. */
export const noticeWays = ['none', 'text', 'mail'] as const

export type NoticeWay = (typeof noticeWays)[number]

/** From how much a refund is big, in whole units of its currency. */
export const bigRefunds = [100, 500, 1_000, 5_000, 10_000] as const

/** What somebody has chosen for pages and messages. What is absent is as usual. */
export const preferences = z.object({
  /** The language of the texts, such as `nb`. */
  language: z.string().optional(),
  /** False if the key `/` does not lead to the search. */
  hasSearchKey: z.boolean().optional(),
  notices: z.partialRecord(z.enum(noticeTopics), z.enum(noticeWays)).optional(),
  bigRefund: z.int().positive().optional(),
})

export type Preferences = z.output<typeof preferences>

/** Those who have chosen nothing are told from 1,000 on. */
export const bigRefundOf = (chosen: Preferences | undefined): number => chosen?.bigRefund ?? 1_000

/** Owners who have chosen nothing are told of what needs them: by mail, or else by text message. */
export const wayOf = (
  chosen: Preferences | undefined,
  topic: NoticeTopic,
  isOwner: boolean,
): NoticeWay => {
  const needsOwners = topic === 'payout_returned' || topic === 'callbacks_failing'
  return chosen?.notices?.[topic] ?? (isOwner && needsOwners ? 'mail' : 'none')
}
