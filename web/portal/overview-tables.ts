import { html } from 'hono/html'
import { mayDo } from '../../domain/merchant/staff-roles.ts'
import { numberFormat } from '../ui/formats.ts'
import { plainAmounts } from '../ui/money.ts'
import type { Html } from '../ui/page.ts'
import { portalPath } from './areas.ts'
import { columnName, paymentsHref, type Shown } from './overview-charts.ts'
import { isNothing, type Taken } from './overview-numbers.ts'
import { stepOf } from './overview-period.ts'
import { headedTable } from './parts.ts'
import { textsIn } from '../../texts/catalogue.ts'

type Line = {
  readonly name: Html | string
  readonly taken: Taken
  /** What it is compared with, if the table says so. */
  readonly before?: Taken
}

const tableHtml = ({ visitor, numbers }: Shown, first: string, lines: readonly Line[]): Html => {
  const { language, locale, me } = visitor
  const texts = textsIn[language].overview
  const showsFees = mayDo(me.terms, 'see_money')
  const amount = plainAmounts(locale, numbers.currency)
  const count = numberFormat(locale)
  const cell = (value: number, text = amount(value)) =>
    html`<td class="number ${value === 0 ? 'zero' : ''}">${text}</td>`
  const compares = lines.some(({ before }) => before)
  const names = [
    ...[texts.payments, texts.turnover, ...(compares ? [texts.earlier] : [])],
    ...[texts.refunds, ...(showsFees ? [texts.fees] : [])],
  ]
  const rows = lines.map(
    ({ name, taken, before }) =>
      html`<tr>
        <th scope="row">${name}</th>
        ${cell(taken.payments, count.format(taken.payments))} ${cell(taken.captured)}
        ${before ? cell(before.captured) : ''} ${cell(taken.refunded)}
        ${showsFees ? cell(taken.fees) : ''}
      </tr>`,
  )
  const heads = [first, ...names.map((number) => ({ number }))]
  return html`<div class="scroll">${headedTable('grid lines takings', heads, rows)}</div>`
}

/** The numbers of the charts, newest first; columns without any are left out. */
export const columnsTable = (shown: Shown): Html => {
  const { visitor, numbers, asked } = shown
  const texts = textsIn[visitor.language].overview
  const lines = numbers.columns
    .map((column, index) => ({ column, name: columnName(shown, column.from, index) }))
    .filter(({ column }) => !isNothing(column) || !isNothing(column.before))
    .toReversed()
    .map(({ column, name }) => ({
      name: html`<a href="${paymentsHref(shown, column)}">${name}</a>`,
      taken: column,
      before: column.before,
    }))
  const { total, before } = numbers
  const step = texts[stepOf(asked.period)]
  return tableHtml(shown, step, [...lines, { name: texts.total, taken: total, before }])
}

export const posTable = (shown: Shown): Html => {
  const { visitor, numbers, posName } = shown
  const texts = textsIn[visitor.language].overview
  return tableHtml(
    shown,
    texts.pos,
    numbers.pointsOfSale.map(({ posId, ...taken }) => ({
      name: html`<a
        href="${portalPath(visitor.shop.merchant, `payments?pos=${encodeURIComponent(posId)}`)}"
        >${posName(posId)}</a
      >`,
      taken,
    })),
  )
}
