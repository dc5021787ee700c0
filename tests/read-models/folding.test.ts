// @module-tag long
import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { afterAll, describe, expect, onTestFinished, test } from 'vitest'
import { noStream, start, type Position } from '../../application/event-store.ts'
import { parseEvent } from '../../domain/events.ts'
import { foldInWorker } from '../../infrastructure/read-models/follow-log.ts'
import { foldInline, type StartFolding } from '../../infrastructure/read-models/folding.ts'
import { makeProjector } from '../../infrastructure/read-models/projector.ts'
import type { ReadModelFile } from '../../infrastructure/read-models/read-model-file.ts'
import Database from '../../infrastructure/sqlite.ts'
import {
  buildReadModels,
  openReadModels,
  openStore,
  type Place,
} from '../../infrastructure/stores.ts'
import { projections } from '../../projections/read-models.ts'
import { clockAdvanced } from '../event-store/appends.ts'
import { builtProgram } from '../build.ts'

const folder = mkdtempSync(join(tmpdir(), 'daybook-folding-'))
afterAll(() => rmSync(folder, { recursive: true }))

const freshPlace = (): Place => ({ EVENT_STORE: 'sqlite', DATA_DIR: join(folder, randomUUID()) })

const opened = async (place: Place) => {
  const store = await openStore(place)
  onTestFinished(() => store.close())
  const file = await openReadModels(place, store)
  onTestFinished(() => void file.sqlite.close())
  return { store, file }
}

const positionIn = ({ sqlite }: ReadModelFile) =>
  sqlite.prepare('SELECT position FROM checkpoint').pluck().get()

/** Starts folding; `reached` resolves once the read models have reached a position. */
const watching = (startFolding: StartFolding, onFailure: (error: unknown) => void) => {
  const waiting = new Map<Position, () => void>()
  let position: Position = -1
  const folding = startFolding({
    onMoved: (moved) => {
      position = moved
      for (const [target, resolve] of waiting) if (target <= moved) resolve()
    },
    onFailure,
  })
  const reached = (target: Position): Promise<void> =>
    new Promise((resolve) => (target <= position ? resolve() : waiting.set(target, resolve)))
  return { ...folding, reached }
}

const unexpected = (error: unknown): never => {
  throw error
}

describe.each(['in this thread', 'in a thread of its own'] as const)(
  'the log folded %s',
  (where) => {
    test('is as far as the log soon after each append, until it is stopped', async () => {
      const place = freshPlace()
      const { store, file } = await opened(place)
      await store.append('one', [clockAdvanced(1), clockAdvanced(1)], noStream)
      const folding = watching(
        where === 'in this thread'
          ? foldInline({ store, file })
          : foldInWorker(place, file.sqlite.name),
        unexpected,
      )
      await folding.reached(2)
      await store.append('one', [clockAdvanced(1)], 1)
      await folding.reached(3)
      await folding.stop()
      await store.append('one', [clockAdvanced(1)], 2)
      expect(positionIn(file)).toBe(3)
    })
  },
)

describe('a thread that folds', () => {
  test('moves the log out of its write-ahead log, so that no append has to', async () => {
    const place = freshPlace()
    const { store, file } = await opened(place)
    const count = 600
    await store.append(
      'one',
      Array.from({ length: count }, () => clockAdvanced(1)),
      noStream,
    )
    const folding = watching(foldInWorker(place, file.sqlite.name), unexpected)
    await folding.reached(count)
    await folding.stop()
    const alone = join(place.DATA_DIR, 'without-write-ahead-log.sqlite')
    copyFileSync(join(place.DATA_DIR, 'events.sqlite'), alone)
    const database = new Database(alone)
    expect(database.prepare('SELECT count(*) FROM events').pluck().get()).toBe(count)
    database.close()
  })

  test('does so in the file that is read, though there is a newer one', async () => {
    const place = freshPlace()
    const { store, file } = await opened(place)
    await store.append('one', [clockAdvanced(1), clockAdvanced(1)], noStream)
    buildReadModels(place).finish()
    const folding = watching(foldInWorker(place, file.sqlite.name), unexpected)
    await folding.reached(2)
    await folding.stop()
    expect(positionIn(file)).toBe(2)
  })

  test(
    'continues when a checkpoint of the log fails, as on a full disk',
    { tags: 'long' },
    async () => {
      const place = freshPlace()
      const { store, file } = await opened(place)
      const count = 10_000
      const events = Array.from({ length: count }, () => clockAdvanced(1))
      await store.append('one', events, noStream)
      for await (const batch of store.readAll(start))
        makeProjector(file, projections).apply(batch.map(parseEvent))
      file.sqlite.close()

      const inNode = [builtProgram('read-models/folding-process'), place.DATA_DIR, file.sqlite.name]
      // No file may exceed 1 MiB, in blocks of 512 bytes.
      const limited = ['-c', 'ulimit -f 2048; exec "$0" "$@"', process.execPath, ...inNode]
      const child = spawn('sh', limited, { stdio: ['pipe', 'pipe', 'inherit'] })
      const told: string[] = []
      for await (const line of createInterface({ input: child.stdout })) {
        told.push(line)
        if (told.length === 2) await store.append('one', [clockAdvanced(1)], count - 1)
        if (told.length === 3) child.stdin.end()
      }
      expect(told).toEqual([`at ${count}`, expect.stringMatching(/disk/), `at ${count + 1}`])
    },
  )

  test('and cannot start is logged, and starts again when it can', async () => {
    const { file } = await opened(freshPlace())
    const place = freshPlace()
    writeFileSync(place.DATA_DIR, 'a file where the folder should be')
    const failures: string[] = []
    const folding = watching(foldInWorker(place, file.sqlite.name), (error) => {
      failures.push(String(error))
      rmSync(place.DATA_DIR, { force: true, recursive: true })
    })
    await folding.reached(0)
    expect(failures[0]).toContain('EEXIST')
    expect(failures).toContain('Error: the thread that folds the log has ended')
    await folding.stop()
  })

  test('and reaches an unknown event reports it, and stays there', async () => {
    const place = freshPlace()
    const { store, file } = await opened(place)
    await store.append('one', [clockAdvanced(1)], noStream)
    await store.append('two', [{ ...clockAdvanced(1), type: 'ClockVanished' }], noStream)
    let tell = (_: string): void => {}
    const told = new Promise<string>((resolve) => (tell = resolve))
    const folding = watching(foldInWorker(place, file.sqlite.name), (error) => tell(String(error)))
    expect(await told).toContain('knows no such type')
    await folding.stop()
  })
})
