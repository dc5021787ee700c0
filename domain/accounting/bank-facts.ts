// Long because one set of facts is judged as a whole.
import { addUp, type Sum } from '../money/money.ts'
import type { EntryProblem, SeenEntry } from './bank-entry.ts'
import type { ReturnReason } from './payout-events.ts'
import type { PayoutStatus } from './payout-state.ts'

/** A movement on the operator's account: one entry of a bank file, or one detail of it. */
export type BankFact = Omit<SeenEntry, 'problem'> & { readonly id: string }

/** The bank's refusal to pay one order, a payment information, or a whole message. */
export type Rejection = {
  readonly messageId: string
  readonly paymentId: string | null
  readonly endToEndId: string | null
  readonly day: string
  readonly reason: ReturnReason
  /** Orders and payment informations of which the report says something of their own. */
  readonly except: readonly string[]
}

/** A payout as one message orders it. */
export type MessageOrder = {
  readonly endToEndId: string
  readonly paymentId: string
  readonly day: string
  readonly amount: Sum
  readonly currency: string
  /** False once another message has ordered the payout again. */
  readonly isCurrent: boolean
  readonly status: PayoutStatus
  readonly debits: readonly string[]
  readonly credits: readonly string[]
  readonly isRejected: boolean
}

type Step<Order> =
  | { readonly type: 'paid' | 'returned'; readonly order: Order; readonly fact: BankFact }
  | { readonly type: 'refused'; readonly order: Order; readonly rejection: Rejection }

export type Verdict<Order> =
  | { readonly orders: readonly Order[]; readonly problem?: undefined }
  | { readonly problem: EntryProblem }

export type Plan<Order> = {
  /** What the facts change, in this order. */
  readonly steps: readonly Step<Order>[]
  /** By the id of the fact. */
  readonly verdicts: ReadonlyMap<string, Verdict<Order>>
  /** Facts that tell the same movement. */
  readonly movements: readonly (readonly BankFact[])[]
}

/** By day; ties have a fixed order, whatever the order of the files. */
export const byDay = (one: BankFact, other: BankFact): number =>
  one.day < other.day || (one.day === other.day && one.id < other.id) ? -1 : 1

/** By the bank's references; undefined if they say nothing. */
const haveSameReference = (one: BankFact, other: BankFact): boolean | undefined => {
  if (one.reference === null || other.reference === null) return undefined
  if (one.reference === other.reference) return true
  const isDetail = ({ entryReference }: BankFact) => entryReference !== undefined
  if (isDetail(one) === isDetail(other)) return false
  const [detail, whole] = isDetail(one) ? [one, other] : [other, one]
  if (detail.entryReference) return detail.entryReference === whole.reference
  return whole.endToEndId === null ? undefined : false
}

const differ = (one: string | null | undefined, other: string | null | undefined): boolean =>
  typeof one === 'string' && typeof other === 'string' && one !== other

/** Whether two files tell the same movement. One statement tells each movement once. */
const areSame = (one: BankFact, other: BankFact): boolean => {
  if (differ(one.paymentId, other.paymentId) || differ(one.messageId, other.messageId)) return false
  const isOtherKind = one.source.kind !== other.source.kind
  if (!isOtherKind && one.source.id === other.source.id) return false
  return haveSameReference(one, other) ?? (isOtherKind || one.day === other.day)
}

/** Groups the facts of one order and side by movement, earliest first. */
const movementsIn = (facts: readonly BankFact[]): readonly (readonly BankFact[])[] => {
  const movements: BankFact[][] = []
  const named = facts.filter(({ reference }) => reference !== null)
  const others = facts.filter(({ reference }) => reference === null)
  for (const fact of [...named.sort(byDay), ...others.sort(byDay)]) {
    const possible = movements.filter((movement) => movement.every((one) => areSame(one, fact)))
    const found = possible.find((all) => all.some(({ day }) => day === fact.day)) ?? possible[0]
    if (found) found.push(fact)
    else movements.push([fact])
  }
  return movements.sort(([one], [other]) => (one && other ? byDay(one, other) : 0))
}

/** Movements of facts that name the same and have the same amount. */
export const similarMovements = (facts: readonly BankFact[]): readonly (readonly BankFact[])[] => {
  const groups = new Map<string, BankFact[]>()
  for (const fact of facts) {
    const { side, amount, currency, endToEndId } = fact
    const key = JSON.stringify([side, amount, currency, endToEndId])
    const group = groups.get(key)
    if (group) group.push(fact)
    else groups.set(key, [fact])
  }
  return [...groups.values()].flatMap(movementsIn)
}

