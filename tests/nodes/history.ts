import type { Fence, LeaseEvent } from '../../domain/leases.ts'

/** A request and its outcome. */
export type Asked = {
  readonly kind: 'request' | 'accept' | 'capture' | 'rest' | 'read' | 'test'
  readonly node: string
  readonly merchant: string
  /** The payment; empty if there is none yet. */
  readonly tid: string
  /** The capture's id. */
  readonly part?: string
  readonly start: number
  readonly end: number
  /** Null without a response. */
  readonly status: number | null
  /** X-Request-Id of the response. */
  readonly requestId: string | null
  /** The captures shown by a read. */
  readonly shown?: readonly string[]
  /** The customer named in a request. */
  readonly customer?: string
}

export type Arrived = {
  readonly id: string
  readonly subject: string
  readonly seqno: number
  /** The sending node; null if the message does not say. */
  readonly node: string | null
  readonly at: number
}

export type Fault = {
  readonly kind: 'kill' | 'freeze' | 'end'
  readonly node: string
  readonly at: number
  /** When the node was back. */
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
  /** When the store recorded it. */
  readonly at: number
  readonly lease?: Fence | undefined
}

/** The leases of each process, according to an event. */
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
