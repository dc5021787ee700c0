import { shareOf, type MinorUnits } from '../money/money.ts'
import type { PaymentDetails } from './payment-events.ts'

type Item = Pick<PaymentDetails['lineItems'][number], 'total' | 'vat' | 'vatRate'>

/** As the shop tells it, else what its rate makes of a total with VAT. */
const vatIn = ({ total, vat, vatRate }: Item): MinorUnits => {
  const [whole = '0', decimals = ''] = (vatRate ?? '0').split('.')
  const rate = Number(whole + decimals)
  return vat ?? shareOf(total, rate, 100 * 10 ** decimals.length + rate)
}

/** In percent; `unknown` for a VAT whose rate is not told, `none` where there is no VAT. */
const rateOf = ({ vat, vatRate }: Item): number | 'unknown' | 'none' =>
  vatRate !== null ? Number(vatRate) : vat !== null ? 'unknown' : 'none'

const sumOf = (items: readonly Item[], of: (item: Item) => MinorUnits): MinorUnits =>
  items.reduce((sum, item) => sum + of(item), 0)

/**
 * The VAT by rate in what the payer has paid and kept, in minor units. Captures and refunds name no
 * items, so of items with several rates it is known for all of them alone.
 */
export const vatOf = (items: readonly Item[], kept: MinorUnits) => {
  const rates = [...new Set(items.map(rateOf))]
  const all = sumOf(items, ({ total }) => total)
  const part = rates.length === 1 ? kept : all
  const parts = rates.flatMap((rate) => {
    if (rate === 'none' || kept === 0) return []
    const those = items.filter((item) => rateOf(item) === rate)
    const gross = shareOf(
      sumOf(those, ({ total }) => total),
      part,
      all,
    )
    const vat = shareOf(sumOf(those, vatIn), part, all)
    return [{ rate, vat, net: gross - vat }]
  })
  return { isOfAll: part !== kept, parts }
}
