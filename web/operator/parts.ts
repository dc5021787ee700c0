import { html } from 'hono/html'
import type { Call } from '../../http/call.ts'
import type { Html } from '../ui/page.ts'
import type { OperatorPage, OperatorVisitor } from './pages.ts'

/** Shows a page to somebody of the operator. */
export type PageOf<Needs> = (needs: Needs, visitor: OperatorVisitor, call: Call) => OperatorPage

export const merchantField = (label: string, value: string | null): Html =>
  html`<div>
    <label for="merchant">${label}</label>
    <input id="merchant" name="merchant" value="${value ?? ''}" autocapitalize="none" />
  </div>`

export const dayField = (label: string, value: string | undefined): Html =>
  html`<div>
    <label for="day">${label}</label>
    <input id="day" name="day" type="date" value="${value ?? ''}" />
  </div>`
