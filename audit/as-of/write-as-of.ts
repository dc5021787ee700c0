import { closeSync, existsSync, openSync, rmSync, statSync } from 'node:fs'
import { start, type EventStore, type Position } from '../../application/event-store.ts'
import { logTimeAfter } from '../../domain/event-times.ts'
import type { Instant } from '../../domain/time.ts'
import { nowByLog } from '../../infrastructure/event-store/service-clock.ts'
import { fail } from '../../infrastructure/failures.ts'
import { fingerprint } from '../../infrastructure/read-models/fingerprint.ts'
import { readMoments } from '../../infrastructure/read-models/moment-fold.ts'
import {
  checkpointOf,
  type ReadModelFile,
  quoted,
} from '../../infrastructure/read-models/read-model-file.ts'
import { makeBar } from '../../infrastructure/read-models/rebuild.ts'
import { reasonOf } from '../../infrastructure/system-errors.ts'
import type { MomentRequest } from './asked-moment.ts'
import { beginDraft, foldUpTo, putInPlace } from './make-moment.ts'

/** @throws OperatorError if the moment is later than now, by the service's clock */
export const checkHasCome = async (store: EventStore, at: Instant): Promise<void> => {
  const now = await nowByLog(store)
  const time = (instant: Instant) => new Date(instant).toISOString()
  if (at > now) fail(`${time(at)} has not come yet: it is ${time(now)}`)
}

/** The last event whose log time is not later. */
const positionUpTo = async (store: EventStore, until: Instant): Promise<Position> => {
  let logTime = -Infinity
  let found = start
  for await (const batch of store.readAll(start))
    for (const { position, metadata } of batch) {
      logTime = logTimeAfter(logTime, Number(metadata['at']))
      if (logTime <= until) found = position
    }
  return found
}

export const positionOf = async (store: EventStore, request: MomentRequest): Promise<Position> => {
  if ('until' in request) {
    await checkHasCome(store, request.from)
    return positionUpTo(store, request.until)
  }
  const head = await store.head()
  if (request.position > head) fail(`the log ends at position ${head}`)
  return request.position
}

const rowsIn = ({ sqlite }: ReadModelFile): Readonly<Record<string, number>> => {
  const tables = sqlite
    .prepare<[], string>("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name")
    .pluck()
    .all()
  const count = (table: string) =>
    Number(
      sqlite
        .prepare(`SELECT count(*) FROM ${quoted(table)}`)
        .pluck()
        .get(),
    )
  return Object.fromEntries(tables.map((table) => [table, count(table)]))
}

/** SQLite does not say why it cannot make a file. @throws OperatorError */
const makeDraft = (draft: string, path: string): ReadModelFile => {
  try {
    rmSync(draft, { force: true })
    closeSync(openSync(draft, 'wx', 0o600))
  } catch (error) {
    fail(`${path} cannot be written: ${reasonOf(error) ?? String(error)}`)
  }
  return beginDraft(draft)
}

/** Folds the log up to a moment into a new file. */
export const writeAsOf = async (store: EventStore, request: MomentRequest, path: string) => {
  if (existsSync(path)) fail(`${path} is there already: name a new file`)
  const end = await positionOf(store, request)
  const draft = `${path}.building`
  const file = makeDraft(draft, path)
  const bar = makeBar('folding')
  try {
    bar.start(end, 0)
    const events = await foldUpTo(store, file, end, (position) => bar.update(position))
    const { position } = checkpointOf(file)
    const time = readMoments(file).logTime()
    const rows = rowsIn(file)
    file.sqlite.close()
    putInPlace(draft, path)
    return {
      position,
      time: time === undefined ? null : new Date(time).toISOString(),
      events,
      file: path,
      bytes: statSync(path).size,
      made_by: fingerprint(),
      rows,
    }
  } catch (error) {
    file.sqlite.close()
    rmSync(draft, { force: true })
    throw error
  } finally {
    bar.stop()
  }
}
