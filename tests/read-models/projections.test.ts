import { appendFile, cp, mkdtemp, readdir, rm, symlink, utimes } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { getTableName } from 'drizzle-orm'
import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { LoggedMessage } from '../../domain/callback.ts'
import type { Recorded } from '../../domain/events.ts'
import { makeFold, makeProjector } from '../../infrastructure/read-models/projector.ts'
import {
  buildReadModelFile,
  openReadModelFile,
} from '../../infrastructure/read-models/read-model-file.ts'
import { makeWriter, type Write } from '../../infrastructure/read-models/rows.ts'
import { projections } from '../../projections/read-models.ts'
import { projection, type Projection } from '../../projections/projection.ts'
import { someLogs } from './logs.ts'

let folder: string

let places = 0

const freshPlace = (): string => join(folder, `place-${(places += 1)}`)

const open: { sqlite: { close(): void } }[] = []

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'daybook-projections-'))
})

afterAll(async () => {
  for (const { sqlite } of open) sqlite.close()
  await rm(folder, { recursive: true })
})

const tablesOf = (projections: readonly Projection[]) => projections.map(({ table }) => table)

const openFile = (place: string, of: readonly Projection[] = projections) => {
  const file = openReadModelFile(place, tablesOf(of))
  open.push(file)
  return file
}

type File = Pick<ReturnType<typeof openFile>, 'sqlite' | 'db'>

/** Every row of every table, as queries read it. */
const contentOf = ({ db }: File, of: readonly Projection[] = projections) =>
  of.map(({ table, key }) => [getTableName(table), db.select().from(table).orderBy(key).all()])

/** The same without a database: each row folded in memory from its own events. */
const foldedInMemory = (events: readonly Recorded[]) => {
  const tables = projections.map((projection) => ({
    ...projection,
    rows: new Map<string | number, object | undefined>(),
  }))
  for (const event of events) {
    const told: LoggedMessage[] = []
    const lines = tables.flatMap((table) => {
      const { handles, begins, keysOf, apply, transactionLine, message, rows } = table
      if (!handles.has(event.type)) return []
      return keysOf(event, (other) => rows.get(other)).flatMap((key) => {
        const before = rows.get(key)
        if (begins.has(event.type)) expect(before).toBeUndefined()
        const after = apply(before, event, key, (other) => rows.get(other))
        rows.set(key, after)
        told.push(...[message?.(before, after, event) ?? []].flat())
        return transactionLine?.(before, event) ?? []
      })
    })
    for (const message of told)
      for (const { messages, rows } of tables)
        for (const key of messages?.keysOf(message) ?? [])
          rows.set(key, messages?.apply(rows.get(key), message, key))
    for (const line of lines)
      for (const { lines: ofLines, sums, rows } of tables) {
        const beside = ofLines?.beside
        const of = tables.find(({ table }) => table === beside?.projection.table)
        const other = of?.rows.get(beside?.keyOf(line) ?? '')
        for (const key of ofLines?.keysOf(line) ?? [])
          rows.set(key, ofLines?.apply(rows.get(key), line, key, other))
        const alone = { ...line, count: 1 }
        for (const key of sums?.keysOf(alone) ?? [])
          rows.set(key, sums?.apply(rows.get(key), alone, key))
      }
  }
  return tables.map(({ table, rows }) => [
    getTableName(table),
    [...rows].sort(([a], [b]) => (a < b ? -1 : 1)).flatMap(([, row]) => row ?? []),
  ])
}

const inBatches = <T>(items: readonly T[], sizes: readonly number[]): T[][] => {
  const batches: T[][] = []
  for (let from = 0, n = 0; from < items.length; n++) {
    const size = sizes[n % sizes.length] ?? 1
    batches.push(items.slice(from, from + size))
    from += size
  }
  return batches
}

const batchSizes = fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 8 })

