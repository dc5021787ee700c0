import { isDeepStrictEqual } from 'node:util'
import type { Books } from './log-books.ts'
import { linesOwed, outcomeOwed, type LogLine, type Entry } from './payment-book.ts'
import type { Arrival } from './receiver.ts'
import type { Sale } from './sale.ts'
import type { Outcome } from './telling.ts'

const show = (value: unknown): string => (value === undefined ? 'nothing' : JSON.stringify(value))

/** All plain values inside a value, by where they stand in it. */
const leavesOf = (value: unknown, path = ''): [path: string, leaf: unknown][] =>
  typeof value === 'object' && value !== null
    ? Object.entries(value).flatMap(([name, inner]) =>
        leavesOf(inner, path === '' ? name : `${path}.${name}`),
      )
    : [[path, value]]

const differences = (reader: string, read: object, owed: object): string[] => {
  const leaves = { read: new Map(leavesOf(read)), owed: new Map(leavesOf(owed)) }
  const paths = new Set([...leaves.owed.keys(), ...leaves.read.keys()])
  return [...paths].flatMap((path) => {
    const [says, should] = [leaves.read.get(path), leaves.owed.get(path)]
    return says === should ? [] : `${path}: ${reader} says ${show(says)}, the log ${show(should)}`
  })
}

type Members = Readonly<Record<string, unknown>>

const hasMembers = (value: unknown): value is Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Those members of a value that another one has too, and of these members the same. */
const membersLike = (value: Members, example: Members): Members =>
  Object.fromEntries(
    Object.keys(example)
      .filter((name) => name in value)
      .map((name) => {
        const [member, like] = [value[name], example[name]]
        return [name, hasMembers(member) && hasMembers(like) ? membersLike(member, like) : member]
      }),
  )

/** Where an outcome, as read over HTTP, differs from the books. */
export const outcomeDiffers = (outcome: Outcome, entry: Entry, sale: Sale): string[] => {
  const owed = outcomeOwed(entry, sale)
  return differences('the outcome', membersLike(outcome, owed), owed)
}

/** Where the lines about a payment in the transaction logs differ from those that the books owe. */
export const linesDiffer = (lines: readonly LogLine[], entry: Entry, sale: Sale): string[] => {
  const owed = linesOwed(entry, sale)
  if (lines.length !== owed.length)
    return [`the transaction logs hold ${lines.length} lines about it, the log owes ${owed.length}`]
  return lines.flatMap((line, index) => {
    const expected = owed[index] ?? {}
    const { action, sub_id: id } = expected
    const reader = `line ${index + 1} (${[action, id].filter(Boolean).join(' ')})`
    return differences(reader, membersLike(line, expected), expected)
  })
}

/** Where the messages that arrived about a payment differ from those that the log owes. */
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

/** Where the messages about scans that arrived, each once, differ from those that the log owes. */
export const scanMessagesDiffer = (messages: readonly Arrival[], { scans }: Books): string[] => {
  const told = messages.filter(({ meta }) => meta.event === 'shortlink_scanned')
  const ids = told.map(({ meta }) => meta.id)
  return isDeepStrictEqual(ids, scans)
    ? []
    : [`callbacks: the till was told of the scans ${show(ids)}; the log owes ${show(scans)}`]
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
