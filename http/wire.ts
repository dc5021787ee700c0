import { z } from 'zod'
import { formatDateTime } from '../application/date-time.ts'
import { isCurrency, isKnownCurrency } from '../domain/money/currency.ts'
import {
  formatAmount,
  parseAmount,
  parseSignedAmount,
  parseUnitPrice,
  type MinorUnits,
  type Money,
  type UnitPrice,
} from '../domain/money/money.ts'
import { Refusal } from '../domain/refusal.ts'
import type { Instant } from '../domain/time.ts'
import type { Issues } from './validation.ts'
import { malformed } from './errors.ts'
import { inexactNumber } from './exact-json.ts'
import { asWritten } from './empty-values.ts'
import { textOfRefusal } from './refusal-answers.ts'

/** How values look in JSON (interface 2): these schemas parse requests and encode answers. */

/** A number as it was written; keeps the sign of -0. */
export const textOfNumber = (value: unknown): unknown => {
  if (typeof value !== 'number') return inexactNumber(value) ?? value
  return Object.is(value, -0) ? '-0' : String(value)
}

/** A number or text, checked by a pattern. */
export const decimalText = (pattern: RegExp, shape: string) =>
  asWritten(
    z.preprocess(
      textOfNumber,
      z
        .string({ error: ({ input }) => (input === undefined ? undefined : shape) })
        .regex(pattern, shape)
        .meta({ type: ['string', 'number'] }),
    ),
  )

/** An amount, parsed by `amountIn` once its currency is known. */
export const amountText = decimalText(
  /^(0|[1-9]\d*)(\.\d+)?$/,
  'Must be an amount such as "12.50": digits, and a period before decimals.',
).meta({ description: 'Money: decimal text with at most the decimals of the currency.' })

const signedAmountPattern = /^-?(0|[1-9]\d*)(\.\d+)?$/
const signedAmountShape = 'Must be an amount such as "12.50" or "-12.50".'

/** An amount that may be negative, parsed by `signedAmountIn`. */
export const signedAmountText = decimalText(signedAmountPattern, signedAmountShape).meta({
  description:
    'Money: decimal text with at most the decimals of the currency; negative for what is taken ' +
    'off.',
})

/** A unit price, parsed by `unitPriceIn`. */
export const unitPriceText = decimalText(signedAmountPattern, signedAmountShape).meta({
  description:
    'Price of one unit: decimal text with at most four more decimals than the currency; negative ' +
    'for what is taken off.',
})

/** Numbers other than money may be inexact. */
export const plainNumber = <Schema extends z.ZodType>(schema: Schema) =>
  z.preprocess((value) => {
    const written = inexactNumber(value)
    return written === undefined ? value : Number(written)
  }, schema)

/** An optional value; null counts as absent. */
export const orElse = <Schema extends z.ZodType>(
  schema: Schema,
  fallback: Exclude<z.output<Schema>, undefined>,
) =>
  schema
    .nullable()
    .default(fallback)
    .transform((value) => value ?? fallback)

/** An id that the merchant chooses. */
export const identifier = z
  .string()
  .regex(/^[a-zA-Z0-9_.-]{1,64}$/, 'Letters, digits and _ . -, at most 64.')

const currencyCodeOf = (isAmong: (code: string) => boolean) =>
  z
    .string()
    .regex(/^[a-zA-Z]{3}$/, 'Must have three letters.')
    .transform((code) => code.toUpperCase())
    .refine(isAmong, 'Must be a current ISO 4217 currency code.')
    .meta({ description: 'ISO 4217 code, in any case.', examples: ['NOK'] })

export const currencyCode = currencyCodeOf(isCurrency)
/** Also accepts withdrawn currencies, for older data. */
export const knownCurrencyCode = currencyCodeOf(isKnownCurrency)

/** Runs a check that needs more than a schema. @throws Malformed with all problems */
export const read = <T>(reader: (context: Issues) => T): T => {
  const context: Issues = { issues: [] }
  const value = reader(context)
  if (context.issues.length > 0) throw malformed(context)
  return value
}

/** The currency with the most decimals: what is invalid in it is invalid in all. */
const finest = 'CLF'

const readingOf =
  <Read>(parse: (text: string, currency: string) => Read, otherwise: Read) =>
  (
    context: Issues,
    path: (string | number)[],
    text: string,
    currency: string | undefined,
  ): Read => {
    try {
      return parse(text, currency ?? finest)
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      const message = textOfRefusal(error.code) ?? error.message
      context.issues.push({ code: 'custom', message, path, input: text })
      return otherwise
    }
  }

/**
 * Parses an amount in its currency. A problem becomes an issue of the field, and the result is 0.
 */
export const amountIn = readingOf<MinorUnits>(parseAmount, 0)
export const signedAmountIn = readingOf<MinorUnits>(parseSignedAmount, 0)
export const unitPriceIn = readingOf<UnitPrice>(parseUnitPrice, { minor: 0, exact: null })

/** The amount; undefined for one that cannot be read. */
export const readableAmount = (
  text: string | undefined,
  currency: string | undefined,
): MinorUnits | undefined => {
  const context: Issues = { issues: [] }
  const minor = text === undefined ? 0 : signedAmountIn(context, [], text, currency)
  return text === undefined || context.issues.length > 0 ? undefined : minor
}

/** Whether an amount is zero in any currency. */
export const isZero = (amount: string): boolean => !/[1-9]/.test(amount)

const dateTimePattern = /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/

/** Undefined for invalid dates such as 30 February. */
export const parseDateTime = (text: string): Instant | undefined => {
  if (!dateTimePattern.test(text)) return undefined
  const at = Date.parse(`${text.replace(' ', 'T')}Z`)
  return Number.isNaN(at) || formatDateTime(at) !== text ? undefined : at
}

export const dateTimeText = z
  .string()
  .transform((text, context) => {
    const at = parseDateTime(text)
    if (at !== undefined) return at
    context.addIssue('Must be a UTC time such as "2026-11-21 09:30:00".')
    return z.NEVER
  })
  .meta({ description: 'DateTime: UTC, YYYY-MM-DD hh:mm:ss.' })

/** The answer to a POST that creates something (interface 1). */
export const createdReply = z.object({ id: z.string() }).meta({ id: 'Created' })

export const money = z
  .transform(({ minor, currency }: Money) => formatAmount(minor, currency))
  .meta({
    type: 'string',
    description: 'Money: exactly the decimals of its currency.',
    examples: ['12.50'],
  })

export const unitPrice = z
  .transform(({ exact, ...price }: Money & Pick<UnitPrice, 'exact'>) =>
    exact === null ? formatAmount(price.minor, price.currency) : exact,
  )
  .meta({
    type: 'string',
    description: 'Price of one unit: money, with up to four more decimals where it is finer.',
    examples: ['12.50', '1.2345'],
  })

/** An amount in minor units of a currency. */
export const moneyIn =
  (currency: string) =>
  (minor: Money['minor']): Money => ({ minor, currency })

export const dateTime = z
  .transform((at: Instant) => formatDateTime(at))
  .meta({
    type: 'string',
    pattern: dateTimePattern.source,
    description: 'DateTime: UTC, YYYY-MM-DD hh:mm:ss.',
    examples: ['2026-11-21 09:30:00'],
  })
