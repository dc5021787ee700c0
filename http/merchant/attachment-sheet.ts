import { z } from 'zod'
import { type Issues, type Problem, fittingOf, isRecord } from '../validation.ts'
import { mostIssues, withoutReported } from '../errors.ts'
import { checkInTurns } from '../turns.ts'
import { nextTurn } from '../../application/time-budget.ts'
import { withoutNothing } from '../empty-values.ts'
import {
  signedAmountIn,
  unitPriceIn,
  decimalText,
  knownCurrencyCode,
  signedAmountText,
} from '../wire.ts'
import { inPercent } from './line-items.ts'
import { checkItemNames, itemList, receipt } from './attachment-fields.ts'

/** Earlier field names of item lists and receipts: in old logs, and still accepted. */

const number = decimalText(/^-?\d{1,12}(\.\d{1,6})?$/, 'Must be a number such as 2 or "0.5".')

const shortText = z.string().min(1).max(255)

const longText = z.string().min(1).max(1000)

const item = z
  .object({
    description: longText.optional(),
    product_id: shortText.optional(),
    quantity: number,
    unit: z.string().max(50).optional(),
    item_cost: signedAmountText.optional(),
    discount: signedAmountText.optional(),
    total: signedAmountText,
    vat: signedAmountText.optional(),
    vat_rate: number.optional().meta({ description: inPercent }),
  })
  .refine(({ description, product_id }) => description !== undefined || product_id !== undefined)

const items = z.array(item).min(1).max(1000)

const earlierItemList = z.object({
  currency: knownCurrencyCode.optional(),
  items,
  discount: signedAmountText.optional(),
  total: signedAmountText.optional(),
})

const store = z.object({
  name: shortText,
  organization_id: shortText.optional(),
  address: longText.optional(),
  phone_number: shortText.optional(),
})

const payment = z.object({ type: z.string().min(1).max(50), amount: signedAmountText })

const earlierReceipt = z.object({
  currency: knownCurrencyCode.optional(),
  receipt_id: shortText.optional(),
  store: z.union([shortText, store]),
  items,
  payments: z.array(payment).min(1).max(100),
  discount: signedAmountText.optional(),
  net: signedAmountText.optional(),
  vat: signedAmountText.optional(),
  total: signedAmountText.optional(),
})

type Amount = { readonly text: string; readonly currency: string }

/** An item list or a receipt for display, whatever its field names. */
export type Sheet = {
  readonly kind: 'itemlist' | 'receipt'
  /** The name of the store, then its other details. */
  readonly store: readonly string[]
  readonly items: readonly {
    readonly name: string
    readonly quantity: string
    readonly unit: string | undefined
    readonly total: Amount
  }[]
  readonly sums: Readonly<Partial<Record<'discount' | 'net' | 'vat' | 'total', Amount>>>
  readonly payments: readonly { readonly type: string; readonly amount: Amount }[]
}

type Content<Type> = Type & { readonly currency: string }

type ItemList = Content<z.output<typeof itemList>>

type Receipt = Content<z.output<typeof receipt>>

type EarlierItemList = Content<z.output<typeof earlierItemList>>

type EarlierReceipt = Content<z.output<typeof earlierReceipt>>

const written = (texts: readonly (string | undefined)[]): string[] =>
  texts.filter((text) => text !== undefined && text !== '') as string[]

const sumsOf = (
  currency: string,
  texts: Readonly<Partial<Record<'discount' | 'net' | 'vat' | 'total', string | undefined>>>,
): Sheet['sums'] =>
  Object.fromEntries(
    Object.entries(texts).flatMap(([name, text]) =>
      text === undefined ? [] : [[name, { text, currency }]],
    ),
  )

const itemsOf = ({ items, currency }: ItemList | Receipt): Sheet['items'] =>
  items.map((item) => ({
    name: item.item_name ?? ('item_id' in item ? item.item_id : undefined) ?? '',
    quantity: item.quantity ?? '1',
    unit: item.measurement_unit,
    total: { text: item.item_gross_total, currency },
  }))

const earlierItemsOf = ({ items, currency }: EarlierItemList): Sheet['items'] =>
  items.map(({ description, product_id, quantity, unit, total }) => ({
    name: description ?? product_id ?? '',
    quantity,
    unit,
    total: { text: total, currency },
  }))

const sheetOfItemList = (list: ItemList): Sheet => ({
  kind: 'itemlist',
  store: written([list.store_name, list.organization_number]),
  items: itemsOf(list),
  sums: {},
  payments: [],
})

