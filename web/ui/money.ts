import { withoutBlanks } from '../../domain/blanks.ts'
import { html } from 'hono/html'
import { decimalsOf } from '../../domain/money/currency.ts'
import { formatAmount, parseAmount } from '../../domain/money/money.ts'
import { Refusal } from '../../domain/refusal.ts'
import type { Instant } from '../../domain/time.ts'
import { dateFormat, numberFormat } from './formats.ts'
import type { Html } from './page.ts'

const formatFor = (locale: string, currency: string) => {
  const decimals = decimalsOf(currency)
  const digits = { minimumFractionDigits: decimals, maximumFractionDigits: decimals }
  return numberFormat(locale, { style: 'currency', currency, ...digits })
}

/** An amount such as `12.50` in the reader's format, with all its decimals. */
export const shownMoney = (amount: string, currency: string, locale: string): string =>
  formatFor(locale, currency).format(amount as `${number}`)

/** Minor units in the reader's format. */
export const shownAmount = (minor: number, currency: string, locale: string): string =>
  shownMoney(formatAmount(minor, currency), currency, locale)

/** Without the currency, which stands above the table. */
export const plainAmounts = (locale: string, currency: string) => {
  const decimals = decimalsOf(currency)
  const digits = { minimumFractionDigits: decimals, maximumFractionDigits: decimals }
  const format = numberFormat(locale, digits)
  return (minor: number): string => format.format(formatAmount(minor, currency) as `${number}`)
}

/** A time in UTC; a script changes it to the reader's zone. */
export const shownTime = (at: Instant, locale: string): Html => {
  const format = { dateStyle: 'medium', timeStyle: 'short', timeZone: 'UTC' } as const
  const text = dateFormat(locale, format).format(at)
  return html`<time datetime="${new Date(at).toISOString()}">${text} UTC</time>`
}

const halfDayMs = 43_200_000

/**
 * The time of day until when to wait, with the date when far off. A script changes it to the
 * reader's zone.
 */
export const shownClock = (until: Instant, now: Instant, locale: string): Html => {
  // Round up, so that nobody comes too early.
  const at = Math.ceil(until / 60_000) * 60_000
  if (at - now > halfDayMs) return shownTime(at, locale)
  const format = { timeStyle: 'short', timeZone: 'UTC' } as const
  const text = dateFormat(locale, format).format(at)
  return html`<time datetime="${new Date(at).toISOString()}" data-clock>${text} UTC</time>`
}

/** A typed amount, with comma or period; undefined when invalid. */
export const typedAmount = (text: string, currency: string): number | undefined => {
  try {
    return parseAmount(withoutBlanks(text).replace(',', '.') || '0', currency)
  } catch (error) {
    if (error instanceof Refusal) return undefined
    throw error
  }
}
