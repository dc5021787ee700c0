/** Of a request that a merchant made: by whom, where to, and with what. */
export type RequestOfMerchant = {
  readonly merchant: string
  readonly actor: string
  /** As the client saw it, with its query. */
  readonly url: () => string
  readonly body: Uint8Array
}

/** A request as its merchant's log has it: nothing of a person, and no value that was sent. */
export type RequestLine = {
  /** By the service's clock, and by the machine's if that differs. */
  readonly at: string
  readonly machine_at?: string
  readonly request: string
  readonly merchant: string
  readonly actor: string
  readonly status: number
  readonly method: string
  /** The path with ids, and the names of the query; other values are `…`. */
  readonly target: string
  /** Milliseconds. */
  readonly took: number
  /** Names and JSON types of the body; absent where it is none or is long. */
  readonly body?: unknown
}

/** What a receiver of callbacks answered. */
export type ReceiverAnswer = {
  readonly at: string
  readonly status: number
  /** The first bytes. */
  readonly answer: string
}
