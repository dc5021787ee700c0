import type { Html } from '../ui/components.tsx'
import type { PayoutState, PayoutStatus } from '../../domain/accounting/payout-state.ts'
import type { SettlementRow } from '../../projections/settlements.ts'
import { dateIn } from '../../domain/time-zone.ts'
import type { MoneyNeeds } from './money-needs.ts'
import { dayText, moneyPath } from './money-parts.tsx'
import type { PortalVisitor } from './page.tsx'
import { bankReason } from '../../texts/bank-reason.ts'
import { textsIn } from '../../texts/catalogue.ts'
import type { Message } from '../../texts/message.ts'

/** How a payout stands for its merchant: by its status, its day, and who could pay it. */
export type Standing = PayoutStatus | 'overdue' | 'late' | 'unaccounted'

const colours: Readonly<Record<Standing, string>> = {
  due: '',
  overdue: 'warn',
  unaccounted: 'warn',
  ordered: '',
  late: '',
  paid: 'good',
  returned: 'bad',
}

/** Null for a settlement that pays nothing. */
export const statusHtml = (
  standing: Standing | null,
  { language }: Pick<PortalVisitor, 'language'>,
): Html => {
  const texts = textsIn[language].money
  if (standing === null) return <span class="badge">{texts.status_none}</span>
  return <span class={`badge ${colours[standing]}`}>{texts[`status_${standing}`]}</span>
}

type Needs = Pick<MoneyNeeds, 'canOrderPayouts'> & {
  readonly settlementAccounts: {
    find(merchant: string): { readonly payoutAccount: string | null } | undefined
  }
}

/** Its day is over only once the next one has begun for the shop. */
export const standingOf = (
  { settlementAccounts }: Needs,
  { shop, at }: Pick<PortalVisitor, 'shop' | 'at'>,
  { status, day }: PayoutState,
): Standing => {
  const isOver = day < dateIn(shop.timeZone, at)
  if (status === 'ordered') return isOver ? 'late' : 'ordered'
  if (status !== 'due') return status
  const { payoutAccount = null } = settlementAccounts.find(shop.merchant) ?? {}
  if (payoutAccount === null) return 'unaccounted'
  return isOver ? 'overdue' : 'due'
}

/** The day that matters to the reader, in words: when it was paid, returned, or is due. */
export const whenText = (
  standing: Standing,
  { day, paid, returned }: PayoutState,
  visitor: Pick<PortalVisitor, 'language' | 'locale'>,
): string => {
  const texts = textsIn[visitor.language].money
  const onDay = (text: Message<'day'>, on: string) => text({ day: dayText(on, visitor) })
  switch (standing) {
    case 'paid':
      return dayText(paid?.on ?? day, visitor)
    case 'returned':
      return dayText(returned?.on ?? day, visitor)
    case 'due':
      return dayText(day, visitor)
    case 'overdue':
      return texts.since({ time: dayText(day, visitor) })
    case 'unaccounted':
      return onDay(texts.wasDue, day)
    case 'ordered':
      return onDay(texts.arrives, day)
    case 'late':
      return onDay(texts.wasExpected, day)
  }
}

/** The last return of a payout: which one, from which account, when and why. */
export const returnText = (
  { startedAt }: Pick<SettlementRow, 'startedAt'>,
  { orders, returned }: PayoutState,
  visitor: Pick<PortalVisitor, 'language' | 'locale' | 'shop'>,
): string => {
  if (!returned) return ''
  const order = orders.findLast(({ credits, isRejected }) => isRejected || credits.length > 0)
  return textsIn[visitor.language].money.returnedWhy({
    settled: dayText(dateIn(visitor.shop.timeZone, startedAt), visitor),
    account: order?.payoutAccount ?? '',
    day: dayText(returned.on, visitor),
    reason: bankReason(visitor.language, returned.reason) || 'none',
  })
}

/** Why a payout that should be on its way is not; nothing for others. */
export const whyHtml = (
  { canOrderPayouts }: Needs,
  standing: Standing,
  visitor: PortalVisitor,
): Html => {
  const texts = textsIn[visitor.language].money
  if (standing === 'unaccounted')
    return (
      <p class="small">
        {texts.unaccountedWhy} <a href={moneyPath(visitor, 'account')}>{texts.account}</a>
      </p>
    )
  if (standing === 'returned')
    return (
      <p class="small">
        {texts.returnedDo} <a href={moneyPath(visitor, 'account')}>{texts.account}</a>
      </p>
    )
  if (standing !== 'overdue') return null
  return <p class="small">{canOrderPayouts ? texts.overdueWhy : texts.noBank}</p>
}

/** What became of the order. One that came back is ordered again. */
const orderStep = (standing: Standing, { orders, day }: PayoutState, visitor: PortalVisitor) => {
  const texts = textsIn[visitor.language].money
  const onDay = (text: Message<'day'>, on = day) => text({ day: dayText(on, visitor) })
  switch (standing) {
    case 'ordered':
    case 'late':
    case 'paid':
      return { text: onDay(texts.steps_ordered, orders.at(-1)?.day), kind: 'done' }
    case 'returned':
      return { text: texts.steps_again, kind: 'later' }
    case 'due':
    case 'overdue':
    case 'unaccounted':
      return { text: onDay(texts[`steps_${standing}`]), kind: 'later' }
  }
}

/** What has happened to the money of a settlement of a day, and what is still to come. */
export const wayHtml = (
  settled: string,
  state: PayoutState,
  standing: Standing,
  visitor: PortalVisitor,
): Html => {
  const texts = textsIn[visitor.language].money
  const { status, paid, returned } = state
  const onDay = (text: Message<'day'>, on: string) => text({ day: dayText(on, visitor) })
  const way = [
    { text: onDay(texts.steps_settled, settled), kind: 'done' },
    ...(returned
      ? [
          {
            text: onDay(
              status === 'returned' ? texts.steps_returned : texts.steps_cameBack,
              returned.on,
            ),
            kind: 'bad',
          },
        ]
      : []),
    orderStep(standing, state, visitor),
    paid
      ? { text: onDay(texts.steps_paid, paid.on), kind: 'done' }
      : { text: texts.steps_arrives, kind: 'later' },
  ]
  return [
    <h3>{texts.steps}</h3>,
    <ol class="way">
      {way.map(({ text, kind }) => (
        <li class={kind}>{text}</li>
      ))}
    </ol>,
  ]
}
