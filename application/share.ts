import type { Handle } from './handle.ts'

/** Work started under a lease; it must end with the lease. */
export type Begun = {
  /**
   * How much longer it may run, in ms. Zero once the lease was lost, even if it was acquired again.
   */
  readonly leftMs: () => number
  /** Keeps the leases for the next seconds, because unrecorded results are retried. */
  readonly keep: () => void
}

/** The part of some work that belongs to this process. */
export type Share = {
  /** Whether this process does all of it, exclusively or like every other process. */
  readonly isAll: boolean
  /** Whether new work for a merchant may start now. */
  readonly isOwn: (merchant: string | null) => boolean
  /** Appends under the lease. @throws LeaseLost */
  readonly handle: Handle
  /** Runs a merchant's work and keeps the lease meanwhile. */
  readonly using: <Result>(
    merchant: string | null,
    work: (lease: Begun) => Promise<Result>,
  ) => Promise<Result>
  /** Number of changes to the share. */
  readonly changes: () => number
}

/** The share of a process that does everything itself. */
export const allWork = (handle: Handle): Share => ({
  isAll: true,
  isOwn: () => true,
  handle,
  using: (_, work) => work({ leftMs: () => Infinity, keep: () => {} }),
  changes: () => 0,
})

/** Lists rows in this share. Asks for more if rows of other shares crowd them out. */
export const listOwn =
  <Row>(
    { isAll, isOwn }: Pick<Share, 'isAll' | 'isOwn'>,
    merchantOf: (row: Row) => string | null,
    list: (limit: number) => readonly Row[],
  ) =>
  (limit: number): readonly Row[] => {
    if (isAll) return list(limit)
    for (let count = limit; ; count *= 4) {
      const listed = list(count)
      const own = listed.filter((row) => isOwn(merchantOf(row)))
      if (own.length >= limit || listed.length < count) return own.slice(0, limit)
    }
  }
