import { isDeepStrictEqual } from 'node:util'
import { leftOf, type Books, type Entry } from './log-books.ts'
import type { Arrival } from './receiver.ts'
import { minorOf, type Outcome, type Part } from './telling.ts'

const show = (value: unknown): string => JSON.stringify(value)

const partsOf = (parts: readonly Part[]) =>
  parts.map(({ id, amount, additional_amount }) => ({
    id,
    amount: minorOf(amount),
    additionalAmount: minorOf(additional_amount),
  }))

/** Where an outcome, as read over HTTP, differs from the books. */
export const outcomeDiffers = (outcome: Outcome, entry: Entry): string[] => {
  const pots = (amount: string, additional: string) => ({
    amount: minorOf(amount),
    additionalAmount: minorOf(additional),
  })
  const claims = {
    status: [`${outcome.status} ${outcome.status_code}`, entry.status],
    currency: [outcome.currency, entry.currency],
    amount: [pots(outcome.amount, outcome.additional_amount), entry.asked],
    'what is left': [pots(outcome.auth_amount, outcome.auth_additional_amount), leftOf(entry)],
    'what was released': [
      pots(outcome.released_amount, outcome.released_additional_amount),
      entry.released,
    ],
    captures: [partsOf(outcome.captures), entry.captures],
    refunds: [partsOf(outcome.refunds), entry.refunds],
  }
  return Object.entries(claims).flatMap(([what, [read, logged]]) =>
    isDeepStrictEqual(read, logged)
      ? []
      : `${what}: the outcome says ${show(read)}, the log ${show(logged)}`,
  )
}

/** Where the messages that arrived about a payment, each once, differ from those that the log owes. */
export const messagesDiffer = (arrived: readonly Arrival[], { owed, tid }: Entry): string[] => {
  const path = `/merchant/v1/payment_request/${tid}/outcome/`
  const told = arrived.map(({ meta: { id, event, seqno, uri } }) => ({
    id,
    event,
    seqno,
    path: uri === null ? null : new URL(uri).pathname,
  }))
  const expected = owed.map(({ id, event }, index) => ({ id, event, seqno: index + 1, path }))
  if (isDeepStrictEqual(told, expected)) return []
  const names = (messages: typeof told) =>
    messages.map(({ event, seqno }) => `${event} #${seqno}`).join(', ') || 'nothing'
  return [`callbacks: the till was told ${names(told)}; the log owes ${names(expected)}`]
}

/** Where the attempts that the log records differ from what arrived, repeated messages among it. */
export const attemptsDiffer = (arrivals: readonly Arrival[], { attempts, entries }: Books) =>
  entries.flatMap(({ owed }) =>
    owed.flatMap(({ id, event }) => {
      const recorded = attempts.get(id) ?? []
      const arrived = arrivals.filter(({ meta }) => meta.id === id).length
      const delivered = recorded.filter((result) => result === 'delivered').length
      if (delivered === 1 && recorded.length === arrived) return []
      return `${event}: the log records ${show(recorded)}, it arrived ${arrived} times`
    }),
  )
