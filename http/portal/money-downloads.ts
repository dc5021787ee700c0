import { html } from 'hono/html'
import { mayDo } from '../../domain/merchant/staff-roles.ts'
import type { Html } from '../payer/page.ts'
import type { PortalVisitor } from './page.ts'
import { moneyTexts } from './texts-money.ts'

/** A button that prints the page; without scripts the browser's menu does. */
const printButton = ({ language }: PortalVisitor): Html =>
  html`<button type="button" class="second slim" data-print hidden>
    ${moneyTexts[language].print}
  </button>`

/** Files of a report or a settlement: each log as CSV and as a workbook. */
export const downloadsHtml = (
  visitor: PortalVisitor,
  base: string,
  logs: { readonly transactions: number; readonly scopes: number },
): Html | '' => {
  if (!mayDo(visitor.me.terms, 'download')) return ''
  const texts = moneyTexts[visitor.language]
  const link = (name: string, number: number, type: 'csv' | 'xlsx', of: number) =>
    html`<a class="button second slim" href="${base}/${name}-${number}.${type}"
      >${name === 'scopes' ? texts.scopes : texts.transactions}${of > 1 ? ` ${number}` : ''},
      ${type === 'csv' ? texts.csv : texts.excel}</a
    >`
  const links = (name: 'transactions' | 'scopes', count: number) =>
    Array.from({ length: count }, (_, index) => index + 1).flatMap((number) => [
      link(name, number, 'xlsx', count),
      link(name, number, 'csv', count),
    ])
  return html`<div class="buttons downloads">
    ${links('transactions', logs.transactions)} ${links('scopes', logs.scopes)}
    ${printButton(visitor)}
  </div>`
}
