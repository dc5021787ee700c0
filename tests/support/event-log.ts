import { join } from 'node:path'
import type { RecordedEvent } from '../../application/event-store.ts'
import { isEventType, parseEvent, type Recorded } from '../../domain/events.ts'
import { openSqliteEventStore } from '../../infrastructure/event-store/sqlite-event-store.ts'
import { pino } from 'pino'
import type { Log } from '../../infrastructure/logs/log.ts'
import { readdirSync, readFileSync } from 'node:fs'

/** The nice value of each thread of this process (proc(5)). */
export const nicenessOfThreads = (): number[] =>
  readdirSync('/proc/self/task').map((thread) => {
    const stat = readFileSync(`/proc/self/task/${thread}/stat`, 'utf8')
    return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[16])
  })

/** A log whose lines can be waited for. */
export const heardLog = () => {
  const lines: string[] = []
  const waiting = new Set<() => void>()
  const write = (line: string): void => {
    lines.push(line)
    for (const look of waiting) look()
  }
  const log = pino({ level: 'debug', errorKey: 'error' }, { write }) as Log
  const heard = (text: string, times = 1): Promise<void> =>
    new Promise((resolve) => {
      const look = (): void => {
        if (lines.filter((line) => line.includes(text)).length >= times) resolve()
      }
      waiting.add(look)
      look()
    })
  return { log, lines, heard }
}

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
