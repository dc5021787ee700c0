import { alice, bob, capture, part, refund, release } from './sale.ts'
import type { OpenShop } from './shop.ts'
import { sayChapter } from './print.ts'

const morning = async (shop: OpenShop, day: string): Promise<void> => {
  await shop.until(`${day} 09:04:00`)
  const breakfast = await shop.request('Breakfast, captured at once', { amount: '189.00' })
  await shop.payer(breakfast, 'accept', 'Alice accepts')
  await shop.put(breakfast, capture, 'the till captures everything')
  await shop.ended(breakfast, 'ok 2000')

  await shop.until(`${day} 09:40:00`)
  const hamper = await shop.request('A hamper, captured in parts as it is packed', {
    amount: '1250.00',
  })
  await shop.payer(hamper, 'accept', 'Alice accepts')
  await shop.put(hamper, part('cheese', '400.00'), 'captures 400.00 for the cheese')
  await shop.put(hamper, part('wine', '600.00'), 'captures 600.00 for the wine')
  await shop.put(hamper, part('wine', '600.00'), 'sends the same again: no second effect')
  await shop.put(hamper, part('wine', '700.00'), 'the same id with 700.00', 409)
  await shop.put(hamper, part('caviar', '250.01'), 'captures one øre too much', 400)
  await shop.put(hamper, part('bread', '250.00'), 'captures 250.00 for the bread')
  await shop.ended(hamper, 'ok 2000')

  await shop.until(`${day} 10:15:00`)
  const room = await shop.request('A room with a deposit and a tip, partly captured and released', {
    amount: '2000.00',
    additional_amount: '150.00',
  })
  await shop.payer(room, 'accept', 'Alice accepts')
  const night = part('room', '1400.00', { additional_amount: '100.00' })
  await shop.put(room, night, 'captures 1400.00 + 100.00 for the room')
  await shop.put(room, release, 'releases the rest of both')
  await shop.put(room, capture, 'wants the rest after all', 409)
  await shop.ended(room, 'ok 2000')
}

/** What the scope `shipping_address` tells of Alice. */
const toAlice = {
  shipping_address: {
    name: 'Alice Andersen',
    street_address: 'Storgata 1',
    postal_code: '0155',
    locality: 'Oslo',
    country: 'NO',
  },
}

/** The guest is whoever scans the code on the counter. */
const counter = async (shop: OpenShop, day: string): Promise<void> => {
  await shop.until(`${day} 11:05:00`)
  const code = await shop.shortlink('the code on the counter')
  const coffee = await shop.request('A coffee, for whoever scans the code on the counter', {
    amount: '49.00',
    customer: `shortlink_id:${code}`,
  })
  await shop.scan(coffee, code, 'Alice scans the code')
  await shop.payer(coffee, 'accept', 'Alice accepts')
  await shop.put(coffee, capture, 'the till captures everything')
  await shop.ended(coffee, 'ok 2000')

  await shop.until(`${day} 11:20:00`)
  const wine = await shop.request('A crate of wine, and her address to send it to', {
    amount: '1890.00',
    required_scope: 'shipping_address',
    required_scope_text: 'We send it to your home.',
  })
  await shop.payer(wine, 'accept', 'Alice accepts and shares her address')
  const address = '/oauth2/v1/scope/shipping_address'
  await shop.learns(wine, address, toAlice, 'the till reads where to send it')
  await shop.put(wine, capture, 'the till captures everything')
  await shop.ended(wine, 'ok 2000')
}

