import {
  noStream,
  StoreUnavailable,
  WrongExpectedRevision,
  type NewEvent,
  type RecordedEvent,
  type Revision,
} from '../../application/event-store.ts'
import { shared } from '../event-store/shared-question.ts'
import type { Streams } from './names.ts'

/** Events that one read takes. */
const pageSize = 1_000

/** How often another writer may be first. */
const mostTries = 100

/** Works one after the other. */
const makeQueue = () => {
  let last: Promise<unknown> = Promise.resolve()
  return <Answer>(work: () => Promise<Answer>): Promise<Answer> => {
    const answer = last.then(work, work)
    last = answer.catch(() => {})
    return answer
  }
}

/**
 * A stream that several nodes append to, each of which knows all of it: who did not decides again.
 * `apply` takes all of the events that it is given, or throws.
 */
export const followJournal = (
  streams: Pick<Streams, 'append' | 'readStream'>,
  stream: string,
  apply: (events: readonly RecordedEvent[]) => Promise<void> | void,
  since: Revision = 0,
) => {
  let revision = since === 0 ? noStream : since - 1
  const inTurn = makeQueue()

  const caughtUp = shared(async (): Promise<void> => {
    for (;;) {
      const news = await streams.readStream(stream, revision + 1, pageSize)
      if (news.length > 0) await apply(news)
      revision = news.at(-1)?.revision ?? revision
      if (news.length < pageSize) return
    }
  })

  const tryOnce = async (decide: () => Decision): Promise<'done' | 'too late'> => {
    const expected = revision
    const events = await decide()
    if (events.length === 0) return 'done'
    try {
      await streams.append(stream, events, expected)
    } catch (error) {
      if (!(error instanceof WrongExpectedRevision)) throw error
      await caughtUp()
      // What the database has forgotten is not read, and counts.
      if (revision < error.actual) revision = error.actual
      return 'too late'
    }
    await caughtUp()
    return 'done'
  }

  return {
    /** Resolves once everything is known that had been appended before. */
    caughtUp,
    /** Appends what is decided on all that was appended before; it is known here afterwards. */
    append: (decide: () => Decision): Promise<void> =>
      inTurn(async () => {
        for (let tries = 0; tries < mostTries; tries++)
          if ((await tryOnce(decide)) === 'done') return
        throw new StoreUnavailable(`others append to ${stream} all the time`)
      }),
    /** Of the newest event that is known. */
    revision: (): Revision => revision,
    /** Resolves when nothing is being appended. */
    idle: (): Promise<void> => inTurn(async () => {}),
  }
}

type Decision = Promise<readonly NewEvent[]> | readonly NewEvent[]
