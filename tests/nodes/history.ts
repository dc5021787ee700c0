import type { Fence, LeaseEvent } from '../../domain/leases.ts'

/** One request, and what came of it. */
export type Asked = {
  readonly kind: 'request' | 'accept' | 'capture' | 'rest' | 'read' | 'test'
  readonly node: string
  readonly merchant: string
  /** The payment; empty for what has none yet. */
  readonly tid: string
  /** The id of the capture. */
  readonly part?: string
  readonly start: number
  readonly end: number
  /** Null without an answer. */
  readonly status: number | null
  /** The id under which the service has answered. */
  readonly requestId: string | null
  /** The captures that a read has shown. */
  readonly shown?: readonly string[]
  /** Whom a request names. */
  readonly customer?: string
}

/** A message that arrived. */
export type Arrived = {
  readonly id: string
  readonly subject: string
  readonly seqno: number
  /** The node that has sent it; null where the message does not tell. */
  readonly node: string | null
  readonly at: number
}

/** What was done to a node. */
export type Fault = {
  readonly kind: 'kill' | 'freeze' | 'end'
  readonly node: string
  readonly at: number
  /** When it was there again. */
  readonly until: number
}

export type Logged = {
  readonly id: string
  readonly stream: string
  readonly revision: number
  readonly type: string
  readonly data: Readonly<Record<string, unknown>>
  readonly correlationId: string
  readonly merchant: string | null
  readonly position: number
  /** When the store has recorded it. */
  readonly at: number
  readonly lease?: Fence | undefined
}

/** What each process does from now on, by the event that tells it. */
export type Leases = Pick<Logged, 'position' | 'at'> & LeaseEvent['data']

export type History = {
  readonly asked: readonly Asked[]
  readonly arrived: readonly Arrived[]
  readonly log: readonly Logged[]
  readonly leases: readonly Leases[]
}

export const groupBy = <Item>(items: readonly Item[], keyOf: (item: Item) => string) => {
  const groups = new Map<string, Item[]>()
  for (const item of items) {
    const key = keyOf(item)
    const group = groups.get(key)
    if (group) group.push(item)
    else groups.set(key, [item])
  }
  return groups
}