const sheetOfReceipt = (content: Receipt): Sheet => {
  const { store, currency, discount, net, gross } = content
  const place = written([store.postal_code, store.postal_place]).join(' ')
  return {
    kind: 'receipt',
    store: written([store.name, store.address, place, store.organization_number]),
    items: itemsOf(content),
    sums: sumsOf(currency, { discount, net, total: gross }),
    payments: content.payments.map(({ payment_type: type, amount: text, currency: paidIn }) => ({
      type,
      amount: { text, currency: paidIn ?? currency },
    })),
  }
}

const sheetOfEarlierItemList = (list: EarlierItemList): Sheet => ({
  kind: 'itemlist',
  store: [],
  items: earlierItemsOf(list),
  sums: sumsOf(list.currency, { discount: list.discount, total: list.total }),
  payments: [],
})

const sheetOfEarlierReceipt = (content: EarlierReceipt): Sheet => {
  const { store, currency, discount, net, vat, total } = content
  return {
    kind: 'receipt',
    store:
      typeof store === 'string'
        ? [store]
        : written([store.name, store.address, store.organization_id]),
    items: earlierItemsOf(content),
    sums: sumsOf(currency, { discount, net, vat, total }),
    payments: content.payments.map(({ type, amount: text }) => ({
      type,
      amount: { text, currency },
    })),
  }
}

const unitPrices = ['item_net_price', 'item_gross_price', 'item_cost']

const amounts = [
  ...['item_gross_total', 'item_net_total', 'taxes'],
  ...['amount', 'gross', 'discount', 'net', 'total', 'vat'],
]

type Path = (string | number)[]

/** Every amount must be exact in its currency, which is undefined where it cannot be read. */
const checkAmounts = (
  value: unknown,
  raw: unknown,
  currency: string | undefined,
  issues: Issues,
  path: Path = [],
): void => {
  if (!isRecord(value) || !isRecord(raw)) return
  const inherited = raw['currency'] === undefined ? currency : undefined
  const { currency: own = inherited } = value as { readonly currency?: string }
  for (const [name, field] of Object.entries(value)) {
    const where = [...path, Array.isArray(value) ? Number(name) : name]
    checkAmounts(field, raw[name], own, issues, where)
    if (typeof field !== 'string') continue
    if (amounts.includes(name)) signedAmountIn(issues, where, field, own)
    if (unitPrices.includes(name)) unitPriceIn(issues, where, field, own)
  }
}

type ReadSheet =
  | { readonly sheet: Sheet }
  /** The first fifty. */
  | { readonly problems: readonly Omit<Problem, 'code'>[] }

/**
 * Reads one shape; the payment's currency is the default. Without `checkWhole` the shape is an
 * earlier one, whose problems are not told.
 */
const shape =
  <Schema extends z.ZodObject>(
    schema: Schema,
    toSheet: (content: z.output<Schema> & { readonly currency: string }) => Sheet,
    checkWhole?: (json: unknown, context: Issues) => void,
  ) =>
  async (json: unknown, currency: string): Promise<ReadSheet> => {
    const checked = await checkInTurns(schema, json)
    await nextTurn()
    const isFit = 'value' in checked
    if (!isFit && !checkWhole) return checked
    const context: Issues = { issues: [] }
    checkWhole?.(json, context)
    checkAmounts(isFit ? checked.value : fittingOf(schema, json), json, currency, context)
    if (isFit && context.issues.length === 0)
      return { sheet: toSheet({ currency, ...checked.value }) }
    const known = isFit ? [] : checked.problems
    const fields = new Set(known.map(({ path }) => path.join('.')))
    const found = context.issues.map(({ path = [], message = '' }) => ({ path, message }))
    const further = withoutReported((field) => fields.has(field), found)
    return { problems: [...known, ...further].slice(0, mostIssues) }
  }

const shapes = {
  itemlist: {
    schema: itemList,
    read: shape(itemList, sheetOfItemList, checkItemNames),
    readEarlier: shape(earlierItemList, sheetOfEarlierItemList),
  },
  receipt: {
    schema: receipt,
    read: shape(receipt, sheetOfReceipt, () => {}),
    readEarlier: shape(earlierReceipt, sheetOfEarlierReceipt),
  },
} as const

/**
 * Reads an item list or a receipt, in several turns. Old logs use the earlier fields, so those are
 * tried first; problems are reported for the current fields.
 */
export const readSheet = async (
  kind: Sheet['kind'],
  json: unknown,
  currency: string,
): Promise<ReadSheet> => {
  const { schema, read, readEarlier } = shapes[kind]
  const earlier = await readEarlier(json, currency)
  return 'sheet' in earlier ? earlier : read(withoutNothing(schema, json), currency)
}
