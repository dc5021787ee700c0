import { dayMs } from '../domain/time.ts'
import type { Place } from '../harness/ledger-service.ts'
import {
  fateOf,
  numbersFrom,
  portalHistory,
  posCount,
  type Appending,
  type Fate,
} from './portal-histories.ts'
import { otherMerchant, posOf, registered, shop } from './portal-merchants.ts'

export type Making = {
  readonly payments: number
  readonly merchants: number
  readonly now: number
  readonly tidOf: Place['core']['payments']['tidOf']
  /** Their names, and how the log stores these. */
  readonly customers: readonly { readonly name: string; readonly stored: string }[]
}

const callbackUri = 'https://shop.example/hook'
/** How many of the newest payments still wait for the payer, and how many are not captured. */
const [waiting, authorized] = [500, 2_000]

/** Payments of the large merchant, spread over a year. */
export const makePayments = ({ payments: total, now, tidOf, customers }: Making) => {
  const below = numbersFrom(3)
  const step = (359 * dayMs) / total
  const firstOpen = total - waiting - authorized
  const tids: Partial<Record<Fate, string>> = {}
  const fateAt = (count: number): Fate => {
    if (count === firstOpen - 1) return 'in many parts'
    if (count >= total - waiting) return 'waiting'
    return count >= firstOpen ? 'authorized' : fateOf(below(100))
  }
  const make = (count: number): readonly Appending[] => {
    // The last ones are a few hours old; otherwise they would have expired.
    const isOpen = count >= firstOpen
    const ago = isOpen ? (total - count) * 5_000 : (total - count) * step + dayMs
    const posId = posOf(Math.min(below(posCount), below(posCount)))
    const fate = fateAt(count)
    const tid = tidOf(shop, posId, `order-${count}`)
    tids[fate] = tid
    const amount = 100 * (20 + below(below(10) === 0 ? 50_000 : 900))
    const customer = customers[below(customers.length)]?.stored ?? ''
    const isTold = below(20) === 0 && !isOpen
    const about = { merchant: shop, count, at: Math.floor(now - ago), fate, posId, amount }
    return portalHistory({ ...about, customer, callbackUri: isTold ? callbackUri : null }, tid)
  }
  return { make, tids }
}

/** Other merchants, each with one payment. */
export const makeMerchants = ({ now, tidOf, customers }: Making) => {
  const at = now - 361 * dayMs
  return (number: number): readonly Appending[] => {
    const merchant = otherMerchant(number)
    const posId = 'till-1'
    const about = { merchant, count: number, at: at + number * 1_000, posId, amount: 25_000 }
    const customer = customers[number % customers.length]?.stored ?? ''
    const tid = tidOf(merchant, posId, `order-${number}`)
    const history = portalHistory({ ...about, customer, fate: 'captured' }, tid)
    return [...registered(merchant, number, at), ...history]
  }
}
