import type { Handle } from './handle.ts'

/** Something that was begun under a lease, and ends with it. */
export type Begun = {
  /** For how long it may go on, in ms. None once the lease was lost, even if it was won again. */
  readonly leftMs: () => number
  /** Gives up no lease in the next seconds: what could not be recorded is tried again. */
  readonly keep: () => void
}

/** The part of some work that this process does. */
export type Share = {
  /** Whether no other process does any of it, or each does all. */
  readonly isAll: boolean
  /** Whether something new may be begun for a merchant now. */
  readonly isOwn: (merchant: string | null) => boolean
  /** Appends with the lease. @throws LeaseLost */
  readonly handle: Handle
  /** Does work of a merchant; its lease is not given up meanwhile. */
  readonly using: <Result>(
    merchant: string | null,
    work: (lease: Begun) => Promise<Result>,
  ) => Promise<Result>
  /** How often the share has changed. */
  readonly changes: () => number
}

/** The share of a process that does all by itself. */
export const allWork = (handle: Handle): Share => ({
  isAll: true,
  isOwn: () => true,
  handle,
  using: (_, work) => work({ leftMs: () => Infinity, keep: () => {} }),
  changes: () => 0,
})

/** Lists rows of a share. While rows of others crowd them out, it asks for more. */
export const listOwn =
  <Row>(
    { isAll, isOwn }: Pick<Share, 'isAll' | 'isOwn'>,
    merchantOf: (row: Row) => string | null,
    list: (limit: number) => readonly Row[],
  ) =>
  (limit: number): readonly Row[] => {
    if (isAll) return list(limit)
    for (let asked = limit; ; asked *= 4) {
      const listed = list(asked)
      const own = listed.filter((row) => isOwn(merchantOf(row)))
      if (own.length >= limit || listed.length < asked) return own.slice(0, limit)
    }
  }
