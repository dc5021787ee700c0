// @module-tag long
import { copyFileSync, existsSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { getTableName } from 'drizzle-orm'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { DamagedEvent, StoreUnavailable, type EventStore } from '../../application/event-store.ts'
import { seed } from '../../bench/histories.ts'
import { parseEvent } from '../../domain/events.ts'
import { makeMoment } from '../../audit/as-of/make-moment.ts'
import { makeMoments } from '../../audit/as-of/open-moments.ts'
import { cheapestToRemove, momentFiles } from '../../audit/as-of/moment-files.ts'
import { leafOf } from '../../infrastructure/event-store/event-entry.ts'
import { makeProjector } from '../../infrastructure/read-models/projector.ts'
import {
  openFile,
  type ReadModelFile,
  tableStatements,
} from '../../infrastructure/read-models/read-model-file.ts'
import { readSettings } from '../../infrastructure/settings.ts'
import { openStore, tables } from '../../infrastructure/stores.ts'
import { projections } from '../../projections/read-models.ts'

let folder: string

let store: EventStore

let head: number

const place = () => ({ DATA_DIR: folder, EVENT_STORE: 'sqlite' as const })

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'daybook-moments-'))
  store = await openStore(readSettings({ DATA_DIR: folder }))
  await seed(store, 4_000)
  head = await store.head()
})

afterAll(async () => {
  await store.close()
  rmSync(folder, { recursive: true })
})

const filesIn = (name: string, space = 1e9) => momentFiles(join(folder, name), space)

const contentOf = ({ db, sqlite }: ReadModelFile) => [
  ...projections.map(({ table, key }) => [
    getTableName(table),
    db.select().from(table).orderBy(key).all(),
  ]),
  ...['checkpoint', 'tiles', 'moments'].map((name) =>
    sqlite.prepare(`SELECT * FROM ${name}`).all(),
  ),
]

const contentAt = (path: string) => {
  const file = openFile(path, [], [], { readonly: true })
  onTestFinished(() => void file.sqlite.close())
  return contentOf(file)
}

/** The result of folding all events up to a position. */
const foldedTo = async (end: number) => {
  const file = openFile(':memory:', [], tableStatements(tables))
  onTestFinished(() => void file.sqlite.close())
  const projector = makeProjector(file, projections)
  for await (const batch of store.readAll(0)) {
    const wanted = batch.filter(({ position }) => position <= end)
    projector.apply(wanted.map(parseEvent), wanted.map(leafOf))
  }
  return contentOf(file)
}

describe('the file of a moment', () => {
  test(
    'holds the rows up to it, and costs what came since the one before',
    { tags: 'long' },
    async () => {
      const files = filesIn('one')
      expect(await makeMoment(store, files, 1_200)).toBe(1_200)
      expect(await makeMoment(store, files, 1_317)).toBe(117)
      expect(await makeMoment(store, files, 40)).toBe(40)
      expect(await makeMoment(store, files, 1_316)).toBe(116)
      for (const end of [40, 1_316, 1_317])
        expect(contentAt(files.pathOf(end))).toEqual(await foldedTo(end))
    },
  )

  test('of the beginning is empty', async () => {
    const files = filesIn('empty')
    expect(await makeMoment(store, files, 0)).toBe(0)
    expect(contentAt(files.pathOf(0))).toEqual(await foldedTo(0))
  })

  test('on a long way leaves others behind, from which later ones begin', async () => {
    const files = filesIn('long')
    await makeMoment(store, files, head, 500)
    const kept = files.all().map(({ position }) => position)
    expect(kept).toEqual([1_000, 2_000, 3_000, head])
    expect(contentAt(files.pathOf(1_000))).toEqual(await foldedTo(1_000))
    expect(await makeMoment(store, files, 1_010, 500)).toBe(10)
  })

  test('begins from another only where that is sound and of this log', async () => {
    const files = filesIn('unsound')
    await makeMoment(store, files, 30)
    await makeMoment(store, files, 20)
    await makeMoment(store, files, 27)
    const other = openFile(files.pathOf(27), [], ["UPDATE checkpoint SET event = 'of another log'"])
    other.sqlite.close()
    copyFileSync(files.pathOf(30), files.pathOf(25))
    writeFileSync(files.pathOf(28), 'no database')
    rmSync(files.pathOf(30))
    expect(await makeMoment(store, files, 29)).toBe(9)
    expect(files.all().map(({ position }) => position)).toEqual([20, 29])
    expect(contentAt(files.pathOf(29))).toEqual(await foldedTo(29))
  })

  test('leaves nothing behind when an event of the log is damaged', async () => {
    const files = filesIn('damaged')
    const event = { stream: 'payment-1', revision: 0, position: 1_001 }
    const damaged: EventStore = {
      ...store,
      async *readAll(after) {
        for await (const batch of store.readAll(after)) {
          yield batch
          throw new DamagedEvent(event, 'it has another checksum')
        }
      },
    }
    await expect(makeMoment(damaged, files, 1_500)).rejects.toThrow(DamagedEvent)
    expect(readdirSync(join(folder, 'damaged'))).toEqual([])
  })
})

