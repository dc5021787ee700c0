import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import type { Settings } from './settings.ts'
import { wallClock } from '../application/machine.ts'

/** What a service notes of itself in its DATA_DIR once it answers, and after each reload. */
type ServingRecord = {
  readonly pid: number
  /** The file that was started; its name is in the command line. */
  readonly program: string
  readonly at: number
  /** Why the last reload has failed. */
  readonly problem?: string
}

export const recordIn = ({ DATA_DIR }: Pick<Settings, 'DATA_DIR'>): string =>
  join(DATA_DIR, 'serving.json')

export const writeRecord = (path: string, problem?: string): void => {
  const { pid, argv } = process
  const record: ServingRecord = { pid, program: argv[1] ?? '', at: wallClock() }
  const draft = `${path}.${pid}`
  writeFileSync(draft, JSON.stringify({ ...record, problem }), { mode: 0o600 })
  renameSync(draft, path)
}

export const readRecord = (path: string): ServingRecord | undefined =>
  existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as ServingRecord) : undefined

/** Unless a later process has noted itself there. */
export const removeRecord = (path: string): void => {
  if (readRecord(path)?.pid === process.pid) rmSync(path, { force: true })
}

/** Whether its process runs: after a crash another one may have its id. */
export const isServing = ({ pid, program }: ServingRecord): boolean => {
  try {
    process.kill(pid, 0)
    const words = `/proc/${pid}/cmdline`
    return !existsSync(words) || readFileSync(words, 'utf8').includes(basename(program))
  } catch {
    return false
  }
}
