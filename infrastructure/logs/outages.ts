import { stat, unlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { StoreUnavailable, type Outage } from '../../application/event-store.ts'
import type { OutageOf } from '../../application/per-key-back-off.ts'
import type { Log } from './log.ts'
import Database from '../sqlite.ts'
import { unavailable } from '../system-errors.ts'
import { aside, randomUUID, steadyTime } from '../../application/machine.ts'

/** After an outage, in ms: another one is not reported so soon. */
const quietMs = 10_000

/** How long a failure counts without a retry, in ms. */
const doubtMs = 10_000

/** Logs the first failure of an outage and its end. */
export const reportOutage = (
  log: Log,
  failure: string,
  end: string,
  elapsed: () => number = steadyTime,
): Outage => {
  let isReported = false
  let failures = 0
  let quietUntil = -Infinity
  return {
    failed: (error) => {
      failures += 1
      if (isReported || elapsed() < quietUntil) return
      isReported = true
      log.error({ error }, failure)
    },
    worked: () => {
      if (isReported) {
        log.warn({ failures }, end)
        quietUntil = elapsed() + quietMs
      }
      isReported = false
      failures = 0
    },
  }
}

type Use = Outage & {
  /** False if it failed recently. */
  readonly works: () => boolean
  /** The recent failure. */
  readonly failure: () => unknown
}

export type Probe = () => Promise<unknown>

/** More than an append of the log takes, in bytes. */
const probeSize = 262_144

/** Writes a file in a folder or beside a file, and removes it: a full disk fails. */
export const writeAt =
  (path: string): Probe =>
  () =>
    aside(async () => {
      const name = `.probe-${randomUUID()}`
      const file = (await stat(path)).isDirectory() ? join(path, name) : `${path}${name}`
      try {
        await writeFile(file, Buffer.alloc(probeSize), { flag: 'wx', mode: 0o600, flush: true })
      } finally {
        await unlink(file).catch(() => {})
      }
    })

/**
 * Logs outages of a resource used by requests; `done` is a participle such as `read`. Without a
 * probe, a failure counts for ten seconds or until a use works.
 */
export const useOf = (
  log: Log,
  what: string,
  done: string,
  elapsed = steadyTime,
  probe?: Probe,
): Use => {
  const [failure, end] = [`${what} cannot be ${done} just now`, `${what} can be ${done} again`]
  const outage = reportOutage(log, failure, end, elapsed)
  let failedAt = -Infinity
  let failed: unknown
  let probing: Promise<void> | undefined
  const use: Outage = {
    worked: () => {
      failedAt = -Infinity
      outage.worked()
    },
    failed: (error) => {
      failedAt = elapsed()
      failed = error
      outage.failed(error)
    },
  }
  const works = (): boolean => {
    const isOld = elapsed() - failedAt >= doubtMs
    if (!probe || failedAt === -Infinity || !isOld) return isOld
    probing ??= probe()
      .then(use.worked, use.failed)
      .finally(() => (probing = undefined))
    return false
  }
  return { ...use, works, failure: () => (works() ? undefined : failed) }
}

export const usesOf = (log: Log, what: string, probe?: Probe) => {
  const [reading, writing] = [
    useOf(log, what, 'read'),
    useOf(log, what, 'written', undefined, probe),
  ]
  const failure = (): unknown => writing.failure() ?? reading.failure()
  return { reading, writing, failure }
}

type Dependency = 'log' | 'vault' | 'blobs'

export const textOf = (failure: unknown): string =>
  (failure instanceof Error ? failure.message : String(failure)).replaceAll(/\s+/g, ' ').trim()

export const failuresOf = (found: Readonly<Record<Dependency, unknown>>) =>
  Object.entries(found).flatMap(([of, failure]) =>
    failure === undefined ? [] : [{ of: of as Dependency, why: textOf(failure) }],
  )

/** Logs failures of work for one key, while work for others continues. */
export const outagesIn =
  (log: Log, onFailure: (error: unknown) => void) =>
  (work: string): OutageOf =>
  (key) => {
    const { failed, worked } = reportOutage(
      log,
      `${work} ${key} fails and will be retried; others continue`,
      `${work} ${key} works again`,
    )
    const noteAndReport = (error: unknown): void => {
      onFailure(error)
      failed(error)
    }
    return { failed: noteAndReport, worked }
  }

/** Returns the promise; reports its success, or that the store is unavailable. */
export const reportingTo = <Answer>({ worked, failed }: Outage, answer: Promise<Answer>) => {
  answer.then(worked, (error: unknown) => {
    if (error instanceof StoreUnavailable) failed(error)
  })
  return answer
}

/** Wraps calls, reporting success or failure to an outage. @throws StoreUnavailable */
export const guardedBy =
  ({ worked, failed }: Outage) =>
  <Arguments extends readonly unknown[], Answer>(call: (...args: Arguments) => Answer) =>
  (...args: Arguments): Answer => {
    try {
      const answer = call(...args)
      worked()
      return answer
    } catch (error) {
      if (!(error instanceof Database.SqliteError)) throw error
      const failure = unavailable(error)
      failed(failure)
      throw failure
    }
  }
