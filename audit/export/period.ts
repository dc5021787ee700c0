import { start, type EventStore, type Position } from '../../application/event-store.ts'
import { logTimeAfter } from '../../domain/event-times.ts'
import type { Instant } from '../../domain/time.ts'
import type { SignedCheckpoint } from '../../domain/transparency/checkpoints.ts'

/** The state of the log at a moment. */
type Stand = {
  readonly position: Position
  readonly events: number
  /** The log's time; -Infinity before its first event. */
  readonly logTime: Instant
}

/** The events after `opens`, up to and including `closes`. */
export type Period = { readonly opens: Stand; readonly closes: Stand }

type Log = Pick<EventStore, 'readAll'>

const beginning: Stand = { position: start, events: 0, logTime: -Infinity }

/** The events in a time range, by log time, and not more than the first `most` of the log. */
const scan = async (log: Log, from: Instant, to: Instant, most = Infinity) => {
  let [opens, closes, covered, stand] = [beginning, beginning, 0, beginning]
  for await (const batch of log.readAll(start))
    for (const { position, type, data, metadata } of batch) {
      const events = stand.events + 1
      if (events > most) return { opens, closes, covered }
      const logTime = logTimeAfter(stand.logTime, Number(metadata['at']))
      stand = { position, events, logTime }
      if (logTime < from) opens = stand
      if (logTime < to) closes = stand
      if (type === 'CheckpointSigned') covered = Number(data['size'])
    }
  return { opens, closes, covered }
}

/**
 * The events in a time range, by log time, so that each belongs to one of two adjacent periods.
 * Without an end, the period ends where the newest checkpoint does: the events that follow it,
 * such as the checkpoint itself, cannot be proved yet.
 */
export const findPeriod = async (
  log: Log,
  from: Instant = -Infinity,
  to?: Instant,
): Promise<Period> => {
  const { covered, ...period } = await scan(log, from, to ?? Infinity)
  if (to !== undefined || covered <= period.opens.events) return period
  const { opens, closes } = await scan(log, from, Infinity, covered)
  return { opens, closes }
}

/** The first checkpoint that covers all events of a period; null if there is none yet. */
export const checkpointCovering = async (
  log: Pick<EventStore, 'readAll'>,
  { closes }: Period,
): Promise<(SignedCheckpoint & { readonly position: number }) | null> => {
  for await (const batch of log.readAll(closes.position))
    for (const { type, data, position } of batch) {
      if (type !== 'CheckpointSigned') continue
      const checkpoint = data as SignedCheckpoint
      if (checkpoint.size >= closes.events) return { position, ...checkpoint }
    }
  return null
}
