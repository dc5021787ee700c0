import { parseEvent, UnreadableEvent } from '../../domain/events.ts'
import { noStream, start, type Position, type Revision } from '../../application/event-store.ts'
import { lossOf, readMark } from '../../infrastructure/event-store/marks.ts'
import { headOf } from '../../infrastructure/event-store/sqlite-event-file.ts'
import type { EventLog } from '../../infrastructure/event-store/sqlite-event-log.ts'
import type { Row } from '../../infrastructure/event-store/sqlite-event-rows.ts'
import { logFileIn, type OpenedStore, type Place } from '../../infrastructure/stores.ts'

/** Maximum number of problems reported per kind. */
const mostReported = 100

type Numbered = {
  readonly stream: string
  readonly revision: Revision
  readonly position: Position
}

/** Finds missing revisions, and missing positions if the store has no gaps. */
const findGaps = (hasEveryPosition: boolean) => {
  const revisions = new Map<string, Revision>()
  const gaps: string[] = []
  let events = 0
  let last: Position = start
  return {
    read: ({ stream, revision, position }: Numbered): void => {
      const expected = (revisions.get(stream) ?? noStream) + 1
      if (hasEveryPosition && position !== last + 1)
        gaps.push(`positions ${last + 1} to ${position - 1} are missing`)
      if (revision !== expected)
        gaps.push(`${stream} has revision ${revision} at position ${position}, not ${expected}`)
      revisions.set(stream, revision)
      last = position
      events += 1
    },
    found: () => ({ events, streams: revisions.size, last_position: last, gaps }),
  }
}

const problemIn = ([position, stream, revision, id, type, data, metadata]: Row) => {
  try {
    if (typeof data !== 'string' || typeof metadata !== 'string') return undefined
    const parsed = { data: JSON.parse(data), metadata: JSON.parse(metadata) }
    parseEvent({ stream, revision, position, id, type, ...parsed })
    return undefined
  } catch (error) {
    if (error instanceof UnreadableEvent) return error.message
    if (!(error instanceof SyntaxError)) throw error
    return `event ${position}, revision ${revision} of ${stream}, is damaged: it is not JSON`
  }
}

/** Reads every row, including those after a damaged one. */
const examineFile = (log: EventLog) => {
  const damage = [...log.damage()]
  const gaps = findGaps(true)
  try {
    for (const { row, problem } of log.examined()) {
      const [position, stream, revision] = row
      gaps.read({ position, stream, revision })
      const found = problem
        ? `event ${position}, revision ${revision} of ${stream}, is damaged: ${problem}`
        : problemIn(row)
      if (found !== undefined) damage.push(found)
    }
  } catch (error) {
    damage.push(error instanceof Error ? error.message : String(error))
  }
  return { ...gaps.found(), damage }
}

const examineServer = async (store: OpenedStore) => {
  const gaps = findGaps(false)
  for await (const batch of store.readAll(start)) batch.map(parseEvent).forEach(gaps.read)
  return { ...gaps.found(), damage: [] }
}

/** Reads every event; reports missing positions and revisions, damage, and a lost end. */
export const examine = async (store: OpenedStore, place: Place) => {
  const { log } = store
  // Read first, because a service may be appending.
  const mark = log && readMark(headOf(logFileIn(place)))
  const { gaps, damage, ...counts } = log ? examineFile(log) : await examineServer(store)
  const isShorter = mark !== undefined && mark.position > counts.last_position
  const lost = isShorter ? [`the log: ${lossOf(mark, counts.last_position, 'was written')}`] : []
  return {
    ...counts,
    gaps: gaps.length,
    damage: damage.length + lost.length,
    problems: [...gaps.slice(0, mostReported), ...damage.slice(0, mostReported), ...lost],
  }
}