describe('the files that are kept', () => {
  const file = (position: number) => ({ position, path: '', bytes: 1 })
  const missed = (positions: readonly number[], needed: readonly number[] = []) =>
    cheapestToRemove(positions.map(file), (position) => needed.includes(position))?.position

  test('stay spread over the log when one has to go', () => {
    expect(missed([100, 110, 200, 300])).toBe(110)
    expect(missed([100, 200, 300, 301])).toBe(301)
    expect(missed([100, 110, 200, 300], [110, 300])).toBe(100)
    expect(missed([100], [100])).toBeUndefined()
    expect(missed([])).toBeUndefined()
  })

  test('take no more space than is given, and the one just made is there in any case', async () => {
    const roomy = filesIn('space')
    for (const end of [10, 20, 30, 40]) await makeMoment(store, roomy, end)
    const [one] = roomy.all()
    const tight = filesIn('space', 2.5 * (one?.bytes ?? 0))
    tight.thin((position) => position === 40)
    expect(tight.all().map(({ position }) => position)).toEqual([20, 40])
    filesIn('space', 1).thin((position) => position === 40)
    expect(tight.all().map(({ position }) => position)).toEqual([40])
  })

  test('are at most 24', async () => {
    const files = filesIn('many')
    await makeMoment(store, files, 1)
    for (let end = 2; end <= 26; end++) copyFileSync(files.pathOf(1), files.pathOf(end))
    files.thin(() => false)
    expect(files.all()).toHaveLength(24)
  })

  test('of other versions go, and drafts under way stay', async () => {
    const files = filesIn('versions')
    await makeMoment(store, files, 5)
    const other = join(folder, 'versions', `as-of-${'0'.repeat(16)}-5.sqlite`)
    const draft = `${files.pathOf(7)}.draft.building`
    for (const path of [other, draft]) writeFileSync(path, '')
    files.removeOthers()
    expect([other, draft, files.pathOf(5)].map(existsSync)).toEqual([false, true, true])
  })
})

describe('a thread that makes moments', () => {
  const inThread = (name: string) => {
    const files = filesIn(name)
    const start = { place: place(), directory: join(folder, name), space: 1e9 }
    const making = makeMoments('worker', store, files, start)
    onTestFinished(() => making.close())
    return { files, ...making }
  }

  test('makes what this one would', async () => {
    const { files, make } = inThread('thread')
    expect(await make({ end: 700, inUse: [] })).toBe(700)
    expect(await make({ end: 701, inUse: [700] })).toBe(1)
    expect(contentAt(files.pathOf(701))).toEqual(await foldedTo(701))
  })

  test('gives up what is under way when the service stops', async () => {
    const { make, close } = inThread('stopped')
    const made = make({ end: head, inUse: [] })
    const refused = expect(made).rejects.toThrow(StoreUnavailable)
    await close()
    await refused
    const directory = join(folder, 'stopped')
    expect(existsSync(directory) ? readdirSync(directory) : []).toEqual([])
    await expect(make({ end: 3, inUse: [] })).rejects.toThrow(StoreUnavailable)
  })
})