const sumOf = (orders: readonly MessageOrder[]): Sum => addUp(...orders.map((one) => one.amount))

/** Whether the payment information is one of the message, and no name of the bank's own. */
const isPaymentOf = (messageId: string, { paymentId }: BankFact): boolean =>
  paymentId?.startsWith(`${messageId.slice(0, 30)}-`) === true

/** The order itself is named. */
const problemOfDetail = (fact: BankFact, order: MessageOrder, messageId: string) => {
  const isSame = order.amount === fact.amount && order.currency === fact.currency
  if (!isSame) return 'other_amount'
  if (fact.messageId !== null && fact.messageId !== messageId) return 'other_message'
  return isPaymentOf(messageId, fact) && fact.paymentId !== order.paymentId
    ? 'other_message'
    : undefined
}

/** The facts of each order; sums are added as they are assigned. */
type Facts<Order> = {
  readonly of: ReadonlyMap<Order, BankFact[]>
  readonly rejected: ReadonlySet<Order>
}

const countedOn = ({ debits, credits }: MessageOrder, { side }: BankFact): readonly string[] =>
  side === 'debit' ? debits : credits

/** Whether the order has another movement than this one. */
const isTaken = <Order extends MessageOrder>(
  { of }: Facts<Order>,
  order: Order,
  movement: readonly BankFact[],
): boolean => {
  const [first] = movement
  if (!first) return false
  const facts = (of.get(order) ?? []).filter(({ side }) => side === first.side)
  const known = [...facts, ...movement]
  const isUnknown = (id: string) => !known.some((one) => one.id === id)
  const isOther = (fact: BankFact) => movement.some((one) => !areSame(one, fact))
  return facts.some(isOther) || countedOn(order, first).some(isUnknown)
}

/**
 * Banks may book all payouts of a message, or of a payment information, as one entry. The names
 * decide, then the sum, then the day. What the bank refused or booked apart may be missing in it.
 */
const ordersOfSum = <Order extends MessageOrder>(
  movement: readonly BankFact[],
  orders: readonly Order[],
  messageId: string,
  facts: Facts<Order>,
): Verdict<Order> => {
  const [sum] = movement
  const all = orders.filter(({ currency }) => currency === sum?.currency)
  const informations = [...new Set(all.map(({ paymentId }) => paymentId))].map((id) =>
    all.filter(({ paymentId }) => paymentId === id),
  )
  const paymentId = movement.find((one) => isPaymentOf(messageId, one))?.paymentId
  const named = informations.filter(([one]) => one?.paymentId === paymentId)
  const possible = paymentId === undefined ? [all, ...informations] : named
  if (!sum || possible.flat().length === 0) return { problem: 'unknown_payout' }
  const isFree = (order: Order) => !isTaken(facts, order, movement)
  const groups = possible.flatMap((group) => {
    const accepted = group.filter((one) => !facts.rejected.has(one))
    return [group, accepted, accepted.filter(isFree)]
  })
  const fitting = groups.filter((group) => group.length > 0 && sumOf(group) === sum.amount)
  const isCounted = (order: Order) => movement.some(({ id }) => countedOn(order, sum).includes(id))
  const isOfDay = (order: Order) => movement.some(({ day }) => day === order.day)
  const found =
    fitting.find((group) => group.some(isCounted)) ??
    fitting.find((group) => group.every((one) => isFree(one) && isOfDay(one))) ??
    fitting.find((group) => group.every(isFree)) ??
    fitting[0]
  if (found) return { orders: found }
  return { problem: possible.flat().some(isFree) ? 'other_amount' : 'payout_is_paid' }
}

/** The movements of sums: those whose payment information is named come first. */
const movementsOfSums = (messageId: string, sums: readonly BankFact[]) => {
  const movements = similarMovements(sums)
  const isNamed = (all: readonly BankFact[]) => all.some((one) => isPaymentOf(messageId, one))
  return [...movements.filter(isNamed), ...movements.filter((one) => !isNamed(one))]
}

const assign = <Order extends MessageOrder>(
  messageId: string,
  orders: readonly Order[],
  facts: readonly BankFact[],
  rejected: ReadonlySet<Order>,
) => {
  const of = new Map(orders.map((order) => [order, [] as BankFact[]]))
  const byId = new Map(orders.map((order) => [order.endToEndId, order]))
  const verdicts = new Map<string, Verdict<Order>>()
  const tell = (all: readonly BankFact[], verdict: Verdict<Order>): void => {
    for (const { id } of all) verdicts.set(id, verdict)
    if (verdict.problem !== undefined) return
    for (const order of verdict.orders) of.get(order)?.push(...all)
  }
  for (const fact of facts) {
    if (fact.endToEndId === null) continue
    const order = byId.get(fact.endToEndId)
    const problem = order ? problemOfDetail(fact, order, messageId) : 'unknown_payout'
    tell([fact], problem || !order ? { problem: problem ?? 'unknown_payout' } : { orders: [order] })
  }
  const sums = facts.filter(({ endToEndId }) => endToEndId === null)
  for (const movement of movementsOfSums(messageId, sums))
    tell(movement, ordersOfSum(movement, orders, messageId, { of, rejected }))
  return { of, verdicts }
}

