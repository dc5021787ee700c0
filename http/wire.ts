import { z } from 'zod'
import { isCurrency } from '../domain/currency.ts'
import { formatAmount, parseAmount, type MinorUnits, type Money } from '../domain/money.ts'
import { Refusal } from '../domain/refusal.ts'
import type { Instant } from '../domain/time.ts'
import { malformed } from './errors.ts'

/** How values look in JSON (decisions 2). What is read is parsed, what is answered is encoded by these schemas. */

const decimal = /^(0|[1-9]\d*)(\.\d+)?$/

/** An amount in a request: read as text here, and exactly by `amountIn` once its currency is known. */
export const amountText = z
  .union([z.string(), z.number()])
  .transform(String)
  .pipe(
    z
      .string()
      .regex(decimal, 'Must be an amount such as "12.50": digits, and a period before decimals.'),
  )
  .meta({ description: 'Money: decimal text with at most the decimals of the currency.' })

export const currencyCode = z
  .string()
  .length(3, 'Must have three letters.')
  .transform((code) => code.toUpperCase())
  .refine(isCurrency, 'Must be a current ISO 4217 currency code.')
  .meta({ description: 'ISO 4217 code, in any case.', examples: ['NOK'] })

const amountProblems: Readonly<Record<string, string>> = {
  amount_has_too_many_digits: 'Must have at most 12 digits before the period.',
  amount_has_too_many_decimals: 'Has more decimals than its currency.',
  amount_is_too_large: 'Is too large.',
}

/** Collects what is wrong with the fields of a request. */
export type Issues = { issues: z.core.$ZodRawIssue[] }

/** Reads something of a request that needs more than a schema. @throws Malformed with all that is wrong. */
export const read = <T>(reader: (context: Issues) => T): T => {
  const context: Issues = { issues: [] }
  const value = reader(context)
  if (context.issues.length > 0) throw malformed(context)
  return value
}

/** Reads an amount in its currency; a problem becomes an issue of that field, and the answer zero. */
export const amountIn = (
  context: Issues,
  path: (string | number)[],
  text: string,
  currency: string,
): MinorUnits => {
  try {
    return parseAmount(text, currency)
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    const message = amountProblems[error.code] ?? 'Is no amount.'
    context.issues.push({ code: 'custom', message, path, input: text })
    return 0
  }
}

const twoDigits = (value: number): string => String(value).padStart(2, '0')

/** `YYYY-MM-DD hh:mm:ss` in UTC. */
export const formatDateTime = (at: Instant): string => {
  const date = new Date(at)
  const day = `${date.getUTCFullYear()}-${twoDigits(date.getUTCMonth() + 1)}-${twoDigits(date.getUTCDate())}`
  return `${day} ${twoDigits(date.getUTCHours())}:${twoDigits(date.getUTCMinutes())}:${twoDigits(date.getUTCSeconds())}`
}

/** The instant that a DateTime means; undefined for anything else, such as the 30th of February. */
export const parseDateTime = (text: string): Instant | undefined => {
  if (!/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/.test(text)) return undefined
  const at = Date.parse(`${text.replace(' ', 'T')}Z`)
  return Number.isNaN(at) || formatDateTime(at) !== text ? undefined : at
}

const dateTimePattern = /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/

export const dateTimeText = z
  .string()
  .transform((text, context) => {
    const at = parseDateTime(text)
    if (at !== undefined) return at
    context.addIssue('Must be a UTC time such as "2026-11-21 09:30:00".')
    return z.NEVER
  })
  .meta({ description: 'DateTime: UTC, YYYY-MM-DD hh:mm:ss.' })

/** A full URL without the blanks and breaks that a parser of URLs drops, and so others do not see alike. */
const webUri = /^https?:\/\/[^\s\p{Cc}]+$/iu

export const webUriText = z
  .string()
  .max(2048)
  .refine((text) => webUri.test(text) && URL.canParse(text), 'Must be a full http or https URL.')
  .meta({ format: 'uri' })

/** An id that a merchant chooses. A URL whose last segment is `.` or `..` leads elsewhere. */
export const chosenId = (schema: z.ZodString) =>
  schema.max(100).refine((id) => id !== '.' && id !== '..', 'Must not be . or ..')

/** Money in an answer. */
export const money = z
  .custom<Money>()
  .transform(({ minor, currency }) => formatAmount(minor, currency))
  .pipe(z.string())
  .meta({ description: 'Money: exactly the decimals of its currency.', examples: ['12.50'] })

/** DateTime in an answer. */
export const dateTime = z
  .number()
  .transform(formatDateTime)
  .pipe(z.string().regex(dateTimePattern))
  .meta({ description: 'DateTime: UTC, YYYY-MM-DD hh:mm:ss.', examples: ['2026-11-21 09:30:00'] })
