import {
  Actions,
  Card,
  Hidden,
  Link,
  MoreLink,
  Table,
  type Row,
  type Html,
  Title,
} from '../../ui/components.tsx'
import { z } from 'zod'
import {
  payoutStatuses,
  type PayoutStatus,
  type PayoutState,
} from '../../../domain/accounting/payout-state.ts'
import { addUp } from '../../../domain/money/money.ts'
import { operatorMayDo } from '../../../domain/people/operator-roles.ts'
import {
  earliestDay,
  firstPlace,
  latestDay,
  type PayoutPlace,
  type PayoutRange,
  type PayoutRow,
  type PayoutSum,
} from '../../../projections/payouts.ts'
import type { Queries } from '../../../projections/read-models.ts'
import { searchOf, type Call } from '../../../http/call.ts'
import { anyText, codeField } from '../../ui/fields.tsx'
import { dayText, sumText } from '../../portal/money-parts.tsx'
import { operatorPath } from '../areas.ts'
import { type OperatorPage, type OperatorVisitor, dayField, merchantField } from '../pages.tsx'
import { bankReason } from '../../../texts/bank-reason.ts'
import { textsIn } from '../../../texts/catalogue.ts'
import type { CurrencySum } from '../../../projections/prepared.ts'
import type { Language } from '../../../texts/generated/texts.ts'
import type { SettlementRow } from '../../../projections/settlements.ts'

export type PayoutListNeeds = Pick<
  Queries['accounting'],
  'payouts' | 'settlements' | 'settlementAccounts'
> & {
  readonly shopName: (merchant: string) => string
  readonly newMessageId: () => string
  /** Whether it is set where the money for payouts is. */
  readonly canOrder: boolean
}

const onPage = 50

const mostDays = 14

const day = /^\d{4}-\d\d-\d\d$/

export const payoutListQuery = z.object({
  status: z.enum(payoutStatuses).optional().meta({ description: 'In this state; else those due.' }),
  merchant: anyText('Of this merchant.'),
  day: anyText('Of this bank day.'),
  behind: anyText('Behind this place of the list.'),
  again: anyText('The settlement of which what came back is to be ordered.'),
})

const rangeOf = (search: URLSearchParams): PayoutRange => {
  const status = payoutStatuses.find((one) => one === search.get('status')) ?? 'due'
  const typed = search.get('day') ?? ''
  const [since, until] = day.test(typed) ? [typed, typed] : [earliestDay, latestDay]
  return { status, merchant: search.get('merchant')?.trim() || null, since, until }
}

const placeIn = (text: string | null): PayoutPlace | undefined => {
  const [, at, key] = /^(\d{4}-\d\d-\d\d) (.{1,200})$/.exec(text ?? '') ?? []
  return at === undefined || key === undefined ? undefined : { day: at, key }
}

const hrefOf = ({ status, merchant, since }: PayoutRange, behind?: PayoutPlace): string => {
  const fields = { status, ...(merchant !== null && { merchant }) }
  const days = day.test(since) && since !== earliestDay ? { day: since } : {}
  const place = behind ? { behind: `${behind.day} ${behind.key}` } : {}
  return operatorPath(`payouts?${new URLSearchParams({ ...fields, ...days, ...place })}`)
}

const tabsHtml = (range: PayoutRange, { language }: OperatorVisitor): Html => {
  const texts = textsIn[language].payouts
  const tab = (status: PayoutStatus) => (
    <Link
      href={hrefOf({ ...range, status })}
      aria-current={status === range.status ? 'page' : undefined}
      text={texts[`status_${status}`]}
    />
  )
  return (
    <nav class="tabs" aria-label={texts.state}>
      {(['due', 'returned', 'ordered', 'paid'] as const).map(tab)}
    </nav>
  )
}

const filterHtml = (range: PayoutRange, { language }: OperatorVisitor): Html => {
  const texts = textsIn[language].payouts
  const { status, merchant, since } = range
  return (
    <form class="choices" method="get" action={operatorPath('payouts')}>
      <Hidden fields={{ status }} />
      {merchantField(texts.merchant, merchant)}
      {dayField(texts.bankDay, since === earliestDay ? undefined : since)}
      <button class="second">{texts.show}</button>
    </form>
  )
}

const retryLink = (
  { settlementId }: SettlementRow,
  { status }: PayoutState,
  { language, me }: OperatorVisitor,
): Html => {
  if (status !== 'returned' || !operatorMayDo(me.terms, 'order_payouts')) return null
  const href = `payouts?${new URLSearchParams({ status, again: settlementId })}`
  return <a href={operatorPath(href)}>{textsIn[language].payouts.retry}</a>
}

const rowHtml = (
  { settlements, settlementAccounts, shopName }: PayoutListNeeds,
  visitor: OperatorVisitor,
  { merchant, serial, currency, amount, day: bankDay }: PayoutRow,
): readonly Row[] => {
  const row = settlements.find(merchant, serial)
  const state = row && payoutIn(row, currency)
  if (!row || !state) return []
  const account =
    settlementAccounts.find(merchant)?.payoutAccount ??
    textsIn[visitor.language].payouts.accountMissing
  return [
    [
      { head: [shopName(merchant), <span class="value">{merchant}</span>] },
      settlementLink(row),
      { number: <b>{sumText(amount, currency, visitor)}</b> },
      dayText(bankDay, visitor),
      [orderText(state, account, visitor.language), ' ', retryLink(row, state, visitor)],
    ],
  ]
}

