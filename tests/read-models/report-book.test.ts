import fc from 'fast-check'
import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { afterAll, describe, expect, test } from 'vitest'
import { start, type Position } from '../../application/event-store.ts'
import type { Recorded } from '../../domain/events.ts'
import { makeProjector } from '../../infrastructure/read-models/projector.ts'
import { openReadModelFile } from '../../infrastructure/read-models/read-model-file.ts'
import { makeReportBook } from '../../infrastructure/read-models/report-book.ts'
import { ledgerProjection, ledgerStream } from '../../projections/ledgers.ts'
import type { Projection } from '../../projections/projection.ts'
import { reportProjection, reportQueries } from '../../projections/reports.ts'

const folder = mkdtempSync(join(tmpdir(), 'daybook-reports-'))
afterAll(() => rmSync(folder, { recursive: true }))

const ledgers = ['default', 'bar'] as const
type Ledger = (typeof ledgers)[number]
type Happens = { readonly ledger: Ledger; readonly isClosing: boolean }

/** A log of lines and closings, which a node observes, and its read models fold, on command. */
const openPlace = ({ before = [] as readonly Happens[] } = {}) => {
  const tables = [reportProjection.table, ledgerProjection.table]
  const file = openReadModelFile(join(folder, randomUUID()), tables)
  const projector = makeProjector(file, [reportProjection as unknown as Projection])
  const log: Recorded[] = []
  const lines: { readonly ledger: Ledger; readonly position: Position; readonly report: number }[] =
    []
  const closed = new Map<Ledger, number>()
  const asked: Position[] = []
  let waiters: { readonly position: Position; readonly resolve: () => void }[] = []

  const happen = ({ ledger, isClosing }: Happens): void => {
    const position = log.length + 1
    const report = (closed.get(ledger) ?? 0) + 1
    const data = { report, openedAt: 0, callbackUri: null }
    const metadata = {
      at: position,
      merchant: 'shop',
      actor: 'daybook',
      correlationId: 'test',
      causationId: null,
      schema: 1,
    }
    const place = { id: randomUUID(), stream: ledgerStream('shop', ledger), revision: position }
    const type = isClosing ? 'ReportClosed' : 'LedgerDisabled'
    log.push({ ...place, position, type, data, metadata } as Recorded)
    if (isClosing) closed.set(ledger, report)
    else lines.push({ ledger, position, report })
  }
  for (const one of before) happen(one)
  const from = log.length

  const book = makeReportBook({
    reports: reportQueries(file.db),
    reached: (position) => {
      asked.push(position)
      return position <= projector.position()
        ? Promise.resolve()
        : new Promise((resolve) => waiters.push({ position, resolve }))
    },
    position: projector.position,
    from,
  })
  let heard = from
  return {
    log,
    lines,
    asked,
    happen,
    hear: (): void => {
      book.observe(log.slice(heard) as never)
      heard = log.length
    },
    fold: (count = log.length): void => {
      const done = projector.position()
      projector.apply(log.slice(done, done + count))
      const ready = waiters.filter(({ position }) => position <= projector.position())
      waiters = waiters.filter((waiter) => !ready.includes(waiter))
      for (const { resolve } of ready) resolve()
    },
    reportOf: async ({ ledger, position }: { ledger: Ledger; position: Position }) =>
      book.holding('shop', ledger, position),
    close: () => file.sqlite.close(),
  }
}

const happens = fc.record({ ledger: fc.constantFrom(...ledgers), isClosing: fc.boolean() })

describe('the report that holds a line', () => {
  test(
    'is the one that was open there, whatever was observed and folded by then',
    { tags: 'long' },
    async () => {
      const step = fc.oneof(
        { weight: 3, arbitrary: happens },
        fc.constantFrom(...(['hear', 'fold', 'fold one', 'ask', 'let what waits go on'] as const)),
      )
      await fc.assert(
        fc.asyncProperty(
          fc.array(happens, { maxLength: 4 }),
          fc.array(step, { minLength: 5, maxLength: 50 }),
          async (before, steps) => {
            const place = openPlace({ before })
            const answers: Promise<void>[] = []
            const ask = () => {
              for (const line of place.lines)
                answers.push(
                  place.reportOf(line).then((report) => expect(report).toBe(line.report)),
                )
            }
            for (const one of steps) {
              if (one === 'hear') place.hear()
              else if (one === 'fold') place.fold()
              else if (one === 'fold one') place.fold(1)
              else if (one === 'ask') ask()
              else if (one === 'let what waits go on') await nextTurn()
              else place.happen(one)
            }
            place.happen({ ledger: 'bar', isClosing: false })
            place.hear()
            place.fold()
            ask()
            await Promise.all(answers)
            place.close()
          },
        ),
        { numRuns: 100 },
      )
    },
  )

  test('is known without the read models once that of another line was looked up', async () => {
    const place = openPlace()
    const line = { ledger: 'bar', isClosing: false } as const
    place.happen(line)
    place.hear()
    place.fold()
    const [first] = place.lines
    expect(await place.reportOf(first!)).toBe(1)
    expect(place.asked).toEqual([1])
    place.happen(line)
    place.hear()
    expect(await place.reportOf(place.lines[1]!)).toBe(1)
    expect(place.asked).toEqual([1])
    place.close()
  })

  test('is looked up if earlier closings have not been observed', async () => {
    const place = openPlace()
    place.happen({ ledger: 'bar', isClosing: false })
    place.hear()
    place.fold()
    await place.reportOf(place.lines[0]!)
    place.happen({ ledger: 'bar', isClosing: true })
    place.happen({ ledger: 'bar', isClosing: false })
    const found = place.reportOf(place.lines[1]!)
    expect(place.asked).toEqual([start + 1, 3])
    place.fold()
    expect(await found).toBe(2)
    place.close()
  })

  test('is looked up without the closings that the read models hold', async () => {
    const place = openPlace()
    place.happen({ ledger: 'bar', isClosing: false })
    place.happen({ ledger: 'bar', isClosing: true })
    place.hear()
    place.fold()
    expect(await place.reportOf(place.lines[0]!)).toBe(1)
    place.happen({ ledger: 'default', isClosing: false })
    place.happen({ ledger: 'default', isClosing: true })
    place.hear()
    expect(await place.reportOf(place.lines[0]!)).toBe(1)
    const found = place.reportOf(place.lines[1]!)
    expect(place.asked).toEqual([2, 1, 4])
    place.fold()
    expect(await found).toBe(1)
    place.close()
  })

  test('is not remembered when a closing has come by while it was looked up', async () => {
    const place = openPlace()
    place.happen({ ledger: 'bar', isClosing: false })
    place.hear()
    const found = place.reportOf(place.lines[0]!)
    place.happen({ ledger: 'bar', isClosing: true })
    place.hear()
    place.fold(1)
    expect(await found).toBe(1)
    place.happen({ ledger: 'bar', isClosing: false })
    place.hear()
    const later = place.reportOf(place.lines[1]!)
    place.fold()
    expect(await later).toBe(2)
    place.close()
  })
})
