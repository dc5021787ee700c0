import { html } from 'hono/html'
import { mayDo } from '../../domain/merchant/staff-roles.ts'
import type { Html } from '../ui/page.ts'
import type { PortalVisitor } from './page.ts'
import { textsIn } from '../../texts/catalogue.ts'

/** A button that prints the page; without scripts the browser's menu does. */
const printButton = ({ language }: PortalVisitor): Html =>
  html`<button type="button" class="second slim" data-print hidden>
    ${textsIn[language].money.print}
  </button>`

type Link = {
  readonly name: 'transactions' | 'scopes'
  readonly type: 'csv' | 'xlsx'
  /** What stands behind the name, in the address and on the page. */
  readonly part: string | number
  readonly told: string
}

const linkHtml = (
  { language }: PortalVisitor,
  base: string,
  { name, type, part, told }: Link,
): Html => {
  const texts = textsIn[language].money
  return html`<a class="button second slim" href="${base}/${name}-${part}.${type}"
    >${name === 'scopes' ? texts.scopes : texts.transactions}${told},
    ${type === 'csv' ? texts.csv : texts.excel}</a
  >`
}

/** Files of a report or a settlement: each log as CSV and as a workbook. */
export const downloadsHtml = (
  visitor: PortalVisitor,
  base: string,
  logs: { readonly transactions: number; readonly scopes: number },
): Html | '' => {
  if (!mayDo(visitor.me.terms, 'download')) return ''
  const links = (name: 'transactions' | 'scopes') =>
    Array.from({ length: logs[name] }, (_, index) => index + 1).flatMap((part) =>
      (['xlsx', 'csv'] as const).map((type) => {
        const told = logs[name] > 1 ? ` ${part}` : ''
        return linkHtml(visitor, base, { name, type, part, told })
      }),
    )
  return html`<div class="buttons downloads">
    ${links('transactions')} ${links('scopes')} ${printButton(visitor)}
  </div>`
}

/** A log without a line is not there; a large one is no workbook. */
export type OpenFiles = { readonly hasScopes: boolean; readonly isLarge: boolean }

/** Files of an open report, as far as it is. */
export const openDownloadsHtml = (
  visitor: PortalVisitor,
  base: string,
  { hasScopes, isLarge }: OpenFiles,
): Html | '' => {
  if (!mayDo(visitor.me.terms, 'download')) return ''
  const names = hasScopes ? (['transactions', 'scopes'] as const) : (['transactions'] as const)
  const types = isLarge ? (['csv'] as const) : (['xlsx', 'csv'] as const)
  const told = ` ${textsIn[visitor.language].money.untilNow}`
  return html`<div class="buttons downloads">
    ${names.flatMap((name) =>
      types.map((type) => linkHtml(visitor, base, { name, type, part: 'so-far', told })),
    )}
    ${printButton(visitor)}
  </div>`
}
