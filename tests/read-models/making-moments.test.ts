// @module-tag long
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { makeLog } from '../../infrastructure/logs/log.ts'
import { keepDays, makePast, limitedMaking } from '../../service/as-of/moments.ts'
import type { Where } from '../../infrastructure/worker.ts'
import { paths, startService, type Service } from '../support/http-service.ts'

const log = makeLog('silent')

let service: Service

beforeAll(async () => {
  service = await startService({ LOG_LEVEL: 'error' })
})

afterAll(() => service.stop())

describe('moments are made', () => {
  const folderOf = () => join(service.folder, 'as-of')
  const past = (where: Where = 'inline', waitMs?: number, DATA_DIR = service.folder) => {
    const made = makePast(
      { ...service.core, settings: { ...service.settings, DATA_DIR }, log, beside: where },
      waitMs,
    )
    onTestFinished(() => made.close())
    /** The number of merchants at the time. */
    const ask = async (position: number, who = 'a'): Promise<number> => {
      const { moment, failureOf, release } = await made.hold({ position }, who)
      try {
        return moment.queries.merchants.merchants.all().length
      } catch (error) {
        throw failureOf(error)
      } finally {
        release()
      }
    }
    return { ...made, ask }
  }

  test('once: those who ask again have the same file', async () => {
    const { ask, files } = past()
    const before = files.all().length
    await Promise.all([ask(7, 'a'), ask(7, 'b')])
    await ask(7, 'c')
    expect(files.all()).toHaveLength(before + 1)
  })

  test('anew when their file is damaged, though it is open', async () => {
    const { ask, files } = past()
    const count = await ask(9)
    const [file] = readdirSync(folderOf()).filter((name) => name.endsWith('-9.sqlite'))
    writeFileSync(join(folderOf(), file ?? ''), Buffer.alloc(450_560, 7))
    await expect(ask(9)).rejects.toMatchObject({ name: 'StoreUnavailable' })
    expect(await ask(9)).toBe(count)
    expect(existsSync(files.pathOf(9))).toBe(true)
  })

  test('and closed again, but not while in use', async () => {
    const { hold, ask } = past()
    const { moment, release } = await hold({ position: 1 }, 'a')
    for (let position = 2; position < 11; position++) await ask(position)
    expect(moment.file.sqlite.open).toBe(true)
    release()
    await ask(3)
    expect(moment.file.sqlite.open).toBe(false)
  })

  test('in the background if they take long: the next request gets them', async () => {
    const { ask } = past('worker', 0)
    await expect(ask(11)).rejects.toMatchObject({ code: 'moment_is_being_made', retryAfter: 5 })
    await expect.poll(() => ask(11), { timeout: 20_000 }).toBe(1)
  })

  test('again when they could not be: until then the answer is that of an outage', async () => {
    const DATA_DIR = mkdtempSync(join(tmpdir(), 'daybook-no-room-'))
    onTestFinished(() => rmSync(DATA_DIR, { recursive: true }))
    const { ask } = past('inline', undefined, DATA_DIR)
    const inTheWay = join(DATA_DIR, 'as-of')
    writeFileSync(inTheWay, '')
    await expect(ask(12)).rejects.toMatchObject({ name: 'StoreUnavailable' })
    rmSync(inTheWay)
    expect(await ask(12)).toBe(1)
  })

  test('one at a time, with a limit per requester', async () => {
    const ends: (() => void)[] = []
    const begun: number[] = []
    const slowly = (end: number) =>
      new Promise<number>((resolve) => {
        begun.push(end)
        ends.push(() => resolve(0))
      })
    const { make } = limitedMaking(slowly)
    const asked = Array.from({ length: 9 }, (_, end) => make(end, 'a'))
    const refused = { code: 'moments_are_too_many', retryAfter: 5 }
    await expect(make(9, 'a')).rejects.toMatchObject(refused)
    asked.push(make(10, 'b'))
    for (let turn = 0; turn < 10; turn++) {
      await nextTurn()
      expect(begun).toHaveLength(turn + 1)
      ends[turn]?.()
    }
    await Promise.all(asked)
    // The other merchant was not delayed.
    expect(begun.slice(0, 4)).toContain(10)
  })

  test('later for a requester who has used much build time', async () => {
    let elapsed = 0
    const { make, keep } = limitedMaking(
      async () => (elapsed += 61_000),
      () => elapsed,
    )
    for (let count = 0; count < 3; count++) await make(count, 'a')
    const refused = await make(3, 'a').catch((error: unknown) => error)
    expect(refused).toMatchObject({ code: 'moments_are_too_many' })
    const { retryAfter } = refused as { readonly retryAfter: number }
    expect(retryAfter).toBeGreaterThan(60)
    await make(3, 'b')
    await keep(4)
    elapsed += retryAfter * 1_000
    await make(3, 'a')
  })

  test('beforehand at the end of each day on which enough came', async () => {
    const { files, ...made } = past()
    await service.call('POST', paths.clock, { body: { advance_seconds: 86_400 } })
    const midnight = Math.floor(service.core.now() / 86_400_000) * 86_400_000
    const end = service.core.moments.positionAt(midnight - 1)
    const stopped = new AbortController().signal
    const few = keepDays(service.core, { files, ...made }, 10_000, 0)
    const next = await few(midnight + 5, stopped)
    expect([next, files.isKept(end)]).toEqual([midnight + 86_400_000, false])
    const keep = keepDays(service.core, { files, ...made }, 1)
    expect(await keep(midnight + 5, stopped)).toBe(midnight + 60_005)
    expect(files.isKept(end)).toBe(false)
    await keep(midnight + 60_005, stopped)
    expect(files.isKept(end)).toBe(true)
  })
})
