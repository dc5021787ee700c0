import { Link, MoreLink, Quiet, Table, Title, type Row } from '../ui/components.tsx'
import { z } from 'zod'
import { searchOf, type Call } from '../../http/call.ts'
import type { Route } from '../../http/route.ts'
import type { PayoutState } from '../../domain/accounting/payout-state.ts'
import type { PayoutGroup } from '../../projections/payouts.ts'
import type { SettlementRow } from '../../projections/settlements.ts'
import type { Transaction, TransactionPlace } from '../../projections/transaction-row.ts'
import { textsIn } from '../../texts/catalogue.ts'
import { anyText } from '../ui/fields.tsx'
import { minorText, shopTime } from '../ui/money.tsx'
import { portalPath } from './areas.ts'
import type { MoneyNeeds } from './money-needs.ts'
import { crumbsHtml, moneyPath, settlementHref, sumText } from './money-parts.tsx'
import { moneyRoot, seeing, settlementParams } from './money-places.ts'
import { madeSettlement } from './money-settlement.tsx'
import { settlementsBefore } from './money-payouts.tsx'
import { placesOfMoney } from './next-payout.tsx'
import type { PortalPage, PortalVisitor } from './page.tsx'
import type { PortalPages } from './pages.ts'
import { standingOf, statusHtml, whenText } from './payout-standing.tsx'

const linesListed = 50

const nameOf = (kind: Transaction['kind'], { language }: PortalVisitor): string => {
  const { payments, money } = textsIn[language]
  const names: Readonly<Record<Transaction['kind'], string>> = {
    capture: payments.captured,
    refund: payments.refunded,
    permission_fee: money.permissionFee,
    settlement_fee: money.settlementFee,
    dispute: money.disputes,
    correction: money.correction,
  }
  return names[kind]
}

const rowOf = (needs: MoneyNeeds, line: Transaction, visitor: PortalVisitor): Row => {
  const { tid, posTid, at, kind, currency, gross } = line
  const { locale, shop } = visitor
  const fees = line.fee + line.interchange + line.vat
  const sum = (minor: number) => minorText(minor, currency, locale)
  const name = nameOf(kind, visitor)
  const isOfPayment = tid !== null && kind !== 'permission_fee' && kind !== 'correction'
  const href = portalPath(shop.merchant, `payments/${tid}`)
  const reason = kind === 'correction' && needs.corrections.find(tid ?? '')?.correction.reason
  return [
    {
      head: [
        isOfPayment ? <a href={href}>{name}</a> : name,
        reason && [' ', <q class="quiet small">{reason}</q>],
      ],
    },
    posTid ?? '',
    shopTime(at, visitor),
    { number: sum(gross) },
    { number: sum(-fees) },
    { number: sum(gross - fees) },
  ]
}

type PayoutAt = { readonly row: SettlementRow; readonly state: PayoutState }

const isIn = (group: PayoutGroup, { status, currency, day, paid, returned }: PayoutState) => {
  const on = status === 'paid' ? paid?.on : status === 'returned' ? returned?.on : day
  return group.status === status && group.currency === currency && group.day === on
}

type Lines = { readonly rows: readonly Transaction[]; readonly next: TransactionPlace | null }

const linesHtml = (
  needs: MoneyNeeds,
  { rows, next }: Lines,
  visitor: PortalVisitor,
  path: string,
  label: string,
) => {
  const { money, payments } = textsIn[visitor.language]
  const numbers = [money.turnoverLess, money.fees, money.net].map((number) => ({ number }))
  const heads = [money.description, payments.orderNumber, payments.when, ...numbers]
  const behind = next && `${next.position}.${next.part}`
  return (
    <section class="card">
      {rows.length === 0 ? (
        <Quiet text={money.noLines} />
      ) : (
        <Table
          kind="grid lines"
          label={label}
          heads={heads}
          rows={rows.map((line) => rowOf(needs, line, visitor))}
        />
      )}
      {behind && (
        <MoreLink href={`${path}before=${encodeURIComponent(behind)}`} text={money.older} />
      )}
    </section>
  )
}

const placeOf = (call: Call): TransactionPlace | null => {
  const [, position, part = ''] =
    /^(\d{1,15})(?:\.(.{0,80}))?$/.exec(searchOf(call).get('before') ?? '') ?? []
  return position === undefined ? null : { position: Number(position), part }
}

/** Lines of a shop newest first, and the number of the order where one is looked for. */
const linesOf = (needs: MoneyNeeds, { shop }: PortalVisitor, call: Call, serial?: number) => {
  const posTid = searchOf(call).get('q')?.trim() || undefined
  const about = { merchant: shop.merchant, serial, posTid }
  return needs.moneyLines(about, placeOf(call), linesListed)
}

const unsettledPage = async (
  needs: MoneyNeeds,
  visitor: PortalVisitor,
  call: Call,
): Promise<PortalPage> => {
  const texts = textsIn[visitor.language].money
  const lines = await linesOf(needs, visitor, call)
  return {
    title: texts.inTill,
    body: [
      crumbsHtml(visitor),
      <Title text={texts.inTill} />,
      placesOfMoney(needs, visitor.shop, visitor.at).unsettled.map(({ currency, sum }) => (
        <p class="figure">{sumText(sum, currency, visitor)}</p>
      )),
      linesHtml(needs, lines, visitor, `${moneyPath(visitor, 'unsettled')}?`, texts.inTill),
    ],
  }
}

