import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { noStream } from '../../application/event-store.ts'
import { openEventFile } from '../../infrastructure/event-store/sqlite-event-file.ts'
import { readEventRows } from '../../infrastructure/event-store/sqlite-event-rows.ts'
import { writeEvents, type NewRow } from '../../infrastructure/event-store/sqlite-event-writer.ts'

const rowsNamed = (name: string, count: number): NewRow[] =>
  Array.from({ length: count }, (_, index) => ({
    id: Buffer.from(`${name}${index}`.padEnd(16)),
    type: 'Happened',
    data: '{}',
    metadata: null,
  }))

const opened = () => {
  const folder = mkdtempSync(join(tmpdir(), 'daybook-writer-'))
  const database = openEventFile(join(folder, 'events.sqlite'))
  onTestFinished(() => {
    database.close()
    rmSync(folder, { recursive: true })
  })
  return { writer: writeEvents(database), rows: readEventRows(database) }
}

test('given an abandoned transaction, when others are committed, then only those are there', () => {
  const { writer, rows } = opened()
  writer.begin()
  writer.write('abandoned', rowsNamed('a', 20), noStream)
  writer.abandon()
  writer.begin()
  writer.write('kept', rowsNamed('k', 1), noStream)
  expect(writer.commit()).toEqual({ end: 1, endOfOthers: 0 })
  expect(rows.all(0, 100).map(([position, stream]) => [position, stream])).toEqual([[1, 'kept']])
  expect(rows.lastRevision('abandoned')).toBe(noStream)
  writer.begin()
  expect(writer.write('abandoned', rowsNamed('b', 1), noStream)).toEqual({
    revision: 0,
    position: 2,
  })
  writer.commit()
  expect(rows.lastRevision('abandoned')).toBe(0)
})

test('given a transaction that broke off, when the next commits, then its rows are not', () => {
  const { writer, rows } = opened()
  writer.begin()
  writer.write('broken off', rowsNamed('a', 2), noStream)
  writer.begin()
  writer.write('kept', rowsNamed('k', 1), noStream)
  expect(writer.commit()).toEqual({ end: 1, endOfOthers: 0 })
  expect(rows.all(0, 100).map(([position, stream]) => [position, stream])).toEqual([[1, 'kept']])
})

test.each([1, 20])(
  'given %i streams of as many events in one transaction, then all are there in order',
  (count) => {
    const { writer, rows } = opened()
    const streams = Array.from({ length: count }, (_, index) => `stream ${index}`)
    writer.begin()
    for (const stream of streams) writer.write(stream, rowsNamed(stream.slice(6), count), noStream)
    writer.commit()
    expect(
      rows.all(0, count * count + 1).map(([at, stream, revision]) => [at, stream, revision]),
    ).toEqual(
      streams.flatMap((stream, index) =>
        Array.from({ length: count }, (_, at) => [index * count + at + 1, stream, at]),
      ),
    )
  },
)
