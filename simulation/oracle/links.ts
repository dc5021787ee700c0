/** 18.1: a request of a link, as its outcome was read; several while its end is near. */
export type Taken = {
  readonly payer: string
  readonly tid: string
  readonly may: readonly ('waits' | 'paid' | 'gone')[]
}

/** A payment link that many pay, as whoever made it knows it. */
export type Sale = {
  readonly stock: number | null
  readonly lastDay: string | null
  readonly isEnded: boolean
  readonly taken: readonly Taken[]
}

/** How a scan of it was answered; the tid that a 200 leads to. */
export type Scanned = { readonly status: number; readonly tid?: string }

/** The days of the shop on which it may have been asked. */
export type Days = { readonly from: string; readonly to: string }

const isNever = (is: Taken['may'][number]) => (one: Taken) => !one.may.includes(is)

/** 18.1: what waits, or is paid, holds one; within seconds after its end it may do so, too. */
export const heldOf = ({ taken }: Sale) => ({
  least: taken.filter(isNever('gone')).length,
  most: taken.length,
})

/** Only of a link of which all that is over has been given back, `isSettled`. */
export const isLawful = (
  sale: Sale,
  payer: string,
  { status, tid }: Scanned,
  { from, to }: Days,
  isSettled = false,
): boolean => {
  const { stock, lastDay, isEnded, taken } = sale
  const own = taken.filter((one) => one.payer === payer)
  if (status === 200 && own.some((one) => one.tid === tid && one.may.includes('waits'))) return true
  if (own.some(({ may }) => may.every((is) => is === 'waits'))) return false
  const isOver = (day: string): boolean => isEnded || (lastDay !== null && day > lastDay)
  if (status === 410) return isOver(to)
  if (isOver(from)) return false
  const { least, most } = heldOf(sale)
  if (status === 409) return stock !== null && (isSettled ? least : most) >= stock
  const isNew = taken.every((one) => one.tid !== tid)
  return status === 200 && isNew && (stock === null || least < stock)
}

const after = (sale: Sale, payer: string, { tid }: Scanned): Sale => {
  if (tid === undefined || sale.taken.some((one) => one.tid === tid)) return sale
  return { ...sale, taken: [...sale.taken, { payer, tid, may: ['waits'] }] }
}

type Scan = readonly [payer: string, scanned: Scanned]

/** What a link is after scans that came at once, in any order; undefined if none is lawful. */
export const afterScans = (
  sale: Sale,
  scans: readonly Scan[],
  days: Days,
  isSettled = false,
): Sale | undefined => {
  const [first] = scans
  if (!first) return sale
  for (const [at, [payer, scanned]] of scans.entries()) {
    const rest = scans.toSpliced(at, 1)
    const next = isLawful(sale, payer, scanned, days, isSettled) && after(sale, payer, scanned)
    const found = next && afterScans(next, rest, days, isSettled)
    if (found) return found
  }
  return undefined
}
