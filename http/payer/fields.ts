import { html } from 'hono/html'
import { phoneDigits } from '../../application/people.ts'
import type { Instant } from '../../domain/time.ts'
import type { Html } from './page.ts'
import type { Texts } from './texts.ts'

/**
 * Counts what is not to be done too often in a while: to fail, whoever's number was tried. Addresses of one network of
 * IPv6 count as one.
 */
export type Throttle = {
  check(address: string, at: Instant): void
  count(address: string, at: Instant): void
}

/** The digits of a phone number as people type it: with 00 for the plus, or in brackets, too. */
export const typedPhone = (text: string): string | undefined =>
  phoneDigits(text.replaceAll(/[().\u00a0]/g, '').replace(/^\s*00/, '+'))

/** Asks for the phone number by which a payer is known; browsers fill in what the purpose names (WCAG 2.1, 1.3.5). */
export const phoneField = (texts: Texts, purpose: 'username' | 'tel', typed = ''): Html =>
  html`<label for="phone">${texts.phone}</label>
    <input
      id="phone"
      name="phone"
      type="tel"
      autocomplete="${purpose}"
      value="${typed}"
      required
      aria-describedby="phone-hint"
    />
    <p id="phone-hint" class="quiet small">${texts.forExample}</p>`

/** Asks for a one-time code; `more` are further attributes of the input. */
export const codeField = (texts: Texts, more: Html | '' = ''): Html =>
  html`<label for="code">${texts.code}</label>
    <input
      id="code"
      name="code"
      inputmode="numeric"
      autocomplete="one-time-code"
      pattern="[0-9 ]*"
      maxlength="7"
      required
      ${more}
    />`
