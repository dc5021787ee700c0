import { html } from 'hono/html'
import { generationalCache } from '../../application/generational-cache.ts'
import { decimalsOf } from '../../domain/money/currency.ts'
import { formatAmount, parseAmount } from '../../domain/money/money.ts'
import { Refusal } from '../../domain/refusal.ts'
import type { Instant } from '../../domain/time.ts'
import type { Html } from './page.ts'

/** To make one takes a hundred times as long as to use it. */
const formats = generationalCache<string, Intl.NumberFormat>(200)

const formatFor = (locale: string, currency: string): Intl.NumberFormat => {
  const name = `${locale} ${currency}`
  const known = formats.get(name)
  if (known) return known
  const decimals = decimalsOf(currency)
  const digits = { minimumFractionDigits: decimals, maximumFractionDigits: decimals }
  const format = new Intl.NumberFormat(locale, { style: 'currency', currency, ...digits })
  formats.set(name, format)
  return format
}

/** An amount such as `12.50` in the reader's format, exact: what readers commonly leave out of a currency may be owed. */
export const shownMoney = (amount: string, currency: string, locale: string): string =>
  formatFor(locale, currency).format(amount as `${number}`)

/** Minor units in the reader's format. */
export const shownAmount = (minor: number, currency: string, locale: string): string =>
  shownMoney(formatAmount(minor, currency), currency, locale)

/** A time; a script writes it in the reader's own zone, without one it is UTC. */
export const shownTime = (at: Instant, locale: string): Html => {
  const format = { dateStyle: 'medium', timeStyle: 'short', timeZone: 'UTC' } as const
  const text = new Intl.DateTimeFormat(locale, format).format(at)
  return html`<time datetime="${new Date(at).toISOString()}">${text} UTC</time>`
}

const halfDayMs = 43_200_000

/** The time of day until which to wait; with its date where that is not at hand. A script writes it as the reader's own. */
export const shownClock = (until: Instant, now: Instant, locale: string): Html => {
  // Whoever comes at the minute that is shown does not come too early.
  const at = Math.ceil(until / 60_000) * 60_000
  if (at - now > halfDayMs) return shownTime(at, locale)
  const format = { timeStyle: 'short', timeZone: 'UTC' } as const
  const text = new Intl.DateTimeFormat(locale, format).format(at)
  return html`<time datetime="${new Date(at).toISOString()}" data-clock>${text} UTC</time>`
}

/** An amount as people type it, with a comma or a period; undefined for what is none. */
export const typedAmount = (text: string, currency: string): number | undefined => {
  try {
    return parseAmount(text.replace(/[\s\u00a0]/g, '').replace(',', '.') || '0', currency)
  } catch (error) {
    if (error instanceof Refusal) return undefined
    throw error
  }
}
