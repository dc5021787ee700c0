import { formatDateTime } from '../../application/date-time.ts'
import type { Currency } from '../../domain/money/currency.ts'
import { formatAmount, type MinorUnits, type Sum } from '../../domain/money/money.ts'
import type { Instant } from '../../domain/time.ts'
import type { Catalogue } from '../../texts/generated/texts.ts'

/** How sentences write times, days, amounts, and problems of callbacks. */
export type StoryForms = {
  readonly time: (at: Instant) => string
  /** Of a day such as `2026-12-01`. */
  readonly day: (day: string) => string
  /** Without the currency. */
  readonly amount: (minor: MinorUnits | Sum, currency: Currency) => string
  /** With the currency, after the last. */
  readonly sum: (currency: Currency, ...minor: readonly (MinorUnits | Sum)[]) => string
  /** Why a callback was not delivered; the log has it in English. */
  readonly problem: (problem: string) => string
}

/** As commands and JSON write them, times in UTC. */
export const plainForms: StoryForms = {
  time: formatDateTime,
  day: (day) => day,
  amount: formatAmount,
  sum: (currency, ...minor) =>
    `${minor.map((one) => formatAmount(one, currency)).join(' + ')} ${currency}`,
  problem: (problem) => problem,
}

export type StoryTexts = Catalogue['story'] & { readonly as: StoryForms }
