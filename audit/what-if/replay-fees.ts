import { start, type Position } from '../../application/event-store.ts'
import { parseEvent, type Recorded, type EventType } from '../../domain/events.ts'
import { addUp, formatAmount, type Sum } from '../../domain/money/money.ts'
import { categoryOf, idIn } from '../../domain/stream.ts'
import { lineOf, lineBook } from '../verify/line-book.ts'
import type { Progress } from '../verify/problems.ts'
import {
  BrokenStream,
  evolved,
  judgeOf,
  streamStates,
  type StreamState,
} from '../verify/judge-streams.ts'
import { fail } from '../../infrastructure/failures.ts'
import { openStoreToRead, type OpenedStore, type Place } from '../../infrastructure/stores.ts'
import {
  type Charge,
  termsInForce,
  type FeeSchedules,
  type FeeTerms,
} from '../../domain/accounting/fees.ts'
import type { Totals } from '../../domain/accounting/totals.ts'
import type { TransactionLine } from '../../domain/accounting/transaction-line.ts'
import type { Facts } from '../rules/causes.ts'
import { decideOtherwise, type Judge } from '../rules/decide-again.ts'
import { factBook } from '../rules/fact-book.ts'

/** Events with charges to a merchant. */
const charging: readonly string[] = [
  'PaymentCaptured',
  'PaymentRefunded',
  'PaymentDisputed',
  'PaymentDisputeWon',
  'CorrectionApproved',
  'PermissionGranted',
  'PermissionDeclined',
  'SettlementMade',
] satisfies readonly EventType[]

/** Fee schedules by merchant, replacing those that were set. */
type OtherFees = ReadonlyMap<string, FeeSchedules>

/** Computes charges with other fees, ignoring those that were set. */
const otherTerms = (fees: OtherFees) => {
  const book = factBook()
  const lines = lineBook()
  let now = 0

  const termsAt = (merchant: string, currency: string, at: number): FeeTerms => {
    const own = facts.currencyOf(merchant) ?? ''
    return termsInForce(fees.get(merchant) ?? [], currency, own, at)
  }
  const facts: Facts = {
    ...book.factsAt(0),
    ...lines.facts,
    termsOf: (merchant, currency) => [termsAt(merchant, currency, now)],
    settlementTermsOf: (merchant, at) => {
      const currencies = (fees.get(merchant) ?? []).map(({ currency }) => currency)
      const terms = currencies.map((currency) => [currency, termsAt(merchant, currency, at)])
      return [Object.fromEntries(terms) as Record<string, FeeTerms>]
    },
    // Charges depend on none of these.
    tidOf: () => '',
    ridOf: () => '',
    announcedBy: () => undefined,
    grantedBy: () => null,
    endedUnpaid: () => true,
  }

  return {
    /** Call with every event, after deciding it again. */
    read: (event: Recorded): void => {
      lines.read(event)
      book.read(event)
    },
    addLine: lines.add,
    /** The event as it would be with the other fees, from a state that follows them. */
    inPlaceOf: (judge: Judge, state: unknown, event: Recorded): Recorded => {
      const { type, metadata } = event
      if (!charging.includes(type) || !fees.has(metadata.merchant ?? '')) return event
      now = metadata.at
      book.factsAt(now)
      const decided = decideOtherwise(judge, state, event, facts)
      return decided ? ({ ...event, data: decided.data } as Recorded) : event
    },
  }
}

/** The charge or payout of an event, in minor units. */
type Amount = {
  readonly amount: string
  readonly currency: string
  readonly value: Sum
  readonly isCharge: boolean
}

const charges = ['fee', 'interchange', 'vat'] as const satisfies readonly (keyof Charge)[]

const ofSettlement = ['settlement_fee', 'settlement_fee_vat'] as const

const feeIn = (totals: Totals, currency: string, name: (typeof ofSettlement)[number]): Sum =>
  addUp(...totals.map((one) => (one.currency === currency ? (one.fees[name] ?? 0) : 0)))

/** The amounts that depend on fees: those of a line, or of a settlement. */
const amountsIn = (event: Recorded, line: TransactionLine | undefined): readonly Amount[] => {
  if (event.type === 'SettlementMade') {
    const { payouts, totals } = event.data
    return payouts.flatMap(({ currency, payout, unsettledFeesAfter: unpaid }) => [
      ...ofSettlement.map((amount) => {
        return { amount, currency, value: feeIn(totals, currency, amount), isCharge: true }
      }),
      { amount: 'payout', currency, value: payout, isCharge: false },
      { amount: 'fees left to pay', currency, value: unpaid, isCharge: false },
    ])
  }
  if (!line?.charge) return []
  const { charge, currency } = line
  return charges.map((amount) => {
    return { amount, currency, value: String(charge[amount]), isCharge: true }
  })
}

/** An amount that would be different. */
type FeeDifference = {
  readonly event: Position
  readonly at: string
  readonly merchant: string
  /** The tid of a payment, the rid of a permission request, or the id of a settlement. */
  readonly subject: string
  /** Id of the capture or refund. */
  readonly part: string | null
  readonly type: string
  readonly amount: string
  readonly currency: string
  readonly recorded: string
  readonly otherwise: string
}