/** The most particular names of a report decide. */
export const isOf = (
  { endToEndId, paymentId }: Pick<MessageOrder, 'endToEndId' | 'paymentId'>,
  rejection: Rejection,
): boolean => {
  if (rejection.endToEndId !== null) return rejection.endToEndId === endToEndId
  if (rejection.except.includes(endToEndId)) return false
  if (rejection.paymentId !== null) return rejection.paymentId === paymentId
  return !rejection.except.includes(paymentId)
}

type Judged = { readonly movement: readonly BankFact[]; readonly problem: EntryProblem | undefined }

/**
 * A payout is paid while one more debit than credits of its order counts. A second debit of an
 * order always has a problem, even if it paid what had come back.
 */
const judge = <Order extends MessageOrder>(
  order: Order,
  facts: readonly BankFact[],
  rejection: Rejection | undefined,
): { readonly steps: readonly Step<Order>[]; readonly judged: readonly Judged[] } => {
  const steps: Step<Order>[] = []
  const sides = ['debit', 'credit'] as const
  const [debits, credits] = sides.map((side) =>
    movementsIn(facts.filter((one) => one.side === side)),
  )
  const counts = { debit: [...order.debits], credit: [...order.credits] }
  const isIn = (ids: readonly string[]) => (movement: readonly BankFact[]) =>
    movement.some(({ id }) => ids.includes(id))
  let { status } = order
  const next = (all: readonly (readonly BankFact[])[] = [], ids: readonly string[]) =>
    all.find((movement) => !isIn(ids)(movement))?.[0]
  const count = (type: 'paid' | 'returned', fact: BankFact): void => {
    steps.push({ type, order, fact })
    counts[fact.side].push(fact.id)
    status = type
  }
  while (order.isCurrent) {
    const isPaid = status === 'paid'
    const fact = isPaid ? next(credits, counts.credit) : next(debits, counts.debit)
    if (!fact) break
    count(isPaid ? 'returned' : 'paid', fact)
  }
  if (rejection && order.isCurrent && status === 'ordered')
    steps.push({ type: 'refused', order, rejection })
  const missing = order.isCurrent ? undefined : ('payout_is_not_ordered' as const)
  const first = (debits ?? []).find(isIn(counts.debit.slice(0, 1)))
  return {
    steps,
    judged: [
      ...(debits ?? []).map((movement) => ({
        movement,
        problem: movement === first ? undefined : (missing ?? ('payout_is_paid' as const)),
      })),
      ...(credits ?? []).map((movement) => ({
        movement,
        problem: isIn(counts.credit)(movement)
          ? undefined
          : (missing ?? ('payout_is_not_paid' as const)),
      })),
    ],
  }
}

/**
 * What all that the bank has said of a message means for its payouts. It depends on the set of the
 * facts, and neither on their order nor on how often each was read.
 */
export const planOf = <Order extends MessageOrder>(
  messageId: string,
  orders: readonly Order[],
  facts: readonly BankFact[],
  rejections: readonly Rejection[],
): Plan<Order> => {
  const refused = new Map(
    orders.map((order) => [order, rejections.find((one) => isOf(order, one))]),
  )
  const isRejected = (one: Order) => one.isRejected || refused.get(one) !== undefined
  const { of, verdicts } = assign(messageId, orders, facts, new Set(orders.filter(isRejected)))
  const steps: Step<Order>[] = []
  const movements: (readonly BankFact[])[] = []
  for (const order of orders) {
    const found = judge(order, of.get(order) ?? [], refused.get(order))
    steps.push(...found.steps)
    movements.push(...found.judged.map(({ movement }) => movement))
    for (const { movement, problem } of found.judged)
      if (problem) for (const { id } of movement) verdicts.set(id, { problem })
  }
  const placed = new Set(movements.flatMap((all) => all.map(({ id }) => id)))
  const apart = facts.filter(({ id }) => !placed.has(id))
  return { steps, verdicts, movements: [...movements, ...similarMovements(apart)] }
}
