import { join } from 'node:path'
import { parseEvent, type Recorded } from '../domain/events.ts'
import { openSqliteEventStore } from '../infrastructure/event-store/sqlite-event-store.ts'

/** The whole log, read beside the service. */
export const readLog = async (folder: string): Promise<Recorded[]> => {
  const store = openSqliteEventStore(join(folder, 'events.sqlite'))
  const events: Recorded[] = []
  for await (const batch of store.readAll(0)) events.push(...batch.map(parseEvent))
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
    log.push(...batch.map(parseEvent))
    if (isEnough(log)) stopped.abort()
  }
  await store.close()
  return log
}