/** Totals of a merchant's charges and payouts. */
type Summed = {
  readonly merchant: string
  readonly currency: string
  readonly charges: { readonly recorded: string; readonly otherwise: string }
  readonly payouts: { readonly recorded: string; readonly otherwise: string }
}

export type FeesReplayed = {
  readonly position: Position
  readonly count: number
  /** The first of them, in log order. */
  readonly differences: readonly FeeDifference[]
  readonly sums: readonly Summed[]
}

type Pair = readonly [recorded: Sum, otherwise: Sum]

const noPair: Pair = ['0', '0']

const plus = (one: Pair, other: Pair): Pair => [addUp(one[0], other[0]), addUp(one[1], other[1])]

/** Collects amounts as they are and as they would be. */
const gatherAmounts = (most: number) => {
  const differences: FeeDifference[] = []
  const sums = new Map<string, { charges: Pair; payouts: Pair }>()
  let count = 0
  const add = (place: Pick<FeeDifference, 'merchant'> & object, found: readonly Found[]): void => {
    for (const { amount, currency, isCharge, pair } of found) {
      const key = `${place.merchant} ${currency}`
      const before = sums.get(key) ?? { charges: noPair, payouts: noPair }
      if (isCharge) sums.set(key, { ...before, charges: plus(before.charges, pair) })
      if (amount === 'payout') sums.set(key, { ...before, payouts: plus(before.payouts, pair) })
      if (pair[0] === pair[1]) continue
      count += 1
      if (differences.length >= most) continue
      const [recorded = '', otherwise = ''] = pair.map((minor) => formatAmount(minor, currency))
      const difference = { ...place, amount, currency, recorded, otherwise }
      differences.push(difference as FeeDifference)
    }
  }
  const printed = (currency: string, [recorded, otherwise]: Pair) => ({
    recorded: formatAmount(recorded, currency),
    otherwise: formatAmount(otherwise, currency),
  })
  const found = () => ({
    count,
    differences,
    sums: [...sums].map(([key, { charges, payouts }]) => {
      const [merchant = '', currency = ''] = key.split(' ')
      const all = { charges: printed(currency, charges), payouts: printed(currency, payouts) }
      return { merchant, currency, ...all }
    }),
  })
  return { add, found }
}

type Found = {
  readonly amount: string
  readonly currency: string
  readonly isCharge: boolean
  readonly pair: Pair
}

const pairsOf = (recorded: readonly Amount[], otherwise: readonly Amount[]): readonly Found[] =>
  recorded.map(({ value, ...about }) => {
    const isSame = ({ amount, currency }: Amount): boolean =>
      amount === about.amount && currency === about.currency
    return { ...about, pair: [value, otherwise.find(isSame)?.value ?? '0'] }
  })

const followed: readonly string[] = ['payment', 'permission', 'settlement']

const placeOf = (event: Recorded, part: string | null) => {
  const { position, type, stream, metadata } = event
  const subject = type === 'SettlementMade' ? event.data.settlementId : idIn(stream)
  return {
    event: position,
    at: new Date(metadata.at).toISOString(),
    merchant: metadata.merchant ?? '',
    subject,
    part,
    type,
  }
}

/** Processes the log with the states as they would be. */
const walkWith = (store: OpenedStore, fees: OtherFees, most: number) => {
  const terms = otherTerms(fees)
  const gathered = gatherAmounts(most)
  const states = streamStates(store, (judge, before, event) =>
    evolved(judge, before, terms.inPlaceOf(judge, before.state, event)),
  )
  /** Kept in full: their sums cannot be computed from their own streams. */
  const ofSettlements = new Map<string, StreamState>()

  const read = async (event: Recorded): Promise<void> => {
    const { stream } = event
    const judge = followed.includes(categoryOf(stream)) ? judgeOf(stream) : undefined
    if (judge) {
      const known = ofSettlements.get(stream) ?? (await states.before(judge, event))
      const otherwise = terms.inPlaceOf(judge, known.state, event)
      const [line, otherLine] = [event, otherwise].map((one) => lineOf(one, known.state))
      if (otherLine) terms.addLine(otherLine)
      const found = pairsOf(amountsIn(event, line), amountsIn(otherwise, otherLine))
      gathered.add(placeOf(event, line?.subId ?? null), found)
      const after = evolved(judge, known, otherwise)
      if (categoryOf(stream) === 'settlement') ofSettlements.set(stream, after)
      else states.remember(stream, after)
    }
    terms.read(event)
  }
  return { read, found: gathered.found }
}

/** Folds a log as if other fees had been in force, and compares charges and payouts. */
export const replayWithFees = async (
  place: Place,
  fees: OtherFees,
  most: number,
  progress: Progress,
): Promise<FeesReplayed> => {
  const store = await openStoreToRead(place)
  try {
    const position = await store.head()
    const walk = walkWith(store, fees, most)
    for await (const batch of store.readAll(start)) {
      const inRange = batch.filter((event) => event.position <= position)
      for (const event of inRange) await walk.read(parseEvent(event))
      progress('folding with other fees', inRange.at(-1)?.position ?? position, position)
      if (inRange.length < batch.length) break
    }
    return { position, ...walk.found() }
  } catch (error) {
    if (!(error instanceof BrokenStream)) throw error
    return fail(`the log cannot be followed: ${error.message}: run daybook audit verify`)
  } finally {
    await store.close()
  }
}
