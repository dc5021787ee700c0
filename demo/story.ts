import { playDay } from './shop-day.ts'
import { bob, capture, part, refund } from './sale.ts'
import type { OpenShop } from './shop.ts'
import { sayChapter } from './print.ts'

/** Three authorisations that outlive the day: one is forgotten, one used in part, one renewed. */
const reservations = async (shop: OpenShop, day: string) => {
  await shop.until(`${day} 21:00:00`)
  const forgotten = await shop.request('A table that nobody comes to', { amount: '500.00' })
  await shop.payer(forgotten, 'accept', 'Alice accepts')
  await shop.ended(forgotten, 'auth 3008')
  const bike = await shop.request('A rented bike and a tip, used for a day', {
    amount: '800.00',
    additional_amount: '80.00',
  })
  await shop.payer(bike, 'accept', 'Alice accepts')
  const ride = part('day-1', '250.00', { additional_amount: '30.00' })
  await shop.put(bike, ride, 'captures 250.00 + 30.00 for the day')
  await shop.ended(bike, 'auth 3008')
  const party = await shop.request('A party next week', { amount: '900.00', customer: bob })
  await shop.payer(party, 'accept', 'Bob accepts')
  await shop.ended(party, 'auth 3008')
  return { forgotten, bike, party }
}

/** What is still under way when the books are looked at first. */
const underWay = async (shop: OpenShop, day: string) => {
  await shop.until(`${day} 21:30:00`)
  const tab = await shop.request('A tab on credit, still open', {
    amount: '1500.00',
    additional_amount: '200.00',
    allow_credit: true,
  })
  await shop.payer(tab, 'accept', 'Alice accepts, with her credit card', { credit: true })
  const round = part('round-1', '600.00', { additional_amount: '80.00' })
  await shop.put(tab, round, 'captures 600.00 + 80.00 for the first round')
  const glass = refund('glass', '120.00', 'a glass was spilt', { additional_amount: '20.00' })
  await shop.putSigned(tab, glass, 'the owner signs a refund of 120.00 + 20.00')
  const song = refund('song', '30.00', 'the band was late', { additional_amount: '5.00' })
  await shop.putSigned(tab, song, 'and another of 30.00 + 5.00')
  await shop.ended(tab, 'auth 3008')

  const last = await shop.request('A last order, not answered yet', { amount: '85.00' })
  await shop.ended(last, 'pending 1003')
  return { tab, last }
}

/** When the story plays, as `YYYY-MM-DD`. */
export type Days = Readonly<Record<'today' | 'renewal' | 'expiry' | 'end', string>>

/** A shop's day and the days after it, with every end of a payment; answers what is still open. */
export const playStory = async (shop: OpenShop, days: Days) => {
  const { today, renewal, expiry } = days
  sayChapter(`${today}, in the shop`)
  await playDay(shop, today)
  const { forgotten, bike, party } = await reservations(shop, today)
  await shop.closeReport()

  sayChapter(`${renewal}, two days later`)
  await shop.until(`${renewal} 12:00:00`)
  shop.recall(party)
  await shop.put(party, { action: 'reauth' }, 'the till renews it for three more days')
  await shop.ended(party, 'auth 3008')

  sayChapter(`${expiry}, three days later`)
  await shop.until(`${expiry} 21:01:00`)
  shop.recall(forgotten)
  await shop.watch(forgotten, 'the authorisation has expired')
  await shop.ended(forgotten, 'fail 5012')
  shop.recall(bike)
  await shop.watch(bike, 'the rest of the authorisation has expired')
  await shop.ended(bike, 'fail 5012')
  shop.recall(party)
  await shop.put(party, capture, 'still good, for it was renewed: captures everything')
  await shop.ended(party, 'ok 2000')
  const open = await underWay(shop, expiry)
  await shop.closeReport()
  return open
}

/** All that was under way comes to its end, and nobody does anything for it. */
export const playEnding = async (
  shop: OpenShop,
  { end }: Days,
  { tab, last }: Awaited<ReturnType<typeof playStory>>,
): Promise<void> => {
  sayChapter(`${end}, six days later`)
  await shop.until(`${end} 12:00:00`)
  shop.recall(last)
  await shop.watch(last, 'nobody has answered in time')
  await shop.ended(last, 'fail 5011')
  shop.recall(tab)
  await shop.watch(tab, 'the rest of the authorisation has expired')
  await shop.ended(tab, 'fail 5012')
  await shop.closeReport()
}
