import { MoreLink, Quiet, Table, Title, type Row } from '../ui/components.tsx'
import { z } from 'zod'
import type { TransactionLine } from '../../domain/accounting/transaction-line.ts'
import { searchOf } from '../../http/call.ts'
import type { Route } from '../../http/route.ts'
import { textsIn } from '../../texts/catalogue.ts'
import { asked } from '../ui/fields.tsx'
import { shownAmount, shownTime } from '../ui/money.tsx'
import { portalPath } from './areas.ts'
import type { MoneyNeeds } from './money-needs.ts'
import { crumbsHtml, daysHtml, moneyPath, sumText } from './money-parts.tsx'
import { moneyRoot, seeing } from './money-places.ts'
import { moneyIn } from './next-payout.tsx'
import type { PortalPage, PortalVisitor } from './page.tsx'
import type { PortalPages } from './pages.ts'

const linesShown = 50

const rowOf = (line: TransactionLine, visitor: PortalVisitor): Row => {
  const { tid, at, action, currency, amount, additionalAmount, charge } = line
  const { locale, language, shop } = visitor
  const texts = textsIn[language].payments
  const isPayment = action === 'capture' || action === 'refund'
  const name = isPayment
    ? texts[action === 'capture' ? 'captured' : 'refunded']
    : textsIn[language].money[action === 'fee' ? 'settlementFee' : 'permissionFee']
  const gross = amount + additionalAmount
  const fees = charge ? charge.fee + charge.interchange + charge.vat : 0
  const shown = (minor: number) => shownAmount(minor, currency, locale)
  return [
    { head: isPayment ? <a href={portalPath(shop.merchant, `payments/${tid}`)}>{name}</a> : name },
    shownTime(at, locale),
    { number: shown(gross) },
    { number: shown(-fees) },
    { number: shown(gross - fees) },
  ]
}

const unsettledPage = (needs: MoneyNeeds, visitor: PortalVisitor, before: number): PortalPage => {
  const texts = textsIn[visitor.language].money
  const found = needs.unsettledLines(visitor.shop.merchant, before, linesShown + 1)
  const shown = found.slice(0, linesShown)
  const last = shown.at(-1)?.position ?? 0
  const numbers = [texts.turnoverLess, texts.fees, texts.net].map((number) => ({ number }))
  const heads = [texts.description, textsIn[visitor.language].payments.when, ...numbers]
  return {
    title: texts.inTill,
    body: [
      crumbsHtml(visitor),
      <Title text={texts.inTill} />,
      moneyIn(needs, visitor).unsettled.map(({ currency, sum }) => (
        <p class="figure">{sumText(sum, currency, visitor)}</p>
      )),
      <section class="card">
        {shown.length === 0 ? (
          <Quiet text={texts.nextNone} />
        ) : (
          <Table
            kind="grid lines"
            label={texts.inTill}
            heads={heads}
            rows={shown.map((line) => rowOf(line, visitor))}
          />
        )}
        {found.length > linesShown && (
          <MoreLink href={moneyPath(visitor, `unsettled?before=${last}`)} text={texts.older} />
        )}
      </section>,
      daysHtml(visitor),
    ],
  }
}

/** What was captured and refunded since the last settlement. */
export const unsettledRoute = (needs: MoneyNeeds, { page }: PortalPages): Route =>
  page(
    {
      ...seeing,
      path: `${moneyRoot}/unsettled`,
      summary: 'What no settlement has taken yet',
      ownQuery: z.object({ before: asked('Lines before this place.') }),
    },
    async (visitor, call) => {
      const before = searchOf(call).get('before') ?? ''
      const place = /^\d{1,15}$/.test(before) ? Number(before) : Number.MAX_SAFE_INTEGER
      return unsettledPage(needs, visitor, place)
    },
  )
