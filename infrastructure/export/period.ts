import { start, type EventStore, type Position } from '../../application/event-store.ts'
import { logTimeAfter } from '../../domain/log-time.ts'
import type { Instant } from '../../domain/time.ts'

/** The state of the log at a moment. */
type Stand = {
  readonly position: Position
  readonly events: number
  /** The log's time; -Infinity before its first event. */
  readonly logTime: Instant
}

/** The events after `opens`, up to and including `closes`. */
export type Period = { readonly opens: Stand; readonly closes: Stand }

const beginning: Stand = { position: start, events: 0, logTime: -Infinity }

/** The events in a time range, by log time, so that each belongs to one of two adjacent periods. */
export const findPeriod = async (
  store: Pick<EventStore, 'readAll'>,
  from: Instant = -Infinity,
  to: Instant = Infinity,
): Promise<Period> => {
  let [opens, closes, events, logTime] = [beginning, beginning, 0, -Infinity]
  for await (const batch of store.readAll(start))
    for (const { position, metadata } of batch) {
      events += 1
      logTime = logTimeAfter(logTime, Number(metadata['at']))
      if (logTime < from) opens = { position, events, logTime }
      if (logTime < to) closes = { position, events, logTime }
    }
  return { opens, closes }
}