/** The form again, with what is wrong with its code. */
type OrderAgain = {
  readonly message: string
  readonly problem: string
  readonly only: string | undefined
}

const allToOrder = ({ payouts }: PayoutListNeeds): readonly CurrencySum[] => [
  ...payouts.totals('due'),
  ...payouts.totals('returned'),
]

const returnedOf = ({ payouts }: SettlementRow): readonly CurrencySum[] =>
  payouts
    .filter(({ status }) => status === 'returned')
    .map(({ currency, amount: sum }) => ({ currency, sum }))

/** What is due, or came back, is ordered under a message whose id the page makes: once. */
const orderHtml = (
  needs: PayoutListNeeds,
  visitor: OperatorVisitor,
  again: OrderAgain | undefined,
  only: string | undefined,
): Html => {
  const { language, csrf, me } = visitor
  if (!operatorMayDo(me.terms, 'order_payouts')) return null
  const texts = textsIn[language].payouts
  const one = only === undefined ? undefined : needs.settlements.findById(only)
  const totals = one ? returnedOf(one) : allToOrder(needs)
  if (totals.length === 0) return null
  if (!needs.canOrder) return <p class="card quiet">{texts.noAccount}</p>
  const currencies = [...new Set(totals.map(({ currency }) => currency))].toSorted()
  const sums = currencies.map((currency) => {
    const own = totals.filter((one) => one.currency === currency)
    return sumText(addUp(...own.map(({ sum }) => sum)), currency, visitor)
  })
  return (
    <form class="card narrow-card" method="post" action={operatorPath('payouts')}>
      <h2>{one ? texts.retry : texts.order}</h2>
      <p>{(one ? texts.retryWhat : texts.orderWhat)({ sums: sums.join(', ') })}</p>
      <Hidden fields={{ csrf, message: again?.message ?? needs.newMessageId() }} />
      {one && <Hidden fields={{ only: one.settlementId }} />}
      {codeField(visitor.texts, again?.problem)}
      <Actions button={texts.orderIt} />
    </form>
  )
}

export const payoutListPage = (
  needs: PayoutListNeeds,
  visitor: OperatorVisitor,
  call: Call,
  again?: OrderAgain,
): OperatorPage => {
  const texts = textsIn[visitor.language].payouts
  const search = searchOf(call)
  const range = rangeOf(search)
  const found = needs.payouts.list(
    range,
    placeIn(search.get('behind')) ?? firstPlace(range),
    onPage + 1,
  )
  const listed = found.slice(0, onPage)
  const last = listed.at(-1)
  const ofDays = { ...range, until: listed[0]?.day ?? range.until }
  const amount = { number: texts.amount }
  const heads = [texts.merchant, texts.settlement, amount, texts.bankDay, texts.account]
  const rows = listed.flatMap((row) => rowHtml(needs, visitor, row))
  return {
    title: texts.payouts,
    ...(again && { status: 400 }),
    body: [
      <Title text={texts.payouts}>
        <Link class="button second slim" href={operatorPath('payouts/bank')} text={texts.bank} />
      </Title>,
      tabsHtml(range, visitor),
      filterHtml(range, visitor),
      (range.status === 'due' || range.status === 'returned') &&
        orderHtml(needs, visitor, again, again?.only ?? (search.get('again') || undefined)),
      last === undefined ? (
        <p class="card quiet">{texts.noPayouts}</p>
      ) : (
        [
          <Card title={texts.sumOf}>
            {sumsHtml(needs.payouts.sums(ofDays, mostDays), visitor)}
          </Card>,
          <Card title={texts[`status_${range.status}`]}>
            <Table label={texts.payouts} kind="grid lines" heads={heads} rows={rows} />
            {found.length > onPage && <MoreLink href={hrefOf(range, last)} text={texts.older} />}
          </Card>,
        ]
      ),
    ],
  }
}

/** What has happened to something, in plain words. */
export const storyHref = (subject: string): string =>
  operatorPath(`story?subject=${encodeURIComponent(subject)}`)

export const settlementLink = ({ merchant, serial, settlementId }: SettlementRow): Html => (
  <a href={storyHref(`${merchant}/${serial}`)}>{settlementId}</a>
)

export const messageLink = (messageId: string): Html => (
  <a href={operatorPath(`payouts/messages/${encodeURIComponent(messageId)}`)}>
    <code>{messageId}</code>
  </a>
)

/** To which account it was ordered under which message, or is due; why it came back. */
const orderText = (
  { status, orders, returned }: PayoutState,
  due: string,
  language: Language,
): Html => {
  const order = orders.at(-1)
  const reason = status === 'returned' ? returned?.reason : undefined
  return [
    order ? order.payoutAccount : due,
    ' ',
    order ? <span class="value">{messageLink(order.messageId)}</span> : null,
    ' ',
    reason ? bankReason(language, reason) : '',
  ]
}

export const payoutIn = (row: SettlementRow, currency: string): PayoutState | undefined =>
  row.payouts.find((one) => one.currency === currency)

/** How much is to be paid, was paid or came back on each day. */
export const sumsHtml = (sums: readonly PayoutSum[], visitor: OperatorVisitor): Html => {
  const texts = textsIn[visitor.language].payouts
  const rows = sums.map(({ day, currency, count, amount }) => [
    { head: dayText(day, visitor) },
    { number: count },
    { number: sumText(amount, currency, visitor) },
  ])
  const heads = [texts.bankDay, { number: texts.count }, { number: texts.amount }]
  return <Table label={texts.sumOf} kind="grid" heads={heads} rows={rows} />
}
