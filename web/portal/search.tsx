import { z } from 'zod'
import { pointsOfSale, payments, shortlinks } from '../../domain/aggregates.ts'
import { isTheirPos, mayDo, type StaffAction } from '../../domain/merchant/staff-roles.ts'
import { currencies } from '../../domain/money/currency.ts'
import { streamOf, within } from '../../domain/stream.ts'
import type { Instant } from '../../domain/time.ts'
import type { CallbackNeeds } from '../../http/merchant/callback.ts'
import { searchOf } from '../../http/call.ts'
import type { Route } from '../../http/route.ts'
import type { OfferQueries } from '../../projections/offers.ts'
import { plain } from '../../projections/merchant-list.ts'
import type { PaymentRow } from '../../projections/payment-table.ts'
import type { Queries } from '../../projections/read-models.ts'
import { statusCodeOf } from '../../projections/payment-search.ts'
import { textsIn } from '../../texts/catalogue.ts'
import type { Visits } from '../payer/session.tsx'
import { Card, Quiet, Title, type Html } from '../ui/components.tsx'
import { anyText } from '../ui/fields.tsx'
import { minorText, shopTime, typedAmount } from '../ui/money.tsx'
import { portalPath } from './areas.ts'
import { callbacksPath, statusBadge } from './developers/callback-list.tsx'
import { callbackWords } from './developers/parts.tsx'
import { userBadges, userPath, type UserListNeeds } from './developers/user-list.tsx'
import type { PortalNeeds } from './guard.ts'
import type { MoneyNeeds } from './money-needs.ts'
import { settlementHref, sumText } from './money-parts.tsx'
import type { PortalPage, PortalVisitor } from './page.tsx'
import { portalPages } from './pages.ts'
import { customerHtml, type CustomerNeeds } from './payments/customer.tsx'
import { findAnyPayment, type AnyPaymentNeeds } from './payments/find-any.ts'
import { namesOfPos, type PosOf } from './payments/query.ts'
import { amountsOf, badgeHtml, sumsOfRow } from './payments/state.tsx'
import { standingOf, statusHtml, whenText } from './payout-standing.tsx'
import { mostListed, pointsPath, type PointNeeds } from './points/rows.ts'
import { personName, staffPath, type StaffPageNeeds } from './staff-page.tsx'

type SearchNeeds = PortalNeeds &
  MoneyNeeds &
  AnyPaymentNeeds &
  CustomerNeeds &
  Pick<PointNeeds, 'pointsOfSale' | 'shortlinks'> &
  StaffPageNeeds &
  Pick<CallbackNeeds, 'callbackMessages'> &
  Pick<UserListNeeds, 'users'> & {
    readonly offers: OfferQueries
    readonly posOf: PosOf
    readonly settlements: Pick<Queries['accounting']['settlements'], 'find' | 'findById'>
    readonly payouts: Pick<Queries['accounting']['payouts'], 'ofAmount'>
  }

type Sought = {
  readonly needs: SearchNeeds
  readonly visitor: PortalVisitor
  readonly text: string
  readonly at: Instant
}

type Found = { readonly href: string; readonly name: Html; readonly about: readonly Html[] }

type Finding = { readonly found: readonly Found[]; readonly hasMore?: boolean }

const mostOfKind = 20

const paymentFound = ({ needs, visitor, at }: Sought) => {
  const { locale, shop, language } = visitor
  const texts = textsIn[language].payments
  const names = namesOfPos(needs, shop.merchant)
  return (row: PaymentRow): Found => {
    const { tid, posTid, text, captured, refunded } = row
    const [, minor] = amountsOf(sumsOfRow(row, at)).main
    const pos = names.get(row.posId) ?? row.posId
    const about = [
      <b>{minorText(minor, row.currency, locale)}</b>,
      badgeHtml(texts, { captured, refunded, statusCode: statusCodeOf(row, at) }),
      ...[text, customerHtml(needs, visitor, row), pos, shopTime(row.requestedAt, visitor)],
    ]
    return { href: portalPath(shop.merchant, `payments/${tid}`), name: posTid, about }
  }
}