const noon = async (shop: OpenShop, day: string): Promise<void> => {
  await shop.until(`${day} 12:02:00`)
  const cash = await shop.request('Lunch, but the guest pays cash: aborted', { amount: '145.00' })
  await shop.put(cash, { action: 'abort' }, 'the till aborts before Alice has answered')
  await shop.until(`${day} 12:03:00`)
  await shop.watch(cash, 'its line broke before it could say that it heard')
  await shop.ended(cash, 'fail 4019')

  await shop.until(`${day} 12:20:00`)
  const declined = await shop.request('Lunch for the wrong table, declined', {
    amount: '310.00',
    customer: bob,
  })
  await shop.payer(declined, 'decline', 'Bob declines')
  await shop.ended(declined, 'fail 5006')

  await shop.until(`${day} 12:45:00`)
  const poor = await shop.request('A case of champagne, funds refused', { amount: '5007.00' })
  await shop.payer(poor, 'accept', 'Alice accepts, her bank does not')
  await shop.ended(poor, 'fail 5007')

  await shop.until(`${day} 13:05:00`)
  const stranger = await shop.request('A guest whom nobody knows', {
    amount: '75.00',
    customer: '+4700000000',
  })
  await shop.ended(stranger, 'fail 4004')

  await shop.until(`${day} 13:30:00`)
  const away = await shop.request('A guest who walks away, request expired', {
    amount: '99.00',
    expires_in: 120,
  })
  await shop.until(`${day} 13:31:59`)
  await shop.watch(away, 'two minutes are nearly over')
  await shop.until(`${day} 13:32:00`)
  await shop.watch(away, 'two minutes are over')
  await shop.ended(away, 'fail 5011')
}

/** A till that cannot be called. */
const kiosk = async (shop: OpenShop, day: string): Promise<void> => {
  await shop.until(`${day} 15:30:00`)
  const waffle = await shop.request('A waffle at the kiosk, behind a router', {
    amount: '64.00',
    callback_uri: shop.kioskUri,
  })
  await shop.payer(waffle, 'accept', 'Alice accepts')
  await shop.hears(waffle, 'payment_authorized', 'the kiosk hears of it on its channel')
  await shop.put(waffle, capture, 'captures everything')
  await shop.hears(waffle, 'payment_captured', 'and of that')
  await shop.ended(waffle, 'ok 2000')
}

const evening = async (shop: OpenShop, day: string): Promise<void> => {
  await shop.until(`${day} 18:10:00`)
  const tip = await shop.request('Dinner, with a tip that Alice makes larger', {
    amount: '640.00',
    additional_amount: '60.00',
    additional_edit: true,
  })
  await shop.payer(tip, 'accept', 'Alice accepts with a tip of 100.00', {
    additional_amount: '100.00',
  })
  const dinner = part('dinner', '640.00', { additional_amount: '100.00' })
  await shop.put(tip, dinner, 'captures both pots')
  const dessert = refund('dessert', '90.00', 'no dessert', { additional_amount: '15.00' })
  await shop.putSigned(tip, dessert, 'the owner signs a refund of 90.00 + 15.00')
  await shop.ended(tip, 'ok 2000')

  await shop.until(`${day} 19:00:00`)
  const yen = await shop.request('Sushi in yen, which have no decimals; half is refunded', {
    amount: '5400',
    currency: 'JPY',
    customer: alice,
  })
  await shop.payer(yen, 'accept', 'Alice accepts')
  await shop.put(yen, capture, 'the till captures everything')
  const back = refund('half', '2700', 'only half came', { currency: 'JPY' })
  await shop.putSigned(yen, back, 'the owner signs a refund of half')
  await shop.ended(yen, 'ok 2000')

  await shop.until(`${day} 20:00:00`)
  const soup = await shop.request('A cold soup: refunded in full', { amount: '120.00' })
  await shop.payer(soup, 'accept', 'Alice accepts')
  await shop.put(soup, capture, 'the till captures everything')
  await shop.put(
    soup,
    { action: 'refund' },
    'the till wants to refund, a secret is not enough',
    401,
  )
  await shop.putSigned(soup, { action: 'refund', text: 'it was cold' }, 'the owner signs a refund')
  await shop.ended(soup, 'ok 2000')
}

/** All that begins and ends within one day. */
const playDay = async (shop: OpenShop, day: string): Promise<void> => {
  await morning(shop, day)
  await counter(shop, day)
  await noon(shop, day)
  await kiosk(shop, day)
  await evening(shop, day)
}

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
