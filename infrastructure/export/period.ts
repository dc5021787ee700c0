import { start, type EventStore, type Position } from '../../application/event-store.ts'
import { logTimeAfter } from '../../domain/log-time.ts'
import type { Instant } from '../../domain/time.ts'

/** Where the log stood at a moment. */
type Stand = {
  readonly position: Position
  /** So many events there were. */
  readonly events: number
  /** The time of the log; -Infinity before its first event. */
  readonly logTime: Instant
}

/** The events after `opens`, up to and with `closes`. */
export type Period = { readonly opens: Stand; readonly closes: Stand }

const beginning: Stand = { position: start, events: 0, logTime: -Infinity }

/** The events of a time, by the time of the log, so that each is in one of adjoining periods. */
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