describe('folding a log into read models', () => {
  test('given any log in any batches, rows equal a rebuild in one go, and their own fold', () => {
    fc.assert(
      fc.property(someLogs, batchSizes, (log, sizes) => {
        const file = openFile(freshPlace())
        const projector = makeProjector(file, projections)
        for (const batch of inBatches(log, sizes)) projector.apply(batch)

        const rebuilt = buildReadModelFile(freshPlace(), tablesOf(projections))
        makeProjector(rebuilt, projections).apply(log)
        expect(contentOf(file)).toEqual(contentOf(rebuilt))
        rebuilt.sqlite.close()
        expect(contentOf(file)).toEqual(foldedInMemory(log))
        expect(projector.position()).toBe(log.at(-1)?.position ?? 0)
      }),
      { numRuns: 8 },
    )
  })

  test('given any log, batches that overlap or come again change nothing', () => {
    fc.assert(
      fc.property(someLogs, batchSizes, fc.nat(60), (log, sizes, overlap) => {
        const file = openFile(freshPlace())
        const projector = makeProjector(file, projections)
        for (const [index, batch] of inBatches(log, sizes).entries()) {
          const from = log.indexOf(batch[0] as Recorded)
          projector.apply(
            index % 2 === 0 ? batch : log.slice(Math.max(0, from - overlap), from + batch.length),
          )
        }
        projector.apply(log)
        projector.apply([])
        expect(contentOf(file)).toEqual(foldedInMemory(log))
        expect(projector.position()).toBe(log.at(-1)?.position ?? 0)
      }),
      { numRuns: 6 },
    )
  })

  test('given any log, two projectors on one file never fold an event twice, and miss none', () => {
    fc.assert(
      fc.property(
        someLogs,
        batchSizes,
        fc.array(fc.nat(1), { minLength: 5 }),
        (log, sizes, turns) => {
          const place = freshPlace()
          const files = [openFile(place), openFile(place)] as const
          const projectors = files.map((file) => makeProjector(file, projections))
          const batches = inBatches(log, sizes)
          const read = [0, 0]
          // Each reads the log at its own pace from its own position; in the end both have read
          // everything.
          for (let turn = 0; Math.min(...read) < batches.length; turn++) {
            const which =
              (read[0] === batches.length
                ? 1
                : read[1] === batches.length
                  ? 0
                  : turns[turn % turns.length]) ?? 0
            const next = read[which] ?? 0
            projectors[which]?.apply(batches[next] ?? [])
            read[which] = next + 1
          }
          expect(contentOf(files[0])).toEqual(foldedInMemory(log))
          expect(contentOf(files[1])).toEqual(foldedInMemory(log))
        },
      ),
      { numRuns: 6 },
    )
  })
})

/** Folds each batch before the previous one is written, as beside a writer thread. */
const foldingAhead = (file: File, of: readonly Projection[]) => {
  const { fold } = makeFold(file, of)
  const write = makeWriter(file)
  let waiting: readonly Write[] = []
  const apply = (batch: readonly Recorded[]): void => {
    const writes = fold(batch)
    write(waiting)
    waiting = writes
  }
  return { apply, finish: () => apply([]) }
}

describe('folding ahead of what is written', () => {
  test('given any log in any batches, the rows are in the end the same', () => {
    fc.assert(
      fc.property(someLogs, batchSizes, (log, sizes) => {
        const file = openFile(freshPlace())
        const folding = foldingAhead(file, projections)
        for (const batch of inBatches(log, sizes)) folding.apply(batch)
        folding.finish()
        expect(contentOf(file)).toEqual(foldedInMemory(log))
      }),
      { numRuns: 6 },
    )
  })

  test('a row forgotten before it is written is found, and one that has vanished is not', () => {
    const file = openFile(freshPlace(), [counting()])
    const { apply, finish } = foldingAhead(file, [counting()])
    const rows = () => file.db.select().from(counts).orderBy(counts.stream).all()
    let position = 0
    const abort = (...streams: readonly string[]) =>
      apply(streams.map((stream) => aborted((position += 1), stream)))
    const others = Array.from({ length: 20_100 }, (_, index) => `other-${index}`)
    abort('payment-a', 'payment-a')
    finish()
    // Those later in a batch are cached longer.
    abort('payment-a', 'payment-b', ...others)
    expect(rows()).toEqual([{ stream: 'payment-a', count: 2 }])
    abort('payment-a', 'payment-b')
    finish()
    expect(rows()).toHaveLength(20_102)
    expect(rows().filter(({ stream }) => stream.startsWith('payment'))).toEqual([
      { stream: 'payment-a', count: 1 },
      { stream: 'payment-b', count: 2 },
    ])
  })
})

/** Counts the events of each stream; a row that reaches three is deleted. */
const counts = sqliteTable('counts', {
  stream: text('stream_name').primaryKey(),
  count: integer('number_of_events').notNull(),
})

