import { join } from 'node:path'
import type { RecordedEvent } from '../application/event-store.ts'
import { isEventType, parseEvent, type Recorded } from '../domain/events.ts'
import { openSqliteEventStore } from '../infrastructure/event-store/sqlite-event-store.ts'

/** Where nodes share the log, their leases stand beside it. */
const own = (batch: readonly RecordedEvent[]): Recorded[] =>
  batch.filter(({ type }) => isEventType(type)).map(parseEvent)

/** The whole log, read beside the service. */
export const readLog = async (folder: string): Promise<Recorded[]> => {
  const store = openSqliteEventStore(join(folder, 'events.sqlite'))
  const events: Recorded[] = []
  for await (const batch of store.readAll(0)) events.push(...own(batch))
  await store.close()
  return events
}

/** The log once there is enough in it, however long that takes. */
export const untilLogged = async (
  folder: string,
  isEnough: (log: readonly Recorded[]) => boolean,
): Promise<Recorded[]> => {
  const store = openSqliteEventStore(join(folder, 'events.sqlite'))
  const stopped = new AbortController()
  const log: Recorded[] = []
  for await (const batch of store.follow(0, stopped.signal)) {
    log.push(...own(batch))
    if (isEnough(log)) stopped.abort()
  }
  await store.close()
  return log
}
