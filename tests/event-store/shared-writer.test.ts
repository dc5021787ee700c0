import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { noStream } from '../../application/event-store.ts'
import { openEventLog } from '../../infrastructure/event-store/sqlite-event-log.ts'

const row = () => ({ id: randomBytes(16), type: 'Happened', data: '{}', metadata: null })

/** A log that commits in a thread, and a second one that shares the thread. */
const openTwo = () => {
  const folder = mkdtempSync(join(tmpdir(), 'daybook-shared-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const file = join(folder, 'events.sqlite')
  const first = openEventLog(file, 'append', 'worker')
  const port = first.shareWriter?.()
  if (!port) throw new Error('no thread writes')
  return { first, second: openEventLog(file, 'append', port) }
}

describe('given a thread that writes for two logs,', () => {
  test('two that share it give each event one place, and each hears of conflicts', async () => {
    const { first, second } = openTwo()
    const appends = Array.from({ length: 40 }, (_, n) =>
      (n % 2 === 0 ? first : second).append(`s-${n % 8}`, [row(), row()], 'any'),
    )
    const positions = (await Promise.all(appends)).map(({ position }) => position)
    expect(new Set(positions).size).toBe(40)
    expect(Math.max(...positions)).toBe(80)
    const conflict = { name: 'WrongExpectedRevision', expected: noStream, actual: 9 }
    for (const log of [first, second])
      await expect(log.append('s-3', [row()], noStream)).rejects.toMatchObject(conflict)
    await second.close()
    await first.close()
  })

  test('readers of the first see what the second acknowledged', async () => {
    const { first, second } = openTwo()
    await first.append('ours', [row()], noStream)
    const { position } = await second.append('theirs', [row()], noStream)
    expect(position).toBe(2)
    expect(first.end()).toBe(2)
    expect(second.end()).toBe(2)
    await first.append('ours', [row()], 0)
    expect(second.end()).toBe(3)
    await second.close()
    await first.close()
  })

  test('one that shares it accepts nothing once the thread has ended', async () => {
    const { first, second } = openTwo()
    await second.append('theirs', [row()], noStream)
    await first.close()
    for (let n = 0; n < 2; n += 1)
      await expect(second.append('theirs', [row()], 0)).rejects.toThrow(
        'the thread that writes the event log has ended',
      )
    await second.close()
  })
})