const settledPage = async (
  needs: MoneyNeeds,
  visitor: PortalVisitor,
  call: Call,
  serial: string,
): Promise<PortalPage> => {
  const { money, payments } = textsIn[visitor.language]
  const row = madeSettlement(needs, visitor, serial)
  const lines = await linesOf(needs, visitor, call, row.serial)
  const q = searchOf(call).get('q')?.trim() ?? ''
  const path = moneyPath(visitor, `payouts/${row.serial}`)
  const search = q === '' ? '' : `q=${encodeURIComponent(q)}&`
  return {
    title: money.payoutPayments,
    body: [
      crumbsHtml(visitor, [settlementHref(visitor, row.serial), row.settlementId]),
      <Title text={money.payoutPayments} />,
      <form class="find" method="get" action={path} role="search">
        <div class="find-text">
          <label class="unseen" for="q">
            {payments.orderNumber}
          </label>
          <input id="q" name="q" type="search" value={q} placeholder={payments.orderNumber} />
          <button class="second">{payments.show}</button>
        </div>
      </form>,
      linesHtml(needs, lines, visitor, `${path}?${search}`, money.payoutPayments),
    ],
  }
}

const [payoutsListed, linesOfEach] = [7, 10]

const payoutHtml = async (needs: MoneyNeeds, visitor: PortalVisitor, { row, state }: PayoutAt) => {
  const { serial, merchant } = row
  const { currency, amount } = state
  const lines = await needs.moneyLines({ merchant, serial, currency }, null, linesOfEach)
  const standing = standingOf(needs, visitor, state)
  const sum = sumText(amount, currency, visitor)
  const path = `${moneyPath(visitor, `payouts/${serial}`)}?`
  return [
    <h2>
      <Link href={settlementHref(visitor, serial)} text={sum} />{' '}
      {[statusHtml(standing, visitor), ' ']}
      <small class="quiet">{whenText(standing, state, visitor)}</small>
    </h2>,
    linesHtml(needs, lines, visitor, path, sum),
  ]
}

/** Payouts that are on their way, or have arrived: each with its newest lines. */
const placePage = async (
  needs: MoneyNeeds,
  visitor: PortalVisitor,
  call: Call,
  place: 'coming' | 'arrived',
): Promise<PortalPage> => {
  const { shop, at } = visitor
  const texts = textsIn[visitor.language].money
  const search = searchOf(call)
  const day = search.get('day')
  const all = placesOfMoney(needs, shop, at)[place]
  const groups = all.filter((one) => (day ?? one.day) === one.day)
  const earliest = Math.min(...groups.map(({ earliest }) => earliest))
  const from = Number(search.get('before') ?? '') || Number.MAX_SAFE_INTEGER
  const found: PayoutAt[] = []
  for (const row of settlementsBefore(needs, shop.merchant, from)) {
    if (row.serial < earliest || found.length >= payoutsListed) break
    const those = row.payouts.filter((state) => groups.some((group) => isIn(group, state)))
    found.push(...those.map((state) => ({ row, state })))
  }
  const cards = found.map((one) => payoutHtml(needs, visitor, one))
  const title = place === 'coming' ? texts.withBank : texts.arrived
  const last = found.at(-1)?.row.serial ?? 0
  const ofDay = day === null ? '' : `day=${encodeURIComponent(day)}&`
  const older = `${moneyPath(visitor, place)}?${ofDay}before=${last}`
  return {
    title,
    body: [
      crumbsHtml(visitor),
      <Title text={title} />,
      found.length === 0 ? <Quiet text={texts.noLines} /> : await Promise.all(cards),
      last > earliest && <MoreLink href={older} text={texts.older} />,
    ],
  }
}

const standsAt = { coming: 'are on their way', arrived: 'have arrived' } as const

const before = anyText('Lines before this place.')

/** Lines of money: those that a settlement took, and those that none has taken yet. */
export const lineRoutes = (needs: MoneyNeeds, { page }: PortalPages): Route[] => [
  ...(['coming', 'arrived'] as const).map((place) =>
    page(
      {
        ...seeing,
        path: `${moneyRoot}/${place}`,
        summary: `Payouts that ${standsAt[place]}, and their lines`,
        ownQuery: z.object({
          before: anyText('Settlements before this number.'),
          day: anyText("The bank's day."),
        }),
      },
      (visitor, call) => placePage(needs, visitor, call, place),
    ),
  ),
  page(
    {
      ...seeing,
      path: `${moneyRoot}/unsettled`,
      summary: 'What no settlement has taken yet',
      ownQuery: z.object({ before }),
    },
    (visitor, call) => unsettledPage(needs, visitor, call),
  ),
  page(
    {
      ...seeing,
      path: `${moneyRoot}/payouts/:serial`,
      params: settlementParams,
      summary: 'The payments, refunds and fees in a payout',
      ownQuery: z.object({ before, q: anyText('The number of an order.') }),
    },
    (visitor, call) => settledPage(needs, visitor, call, call.params.serial),
  ),
]
