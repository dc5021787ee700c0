import { Card, Table, type Html, type Row } from '../ui/components.tsx'
import { nextTurn } from '../../application/time-budget.ts'
import { mondayOf } from '../../domain/calendar.ts'
import { mayDo, pointsOfSaleOf, type StaffTerms } from '../../domain/merchant/staff-roles.ts'
import { addUp, type Sum } from '../../domain/money/money.ts'
import { dayIn, startOf } from '../../domain/time-zone.ts'
import type { CurrencySum } from '../../projections/prepared.ts'
import { allPointsOfSale } from '../../projections/turnover.ts'
import { textsIn } from '../../texts/catalogue.ts'
import type { LobbyVisitor } from '../staff/frame.tsx'
import { plainAmounts } from '../ui/money.tsx'
import { unseen } from '../ui/words.tsx'
import { portalPath } from './areas.ts'
import { daysArrived, placesOfMoney, type NextPayoutNeeds } from './next-payout.tsx'
import type { TurnoverNeeds } from './overview-numbers.ts'
import type { PortalShop } from './page.tsx'

export type AllShopsNeeds = NextPayoutNeeds & Pick<TurnoverNeeds, 'turnoverBetween'>

type StaffedShop = { readonly shop: PortalShop; readonly terms: StaffTerms }

const columns = [
  ...['turnoverToday', 'turnoverWeek'],
  ...['withCustomers', 'inTill', 'withBank', 'arrived'],
] as const

type Figures = Readonly<Record<(typeof columns)[number], readonly CurrencySum[] | null>>

/** Null where the role may not see it; a cashier's turnover is of some points of sale. */
const figuresFor = (
  needs: AllShopsNeeds,
  { shop, terms }: StaffedShop,
  { at }: LobbyVisitor,
): Figures => {
  const { merchant, timeZone } = shop
  const today = dayIn(timeZone, at)
  const of = { merchant, posIds: pointsOfSaleOf(terms) ?? [allPointsOfSale] }
  const turnoverSince = (first: number): readonly CurrencySum[] =>
    needs
      .turnoverBetween(of, startOf(timeZone, first), startOf(timeZone, today + 1))
      .map(({ currency, captured }) => ({ currency, sum: String(captured) }))
  const places = mayDo(terms, 'see_money') ? placesOfMoney(needs, shop, at) : undefined
  return {
    turnoverToday: turnoverSince(today),
    turnoverWeek: turnoverSince(mondayOf(today)),
    withCustomers: places?.reserved ?? null,
    inTill: places?.unsettled ?? null,
    withBank: places?.coming ?? null,
    arrived: places?.arrived ?? null,
  }
}

type Found = StaffedShop & { readonly figures: Figures }

const sumIn = (sums: readonly CurrencySum[] | null, currency: string): Sum | null =>
  sums && addUp(...sums.filter((one) => one.currency === currency).map(({ sum }): Sum => sum))

const usesCurrency =
  (currency: string) =>
  ({ shop, figures }: Found): boolean =>
    shop.currency === currency ||
    columns.some((column) => figures[column]?.some((one) => one.currency === currency))

const tableHtml = (visitor: LobbyVisitor, all: readonly Found[], currency: string): Html => {
  const texts = textsIn[visitor.language].lobby
  const shops = all.filter(usesCurrency(currency))
  const amount = plainAmounts(visitor.locale, currency)
  const cell = (sum: Sum | null) => ({
    kind: sum === null || sum === '0' ? 'number zero' : 'number',
    text: sum === null ? '–' : amount(sum),
  })
  const total = columns.map((column) => {
    const sums = shops.flatMap(({ figures }) => sumIn(figures[column], currency) ?? [])
    return cell(sums.length === 0 ? null : addUp(...sums))
  })
  const rows: readonly Row[] = shops.map(({ shop, figures }) => [
    { head: <a href={portalPath(shop.merchant)}>{shop.name}</a> },
    ...columns.map((column) => cell(sumIn(figures[column], currency))),
  ])
  const heads = [unseen(texts.shop), ...columns.map((column) => ({ number: texts[column] }))]
  const together = { kind: 'sum-row', cells: [{ head: texts.together }, ...total] }
  return (
    <Card title={texts.allShops({ currency })}>
      <Table
        kind="grid stacks shops"
        label={texts.allShops({ currency })}
        heads={heads}
        rows={shops.length === 1 ? rows : [together, ...rows]}
      />
    </Card>
  )
}

/** What several shops of one person make together, by currency; nothing for a single shop. */
export const allShopsHtml = async (
  needs: AllShopsNeeds,
  visitor: LobbyVisitor,
  shops: readonly StaffedShop[],
): Promise<Html> => {
  if (shops.length < 2) return null
  const all: Found[] = []
  for (const one of shops) {
    all.push({ ...one, figures: figuresFor(needs, one, visitor) })
    // Captures have their turn between the shops.
    await nextTurn()
  }
  const used = all.flatMap(({ figures }) =>
    columns.flatMap((column) => figures[column]?.map(({ currency }) => currency) ?? []),
  )
  // Of nothing there is nothing to say, but once.
  const currencies = used.length > 0 ? used : shops.map(({ shop }) => shop.currency)
  const texts = textsIn[visitor.language].lobby
  const isPart = shops.some(({ terms }) => terms.role === 'cashier' || !mayDo(terms, 'see_money'))
  return [
    [...new Set(currencies)].sort().map((currency) => tableHtml(visitor, all, currency)),
    <p class="quiet small">
      {texts.allShopsWhat({ count: daysArrived })} {isPart && texts.asOfRole}
    </p>,
  ]
}
