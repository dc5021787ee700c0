// @module-tag long
import { verify } from 'node:crypto'
import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import { afterAll, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { parseNote } from '../../domain/transparency/signed-note.ts'
import { startService } from '../support/http-service.ts'
import { startInProcess, newFolder } from '../../harness/in-process.ts'
import { openCore } from '../../service/core.ts'
import type { Log } from '../../infrastructure/logs/log.ts'
import { readSettings } from '../../infrastructure/settings.ts'
import { checkpointWork } from '../../service/transparency/checkpoint-work.ts'
import { startWitness, type TestWitness } from './witness.ts'

const origin = 'pay.example/transparency'

/** Whether the witness signed the note, implemented from the specification. */
const isCosigned = (note: string, { publicKey }: TestWitness): boolean => {
  const { text, signatures } = parseNote(note) ?? { text: '', signatures: [] }
  return signatures.some(({ name, bytes }) => {
    const time = Buffer.from(bytes.subarray(4, 12)).readBigUInt64BE()
    const message = Buffer.from(`cosignature/v1\ntime ${time}\n${text}`)
    return name === 'witness.example/w1' && verify(null, message, publicKey, bytes.subarray(12))
  })
}

/** Signing and asking, on command. */
const openPlace = async (witness: TestWitness) => {
  const DATA_DIR = mkdtempSync(join(tmpdir(), 'daybook-witness-'))
  const logged: string[] = []
  const log = pino({ errorKey: 'error' }, { write: (line: string) => void logged.push(line) })
  const PUBLIC_URL = 'https://pay.example'
  const settings = readSettings({ DATA_DIR, PUBLIC_URL, WITNESSES: witness.setting })
  const core = await openCore(settings, log as Log)
  const [signing, asking] = checkpointWork(core).work
  const never = new AbortController().signal
  let now = core.now()
  /** Each run is a while after the previous one, so that back-off is over. */
  const run = async (work = signing, stopped = never) => {
    now += 120_000
    await work?.due(now, stopped)
    await core.caughtUp()
  }
  return {
    logged,
    newest: () => {
      const found = core.transparency.checkpoints.newest()
      if (!found) throw new Error('there is no checkpoint')
      return found
    },
    /** Appends something to the log. */
    happen: async () => {
      await core.advanceClock({ by: 1000 }, core.contextOf('test'))
      await core.caughtUp()
    },
    sign: () => run(),
    ask: (stopped?: AbortSignal) => run(asking, stopped),
    close: async () => {
      await core.close()
      rmSync(DATA_DIR, { recursive: true })
    },
  }
}

const witness = await startWitness(origin)

const place = await openPlace(witness)

afterAll(async () => {
  await place.close()
  witness.stop()
})

describe('given a witness,', () => {
  beforeEach(async () => {
    witness.answer = undefined
    witness.requests.length = 0
    place.logged.length = 0
    await place.happen()
    await place.sign()
  })

  test('a checkpoint is posted to it, and its cosignature is appended', async () => {
    const before = place.newest()
    expect(isCosigned(before.note, witness)).toBe(false)
    await place.ask()
    const after = place.newest()
    expect(after.size).toBe(before.size)
    expect(after.note.startsWith(before.note)).toBe(true)
    expect(isCosigned(after.note, witness)).toBe(true)
    expect(witness.seen.size).toBe(before.size)
    expect(witness.requests).toEqual([expect.stringMatching(/^old 0\n\npay\.example/)])
  })

  test('the next one comes with the proof that it continues the one before', async () => {
    const { size } = witness.seen
    await place.ask()
    const [request, ...others] = witness.requests
    expect(others).toEqual([])
    expect(request).toMatch(new RegExp(`^old ${size}\n(?:[A-Za-z0-9+/=]{44}\n)+\n`))
    expect(isCosigned(place.newest().note, witness)).toBe(true)
  })

  test('who signed already is not asked again, and nothing more is signed for it', async () => {
    await place.ask()
    const { size } = place.newest()
    await place.ask()
    await place.sign()
    expect(witness.requests).toHaveLength(1)
    expect(place.newest().size).toBe(size)
  })

  test('after a 409 it is posted again from the size that the witness has', async () => {
    await place.ask()
    const earlier = witness.seen
    await place.happen()
    await place.sign()
    await place.ask()
    await place.happen()
    await place.sign()
    witness.seen = earlier
    witness.requests.length = 0
    await place.ask()
    const sizes = witness.requests.map((body) => /^old (\d+)/.exec(body)?.[1])
    expect(sizes).toEqual([expect.anything(), String(earlier.size)])
    expect(isCosigned(place.newest().note, witness)).toBe(true)
  })

  test.each([
    [{ status: 422 }, 'a log that this one does not continue'],
    [{ status: 404 }, 'does not know this log'],
    [{ status: 403 }, 'does not know the key'],
    [{ status: 409, text: '99999\n' }, 'has seen 99999 events'],
    [{ status: 503, text: 'busy' }, 'answers 503: busy'],
    [{ status: 200, text: '— witness.example/w1 AAAAAA==\n' }, 'is not signed'],
    [{ status: 200, text: 'x'.repeat(70_000) }, 'exceeded max size'],
  ])(
    'given the answer %j, then nothing is served below, and the log says: %s',
    async (...given) => {
      const [answer, told] = given
      witness.answer = () => answer
      await place.ask()
      expect(isCosigned(place.newest().note, witness)).toBe(false)
      expect(place.logged.join('')).toContain(told)
      expect(place.logged.join('')).toContain('asking the witness witness.example/w1 fails')
      witness.answer = undefined
      await place.ask()
      expect(isCosigned(place.newest().note, witness)).toBe(true)
    },
  )

  test('a cosignature of another checkpoint is not served', async () => {
    witness.answer = (body) => {
      const text = body.split('\n\n')[1] ?? ''
      return { status: 200, text: witness.cosign(`${text}0\n`, 1_767_225_600) }
    }
    await place.ask()
    expect(isCosigned(place.newest().note, witness)).toBe(false)
    expect(place.logged.join('')).toContain('is not signed')
  })

  test('signing does not wait for it, and stopping does neither', async () => {
    const never = new Promise<never>(() => {})
    const asked = new Promise<void>((resolve) => {
      witness.answer = () => {
        resolve()
        return never
      }
    })
    const { size } = place.newest()
    const stopping = new AbortController()
    const asking = place.ask(stopping.signal)
    await asked
    await place.happen()
    await place.sign()
    expect(place.newest().size).toBeGreaterThan(size)
    stopping.abort()
    await expect(asking).rejects.toThrow('stopped')
    expect(place.logged).toEqual([])
  })
})

test('a running service serves the cosignature with its checkpoint', async () => {
  const own = await startWitness(origin)
  const service = await startService({
    ...{ PUBLIC_URL: 'https://pay.example', LOG_LEVEL: 'error', WITNESSES: own.setting },
  })
  onTestFinished(async () => {
    await service.stop()
    own.stop()
  })
  await service.call('POST', '/sandbox/v1/clock/', { body: { advance_seconds: 11 } })
  await vi.waitFor(async () => {
    const { text } = await service.call('GET', '/transparency/checkpoint')
    expect(isCosigned(text, own)).toBe(true)
  })
})

describe('given an older copy of all that a service keeps,', () => {
  const settings = (of: TestWitness) => ({
    ...{ PUBLIC_URL: 'https://pay.example', LOG_LEVEL: 'warn', WITNESSES: of.setting },
  })
  /** Lets the witness sign something new, and says how much it has seen. */
  const signedIn = async (folder: string, own: TestWitness): Promise<number> => {
    const { address, stop } = await startInProcess(settings(own), folder)
    const clock = `${address}/sandbox/v1/clock/`
    // Positions of a log in a file count its events.
    const before = Number((await fetch(clock)).headers.get('x-service-position'))
    expect(before).toBeGreaterThan(0)
    await fetch(clock, {
      ...{ method: 'POST', headers: { 'Content-Type': 'application/json' } },
      body: JSON.stringify({ advance_seconds: 11 }),
    })
    await vi.waitFor(() => expect(own.seen.size).toBeGreaterThan(before), 20_000)
    await stop()
    return own.seen.size
  }
  const newPlace = async () => {
    const own = await startWitness(origin)
    const [folder, older] = [newFolder(), newFolder()]
    onTestFinished(() => {
      own.stop()
      for (const place of [folder, older]) rmSync(place, { recursive: true, force: true })
    })
    return { own, folder, older }
  }

  test('then it is refused by what a witness has signed since', async () => {
    const { own, folder, older } = await newPlace()
    await signedIn(folder, own)
    cpSync(folder, older, { recursive: true })
    const size = await signedIn(folder, own)
    await expect(startInProcess(settings(own), older)).rejects.toThrow(
      `the witness witness.example/w1 has signed ${size} events under this name`,
    )
    expect(await signedIn(folder, own)).toBeGreaterThan(size)
  })

  test('when the witness has signed another log of that size, then it is refused', async () => {
    const { own, folder } = await newPlace()
    await signedIn(folder, own)
    own.answer = (body) => ({ status: 409, text: body.split('\n\n')[1]?.split('\n')[1] ?? '' })
    await expect(startInProcess(settings(own), folder)).rejects.toThrow(
      /has signed \d+ other events/,
    )
  })

  test.each([
    ['cannot be reached', (own: TestWitness) => own.stop()],
    ['fails', (own: TestWitness) => void (own.answer = () => ({ status: 503 }))],
  ])('when the witness %s, then it starts with a warning', async (_, fail) => {
    const { own, folder } = await newPlace()
    await signedIn(folder, own)
    fail(own)
    const { stop, logged } = await startInProcess(settings(own), folder)
    await stop()
    expect(logged.join('')).toContain('cannot be asked whether this log is the newest')
  })
})
