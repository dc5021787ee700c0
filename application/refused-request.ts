/** A refused request, as written in the log of refusals. */
export type RefusalLine = {
  /** By the service's clock, and by the machine's if that differs. */
  readonly at: string
  readonly machine_at?: string
  readonly request: string
  readonly merchant: string | null
  readonly actor: string
  readonly status: number
  readonly method: string
  /** The route's path, with `:name` for parameters. */
  readonly path: string
  /** The code of a refusal, or the error message. */
  readonly rule: string
  /** The stream decided on and its revision; absent if there was no decision. */
  readonly stream?: string
  readonly revision?: number
  /** The command, sealed with a secret of the vault. */
  readonly sealed?: string
}

/** Which refusals to find; absent members match all. */
export type RefusalFilter = {
  readonly from: number
  readonly to: number
  readonly merchant?: string | undefined
  readonly actor?: string | undefined
  readonly request?: string | undefined
}
