import { Card, Link, type Html } from '../ui/components.tsx'
import { dayMs, dayOf, type Instant } from '../../domain/time.ts'
import { dateIn, type TimeZone } from '../../domain/time-zone.ts'
import { totalsOf } from '../../projections/journal.ts'
import type { PayoutGroup } from '../../projections/payouts.ts'
import type { CurrencySum } from '../../projections/prepared.ts'
import { shopTime, type TimeReader } from '../ui/money.tsx'
import { filled } from '../ui/words.tsx'
import { portalPath } from './areas.ts'
import { dayText, moneyPath, settlementHref, sumText } from './money-parts.tsx'
import type { LobbyVisitor } from '../staff/frame.tsx'
import type { PortalVisitor } from './page.tsx'
import { textsIn } from '../../texts/catalogue.ts'

export type NextPayoutNeeds = {
  /** Where the money of a merchant is; payouts that have arrived are those since a day. */
  readonly moneyOf: (
    merchant: string,
    since: string,
    at: Instant,
  ) => {
    /** Accepted by payers, and not captured yet. */
    readonly reserved: readonly CurrencySum[]
    /** Captured and not settled, less refunds and fees. */
    readonly unsettled: readonly CurrencySum[]
    readonly payouts: readonly PayoutGroup[]
    /** When it will be settled. */
    readonly dueAt: Instant | null
    readonly hasAccount: boolean
  }
}

type Reader = Pick<LobbyVisitor, 'language'> & TimeReader

type Shop = {
  readonly merchant: string
  readonly timeZone: TimeZone
  readonly currency: string
}

export const daysArrived = 30

const found = ({ moneyOf }: NextPayoutNeeds, { merchant, timeZone }: Shop, at: Instant) =>
  moneyOf(merchant, dateIn(timeZone, at - daysArrived * dayMs), at)

const isComing = ({ status }: PayoutGroup): boolean => status !== 'paid'

/** Where the money of a merchant is: with customers, in the till, with the bank, arrived. */
export const placesOfMoney = (needs: NextPayoutNeeds, shop: Shop, at: Instant) => {
  const { payouts, ...places } = found(needs, shop, at)
  const arrived = payouts.filter((group) => !isComing(group))
  return { ...places, coming: payouts.filter(isComing), arrived }
}

/** What a payout does, and when, as people of the shop call the day. */
const whenHtml = ({ status, day }: PayoutGroup, today: string, reader: Reader): Html => {
  const tomorrow = dayOf(Date.parse(`${today}T00:00:00Z`) + dayMs)
  const when = day === today ? 'today' : day === tomorrow ? 'tomorrow' : 'other'
  const texts = textsIn[reader.language].money
  const said = { when, day: dayText(day, reader) }
  if (status === 'returned') return texts.cameBack(said)
  if (status === 'ordered') return texts.isOrdered(said)
  if (day >= today) return texts.isDue(said)
  return [<b class="badge warn">{texts.status_overdue}</b>, ' ', texts.since({ time: said.day })]
}

const sumsOrZero = (sums: readonly CurrencySum[], currency: string): readonly CurrencySum[] =>
  sums.length === 0 ? [{ currency, sum: '0' }] : sums

const noAccountHtml = (reader: Reader): Html => (
  <p>
    <span class="badge warn">{textsIn[reader.language].money.noPayoutAccount}</span>
  </p>
)

const groupsShown = 4

type Href = (group: PayoutGroup) => string | undefined

const comingHtml = (
  groups: readonly PayoutGroup[],
  today: string,
  reader: Reader,
  hrefOf: Href,
): Html => [
  groups.length > 0 && (
    <ul class="coming">
      {groups.slice(0, groupsShown).map((group) => {
        const sum = sumText(group.sum, group.currency, reader)
        const href = hrefOf(group)
        return (
          <li>
            {href === undefined ? <b>{sum}</b> : <a href={href}>{sum}</a>}{' '}
            <span class="quiet small">{whenHtml(group, today, reader)}</span>
          </li>
        )
      })}
    </ul>
  ),
  groups.length > groupsShown && (
    <p class="quiet small">{textsIn[reader.language].money.moreLater}</p>
  ),
]

/** What is paid out next and when, and what is not settled yet. */
export const nextPayoutHtml = (
  needs: NextPayoutNeeds,
  shop: Shop,
  at: Instant,
  reader: Reader,
  hrefOf: Href = () => undefined,
): Html => {
  const texts = textsIn[reader.language].money
  const { unsettled, coming, dueAt, hasAccount } = placesOfMoney(needs, shop, at)
  const time = dueAt === null ? undefined : shopTime(dueAt, reader)
  return [
    comingHtml(coming, dateIn(shop.timeZone, at), reader, hrefOf),
    <h3>{texts.unsettled}</h3>,
    sumsOrZero(unsettled, shop.currency).map(({ sum, currency }) => (
      <p class="figure">{sumText(sum, currency, reader)}</p>
    )),
    <p class="quiet">{time === undefined ? texts.nextNone : filled(texts.nextOn, { time })}</p>,
    unsettled.some(({ sum }) => sum.startsWith('-')) && <p class="small">{texts.owed}</p>,
    !hasAccount && noAccountHtml(reader),
  ]
}

/** The page of a single payout, or else those of the day. */
const payoutHref =
  (visitor: PortalVisitor): Href =>
  ({ count, serial, day }) =>
    count === 1 ? settlementHref(visitor, serial) : moneyPath(visitor, `coming?day=${day}`)

export const nextPayoutOf = (needs: NextPayoutNeeds, visitor: PortalVisitor): Html =>
  nextPayoutHtml(needs, visitor.shop, visitor.at, visitor, payoutHref(visitor))

/** Where the money is, in every currency: with customers, in the till, with the bank, arrived. */
export const whereMoneyIs = (needs: NextPayoutNeeds, visitor: PortalVisitor): Html => {
  const { shop, at, language } = visitor
  const texts = textsIn[language].money
  const { reserved, unsettled, coming, arrived, dueAt, hasAccount } = placesOfMoney(needs, shop, at)
  // Of nothing there is nothing to say.
  const place = (name: string, path: string, sums: readonly CurrencySum[], about: Html): Html => (
    <div class={sums.length === 0 ? 'quiet' : undefined}>
      <dt>
        <Link href={portalPath(shop.merchant, path)} text={name} />
      </dt>
      <dd>
        {sumsOrZero(totalsOf(sums), shop.currency).map(({ sum, currency }) => (
          <b>{sumText(sum, currency, visitor)}</b>
        ))}
      </dd>
      {sums.length > 0 && <dd class="about quiet small">{about}</dd>}
    </div>
  )
  const settled =
    dueAt === null ? texts.nextNone : filled(texts.nextOn, { time: shopTime(dueAt, visitor) })
  const isDebt = unsettled.some(({ sum }) => sum.startsWith('-'))
  return (
    <Card title={texts.whereMoneyIs}>
      <dl class="money-facts places">
        {place(texts.withCustomers, 'payments?status=auth', reserved, texts.withCustomersWhat)}
        {place(texts.inTill, 'money/unsettled', unsettled, [settled, ' ', isDebt && texts.owed])}
        {place(
          texts.withBank,
          'money/coming',
          coming,
          comingHtml(coming, dateIn(shop.timeZone, at), visitor, payoutHref(visitor)),
        )}
        {place(texts.arrived, 'money/arrived', arrived, texts.arrivedWhat({ count: daysArrived }))}
      </dl>
      {!hasAccount && noAccountHtml(visitor)}
    </Card>
  )
}