/** By the amount on a bank statement, or by the id of the settlement or of the transfer. */
const payoutsFound = ({ needs, visitor, text }: Sought): Finding => {
  const { merchant } = visitor.shop
  const { payouts, settlements } = needs
  const amounts = new Map(
    currencies.map((currency) => [currency, String(typedAmount(text, currency) ?? '')]),
  )
  const ofAmount = [...new Set(amounts.values())].flatMap((amount) =>
    payouts.ofAmount(merchant, amount, mostOfKind),
  )
  const [id, , currency] = /^(.*?)(-([A-Z]{3})(?:-\d+)?)?$/.exec(text)?.slice(1) ?? []
  const named = settlements.findById(id ?? '')
  const ofId = named?.merchant === merchant ? named.payouts : []
  const all = [
    ...ofId
      .filter((one) => currency === undefined || one.currency === currency)
      .map((one) => ({ serial: named?.serial ?? 0, currency: one.currency })),
    ...ofAmount,
  ]
  const found = all.flatMap(({ serial, currency }) => {
    const row = settlements.find(merchant, serial)
    const state = row?.payouts.find((one) => one.currency === currency)
    if (!row || !state) return []
    const standing = standingOf(needs, visitor, state)
    const about = [statusHtml(standing, visitor), whenText(standing, state, visitor)]
    const name = <b>{sumText(state.amount, currency, visitor)}</b>
    return [{ href: settlementHref(visitor, serial), name, about: [...about, row.settlementId] }]
  })
  return { found: found.slice(0, mostOfKind), hasMore: found.length >= mostOfKind }
}

const has = (text: string, ...parts: readonly (string | null | undefined)[]): boolean =>
  parts.some((part) => plain(part ?? '').includes(plain(text)))

const tillsFound = ({ needs, visitor: { shop, me }, text }: Sought): Finding => {
  const all = needs.pointsOfSale.list(shop.merchant, Number.MAX_SAFE_INTEGER, mostListed)
  const one = needs.pointsOfSale.find(streamOf(pointsOfSale, within(shop.merchant, text)))
  const rows = [...(one ? [one] : []), ...all.filter(({ data }) => has(text, data.name, data.id))]
  const mayChange = mayDo(me.terms, 'change_points_of_sale')
  const pathOf = (id: string) => pointsPath(mayChange ? `/pos/${encodeURIComponent(id)}` : '')
  const found = [...new Map(rows.map(({ data }) => [data.id, data])).values()].map(
    ({ id, name }) => ({ href: portalPath(shop.merchant, pathOf(id)), name, about: [id] }),
  )
  return { found }
}

const codesFound = ({ needs, visitor: { shop }, text }: Sought): Finding => {
  const all = needs.shortlinks.list(shop.merchant, Number.MAX_SAFE_INTEGER, mostListed)
  const one = needs.shortlinks.find(streamOf(shortlinks, text))
  const rows = [
    ...(one?.data.merchant === shop.merchant ? [one] : []),
    ...all.filter(({ data }) => has(text, data.description, data.id, data.serialNumber)),
  ]
  const found = [...new Map(rows.map(({ data }) => [data.id, data])).values()].map(
    ({ id, description }) => ({
      href: portalPath(shop.merchant, pointsPath(`/code/${id}`)),
      name: description ?? id,
      about: [description === null ? '' : id],
    }),
  )
  return { found }
}

/** Payment links that many may pay. */
const linksFound = ({ needs, visitor, text }: Sought): Finding => {
  const { shop, me, locale } = visitor
  const all = needs.offers.list(shop.merchant, Number.MAX_SAFE_INTEGER, mostListed)
  const found = all
    .filter((one) => isTheirPos(me.terms, one.posId) && has(text, one.text, one.id))
    .map(({ id, text: name, amount, currency }) => ({
      href: portalPath(shop.merchant, `links/${id}`),
      name,
      about: [minorText(amount, currency, locale)],
    }))
  return { found }
}

const usersFound = ({ needs, visitor, text }: Sought): Finding => {
  const { merchant } = visitor.shop
  const all = needs.users.list(merchant, Number.MAX_SAFE_INTEGER, mostListed)
  const found = all
    .filter(({ data }) => has(text, data.id))
    .map((row) => ({
      href: userPath(merchant, row.data.id),
      name: row.data.id,
      about: [userBadges(visitor, row)],
    }))
  return { found }
}

/** By name, or by digits of the phone number that was invited. */
const peopleFound = async ({ needs, visitor, text }: Sought): Promise<Finding> => {
  const { shop, language } = visitor
  const { members } = await needs.findStaff(shop.merchant)
  const present = members.filter(({ status }) => status !== 'gone')
  const digits = /^[+\d\s()-]{4,}$/.test(text) ? text.replaceAll(/\D/g, '') : undefined
  const named = await Promise.all(
    present.map(async (one) => ({
      name: (await personName(needs, one)) ?? '',
      number: needs.invitedNumber(one.phone) ?? '',
      terms: one.terms,
    })),
  )
  const found = named
    .filter(({ name, number }) => has(text, name) || (digits && number.includes(digits)))
    .map(({ name, number, terms }) => ({
      href: staffPath(shop.merchant),
      name,
      about: [textsIn[language].portal[`role_${terms.role}`], `+${number}`],
    }))
  return { found }
}

