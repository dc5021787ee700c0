import type { PaymentRecord, ToldOfPayment } from '../../../application/payment-history.ts'
import type { PaymentRow } from '../../../projections/payment-table.ts'
import { statusCodeOf } from '../../../projections/payment-wanted.ts'

type Needs = { readonly digestOf: (text: string) => string }

const markOfAll = ({ digestOf }: Needs, shown: unknown): string =>
  digestOf(JSON.stringify(shown)).slice(0, 16)

/** What a page shows of a payment changes when this does. */
export const markOf = (
  needs: Needs,
  events: readonly PaymentRecord[],
  messages: readonly ToldOfPayment[],
): string => {
  const told = messages.map(({ status, attempts }) => [status, attempts])
  return markOfAll(needs, [events[0]?.revision, told])
}

/** What a list shows changes when this does. */
export const listMark = (needs: Needs, rows: readonly PaymentRow[], at: number): string => {
  const shown = rows.map((row) => [row.tid, statusCodeOf(row, at), row.captured, row.refunded])
  return markOfAll(needs, shown)
}
