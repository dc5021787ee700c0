import { rmSync } from 'node:fs'
import {
  DamagedEvent,
  start,
  type EventStore,
  type RecordedEvent,
} from '../../application/event-store.ts'
import { lossOf, markIn, readMark, type Mark } from './marks.ts'
import { UnusableLog } from './sqlite-event-file.ts'
import { steadyTime } from '../../application/machine.ts'

const markOf = ({ position, stream, revision, id }: RecordedEvent): Mark => ({
  position,
  stream,
  revision,
  event: id,
})

type Found = 'as seen' | 'elsewhere' | 'lost'

/** The position of an event that was seen; it differs in a log copied to another store. */
export const placeOf = async (
  store: Pick<EventStore, 'readStream'>,
  { position, stream, revision, event }: Mark,
): Promise<Found> => {
  if (position === start) return 'as seen'
  try {
    const [found] = await store.readStream(stream, revision, 1)
    if (found?.id !== event) return 'lost'
    return found.position === position ? 'as seen' : 'elsewhere'
  } catch (error) {
    if (error instanceof DamagedEvent) return 'as seen'
    throw error
  }
}

export const newestMark = async ({
  readBack,
}: Pick<EventStore, 'readBack'>): Promise<Mark | undefined> => {
  const [event] = await readBack(undefined, 1)
  return event && markOf(event)
}

const msBetweenMarks = 1_000

/**
 * Notes the newest event in a file beside the vault, to detect a folder replaced by an older copy.
 * @throws UnusableLog if the log lacks the noted event
 */
export const watchSeen = async (
  store: EventStore,
  file: string,
  acceptsLoss = false,
  elapsed: () => number = steadyTime,
) => {
  const seen = readMark(file)
  if (acceptsLoss) rmSync(file, { force: true })
  else if (seen && (await placeOf(store, seen)) === 'lost')
    throw new UnusableLog(lossOf(seen, await store.head(), 'was noted beside the vault'))
  const mark = markIn(file)
  let newest: RecordedEvent | undefined
  let notBefore = 0
  const write = (): void => {
    if (!newest) return
    mark.write(markOf(newest))
    newest = undefined
    notBefore = elapsed() + msBetweenMarks
  }
  return {
    observe: (events: readonly RecordedEvent[]): void => {
      newest = events.at(-1) ?? newest
      if (elapsed() >= notBefore) write()
    },
    close: (): void => {
      write()
      mark.close()
    },
  }
}
