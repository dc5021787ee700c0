import {
  noStream,
  StoreUnavailable,
  WrongExpectedRevision,
  type NewEvent,
  type RecordedEvent,
  type Revision,
} from '../../application/event-store.ts'
import { makeQueue } from '../../application/serial-by-key.ts'
import { sharedRequest } from '../event-store/shared-request.ts'
import type { Streams } from './names.ts'

/** Events per read. */
const pageSize = 1_000

/** Maximum number of conflicts with other writers. */
const mostTries = 100

/**
 * A stream that several nodes append to. A node that was not up to date decides again. `apply`
 * takes all of the given events, or throws.
 */
export const followJournal = (
  streams: Pick<Streams, 'append' | 'readStream'>,
  stream: string,
  apply: (events: readonly RecordedEvent[]) => Promise<void> | void,
  since: Revision = 0,
) => {
  let revision = since === 0 ? noStream : since - 1
  const inTurn = makeQueue()

  const caughtUp = sharedRequest(async (): Promise<void> => {
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
      // Events that the database has dropped are not read, but they count.
      if (revision < error.actual) revision = error.actual
      return 'too late'
    }
    await caughtUp()
    return 'done'
  }

  return {
    /** Resolves once everything appended before the call is known. */
    caughtUp,
    /** Appends what is decided on everything appended before; it is known here afterwards. */
    append: (decide: () => Decision): Promise<void> =>
      inTurn(async () => {
        for (let tries = 0; tries < mostTries; tries++)
          if ((await tryOnce(decide)) === 'done') return
        throw new StoreUnavailable(`too many concurrent appends to ${stream}`)
      }),
    /** Revision of the newest known event. */
    revision: (): Revision => revision,
    /** Resolves when no append is in progress. */
    idle: (): Promise<void> => inTurn(async () => {}),
  }
}

type Decision = Promise<readonly NewEvent[]> | readonly NewEvent[]
