import { appendFileSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { Outage } from '../../application/event-store.ts'
import { dayMs, dayOf } from '../../domain/time.ts'
import { makeFolder } from '../open-files.ts'

/** A log's daily files, oldest first, each with its day. */
export const dailyFiles = (directory: string, name: string) =>
  readdirSync(directory)
    .flatMap((found) => {
      const [, day] = new RegExp(`^${name}-(\\d{4}-\\d\\d-\\d\\d)\\.log$`).exec(found) ?? []
      return day === undefined ? [] : [{ day, file: join(directory, found) }]
    })
    .sort((one, other) => (one.day < other.day ? -1 : 1))

/** Undefined where a line is torn or no object. */
export const objectIn = (line: string): object | undefined => {
  try {
    const value = JSON.parse(line) as unknown
    return typeof value === 'object' && value !== null ? value : undefined
  } catch {
    return undefined
  }
}

/** The objects of a file of JSON Lines, without the last line, which may be incomplete. */
export const jsonLinesIn = (file: string, onUnreadable: (line: string) => void): object[] =>
  readFileSync(file, 'utf8')
    .split('\n')
    .slice(0, -1)
    .flatMap((line) => {
      const object = objectIn(line)
      if (!object) onUnreadable(line)
      return object ?? []
    })

type Needs = {
  readonly directory: string
  readonly name: string
  readonly keptDays: number
  readonly machineNow: () => number
  /** Notified whether the file can be written. */
  readonly use: Outage
}

/** Appends lines to the day's file, which processes may share, and removes old files. */
export const makeDailyFile = ({ directory, name, keptDays, machineNow, use }: Needs) => {
  let today = ''
  const begin = (day: string): void => {
    makeFolder(directory)
    const oldest = dayOf(machineNow() - keptDays * dayMs)
    for (const old of dailyFiles(directory, name))
      if (old.day < oldest) rmSync(old.file, { force: true })
    today = day
  }
  return (lines: string): void => {
    try {
      const day = dayOf(machineNow())
      if (day !== today) begin(day)
      // A single write in append mode, so that lines of several processes do not mix.
      appendFileSync(join(directory, `${name}-${day}.log`), lines, { mode: 0o600 })
      use.worked()
    } catch (error) {
      use.failed(error)
    }
  }
}