const counting = (failsAt = Number.POSITIVE_INFINITY) =>
  projection({
    table: counts,
    handles: ['PaymentAborted'],
    keyOf: ({ stream }) => stream,
    apply: (row, { stream, position }) => {
      if (position === failsAt) throw new Error(`event ${position} cannot be folded`)
      const count = (row?.count ?? 0) + 1
      return count === 3 ? undefined : { stream, count }
    },
  }) as unknown as Projection

const aborted = (position: number, stream = 'payment-a'): Recorded => ({
  id: `e${position}`,
  stream,
  revision: 0,
  position,
  type: 'PaymentAborted',
  data: {},
  metadata: {
    at: 0,
    merchant: null,
    actor: 'daybook',
    correlationId: 'c',
    causationId: null,
    schema: 1,
  },
})

const openCounts = (place = freshPlace(), failsAt?: number) => {
  const of = [counting(failsAt)]
  const file = openFile(place, of)
  const rows = () => file.db.select().from(counts).orderBy(counts.stream).all()
  return { place, rows, ...makeProjector(file, of) }
}

describe('a batch', () => {
  test('changes rows and checkpoint together, there when the file is opened again', () => {
    const { place, apply, rows, position } = openCounts()
    expect(position()).toBe(0)
    apply([aborted(1), aborted(4, 'payment-b'), aborted(9)])
    expect(rows()).toEqual([
      { stream: 'payment-a', count: 2 },
      { stream: 'payment-b', count: 1 },
    ])
    expect(position()).toBe(9)
    const again = openCounts(place)
    expect(again.rows()).toEqual(rows())
    expect(again.position()).toBe(9)
  })

  test('that cannot be folded to its end changes neither, in the file or in memory', () => {
    const { place, apply, rows, position } = openCounts(undefined, 4)
    apply([aborted(1)])
    expect(() => apply([aborted(2), aborted(3, 'payment-b'), aborted(4)])).toThrow('event 4')
    expect(rows()).toEqual([{ stream: 'payment-a', count: 1 }])
    expect(position()).toBe(1)
    apply([aborted(2)])
    expect(rows()).toEqual([{ stream: 'payment-a', count: 2 }])
    const repaired = openCounts(place)
    repaired.apply([aborted(2), aborted(3, 'payment-b'), aborted(4)])
    expect(repaired.rows()).toEqual([{ stream: 'payment-b', count: 1 }])
  })

  test('moves the checkpoint over events that no projection handles, and never back', () => {
    const { apply, rows, position } = openCounts()
    apply([aborted(1), { ...aborted(7), type: 'PosRemoved' } as Recorded])
    expect(position()).toBe(7)
    apply([aborted(5)])
    expect(position()).toBe(7)
    expect(rows()).toEqual([{ stream: 'payment-a', count: 1 }])
  })

  test('deletes a row that vanishes, and inserts it again when it returns', () => {
    const { apply, rows } = openCounts()
    apply([aborted(1), aborted(2)])
    apply([aborted(3)])
    expect(rows()).toEqual([])
    apply([aborted(4)])
    expect(rows()).toEqual([{ stream: 'payment-a', count: 1 }])
  })

  test('leaves no trace of a row that came and vanished in it', () => {
    const { apply, rows } = openCounts()
    apply([aborted(1), aborted(2), aborted(3), aborted(4, 'payment-b')])
    expect(rows()).toEqual([{ stream: 'payment-b', count: 1 }])
    apply([aborted(5), aborted(6), aborted(7), aborted(8)])
    expect(rows()).toEqual([
      { stream: 'payment-a', count: 1 },
      { stream: 'payment-b', count: 1 },
    ])
  })

  test('is correct with more rows than fit into the cache', () => {
    const { apply, rows } = openCounts()
    const many = Array.from({ length: 20_100 }, (_, index) =>
      aborted(index + 1, `payment-${index}`),
    )
    apply(many)
    apply([aborted(20_101, 'payment-0'), aborted(20_102, 'payment-20099')])
    expect(rows()).toHaveLength(20_100)
    expect(rows().filter(({ count }) => count === 2)).toHaveLength(2)
  })
})

describe('two projectors on one file', () => {
  test('take up where the other is, though their memories are older', () => {
    const ours = openCounts()
    const theirs = openCounts(ours.place)
    ours.apply([aborted(1)])
    theirs.apply([aborted(1), aborted(2)])
    ours.apply([aborted(2)])
    expect(ours.rows()).toEqual([{ stream: 'payment-a', count: 2 }])
    ours.apply([aborted(3), aborted(4)])
    theirs.apply([aborted(3), aborted(4), aborted(5)])
    expect(ours.rows()).toEqual([{ stream: 'payment-a', count: 2 }])
    expect(ours.position()).toBe(5)
  })
})

