import type { Outage } from '../../application/event-store.ts'
import type {
  SecurityEvent,
  SecurityEventType,
  SecurityLog,
} from '../../application/security-log.ts'
import { dailyFiles, makeDailyFile, objectIn } from './daily-file.ts'
import { shortened } from '../networks.ts'
import { closeSync, existsSync, fstatSync, openSync, readSync } from 'node:fs'
import { clearInterval, setInterval } from '../../application/machine.ts'

/** Events that strangers can cause have a separate limit, so that they cannot fill the disk. */
const ofStrangers: ReadonlySet<SecurityEventType> = new Set([
  'authentication_failed',
  'locked_out',
  'refused',
  'payer_sign_in_failed',
])

const linesOfStrangers = 600

const minuteMs = 60_000

/** How long repeated events are counted instead of written. */
const countedForMs = (type: SecurityEventType): number => {
  if (ofStrangers.has(type)) return minuteMs
  return type === 'authenticated' || type === 'personal_data_read' ? 60 * minuteMs : 0
}

/** Beyond this number, counts are written early. */
const mostCounted = 10_000

export const securityLogFiles = (directory: string) => dailyFiles(directory, 'security')

/** An event as a line of the log. `times` counts equal events from `since` to `at`. */
export type SecurityLine = SecurityEvent & {
  readonly at: string
  readonly times?: number
  readonly since?: string
}

type Counted = { readonly event: SecurityEvent; readonly since: number; times: number }

const withoutPerson = (event: SecurityEvent): SecurityEvent =>
  event.address !== undefined && event.actor.startsWith('payer')
    ? { ...event, address: shortened(event.address) }
    : event

const keyOf = ({ type, actor, merchant, address, about, reason }: SecurityEvent): string =>
  [type, actor, merchant, address, about, reason].join('\n')

type Needs = {
  readonly directory: string
  readonly keptDays: number
  readonly machineNow: () => number
  readonly use: Outage
}

const makeFile = (needs: Needs) => {
  const append = makeDailyFile({ ...needs, name: 'security' })
  return (event: SecurityEvent, counted: { times?: number; since?: string } = {}): void => {
    const at = new Date(needs.machineNow()).toISOString()
    append(`${JSON.stringify({ at, ...event, ...counted })}\n`)
  }
}

/** Limits lines caused by strangers, and counts the dropped ones. */
const limitStrangers = (machineNow: () => number, countAlso: (counted: Counted) => void) => {
  let since = machineNow()
  let lines = 0
  let unwritten = 0
  const end = (): void => {
    const event = { type: 'refused', actor: 'strangers', reason: 'too many for this log' } as const
    countAlso({ event, since, times: unwritten })
    since = machineNow()
    lines = 0
    unwritten = 0
  }
  const isTooMuch = (type: SecurityEventType): boolean => {
    if (!ofStrangers.has(type)) return false
    if (machineNow() - since >= minuteMs) end()
    lines += 1
    if (lines <= linesOfStrangers) return false
    unwritten += 1
    return true
  }
  return { isTooMuch, end }
}

/** The security log: a JSON Lines file per day (operations.md). */
export const openSecurityLog = (needs: Needs): SecurityLog & { readonly close: () => void } => {
  const { machineNow } = needs
  const write = makeFile(needs)
  let counted = new Map<string, Counted>()

  const writeCount = ({ event, since, times }: Counted): void => {
    if (times > 0) write(event, { times, since: new Date(since).toISOString() })
  }
  const strangers = limitStrangers(machineNow, writeCount)

  const writeAll = (): void => {
    counted.forEach(writeCount)
    counted = new Map()
  }

  const writeEnded = (): void => {
    const now = machineNow()
    for (const [key, one] of counted) {
      if (now - one.since < countedForMs(one.event.type)) continue
      counted.delete(key)
      writeCount(one)
    }
  }

  const record = (original: SecurityEvent): void => {
    const event = withoutPerson(original)
    const lastsMs = countedForMs(event.type)
    if (lastsMs === 0) return write(event)
    const key = keyOf(event)
    const known = counted.get(key)
    const now = machineNow()
    if (known && now - known.since < lastsMs) {
      known.times += 1
      return
    }
    if (known) {
      counted.delete(key)
      writeCount(known)
    }
    if (strangers.isTooMuch(event.type)) return
    if (counted.size >= mostCounted) writeAll()
    counted.set(key, { event, since: now, times: 0 })
    write(event)
  }

  const timer = setInterval(writeEnded, minuteMs).unref()
  const close = (): void => {
    clearInterval(timer)
    writeAll()
    strangers.end()
  }
  return { record, close }
}

/** Bytes read per file; `daybook audit security` reads everything. */
const bytesRead = 262_144

export const daysRead = 7

export const endOf = (file: string, most = bytesRead): readonly string[] => {
  const handle = openSync(file, 'r')
  try {
    const { size } = fstatSync(handle)
    const bytes = Buffer.alloc(Math.min(size, most))
    readSync(handle, bytes, 0, bytes.length, size - bytes.length)
    const lines = bytes.toString('utf8').split('\n')
    // The first line may be incomplete, unless the file was read from its beginning.
    return size > bytes.length ? lines.slice(1) : lines
  } finally {
    closeSync(handle)
  }
}

export const lineIn = (text: string) => objectIn(text) as SecurityLine | undefined

export const newestSecurityLines = (
  directory: string,
  merchant: string,
  limit: number,
): readonly SecurityLine[] => {
  const found: SecurityLine[] = []
  if (!existsSync(directory)) return found
  for (const { file } of securityLogFiles(directory).slice(-daysRead).toReversed()) {
    for (const text of endOf(file).toReversed()) {
      const line = text.includes(merchant) ? lineIn(text) : undefined
      if (line?.merchant === merchant) found.push(line)
      if (found.length === limit) return found
    }
  }
  return found
}
