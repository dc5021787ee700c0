import { Finding, type Possible } from './oracle/books.ts'
import type { Payment } from './oracle/payment.ts'
import { askSafely, type Feed, type Play, type Told } from './known.ts'
import { read } from './play.ts'
import type { Seller, Shop } from './furnish.ts'
import type { SentRequest } from './world.ts'

/** Messages of a dispute count with those of its payment (10.1); settlements are one (13.2). */
export const resourceOf = (uri: string | null): string =>
  /\/(?:payment_request|dispute)\/([a-z0-9]+)/.exec(uri ?? '')?.[1] ??
  String(uri).replace(/(settlement)\/\d+/, '$1')

/** Reads on, and returns all messages so far. @throws Finding */
export const readFeed = async (play: Play, shop: Seller): Promise<readonly Told[]> => {
  const feed = play.feeds.get(shop) as Feed
  for (;;) {
    const after = feed.cursor === '' ? '' : `?after=${feed.cursor}`
    const asked: SentRequest = {
      method: 'GET',
      path: `/merchant/v1/callback/feed/${after}`,
      as: shop,
    }
    const { status, body } = await askSafely(play, asked)
    if (status !== 200) throw new Finding('feed', `the feed was answered ${status}`)
    for (const { meta } of body.messages) {
      const { id, event, timestamp, seqno } = meta
      const about = resourceOf(meta.uri)
      const events = [...(feed.events.get(about) ?? []), event]
      if (about !== String(meta.uri) && !about.includes('/') && seqno !== events.length)
        throw new Finding('feed', `seqno is ${seqno} and should be ${events.length}`)
      feed.events.set(about, events)
      feed.messages.push({ id, event, timestamp, about })
    }
    feed.cursor = body.next ?? feed.cursor
    if (body.messages.length === 0) return feed.messages
  }
}

const isExpiry = (event: string): boolean =>
  event === 'payment_request_expired' || event === 'payment_authorization_expired'

/**
 * Interface 13.8; an expiry is recorded a little after its instant, so that a refund made between
 * them is told before it, or it may not be recorded yet.
 */
export const tellsSo = (events: readonly string[], { callbacks }: Payment): boolean => {
  const others = (list: readonly string[]) => list.filter((event) => !isExpiry(event)).join()
  const expiry = (list: readonly string[]) => list.filter(isExpiry).join()
  if (others(events) !== others(callbacks)) return false
  if (expiry(events) === '') return true
  const isLateEnough = events.findIndex(isExpiry) >= callbacks.findIndex(isExpiry)
  return isLateEnough && expiry(events) === expiry(callbacks)
}

export const feed = async (play: Play, shop: Shop): Promise<void> => {
  await readFeed(play, shop)
  const known = play.feeds.get(shop)
  const own = [...play.payments.values()].filter((payment) => payment.shop === shop)
  for (const payment of own) {
    // What its expiry has become is known once it is read.
    await read(play, payment, true)
    const events = known?.events.get(payment.tid) ?? []
    const lawful: Possible = payment.possible.filter((one) => tellsSo(events, one))
    if (lawful.length === 0)
      throw new Finding(
        'feed',
        `the feed tells ${events.join(', ') || 'nothing'} of payment ${payment.n}, ` +
          `and it should be ${payment.possible[0]?.callbacks.join(', ')}`,
      )
    payment.possible = lawful
  }
  play.tell(`${shop} reads its feed`)
}
