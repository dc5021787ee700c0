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
}

export type History = {
  readonly asked: readonly Asked[]
  readonly arrived: readonly Arrived[]
  readonly faults: readonly Fault[]
  readonly log: readonly Logged[]
}
