import { MoreLink, Quiet, Table, Title, type Row } from '../ui/components.tsx'
import { z } from 'zod'
import { searchOf, type Call } from '../../http/call.ts'
import type { Route } from '../../http/route.ts'
import type { Transaction, TransactionPlace } from '../../projections/transaction-row.ts'
import { textsIn } from '../../texts/catalogue.ts'
import { asked } from '../ui/fields.tsx'
import { shownAmount, shopTime } from '../ui/money.tsx'
import { portalPath } from './areas.ts'
import type { MoneyNeeds } from './money-needs.ts'
import { crumbsHtml, moneyPath, settlementHref, sumText } from './money-parts.tsx'
import { moneyRoot, seeing, settlementParams } from './money-places.ts'
import { madeSettlement } from './money-settlement.tsx'
import { placesOfMoney } from './next-payout.tsx'
import type { PortalPage, PortalVisitor } from './page.tsx'
import type { PortalPages } from './pages.ts'

const linesShown = 50

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
  const shown = (minor: number) => shownAmount(minor, currency, locale)
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
    { number: shown(gross) },
    { number: shown(-fees) },
    { number: shown(gross - fees) },
  ]
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
  return needs.moneyLines(about, placeOf(call), linesShown)
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

const before = asked('Lines before this place.')

/** Lines of money: those that a settlement took, and those that none has taken yet. */
export const lineRoutes = (needs: MoneyNeeds, { page }: PortalPages): Route[] => [
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
      ownQuery: z.object({ before, q: asked('The number of an order.') }),
    },
    (visitor, call) => settledPage(needs, visitor, call, call.params.serial),
  ),
]
