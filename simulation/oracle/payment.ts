import type { Rule } from './rules.ts'

/** Minor units; interface 4.3: two pots, neither can be captured or refunded out of the other. */
export type Pots = { readonly amount: number; readonly extra: number }
export type Part = Pots & { readonly id: string | null; readonly report: number }
/** 10.1: it takes the amount when it opens, and gives it back when it is won. */
export type Dispute = Pots & {
  readonly report: number
  readonly state: 'open' | 'won' | 'lost'
  /** The report in which it was won. */
  readonly wonIn: number | null
}

/** A payment request as a merchant may expect it to be. */
export type Payment = {
  readonly tid: string
  readonly currency: string
  readonly requested: Pots
  readonly status: 'pending' | 'auth' | 'ok' | 'fail'
  readonly code: number
  /** Earliest and latest instant at which it expires; the same once an answer has shown it. */
  readonly expires: { readonly from: number; readonly to: number }
  readonly captures: readonly Part[]
  readonly refunds: readonly Part[]
  readonly disputes: readonly Dispute[]
  readonly released: Pots
  readonly callbacks: readonly string[]
}

/** What a request may lawfully be answered with, and what it then leads to. */
export type Expected = {
  readonly statuses: readonly number[]
  readonly rule: Rule
  readonly after: Payment
  /** What it may as well be. */
  readonly also?: Payment
}

const second = 1000
const authorizedMs = 259_200 * second

export const none: Pots = { amount: 0, extra: 0 }
export const sumOf = (parts: readonly Pots[]): Pots =>
  parts.reduce((sum, { amount, extra }) => plus(sum, { amount, extra }), none)
const plus = (one: Pots, other: Pots): Pots => ({
  amount: one.amount + other.amount,
  extra: one.extra + other.extra,
})
const less = (one: Pots, other: Pots): Pots => ({
  amount: one.amount - other.amount,
  extra: one.extra - other.extra,
})
const isNothing = ({ amount, extra }: Pots): boolean => amount === 0 && extra === 0
const isMore = (one: Pots, other: Pots): boolean =>
  one.amount > other.amount || one.extra > other.extra
const isSame = (one: Pots, other: Pots): boolean =>
  one.amount === other.amount && one.extra === other.extra

/** 2.3: an instant that decides something is a whole second. */
const wholeSeconds = (at: number) => ({
  from: Math.floor(at / second) * second,
  to: Math.ceil(at / second) * second,
})

export const capturedOf = ({ captures }: Payment): Pots => sumOf(captures)
export const availableOf = (payment: Payment): Pots =>
  payment.status === 'auth'
    ? less(less(payment.requested, capturedOf(payment)), payment.released)
    : none
export const refundableOf = (payment: Payment): Pots => {
  const taken = payment.disputes.filter(({ state }) => state !== 'won')
  return less(capturedOf(payment), sumOf([...payment.refunds, ...taken]))
}

/** A request of a customer that somebody has; 4.1: it expires in `expires_in` seconds. */
export const made = (
  {
    tid,
    currency,
    requested,
    seconds,
  }: {
    readonly tid: string
    readonly currency: string
    readonly requested: Pots
    readonly seconds: number
  },
  now: number,
): Payment => ({
  tid,
  currency,
  requested,
  status: 'pending',
  code: 1003,
  expires: wholeSeconds(now + seconds * second),
  captures: [],
  refunds: [],
  disputes: [],
  released: none,
  callbacks: [],
})

const ended = (payment: Payment, code: number, callback: string): Payment => {
  const { status, captures, callbacks } = payment
  const released =
    status === 'auth' ? plus(payment.released, availableOf(payment)) : payment.released
  // 4.4: only a release after a part was captured is a success.
  const isSuccess = code === 4019 && captures.length > 0
  return {
    ...payment,
    released,
    status: isSuccess ? 'ok' : 'fail',
    code: isSuccess ? 2000 : code,
    callbacks: [...callbacks, callback],
  }
}

const expired = (payment: Payment): Payment =>
  payment.status === 'pending'
    ? ended(payment, 5011, 'payment_request_expired')
    : ended(payment, 5012, 'payment_authorization_expired')

/** 4.5: the instant of expiry belongs to "expired". Both, while it is not known exactly. */
export const lawfulAt = (payment: Payment, now: number): readonly Payment[] => {
  if (payment.status !== 'pending' && payment.status !== 'auth') return [payment]
  if (now < payment.expires.from) return [payment]
  return now >= payment.expires.to ? [expired(payment)] : [payment, expired(payment)]
}

export type Answer = 'accept' | 'decline'

/** The payer answers; `funds` is the code with which the funding source refuses. */
export const answered = (
  payment: Payment,
  answer: Answer,
  now: number,
  funds: number | undefined,
): Expected => {
  const rule = 'states'
  if (payment.status !== 'pending') {
    const isRepeated =
      answer === 'accept' ? payment.callbacks.includes('payment_authorized') : payment.code === 5006
    const statuses = isRepeated || payment.code === funds ? [204, 409] : [409]
    return { statuses, rule, after: payment }
  }
  const aborted = 'payment_aborted_by_customer'
  if (answer === 'decline') return { statuses: [204], rule, after: ended(payment, 5006, aborted) }
  if (funds !== undefined)
    return { statuses: [204, 409], rule, after: ended(payment, funds, aborted) }
  const after: Payment = {
    ...payment,
    status: 'auth',
    code: 3008,
    expires: wholeSeconds(now + authorizedMs),
    callbacks: [...payment.callbacks, 'payment_authorized'],
  }
  return { statuses: [204], rule, after }
}

export type RequestedPart = (Pots & { readonly id: string }) | 'everything'

