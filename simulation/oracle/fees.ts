import { Finding } from './books.ts'
import type { Line } from './lines.ts'
import { minorOf } from './money.ts'

/** What a merchant pays from a date on, in the order in which it was set. */
export type Schedule = Readonly<
  Record<
    | `${'transaction' | 'interchange'}_rate`
    | `${'transaction' | 'permission' | 'settlement'}_fixed`
    | `vat_on_${'transaction' | 'permission' | 'settlement'}_fees`
    | 'currency'
    | 'taxcode',
    string
  >
> & { readonly from: string; readonly refunds_return_fees: boolean }

/** How many schedules there were at a time of the service. */
export type Seen = { readonly at: number; readonly count: number }

type Charge = { readonly fee: number; readonly interchange: number; readonly vat: number }
type Parts = keyof Charge
const parts = ['fee', 'interchange', 'vat'] as const

/** 9: half to even at the minor unit. */
const halfEven = (dividend: bigint, divisor: bigint): number => {
  const [whole, rest] = [dividend / divisor, (dividend % divisor) * 2n]
  const isUp = rest > divisor || (rest === divisor && whole % 2n === 1n)
  return Number(isUp ? whole + 1n : whole)
}

const portion = (amount: number, rate: string, fixed = 0): number => {
  const [whole = '', decimals = ''] = rate.split('.')
  const divisor = 10n ** BigInt(decimals.length)
  return halfEven(BigInt(amount) * BigInt(whole + decimals) + BigInt(fixed) * divisor, divisor)
}

const ownCurrency = 'NOK'

/** 9: of those that hold by then the latest, of one date that which was set last. */
const latest = (schedules: readonly Schedule[], currency: string, at: number) =>
  schedules
    .filter((one) => one.currency === currency && Date.parse(one.from) <= at)
    .reduce<Schedule | undefined>(
      (last, one) => (last && Date.parse(last.from) > Date.parse(one.from) ? last : one),
      undefined,
    )

const kinds = { permission_fee: 'permission', settlement_fee: 'settlement' } as const

/** What of a payment has been taken and returned so far. */
type Basis = Record<'captured' | 'refunded', number> & Record<'taken' | 'returned', Charge>
const nothing: Charge = { fee: 0, interchange: 0, vat: 0 }
const plus = (one: Charge, other: Charge): Charge => ({
  fee: one.fee + other.fee,
  interchange: one.interchange + other.interchange,
  vat: one.vat + other.vat,
})

const returned = (
  { captured, refunded, taken, returned: before }: Basis,
  gross: number,
): Charge => {
  const part = (name: Parts): number => {
    const whole = BigInt(Math.max(1, captured))
    const all = halfEven(BigInt(taken[name]) * BigInt(refunded + gross), whole)
    return Math.min(0, before[name] - all)
  }
  return { fee: part('fee'), interchange: part('interchange'), vat: part('vat') }
}

/** 9: what a line may cost by the schedules of a moment. */
const lawful = (
  line: Line,
  own: Charge,
  [terms, isOwn]: readonly [Schedule | undefined, boolean],
  basis: Basis,
): Charge => {
  const { kind, currency } = line
  const vatOn = (fee: number, of: 'transaction' | 'permission' | 'settlement'): number =>
    portion(fee, terms?.[`vat_on_${of}_fees`] ?? '0')
  // 10.1: the operator sets the fee of a dispute, and who wins it does not get it back.
  const taken = kind === 'dispute' && line.gross.startsWith('-') ? own.fee : 0
  if (kind === 'dispute') return { ...nothing, fee: taken, vat: vatOn(taken, 'transaction') }
  if (!terms) return nothing
  const fixed = (of: 'transaction' | 'permission' | 'settlement'): number =>
    isOwn ? minorOf(currency, terms[`${of}_fixed`]) : 0
  if (kind === 'permission_fee' || kind === 'settlement_fee') {
    const fee = fixed(kinds[kind])
    return { fee, interchange: 0, vat: vatOn(fee, kinds[kind]) }
  }
  const gross = Math.abs(minorOf(currency, line.gross))
  if (kind === 'refund') return terms.refunds_return_fees ? returned(basis, gross) : nothing
  const fee = portion(gross, terms.transaction_rate, fixed('transaction'))
  const onCredit = portion(gross, terms.interchange_rate)
  // Whether the payer has used credit is not in the line.
  const interchange = own.interchange === onCredit ? onCredit : 0
  return { fee, interchange, vat: vatOn(fee, 'transaction') }
}

const timeOf = ({ date }: Line): number => Date.parse(`${date.replace(' ', 'T')}Z`)

/** A line has the second in which it was made; of nodes one may be a little ahead. */
const slackMs = 2_000

/**
 * 9: what each line costs follows from the schedules that were set before it. Whoever sets one
 * amid a step is not timed, so that more and more of them may hold, and no fewer than were seen.
 * @throws Finding
 */
export const checkFees = (
  lines: readonly Line[],
  schedules: readonly Schedule[],
  seen: readonly Seen[],
): void => {
  const bases = new Map<string, Basis>()
  let least = 0
  for (const line of lines) {
    const { tid, kind, currency } = line
    if (kind === 'correction') continue
    const at = timeOf(line)
    for (const one of seen) if (one.at < at - slackMs) least = Math.max(least, one.count)
    const minor = (name: Parts): number => minorOf(currency, line[name])
    const own = { fee: minor('fee'), interchange: minor('interchange'), vat: minor('vat') }
    const start = { captured: 0, refunded: 0, taken: nothing, returned: nothing }
    const basis = bases.get(`${tid}`) ?? start
    const termsOf = (count: number, when: number) => {
      const some = schedules.slice(0, count)
      const isOwn = latest(some, currency, when)
      return [isOwn ?? latest(some, ownCurrency, when), isOwn !== undefined] as const
    }
    const fits = (count: number): boolean =>
      [at, at + slackMs].some((when) => {
        const terms = termsOf(count, when)
        const right = lawful(line, own, terms, basis)
        const isSame = parts.every((name) => own[name] === right[name])
        return isSame && (terms[0]?.taxcode ?? line.taxcode) === line.taxcode
      })
    let count = least
    while (count <= schedules.length && !fits(count)) count += 1
    if (count > schedules.length)
      throw new Finding(
        'fees',
        `line ${line.id} (${kind} of ${line.gross} ${currency}) costs ${JSON.stringify(own)}, ` +
          `and its fees are ${JSON.stringify(termsOf(schedules.length, at)[0])}`,
      )
    least = count
    const gross = Math.abs(minorOf(currency, line.gross))
    if (kind === 'capture') {
      const taken = plus(basis.taken, own)
      bases.set(`${tid}`, { ...basis, captured: basis.captured + gross, taken })
    } else if (kind === 'refund' && termsOf(count, at)[0]?.refunds_return_fees) {
      const back = { fee: -own.fee, interchange: -own.interchange, vat: -own.vat }
      const all = plus(basis.returned, back)
      bases.set(`${tid}`, { ...basis, refunded: basis.refunded + gross, returned: all })
    }
  }
}
