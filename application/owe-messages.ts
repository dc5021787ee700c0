import { ownerMessages } from '../domain/aggregates.ts'
import type { OwedNews } from '../domain/merchant/owner-message.ts'
import { dayMs, dayOf, type Instant } from '../domain/time.ts'
import { dayIn, instantOn, startOf, type TimeZone } from '../domain/time-zone.ts'
import type { Context, Deciding } from './handle.ts'

/** An event that staff may be told of. */
export type MerchantEvent = {
  readonly position: number
  readonly merchant: string
  readonly type: string
  readonly stream: string
  readonly actor: string
  readonly at: Instant
}

type Needs = Pick<Deciding, 'handle'> & {
  readonly newId: () => string
  /** Whether anybody on the staff wanted to be told at that time. */
  readonly isWanted: (merchant: string, news: OwedNews, at: Instant) => Promise<boolean>
  /** A payout that was paid, or a big refund. */
  readonly newsOf: (event: MerchantEvent) => Promise<OwedNews | undefined>
  /** Merchants of those who want the sum of each day. */
  readonly dailyShops: () => Promise<
    readonly { readonly merchant: string; readonly timeZone: TimeZone }[]
  >
  readonly hasTurnover: (merchant: string, start: Instant, end: Instant) => boolean
}

/** In the time zone of the shop, so that nobody is woken. */
const sendingTimeMs = 7 * 3_600_000

/** Owes staff a message about news that some of them want, once each. */
export const oweMessages = (needs: Needs) => {
  const { handle, newId, isWanted, newsOf, dailyShops, hasTurnover } = needs
  /** The last day of each merchant that was looked at. */
  const lookedAt = new Map<string, number>()

  const owe = async (cause: string, merchant: string, news: OwedNews, at: Instant) => {
    const context: Context = { at, merchant, actor: 'daybook', correlationId: newId() }
    await handle(ownerMessages, cause, { type: 'OweMessage', ...news }, context)
  }

  return {
    ofEvent: async (event: MerchantEvent, at: Instant): Promise<void> => {
      const news = await newsOf(event)
      if (!news || !(await isWanted(event.merchant, news, event.at))) return
      await owe(`${news.topic}@${event.position}`, event.merchant, news, at)
    },
    /** The day before, from seven o'clock on. */
    ofDays: async (at: Instant): Promise<void> => {
      for (const { merchant, timeZone } of await dailyShops()) {
        const today = dayIn(timeZone, at)
        const isEarly = at < instantOn(timeZone, today, sendingTimeMs)
        if (isEarly || lookedAt.get(merchant) === today) continue
        const about = dayOf((today - 1) * dayMs)
        const news = { topic: 'daily_sum', about, money: null } as const
        const edges = [startOf(timeZone, today - 1), startOf(timeZone, today)] as const
        if (hasTurnover(merchant, ...edges) && (await isWanted(merchant, news, at)))
          await owe(`daily_sum-${merchant}@${about}`, merchant, news, at)
        lookedAt.set(merchant, today)
      }
    },
  }
}
