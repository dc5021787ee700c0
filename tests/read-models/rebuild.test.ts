import { getTableName } from 'drizzle-orm'
import { integer, sqliteTable } from 'drizzle-orm/sqlite-core'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import {
  noStream,
  start,
  type EventStore,
  type RecordedEvent,
} from '../../application/event-store.ts'
import { seed } from '../../bench/histories.ts'
import { parseEvent, UnreadableEvent } from '../../domain/events.ts'
import { makeProjector } from '../../infrastructure/read-models/projector.ts'
import {
  buildReadModelFile,
  openReadModelFile,
  type ReadModelFile,
} from '../../infrastructure/read-models/read-model-file.ts'
import { rebuildReadModels, writeInWorker } from '../../infrastructure/read-models/rebuild.ts'
import { readSettings } from '../../infrastructure/settings.ts'
import Database from '../../infrastructure/sqlite.ts'
import { openStore } from '../../infrastructure/stores.ts'
import { projections } from '../../projections/read-models.ts'

let folder: string

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'daybook-rebuild-'))
})

afterAll(() => rm(folder, { recursive: true }))

const freshDirectory = () => mkdtemp(join(folder, 'place-'))

const tables = projections.map(({ table }) => table)

const contentOf = ({ db }: ReadModelFile) =>
  projections.map(({ table, key }) => [
    getTableName(table),
    db.select().from(table).orderBy(key).all(),
  ])

test(
  'a log of several batches is rebuilt to the rows that folding one by one gives',
  { tags: 'long' },
  async () => {
    const settings = readSettings({ DATA_DIR: await freshDirectory() })
    const store = await openStore(settings)
    const events = await seed(store, 3_500)
    const expected = buildReadModelFile(await freshDirectory(), tables)
    onTestFinished(() => void expected.sqlite.close())
    const projector = makeProjector(expected, projections)
    for await (const batch of store.readAll(start))
      for (const event of batch) projector.apply([parseEvent(event)])
    await store.close()

    expect(await rebuildReadModels(settings)).toMatchObject({ events })
    const directory = join(settings.DATA_DIR, 'read-models')
    expect(await readdir(directory)).toEqual([expect.stringMatching(/-1\.sqlite$/)])
    const rebuilt = openReadModelFile(directory, tables)
    onTestFinished(() => void rebuilt.sqlite.close())
    expect(contentOf(rebuilt)).toEqual(contentOf(expected))
    expect(rebuilt.sqlite.prepare('SELECT position FROM checkpoint').pluck().get()).toBe(events)
  },
)

const firstOf = async (store: EventStore): Promise<RecordedEvent> => {
  for await (const [event] of store.readAll(start)) if (event) return event
  throw new Error('the log is empty')
}

test('an event that cannot be read ends a rebuild with its reason and no draft', async () => {
  const settings = readSettings({ DATA_DIR: await freshDirectory() })
  const store = await openStore(settings)
  await seed(store, 1_500)
  const { id, type, metadata } = await firstOf(store)
  await store.append('payment-odd', [{ id, type, data: { odd: true }, metadata }], noStream)
  await store.close()
  await expect(rebuildReadModels(settings)).rejects.toThrow(UnreadableEvent)
  expect(await readdir(join(settings.DATA_DIR, 'read-models'))).toEqual([])
})

test('a draft that cannot be begun leaves nothing either', async () => {
  const directory = await freshDirectory()
  const inTheWay = sqliteTable('checkpoint', { one: integer() })
  expect(() => buildReadModelFile(directory, [inTheWay])).toThrow('table checkpoint has')
  expect(await readdir(directory)).toEqual([])
})

test('a failed write in another thread is a database error, with nothing partial', async () => {
  const draft = buildReadModelFile(await freshDirectory(), tables)
  const writer = writeInWorker(draft.path)
  const insert = (sql: string, values: unknown[]) => ({ sql, width: values.length, values })
  const file = 'INSERT INTO log_files (sha256, bytes, source) VALUES (?, 1, ?)'
  await writer.write([insert(file, ['a', 'one'])])
  const failing = writer.write([insert(file, ['b', 'two']), insert(file, ['a', 'again'])])
  await expect(failing).rejects.toMatchObject({
    name: 'SqliteError',
    code: 'SQLITE_CONSTRAINT_PRIMARYKEY',
  })
  await writer.write([insert(file, ['c', 'three'])])
  await writer.end()
  const written = draft.sqlite.prepare('SELECT sha256 FROM log_files ORDER BY sha256').pluck().all()
  expect(written).toEqual(['a', 'c'])
  draft.sqlite.close()
})

test('a missing draft is reported as a database error, and the thread ends', async () => {
  const writer = writeInWorker(join(await freshDirectory(), 'nothing-is-here.sqlite'))
  await expect(writer.write([])).rejects.toMatchObject({ code: 'SQLITE_CANTOPEN' })
  await writer.end()
})

test('a failure other than the database’s ends the thread, and fails all writers', async () => {
  const draft = buildReadModelFile(await freshDirectory(), tables)
  onTestFinished(() => void draft.sqlite.close())
  const writer = writeInWorker(draft.path)
  const sql = 'INSERT INTO log_files (sha256, bytes, source) VALUES (?, 1, ?)'
  const odd = [{ sql, width: 2, values: ['a', true] }]
  await expect(writer.write(odd)).rejects.toThrow('SQLite3 can only bind')
  await expect(writer.write([])).rejects.toThrow('SQLite3 can only bind')
  await writer.end()
})

test('a finished draft has its new name, and leaves no other files', async () => {
  const directory = await freshDirectory()
  const draft = buildReadModelFile(directory, tables)
  draft.sqlite.exec("INSERT INTO log_files VALUES ('a', 1, 'one')")
  draft.finish()
  const names = await readdir(directory)
  expect(names).toEqual([expect.stringMatching(/-1\.sqlite$/)])
  const finished = new Database(join(directory, names[0] ?? ''), { readonly: true })
  onTestFinished(() => void finished.close())
  expect(finished.pragma('journal_mode', { simple: true })).toBe('delete')
  expect(finished.prepare('SELECT sha256 FROM log_files').pluck().all()).toEqual(['a'])
})
