import { html } from 'hono/html'
import { z } from 'zod'
import type { Call } from '../call.ts'
import type { Html } from '../payer/page.ts'
import type { OperatorPage, OperatorVisitor } from './pages.ts'

/** Shows a page to somebody of the operator. */
export type PageOf<Needs> = (needs: Needs, visitor: OperatorVisitor, call: Call) => OperatorPage

/** A part of a query that any text may stand in. */
export const asked = (description: string) => z.string().optional().meta({ description })

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

export const card = (title: string, body: Html): Html =>
  html`<section class="card">
    <h2>${title}</h2>
    ${body}
  </section>`

export const quiet = (text: string): Html => html`<p class="quiet">${text}</p>`

/** On to what a list has no room for. */
export const moreLink = (href: string, text: string): Html =>
  html`<p><a class="lone" href="${href}">${text}</a></p>`
