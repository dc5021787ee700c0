import { nextTurn } from '../../../application/time-budget.ts'
import type { Instant } from '../../../domain/time.ts'
import {
  byNewest,
  everyPayment,
  fitting,
  searchPayments,
  type PaymentFilter,
} from '../../../projections/payment-search.ts'
import { listStart } from '../../../projections/payment-list.ts'
import type { PaymentRow } from '../../../projections/payment-table.ts'
import type { PaymentTexts } from '../../../projections/payment-texts.ts'
import { typedAmount } from '../../ui/money.tsx'
import { bounded, namedBy, type Of, type PaymentSearchNeeds } from './search.ts'

export type AnyPaymentNeeds = PaymentSearchNeeds & {
  readonly paymentTexts: PaymentTexts
  /** Whole numbers that begin or end with the digits that are typed. */
  readonly phonesWith: (typed: string) => readonly string[]
  /** What payments of customers are found by whom the merchant has called by one of the numbers. */
  readonly keysNumbered: (
    merchant: string,
    numbers: readonly string[],
  ) => Promise<readonly string[]>
}

/** How many are shown. */
const most = 20

/** Payments with that text that the role may not see, before the search gives up. */
const mostHidden = 2_000

/** The keys of customers whose name or number this is, or half of their number. */
const customersBy = async (needs: AnyPaymentNeeds, merchant: string, text: string) => {
  const phone = needs.readPhone(text)
  const whole = [
    await needs.keyOfCustomer(merchant, text),
    phone && (await needs.keyOfCustomer(merchant, phone)),
  ]
  const parts = await needs.keysNumbered(merchant, needs.phonesWith(text))
  return [...new Set([...whole.flatMap((key) => key || []), ...parts])]
}

/** The newest whose order number or text contains it, and whether there may be more. */
const containing = async (
  { lists, paymentTexts }: AnyPaymentNeeds,
  merchant: string,
  text: string,
  fits: (row: PaymentRow) => boolean,
) => {
  const rows: PaymentRow[] = []
  let hidden = 0
  for (const tids of paymentTexts.containing(merchant, text)) {
    for (const tid of tids) {
      const row = lists.find(tid)
      if (row && fits(row)) rows.push(row)
      else hidden += 1
      if (rows.length > most || hidden > mostHidden) return { rows, hasMore: true }
    }
    await nextTurn()
  }
  return { rows, hasMore: false }
}

/**
 * Payments by id or its beginning, order number or a part, text, customer, half a phone number, or
 * amount. `named` are those whose id or order number it is.
 */
export const findAnyPayment = (needs: AnyPaymentNeeds) => {
  const search = searchPayments(needs.lists, nextTurn)
  return async (of: Of, text: string, at: Instant) => {
    const { merchant, currency } = of.shop
    const own = bounded(everyPayment, of.terms)
    const fits = fitting(own, at)
    const listed = async (filter: Partial<PaymentFilter>): Promise<readonly PaymentRow[]> =>
      (await search(merchant, { ...own, ...filter }, { behind: null, limit: most + 1 }, at)).rows
    const named = namedBy(needs, of, text).filter(fits)
    const begun = needs.lists.ofTidStart(merchant, text, most + 1).filter(fits)
    const found = await containing(needs, merchant, text, fits)
    const lists = [begun, found.rows]
    for (const customerKey of await customersBy(needs, merchant, text))
      lists.push([...(await listed({ customerKey }))])
    const amount = /\d/.test(text) ? (typedAmount(text, currency) ?? 0) : 0
    if (amount > 0) {
      const page = { since: 0, behind: listStart, limit: most + 1 }
      lists.push(needs.lists.ofShown(merchant, amount, page).filter(fits))
      lists.push([...(await listed({ least: amount, most: amount }))])
    }
    const others = lists.flat().sort(byNewest)
    const rows = [...new Map([...named, ...others].map((row) => [row.tid, row])).values()]
    return { named, rows: rows.slice(0, most), hasMore: found.hasMore || rows.length > most }
  }
}
