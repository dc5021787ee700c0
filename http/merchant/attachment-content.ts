import { z } from 'zod'
import type { AttachmentKind } from '../../domain/merchant/attachment.ts'
import { isPng } from '../../domain/merchant/png.ts'
import type { Names } from '../brand.ts'
import type { Issues } from '../checking.ts'
import { Malformed, mostIssues } from '../errors.ts'
import type { Part } from '../multipart.ts'
import { readJson } from '../exact-json.ts'
import { withoutNothing } from '../nothing.ts'
import { amountIn, knownCurrencyCode, decimalText } from '../wire.ts'

const largestPng = 1_000_000
const largestJson = 1_000_000

const signedAmount = decimalText(
  /^-?(0|[1-9]\d*)(\.\d+)?$/,
  'Must be an amount such as "12.50".',
).meta({ description: 'Money; negative for what is given back.' })

const number = decimalText(/^-?\d{1,12}(\.\d{1,6})?$/, 'Must be a number such as 2 or "0.5".')

const shortText = z.string().min(1).max(255)
const longText = z.string().min(1).max(1000)

const item = z
  .object({
    description: longText.optional(),
    product_id: shortText.optional(),
    quantity: number,
    unit: z.string().max(50).optional().meta({ description: 'Such as pcs, kg or l.' }),
    item_cost: signedAmount.optional(),
    discount: signedAmount.optional(),
    total: signedAmount,
    vat: signedAmount.optional(),
    vat_rate: number.optional(),
  })
  .refine(({ description, product_id }) => description !== undefined || product_id !== undefined, {
    message: 'Give a description or a product_id.',
    path: ['description'],
  })
  .meta({ id: 'AttachedItem' })

const items = z.array(item).min(1).max(1000)

export const itemList = z
  .object({
    currency: knownCurrencyCode.optional().meta({ description: 'By default that of the payment.' }),
    items,
    discount: signedAmount.optional(),
    total: signedAmount.optional(),
  })
  .meta({ id: 'ItemList' })

const store = z
  .object({
    name: shortText,
    organization_id: shortText.optional(),
    address: longText.optional(),
    phone_number: shortText.optional(),
  })
  .meta({ id: 'ReceiptStore' })

const payment = z
  .object({
    type: z.string().min(1).max(50).meta({ description: 'Such as card, cash or gift_card.' }),
    amount: signedAmount.meta({ description: 'The part that was paid in this way.' }),
  })
  .meta({ id: 'ReceiptPayment' })

export const receipt = z
  .object({
    currency: knownCurrencyCode.optional().meta({ description: 'By default that of the payment.' }),
    receipt_id: shortText.optional(),
    store: z.union([shortText, store]),
    items,
    payments: z.array(payment).min(1).max(100),
    discount: signedAmount.optional(),
    net: signedAmount.optional().meta({ description: 'What was sold, without tax.' }),
    vat: signedAmount.optional(),
    total: signedAmount.optional(),
  })
  .meta({ id: 'Receipt' })

type Money = Record<string, unknown>

/** Amounts must be exact in their currency, wherever they stand. */
const checkAmounts = (
  content: z.output<typeof itemList> | z.output<typeof receipt>,
  currency: string,
  issues: Issues,
): void => {
  const check = (fields: Money, names: readonly string[], path: readonly (string | number)[]) => {
    for (const name of names) {
      const text = fields[name]
      if (typeof text === 'string')
        amountIn(issues, [...path, name], text.replace('-', ''), content.currency ?? currency)
    }
  }
  check(content, ['discount', 'net', 'vat', 'total'], [])
  for (const [index, item] of content.items.entries())
    check(item, ['item_cost', 'discount', 'total', 'vat'], ['items', index])
  if ('payments' in content)
    for (const [index, payment] of content.payments.entries())
      check(payment, ['amount'], ['payments', index])
}

type Problem = { readonly path: readonly PropertyKey[]; readonly message: string }

const problemsOfJson = (
  schema: typeof itemList | typeof receipt,
  content: Uint8Array,
  currency: string,
): readonly Problem[] => {
  if (content.byteLength > largestJson)
    return [{ path: [], message: `Larger than ${largestJson} bytes.` }]
  const json = readJson(content)
  if (json === undefined) return [{ path: [], message: 'Is no valid JSON.' }]
  const result = schema.safeParse(withoutNothing(schema, json))
  if (!result.success) return result.error.issues
  const issues: Issues = { issues: [] }
  checkAmounts(result.data, currency, issues)
  return issues.issues.map(({ path = [], message = '' }) => ({ path, message }))
}

const problemsOfPng = (content: Uint8Array): readonly Problem[] => {
  if (content.byteLength > largestPng)
    return [{ path: [], message: `Larger than ${largestPng} bytes.` }]
  return isPng(content) ? [] : [{ path: [], message: 'Is no PNG image.' }]
}

export const mediaTypesOf = (names: Names): Readonly<Record<AttachmentKind, string>> => ({
  itemlist: names.itemList,
  receipt: names.receipt,
  png: 'image/png',
})

type Checked = { readonly kind: AttachmentKind; readonly content: Uint8Array }

/** The kind of each part, all of them checked by their content. @throws Malformed naming what is wrong, up to a number */
export const checkParts = (
  parts: readonly Part[],
  names: Names,
  currency: string,
): readonly Checked[] => {
  const types = mediaTypesOf(names)
  const kinds = Object.keys(types) as AttachmentKind[]
  const details: Record<string, string[]> = {}
  let noted = 0
  const note = (index: number, { path, message }: Problem): void => {
    if (++noted <= mostIssues) (details[['parts', index, ...path].join('.')] ??= []).push(message)
  }
  const problemsOf = (kind: AttachmentKind, content: Uint8Array): readonly Problem[] => {
    switch (kind) {
      case 'itemlist':
        return problemsOfJson(itemList, content, currency)
      case 'receipt':
        return problemsOfJson(receipt, content, currency)
      case 'png':
        return problemsOfPng(content)
    }
  }
  const checked = parts.flatMap(({ contentType, content }, index) => {
    // Whoever sent more mistakes than that learns of the others when these are mended.
    if (noted >= mostIssues) return []
    const type = (contentType.split(';')[0] ?? '').trim().toLowerCase()
    const kind = kinds.find((kind) => types[kind].toLowerCase() === type)
    if (kind === undefined) {
      const message = `Its Content-Type must be one of ${Object.values(types).join(', ')}.`
      note(index, { path: [], message })
      return []
    }
    for (const problem of problemsOf(kind, content)) note(index, problem)
    return [{ kind, content }]
  })
  if (parts.length === 0) details['parts'] = ['There must be at least one part.']
  if (Object.keys(details).length > 0) throw new Malformed(details)
  return checked
}
