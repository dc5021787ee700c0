import type { DecidedAgain } from './decide-again.ts'

/** A refused request, as its line tells it. */
export type RefusalLine = {
  /** By the clock of the service, and by the machine's where that differs. */
  readonly at: string
  readonly machine_at?: string
  readonly request: string
  readonly merchant: string | null
  readonly actor: string
  readonly status: number
  readonly method: string
  /** The path of the route, with `:name` for what varies. */
  readonly path: string
  /** The code of a refusal, or what was said of the request. */
  readonly rule: string
  /** What was decided about, and where it stood; absent where nothing was decided. */
  readonly stream?: string
  readonly revision?: number
  /** What was asked for, sealed with a secret of the vault. */
  readonly sealed?: string
}

/** Which refusals are wanted; absent members want all. */
export type RefusalsWanted = {
  readonly from: number
  readonly to: number
  readonly merchant?: string | undefined
  readonly actor?: string | undefined
  readonly request?: string | undefined
}

export type ExplainedRefusal = Omit<RefusalLine, 'sealed'> & {
  /** The path that was asked for. */
  readonly target?: string | undefined
  /** Absent where nothing was decided, or what was asked for is not kept. */
  readonly again?: DecidedAgain | undefined
}
