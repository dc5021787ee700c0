import { randomUUID } from 'node:crypto'
import { expect } from 'vitest'
import {
  WrongExpectedRevision,
  type Appended,
  type EventStore,
  type NewEvent,
  type RecordedEvent,
} from '../../application/event-store.ts'

/** The store under test, opened only when the tests run. */
export type Opened = () => EventStore

/** A stream that no other test uses. */
export const fresh = (part = 'counter'): string => `${part}-${randomUUID()}`

export const idsOf = async (store: EventStore, stream: string): Promise<string[]> =>
  (await store.readStream(stream)).map(({ id }) => id)

export const newEvent = (n = 0, id: string = randomUUID()): NewEvent => ({
  id,
  type: 'Counted',
  data: { n },
  metadata: { by: 'contract' },
})

export const newEvents = (count: number): NewEvent[] =>
  Array.from({ length: count }, (_, n) => newEvent(n))

/** The result of an append: its response, or the name and numbers of the refusal. */
export const outcome = async (append: Promise<Appended>): Promise<unknown> => {
  try {
    return await append
  } catch (error) {
    if (!(error instanceof WrongExpectedRevision)) throw error
    return { refused: error.name, expected: error.expected, actual: error.actual }
  }
}

/** What `outcome` returns for a refusal. */
export const refused = (expected: number, actual: number) => ({
  refused: 'WrongExpectedRevision',
  expected,
  actual,
})

/** The events appended by this test, from a log that others may write to as well. */
export const collect = async (
  batches: AsyncIterable<readonly RecordedEvent[]>,
  isOurs: (event: RecordedEvent) => boolean = () => true,
  enough = Number.POSITIVE_INFINITY,
): Promise<RecordedEvent[]> => {
  const found: RecordedEvent[] = []
  for await (const batch of batches) {
    expect(batch.length).toBeGreaterThan(0)
    found.push(...batch.filter(isOurs))
    if (found.length >= enough) break
  }
  return found
}

export const label = ({ stream, revision }: RecordedEvent): string => `${stream}@${revision}`

/** A minimal event known to this version. */
export const clockAdvanced = (aheadBy: number) => ({
  id: randomUUID(),
  type: 'ClockAdvanced',
  data: { aheadBy },
  metadata: {
    at: 0,
    merchant: null,
    actor: 'test',
    correlationId: 'test',
    causationId: null,
    schema: 1,
  },
})
