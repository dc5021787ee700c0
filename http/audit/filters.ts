import { html } from 'hono/html'
import type { Html } from '../payer/page.ts'

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
export const explainForm = (label: string, value?: string): Html => {
  const example = 'tid, merchant/ledger/1, merchant/1, fee_income …'
  return filtersHtml('/audit/explain', [{ name: 'subject', label, example, value }], 'Explain')
}

const time = '2026-05-17 12:00'

export const eventFields = (query: Readonly<Record<string, string | undefined>>): Field[] => [
  { name: 'since', label: 'Since (UTC)', example: time, value: query['since'] },
  { name: 'until', label: 'Until (UTC)', example: time, value: query['until'] },
  { name: 'type', label: 'Type', example: 'PaymentRefunded', value: query['type'] },
  { name: 'merchant', label: 'Merchant', value: query['merchant'] },
  { name: 'actor', label: 'Caused by', example: 'user:pos1', value: query['actor'] },
  { name: 'stream', label: 'Stream', example: 'payment-…', value: query['stream'] },
]