const withCapture = (payment: Payment, part: Part): Payment => {
  const captures = [...payment.captures, part]
  const isAll = isNothing(availableOf({ ...payment, captures }))
  return {
    ...payment,
    captures,
    ...(isAll && { status: 'ok', code: 2000 }),
    callbacks: [...payment.callbacks, 'payment_captured'],
  }
}

/** 4.3: the same id with the same figures has no second effect; with others it is refused. */
const repeated = (
  payment: Payment,
  parts: readonly Part[],
  requestedPart: RequestedPart,
): Expected | undefined => {
  if (requestedPart === 'everything') return undefined
  const earlier = parts.find(({ id }) => id === requestedPart.id)
  if (!earlier) return undefined
  const statuses = isSame(earlier, requestedPart) ? [204] : [409]
  return { statuses, rule: 'partRepeated', after: payment }
}

/** 4.3: all that was left has been taken before, without an id. */
const allRepeated = (
  payment: Payment,
  parts: readonly Part[],
  requestedPart: RequestedPart,
): Expected | undefined =>
  requestedPart === 'everything' && parts.some(({ id }) => id === null)
    ? { statuses: [204], rule: 'allRepeated', after: payment }
    : undefined

export const captured = (
  payment: Payment,
  requestedPart: RequestedPart,
  report: number,
): Expected => {
  const again = repeated(payment, payment.captures, requestedPart)
  if (again) return again
  if (payment.status !== 'auth')
    return (
      allRepeated(payment, payment.captures, requestedPart) ?? {
        statuses: [409],
        rule: 'captureAllowed',
        after: payment,
      }
    )
  const left = availableOf(payment)
  const part = requestedPart === 'everything' ? { ...left, id: null } : requestedPart
  if (isMore(part, left)) return { statuses: [400], rule: 'captureTooMuch', after: payment }
  const { amount, extra, id } = part
  const after = withCapture(payment, { amount, extra, id, report })
  return { statuses: [204], rule: 'states', after }
}

export const refunded = (
  payment: Payment,
  requestedPart: RequestedPart,
  report: number,
): Expected => {
  const again = repeated(payment, payment.refunds, requestedPart)
  if (again) return again
  const left = refundableOf(payment)
  const part = requestedPart === 'everything' ? { ...left, id: null } : requestedPart
  if (isNothing(left)) {
    const all = allRepeated(payment, payment.refunds, requestedPart)
    if (all) return all
  }
  if (isNothing(left) || isMore(part, left))
    return { statuses: [400], rule: 'refundTooMuch', after: payment }
  const { amount, extra, id } = part
  const after = {
    ...payment,
    refunds: [...payment.refunds, { amount, extra, id, report }],
    callbacks: [...payment.callbacks, 'payment_refunded'],
  }
  return { statuses: [204], rule: 'states', after }
}

export const released = (payment: Payment): Expected => {
  const rule = 'released'
  if (payment.status === 'pending')
    return { statuses: [204], rule, after: ended(payment, 4019, 'payment_aborted_by_merchant') }
  if (payment.status === 'auth')
    return { statuses: [204], rule, after: ended(payment, 4019, 'payment_auth_released') }
  const isRepeated = payment.callbacks.some((callback) =>
    ['payment_auth_released', 'payment_aborted_by_merchant'].includes(callback),
  )
  return isRepeated
    ? { statuses: [204], rule: 'allRepeated', after: payment }
    : { statuses: [409], rule, after: payment }
}

export const renewed = (payment: Payment, now: number): Expected => {
  const rule = 'captureAllowed'
  if (payment.status !== 'auth') return { statuses: [409], rule, after: payment }
  const after: Payment = {
    ...payment,
    expires: wholeSeconds(now + authorizedMs),
    callbacks: [...payment.callbacks, 'payment_authorization_renewed'],
  }
  // A renewal again within the second in which it was renewed moves nothing.
  const isSame = after.expires.from <= payment.expires.to
  const isRepeated = isSame && payment.callbacks.includes('payment_authorization_renewed')
  return { statuses: [204], rule, after, ...(isRepeated && { also: payment }) }
}

/** 10.1: `gross` is of both pots, the first one first. A repeated one opens nothing. */
export const disputed = (
  payment: Payment,
  gross: number | 'everything',
  number: number,
  report: number,
): Expected => {
  const left = refundableOf(payment)
  const rule = 'disputed'
  const earlier = payment.disputes[number - 1]
  if (earlier) return { statuses: [204], rule, after: payment }
  const all = gross === 'everything' ? left.amount + left.extra : gross
  if (all < 1 || all > left.amount + left.extra) return { statuses: [400], rule, after: payment }
  const amount = Math.min(all, left.amount)
  const dispute: Dispute = { amount, extra: all - amount, report, state: 'open', wonIn: null }
  const after = {
    ...payment,
    disputes: [...payment.disputes, dispute],
    callbacks: [...payment.callbacks, 'dispute_opened'],
  }
  return { statuses: [204], rule, after }
}

/** 10.1: won or lost once; the other outcome afterwards is refused. */
export const disputeClosed = (
  payment: Payment,
  number: number,
  outcome: 'won' | 'lost',
  report: number,
): Expected => {
  const rule = 'disputed'
  const dispute = payment.disputes[number - 1]
  if (dispute?.state !== 'open')
    return { statuses: [dispute?.state === outcome ? 204 : 400], rule, after: payment }
  const closed: Dispute = { ...dispute, state: outcome, wonIn: outcome === 'won' ? report : null }
  const after = {
    ...payment,
    disputes: payment.disputes.with(number - 1, closed),
    callbacks: [...payment.callbacks, 'dispute_closed'],
  }
  return { statuses: [204], rule, after }
}
