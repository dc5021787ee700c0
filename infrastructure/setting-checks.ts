import { z } from 'zod'
import { currencies } from '../domain/money/currency.ts'
import { parseAmount } from '../domain/money/money.ts'
import { readBankProfile } from './bank/bank-profile.ts'
import { readCertificates } from './callbacks/certificate-problem.ts'
import { cosignatureV1, parseKey } from '../domain/transparency/signed-note.ts'
import { isNetmask } from './networks.ts'
import { sha256 } from './keys/keys.ts'

/** Text with a rule and its message. */
export const text = (rule: string, keeps: (value: string) => boolean) =>
  z.string().refine(keeps, rule)

export const anything = z.string().min(1)

export const choice = <const Options extends readonly string[]>(...options: Options) =>
  z.enum(options, `must be ${options.join(', ').replace(/, ([^,]*)$/, ' or $1')}`)

export const flag = choice('true', 'false').transform((value) => value === 'true')

export const wholeNumber = (least: number, most: number) =>
  text(
    `must be a whole number from ${least} to ${most}`,
    (value) => /^\d{1,6}$/.test(value) && Number(value) >= least && Number(value) <= most,
  ).transform(Number)

export const brand = text('must be letters, digits and -, beginning with a letter', (value) =>
  /^[A-Za-z][A-Za-z0-9-]*$/.test(value),
)

const urlOf = (value: string): URL | undefined => {
  const url = URL.canParse(value) ? new URL(value) : undefined
  return url && /^https?:$/.test(url.protocol) ? url : undefined
}

// Pages are at the root: links, cookies and forms would not include a path.
export const publicUrl = text(
  'must be an address such as https://pay.example',
  (value) => urlOf(value) !== undefined,
)
  .transform((value) => value.replace(/\/+$/, ''))
  .refine((value) => {
    const url = urlOf(value)
    return url === undefined || url.href === `${url.origin}/`
  }, 'must be scheme, host and port alone: no path, no query, no fragment, no user')

/** Paths are appended to it. */
const baseUrlOf = (value: string): string | undefined => {
  const url = urlOf(value)
  return url && url.href === `${url.origin}${url.pathname}`
    ? url.href.replace(/\/+$/, '')
    : undefined
}

export const baseUrl = text(
  'must be an address such as https://store.example/s3: no query, no fragment, no user',
  (value) => baseUrlOf(value) !== undefined,
).transform((value) => baseUrlOf(value) ?? value)

/** A path with a bucket behind `s3://` has no `.` or `..`, which addresses leave out. */
export const blobPlace = text(
  'must be a folder, or s3://<bucket>/<prefix>',
  (value) => !/^s3:(?!\/\/[^/.][^/]*(\/+(?!\.\.?(\/|$))[^/]*)*$)/.test(value),
)

export const pageUrl = text(
  'must be an address such as https://pay.example/help',
  (value) => urlOf(value) !== undefined,
)

/** A mail server, or a gateway. */
export const mailUrl = text(
  'must be an address such as smtps://user:password@mail.example or https://gateway.example',
  (value) => /^(smtps?|https?):\/\/[^/]/.test(value) && URL.canParse(value),
)

/** RFC 9116, 2.5.3. */
export const contact = text(
  'must be an address such as mailto:security@pay.example, https://… or tel:+47…',
  (value) => /^(mailto:[^\s@]+@[^\s@]+|https:\/\/\S+|tel:\+[\d-]+)$/.test(value),
)

/** Such as `NOK 5000.00, EUR 500`: minor units by currency. */
export const amounts = z.string().transform((value, context): Readonly<Record<string, number>> => {
  const read: Record<string, number> = {}
  for (const part of value.split(',').map((one) => one.trim())) {
    const [, currency = '', amount = ''] = /^([A-Z]{3}) (\d[\d.]*)$/.exec(part) ?? []
    try {
      if (!currencies.includes(currency)) throw new Error('no currency')
      read[currency] = parseAmount(amount, currency)
    } catch {
      context.addIssue('must be amounts such as NOK 5000.00, with commas between them')
      return z.NEVER
    }
  }
  return read
})

export const networks = z.string().transform((value, context) => {
  const parts = value.split(',').map((part) => part.trim())
  if (parts.every(isNetmask)) return parts
  context.addIssue('must be addresses or networks such as 10.0.0.0/8, with commas between them')
  return z.NEVER
})

/** So many words at most, with commas between them. */
export const list = (most: number) =>
  z
    .string()
    .transform((value) => value.split(',').map((part) => part.trim()))
    .refine((parts) => parts.length <= most, `must be at most ${most} ids with commas between them`)

/** The content of the file that is named, read at the start. */
const fileOf = <Content>(what: string, read: (file: string) => Content) =>
  z.string().transform((file, context) => {
    try {
      return read(file)
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error)
      context.addIssue(`must be a ${what}: ${reason}`)
      return z.NEVER
    }
  })

export const certificates = fileOf('PEM file of certificates', readCertificates)

export const bankProfile = fileOf('JSON file of the fields of payout files', readBankProfile)

/** Such as `https://witness.example/ witness.example+2b8a…+BK0k…`, separated by commas. */
export const witnesses = z.string().transform((value, context) =>
  value.split(',').map((one) => {
    const [address = '', text = '', ...rest] = one.trim().split(/\s+/)
    const url = baseUrlOf(address)
    const key = parseKey(sha256, text)
    if (url && key?.kind === cosignatureV1 && rest.length === 0) return { url, key }
    context.addIssue(
      'must be an address, a blank and the verifier key of a witness (cosignature/v1), ' +
        'with commas between several',
    )
    return z.NEVER
  }),
)
