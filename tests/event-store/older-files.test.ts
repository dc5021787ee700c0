// @module-tag long
import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { DamagedEvent, noStream } from '../../application/event-store.ts'
import { UnusableLog } from '../../infrastructure/event-store/sqlite-event-file.ts'
import { openSqliteEventStore } from '../../infrastructure/event-store/sqlite-event-store.ts'
import Database from '../../infrastructure/sqlite.ts'
import { collect } from './appends.ts'
import { captured, change, copied, freshFile, open, write, written } from './files.ts'

describe('given a log whose end was cut off', () => {
  const shortened = async (): Promise<string> => {
    const file = await written()
    const database = new Database(file)
    database.exec('DROP TRIGGER events_are_not_deleted; DELETE FROM events WHERE position > 10')
    database.close()
    return file
  }

  test('then it is not opened, and the message says what it lacks', async () => {
    const file = await shortened()
    expect(() => openSqliteEventStore(file)).toThrow(
      'it ends at position 10 and lacks event 12, revision 3 of poles, which was written: ' +
        'its end was lost, or an older copy was put in its place',
    )
    expect(() => openSqliteEventStore(file)).toThrow(UnusableLog)
  })

  test('when the loss is accepted, then it goes on, and is opened from then on', async () => {
    const file = await shortened()
    const given = { acceptsLoss: true }
    const store = openSqliteEventStore(file, 'append', 'inline', undefined, given)
    await store.append('sticks', [captured(50)], noStream)
    await store.close()
    expect(await open(file).head()).toBe(11)
  })

  test('when a wrong bit in the write-ahead log cut it, then that is left', async () => {
    const original = freshFile()
    const store = await write(original)
    const file = copied(original, ['', '-wal', '-head'])
    await store.close()
    change(`${file}-wal`, '770011', '970011')
    const before = readFileSync(`${file}-wal`)
    expect(() => openSqliteEventStore(file)).toThrow(UnusableLog)
    expect(readFileSync(`${file}-wal`)).toEqual(before)
  })
})

describe('given a file of the format without checksums', () => {
  const old = async (): Promise<string> => {
    const file = await written()
    const database = new Database(file)
    database.exec('ALTER TABLE events DROP COLUMN checksum; PRAGMA user_version = 1')
    database.close()
    return file
  }

  test('when it is opened, then each event gets one, and is checked from then on', async () => {
    const file = await old()
    const told: number[] = []
    const given = { onChecksums: (events: number) => void told.push(events) }
    const first = openSqliteEventStore(file, 'append', 'inline', undefined, given)
    expect(await collect(first.readAll(0))).toHaveLength(12)
    await first.append('skis', [captured(99)], 3)
    await first.close()
    const second = openSqliteEventStore(file, 'append', 'inline', undefined, given)
    await second.close()
    expect(told).toEqual([12])
    change(file, '770005', '970005')
    await expect(open(file).readStream('boots')).rejects.toThrow(DamagedEvent)
    const database = new Database(file)
    expect(() => database.exec(`UPDATE events SET data = '{}'`)).toThrow('cannot be changed')
    database.close()
  })

  test('when it is only read, then it stays as it is', async () => {
    const file = await old()
    const before = readFileSync(file)
    const store = openSqliteEventStore(file, 'read')
    expect(await collect(store.readAll(0))).toHaveLength(12)
    await store.close()
    expect(readFileSync(file)).toEqual(before)
  })
})