const readModelsIn = async (place: string): Promise<string[]> =>
  (await readdir(place)).filter((name) => name.endsWith('.sqlite')).sort()

describe('the file of the read models', () => {
  test('is durable as a cache is: WAL, without waiting for the disk', () => {
    const { sqlite } = openFile(freshPlace())
    expect(sqlite.pragma('journal_mode', { simple: true })).toBe('wal')
    expect(sqlite.pragma('synchronous', { simple: true })).toBe(1)
  })

  test('is one and the same for all that open it', async () => {
    const place = freshPlace()
    openFile(place)
    openFile(place)
    expect(await readModelsIn(place)).toHaveLength(1)
  })

  /** Files that a process has open are kept. */
  const closeAllBut = ({ sqlite: kept }: File): void => {
    for (const { sqlite } of open) if (sqlite !== kept) sqlite.close()
  }

  test('gives way to a rebuilt one once that is finished, which is then the only one', async () => {
    const place = freshPlace()
    const before = openFile(place, [counting()])
    const [first] = await readModelsIn(place)
    const rebuilt = buildReadModelFile(place, [counts])
    makeProjector(rebuilt, [counting()]).apply([aborted(1)])
    expect(contentOf(openFile(place, [counting()]), [counting()])).toEqual([['counts', []]])
    rebuilt.finish()

    const after = openFile(place, [counting()])
    expect(contentOf(after, [counting()])).toEqual([
      ['counts', [{ stream: 'payment-a', count: 1 }]],
    ])
    expect(contentOf(before, [counting()])).toEqual([['counts', []]])
    closeAllBut(after)
    after.removeOthers()
    const left = await readModelsIn(place)
    expect(left).toHaveLength(1)
    expect(left).not.toContain(first)
    expect((await readdir(place)).every((name) => name.startsWith(left[0] ?? ''))).toBe(true)
  })

  test('the tenth rebuilt one comes after the ninth', () => {
    const place = freshPlace()
    for (let generation = 1; generation <= 11; generation++) {
      const rebuilt = buildReadModelFile(place, [counts])
      const events = Array.from({ length: generation }, (_, n) => aborted(n + 1, `payment-${n}`))
      makeProjector(rebuilt, [counting()]).apply(events)
      rebuilt.finish()
    }
    expect(openCounts(place).rows()).toHaveLength(11)
  })

  test('of another version of the code is a separate file, which stays for a day', async () => {
    const root = join(import.meta.dirname, '..', '..')
    const copy = join(folder, 'changed-code')
    for (const part of ['domain', 'projections', 'application', 'infrastructure', 'package.json'])
      await cp(join(root, part), join(copy, part), { recursive: true })
    await symlink(join(root, 'node_modules'), join(copy, 'node_modules'))
    await appendFile(join(copy, 'projections', 'projection.ts'), '\n// Changed.\n')
    const url = pathToFileURL(
      join(copy, 'infrastructure', 'read-models', 'read-model-file.ts'),
    ).href
    const changed = (await import(url)) as { openReadModelFile: typeof openReadModelFile }

    const place = freshPlace()
    const old = openCounts(place)
    old.apply([aborted(1)])
    const file = changed.openReadModelFile(place, [counts])
    open.push(file)
    expect(await readModelsIn(place)).toHaveLength(2)
    expect(contentOf(file, [counting()])).toEqual([['counts', []]])
    expect(openCounts(place).rows()).toEqual([{ stream: 'payment-a', count: 1 }])

    makeProjector(file, [counting()]).apply([aborted(1), aborted(2)])
    closeAllBut(file)
    file.removeOthers()
    expect(await readModelsIn(place)).toHaveLength(2)
    const used = new Date(Date.now() - 86_400_001)
    for (const name of await readModelsIn(place))
      if (!file.sqlite.name.endsWith(name)) await utimes(join(place, name), used, used)
    file.removeOthers()
    expect(await readModelsIn(place)).toHaveLength(1)
    const again = changed.openReadModelFile(place, [counts])
    open.push(again)
    expect(contentOf(again, [counting()])).toEqual([
      ['counts', [{ stream: 'payment-a', count: 2 }]],
    ])
    expect(openCounts(place).rows()).toEqual([])
  })
})
