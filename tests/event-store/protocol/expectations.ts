import {
  noStream,
  WrongExpectedRevision,
  type Appended,
  type Revision,
} from '../../../application/event-store.ts'
import { maximumAppendSize } from '../../../infrastructure/event-store/event-entry.ts'
import type { EventLog } from '../../../infrastructure/event-store/sqlite-event-log.ts'
import type {
  Expectation,
  NewRow,
} from '../../../infrastructure/event-store/sqlite-event-writer.ts'

/** The result of an append. */
export type Outcome =
  | { readonly kind: 'appended'; readonly appended: Appended }
  | { readonly kind: 'wrong'; readonly actual: Revision }
  | { readonly kind: 'too large' }

/** Number of ids remembered for appends without an expected revision. */
const rememberedIds = 100_000

/** Recent appends by id, by which a node recognises repeats without an expected revision. */
const rememberAppends = () => {
  const known = new Map<string, Appended>()
  const key = (stream: string, { id }: NewRow) => `${stream}\n${Buffer.from(id).toString('hex')}`
  return {
    remember: (stream: string, rows: readonly NewRow[], last: Appended): void => {
      for (const [index, row] of rows.entries()) {
        const behind = rows.length - 1 - index
        const at = { revision: last.revision - behind, position: last.position - behind }
        if (!known.has(key(stream, row))) known.set(key(stream, row), at)
      }
      for (const oldest of known.keys()) {
        if (known.size <= rememberedIds) break
        known.delete(oldest)
      }
    },
    /** The known positions of the rows: all, none or some of them. */
    recall: (stream: string, rows: readonly NewRow[]): Appended[] =>
      rows.flatMap((row) => known.get(key(stream, row)) ?? []),
  }
}

/**
 * Appends as a node does, for clients that use more than the port offers: ANY, STREAM_EXISTS, no
 * expectation.
 */
export const appendAsNode = (log: EventLog) => {
  const recent = rememberAppends()

  const appendNothing = (stream: string, expected: Expectation): Outcome => {
    const actual = log.lastRevision(stream)
    const isMet = expected === 'any' || expected === actual || actual === noStream
    return isMet
      ? { kind: 'appended', appended: { revision: Math.max(actual, 0), position: log.head() } }
      : { kind: 'wrong', actual }
  }

  return async (
    stream: string,
    rows: readonly NewRow[],
    expected: Expectation,
  ): Promise<Outcome> => {
    const size = rows.reduce((sum, { data }) => sum + Buffer.byteLength(data), 0)
    if (size > maximumAppendSize) return { kind: 'too large' }
    if (rows.length === 0) return appendNothing(stream, expected)
    if (typeof expected === 'string') {
      const earlier = recent.recall(stream, rows)
      const last = earlier.at(-1)
      if (last && earlier.length === rows.length) return { kind: 'appended', appended: last }
      if (last) return { kind: 'wrong', actual: log.lastRevision(stream) }
    }
    try {
      const appended = await log.append(stream, rows, expected)
      recent.remember(stream, rows, appended)
      return { kind: 'appended', appended }
    } catch (error) {
      if (error instanceof WrongExpectedRevision) return { kind: 'wrong', actual: error.actual }
      throw error
    }
  }
}
