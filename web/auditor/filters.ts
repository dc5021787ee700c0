import { html } from 'hono/html'
import type { Html } from '../ui/page.ts'
import type { Catalogue } from '../../texts/generated/texts.ts'

type Field = {
  readonly name: string
  readonly label: string
  readonly example?: string
  readonly value?: string | undefined
}

const fieldHtml = ({ name, label, example, value }: Field): Html =>
  html`<div>
    <label for="${name}">${label}</label>
    <input id="${name}" name="${name}" value="${value ?? ''}" placeholder="${example ?? ''}" />
  </div>`

/** A form that asks for a part of what there is. */
export const filtersHtml = (action: string, fields: readonly Field[], button: string): Html =>
  html`<form class="card filters" method="get" action="${action}">
    ${fields.map(fieldHtml)}
    <div class="go"><button>${button}</button></div>
  </form>`

/** Asks for something to explain. */
export const explainForm = (label: string, texts: Catalogue['auditor'], value?: string): Html => {
  const example = 'tid, merchant/ledger/1, merchant/1, fee_income …'
  const field = { name: 'subject', label, example, value }
  return filtersHtml('/audit/explain', [field], texts.explain)
}

const time = '2026-05-17 12:00'

export const eventFields = (
  query: Readonly<Record<string, string | undefined>>,
  texts: Catalogue['auditor'],
): Field[] => [
  { name: 'since', label: texts.since, example: time, value: query['since'] },
  { name: 'until', label: texts.until, example: time, value: query['until'] },
  { name: 'type', label: texts.type, example: 'PaymentRefunded', value: query['type'] },
  { name: 'merchant', label: texts.merchant, value: query['merchant'] },
  { name: 'actor', label: texts.causedBy, example: 'user:pos1', value: query['actor'] },
  { name: 'stream', label: texts.stream, example: 'payment-…', value: query['stream'] },
]
