import { ownerMessages } from '../domain/aggregates.ts'
import type { NoticeKind } from '../domain/merchant/notice.ts'
import type { NewsTopic } from '../domain/merchant/owner-message.ts'
import { dayMs, type Instant } from '../domain/time.ts'
import type { WhyWithdrawn } from '../domain/waiting-change.ts'
import type { Find } from './find-state.ts'
import type { Context } from './handle.ts'
import { perKeyBackOff, type OutageOf } from './per-key-back-off.ts'
import type { DueWork } from './schedule.ts'
import { listOwn, type Share } from './share.ts'

export type Money = { readonly currency: string; readonly amount: number }

/** What was taken in on a day in one currency, in minor units. */
export type DaySum = {
  readonly currency: string
  readonly payments: number
  readonly captured: number
  readonly refunded: number
}

/** What a message tells, as far as its text names it. */
export type NoticeContent = {
  readonly what: NoticeKind | NewsTopic | 'sign_in'
  readonly shop: string
  readonly money: Money | null
  /** `YYYY-MM-DD`. */
  readonly day: string
  readonly sums: readonly DaySum[]
  /** Null if the device names none. */
  readonly device: string | null
}

/** The texts of messages to owners and other staff. */
type OwnerWords = {
  readonly notice: (content: NoticeContent) => string
  readonly accountChangeRequested: (shop: string, endOfAccount: string) => string
  readonly accountWithdrawn: (shop: string, endOfAccount: string, why: WhyWithdrawn) => string
  readonly factorsChanged: (shop: string, name: string) => string
  readonly ownerChangeRequested: (shop: string) => string
  readonly ownerChangeWithdrawn: (shop: string, why: WhyWithdrawn) => string
}

/** In the language that somebody has chosen, else in that of a country (ISO 3166). */
export type OwnerWordsIn = (country: string | null, chosen: string | undefined) => OwnerWords

type Owed = { readonly cause: string; readonly merchant: string | null; readonly at: Instant }

/** `member` is unique among all merchants; `subject` is of mails. */
export type Letter = {
  readonly member: string
  readonly to: string
  readonly subject?: string
  readonly text: string
}

type Needs<Message extends Owed> = {
  /** Messages that not everybody has received, oldest first. */
  readonly rows: { since(since: Instant, limit: number): readonly Message[] }
  /** What each owner receives; empty if the event concerns none. */
  readonly lettersOf: (message: Message) => Promise<readonly Letter[]>
  /** Whether it has arrived. Repeats of an id arrive once. */
  readonly deliver: (id: string, letter: Letter) => Promise<boolean>
  readonly find: Find
  readonly share: Share
  readonly newId: () => string
  readonly caughtUp: () => Promise<void>
  readonly outageOf: OutageOf
}

const batchSize = 100
/** Older messages help nobody: an old log is being folded for the first time. */
const messagesLastMs = 3 * dayMs

/** Sends a message to owners who have not received it. @throws Error if some cannot be sent */
const notify = async <Message extends Owed>(
  { lettersOf, deliver, find, share, newId }: Needs<Message>,
  message: Message,
  now: Instant,
): Promise<'nobody' | 'sent'> => {
  const { cause, merchant } = message
  const { notified, isDone } = await find(ownerMessages, cause, 'log')
  if (isDone) return 'sent'
  const letters = await lettersOf(message)
  if (letters.length === 0 && notified.length === 0) return 'nobody'
  const context: Context = { at: now, merchant, actor: 'daybook', correlationId: newId() }
  const note = (members: readonly string[], left: number) =>
    share.handle(ownerMessages, cause, { type: 'NotifyOwners', members, left }, context)
  const pending = letters.filter(({ member }) => !notified.includes(member))
  if (pending.length === 0) await note([], 0)
  let left = pending.length
  for (const letter of pending) {
    if (!(await deliver(`${cause}/${letter.member}`, letter))) continue
    left -= 1
    await note([letter.member], left)
  }
  if (left > 0) throw new Error(`${left} of ${pending.length} messages were not sent`)
  return 'sent'
}

/**
 * Sends the messages to owners that events call for, and records who has received them: a restart
 * sends what is left. Whoever has chosen other messages, or none, is no receiver.
 */
export const notifyOwners = <Message extends Owed>(needs: Needs<Message>): DueWork => {
  const { rows, share, caughtUp, outageOf } = needs
  const backOff = perKeyBackOff<Message>({ keyOf: ({ cause }) => cause, outageOf })
  /** Most people are owners of nothing; nothing is recorded of their messages. */
  const forNobody = new Map<string, Instant>()

  const list = (now: Instant) => (limit: number) => {
    const since = now - messagesLastMs
    for (const [cause, at] of forNobody) if (at <= since) forNobody.delete(cause)
    const listed = rows.since(since, limit + forNobody.size)
    return listed.filter(({ cause }) => !forNobody.has(cause)).slice(0, limit)
  }
  return async (now, stopped) => {
    const own = listOwn(share, ({ merchant }: Message) => merchant, list(now))
    while (!stopped.aborted) {
      const batch = backOff.due(now, batchSize, own)
      if (batch.length === 0) break
      for (const one of batch)
        await backOff.attempt(one, now, () =>
          share.using(one.merchant, async () => {
            if ((await notify(needs, one, now)) === 'nobody') forNobody.set(one.cause, one.at)
          }),
        )
      await caughtUp()
    }
    return backOff.nextLook(null)
  }
}