/** By the id of a message, or about payments that are found by their own id or order number. */
const callbacksFound = async (
  { needs: { callbackMessages }, visitor, text }: Sought,
  named: readonly PaymentRow[],
): Promise<Finding> => {
  const { merchant } = visitor.shop
  const one = callbackMessages.find(text)
  const newest = Number.MAX_SAFE_INTEGER
  const about = await Promise.all(
    named.map(({ tid }) => callbackMessages.listAbout(streamOf(payments, tid), newest, mostOfKind)),
  )
  const rows = [...(one ? [one] : []), ...about.flat()].filter((row) => row.merchant === merchant)
  const found = rows.map((row) => ({
    href: callbacksPath(merchant, `/${row.id}`),
    name: callbackWords(visitor, row.event),
    about: [statusBadge(visitor, row), shopTime(row.at, visitor)],
  }))
  return { found, hasMore: rows.length >= mostOfKind }
}

/** What is found, by kind, as far as the role may see it. */
const findAll = async (sought: Sought, findPayments: ReturnType<typeof findAnyPayment>) => {
  const { visitor, text, at } = sought
  const { shop, me, language } = visitor
  const texts = textsIn[language]
  const ofPayments = await findPayments({ shop, terms: me.terms }, text, at)
  const { rows, named, hasMore } = ofPayments
  const ways: readonly (readonly [
    action: StaffAction,
    name: string,
    find: () => Finding | Promise<Finding>,
  ])[] = [
    [
      'see_payments',
      texts.portal.payments,
      () => ({ found: rows.map(paymentFound(sought)), hasMore }),
    ],
    ['see_money', texts.money.payouts, () => payoutsFound(sought)],
    ['see_points_of_sale', texts.portal.pointsOfSale, () => tillsFound(sought)],
    ['see_points_of_sale', texts.points.codes, () => codesFound(sought)],
    ['take_payment', texts.take.links, () => linksFound(sought)],
    ['see_staff', texts.portal.staff, () => peopleFound(sought)],
    ['see_developers', texts.developers.tab_users, () => usersFound(sought)],
    ['see_developers', texts.payments.callbacks, () => callbacksFound(sought, named)],
  ]
  const mine = ways.filter(([action]) => mayDo(me.terms, action))
  return Promise.all(mine.map(async ([, name, find]) => ({ name, ...(await find()) })))
}

const cardHtml = (
  { visitor }: Sought,
  { name, found, hasMore }: Finding & { readonly name: string },
): Html => (
  <Card title={name}>
    <ul class="found">
      {found.slice(0, mostOfKind).map((one) => (
        <li>
          <a href={one.href}>
            <span>{one.name}</span>
            {one.about.map((about) =>
              typeof about === 'string' && about !== '' ? <i>{about}</i> : about,
            )}
          </a>
        </li>
      ))}
    </ul>
    {(hasMore || found.length > mostOfKind) && (
      <Quiet text={textsIn[visitor.language].search.more} />
    )}
  </Card>
)

const searchPage = async (
  sought: Sought,
  findPayments: ReturnType<typeof findAnyPayment>,
): Promise<PortalPage> => {
  const { visitor, text } = sought
  const texts = textsIn[visitor.language].search
  const kinds = text === '' ? [] : await findAll(sought, findPayments)
  const some = kinds.filter(({ found }) => found.length > 0)
  const none = text === '' ? null : <p role="status">{texts.nothing({ text })}</p>
  return {
    title: text === '' ? texts.search : texts.found({ text }),
    sought: text,
    body: [
      <Title text={text === '' ? texts.search : texts.found({ text })} />,
      some.length === 0 && [none, <Quiet text={texts.hint} />],
      some.map((kind) => cardHtml(sought, kind)),
    ],
  }
}

/** One search of everything that a merchant has, on every page. */
export const searchRoutes = (needs: SearchNeeds, visits: Visits): Route[] => {
  const { page } = portalPages(needs, visits)
  const findPayments = findAnyPayment(needs)
  return [
    page(
      {
        path: '/portal/:merchant/search',
        summary: 'Payments, payouts, points of sale, codes, links, people, callbacks, by one text',
        action: 'see_overview',
        ownQuery: z.object({ q: anyText('What is searched for.') }),
      },
      async (visitor, call) => {
        await needs.caughtUp()
        const text = (searchOf(call).get('q') ?? '').trim().slice(0, 100)
        return searchPage({ needs, visitor, text, at: call.at }, findPayments)
      },
    ),
  ]
}
