// @module-tag long
import { randomUUID } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { afterAll, expect, onTestFinished, test } from 'vitest'
import type { EventStore } from '../../application/event-store.ts'
import { dryRun } from '../../application/find-state.ts'
import { makeHandler } from '../../application/handle.ts'
import { payers } from '../../domain/aggregates.ts'
import { afterFailure, checkLockout, unlocked } from '../../domain/people/lockout.ts'
import { Refusal } from '../../domain/refusal.ts'
import { timedUuid } from '../../infrastructure/event-store/event-entry.ts'
import { makeThrottle } from '../../infrastructure/people/message-limits.ts'
import { strangerLockouts } from '../../infrastructure/people/stranger-lockouts.ts'
import Database from '../../infrastructure/sqlite.ts'
import { strangersInStreams } from '../../infrastructure/vault-streams/stranger-lockouts.ts'
import { openPlace } from './vault-in-streams.ts'

const waitFor = (attempt: () => Promise<void>): Promise<number | null | undefined> =>
  attempt().then(
    () => undefined,
    (error: unknown) => {
      if (error instanceof Refusal) return error.retryAfter
      throw error
    },
  )

/** Seconds until the next attempt is allowed; undefined if it is allowed now. */
const waitOf = (attempt: () => void): number | null | undefined => {
  try {
    attempt()
    return undefined
  } catch (error) {
    if (error instanceof Refusal) return error.retryAfter
    throw error
  }
}

test('an address that was counted too often is refused for a while, and others are not', () => {
  const { check, count } = makeThrottle(3, 60_000)
  for (let n = 0; n < 3; n++) {
    check('192.0.2.1', n)
    count('192.0.2.1', n)
  }
  expect(waitOf(() => check('192.0.2.1', 2))).toBe(60)
  expect(waitOf(() => check('192.0.2.1', 59_999))).toBe(1)
  check('192.0.2.2', 59_999)
  check('192.0.2.1', 60_000)
})

test('all addresses of one network of IPv6 are counted together, as of one customer', () => {
  const { check, count } = makeThrottle(3, 60_000)
  for (const host of ['1', '2', '3']) count(`2001:db8:0:1::${host}`, 0)
  expect(() => check('2001:db8:0:1:ffff::4', 0)).toThrow(Refusal)
  check('2001:db8:0:2::1', 0)
})

test('an address of IPv4 is the same one however it is written', () => {
  const { check, count } = makeThrottle(1, 60_000)
  count('::ffff:192.0.2.1', 0)
  expect(() => check('192.0.2.1', 0)).toThrow(Refusal)
})

const folder = mkdtempSync(join(tmpdir(), 'daybook-strangers-'))

afterAll(() => rmSync(folder, { recursive: true }))

const lockoutsIn = (name: string, most?: number) => {
  const file = join(folder, name)
  const lockouts = strangerLockouts(file, 'a key', most)
  onTestFinished(lockouts.close)
  return { ...lockouts, file }
}

test(
  'a stranger is locked out as a payer would be, though ten thousand others fail',
  { tags: 'long' },
  async () => {
    const { check, fail } = lockoutsIn('many')
    let failures = 0
    const wait = () => waitFor(() => check('4700000000', 0))
    for (; (await wait()) === undefined && failures < 100; failures++) await fail('4700000000', 0)
    expect(failures).toBe(3)
    const others = Array.from({ length: 9_999 }, (_, n) => fail(`stranger ${n}`, 0))
    await Promise.all(others)
    expect(await wait()).toBe(30)
  },
)

/** On hosts that share an event store, and nothing else. */
const hosts = async () => {
  const place = await openPlace()
  onTestFinished(place.remove)
  const host = () => {
    const { streams, close } = place.connect()
    onTestFinished(close)
    return strangersInStreams(streams, 'a key')
  }
  return [host(), host()] as const
}

test.each([
  ['processes', async () => [lockoutsIn('shared'), lockoutsIn('shared')] as const],
  ['hosts of an EventStoreDB', hosts],
])('strangers are locked for all %s and over a restart, as payers are', async (_, start) => {
  const [one, other] = await start()
  let payer = unlocked
  let at = 0
  for (let failures = 0; failures < 12; failures++) {
    const { check, fail } = failures % 2 === 0 ? one : other
    await check('4700000000', at)
    await fail('4700000000', at)
    payer = afterFailure(payer, at)
    one.close()
    const expected = waitOf(() => checkLockout(payer, at))
    const waits = [one, other].map((each) =>
      waitFor(async () => {
        await each.check('4700000000', at)
        // Like a payer's lock, that of another host is found at the latest when it would count.
        if (expected !== undefined) await each.fail('4700000000', at)
      }),
    )
    expect(await Promise.all(waits)).toEqual([expected, expected])
    // A guess that was checked meanwhile is refused, and counts for nothing.
    if (expected !== undefined)
      await expect(other.fail('4700000000', at)).rejects.toMatchObject({ retryAfter: expected })
    at = Math.max(at, payer.lockedUntil)
  }
})

/** A store that notes each read and append, and decisions on it. */
const openCounted = async () => {
  const place = await openPlace()
  onTestFinished(place.remove)
  const { streams, ...store } = place.connect()
  onTestFinished(store.close)
  const calls: string[] = []
  const counted = <Of extends Pick<EventStore, 'append' | 'readStream'>>(of: Of): Of => ({
    ...of,
    append: (...given: Parameters<EventStore['append']>) => {
      calls.push('append')
      return of.append(...given)
    },
    readStream: (...given: Parameters<EventStore['readStream']>) => {
      calls.push('read')
      return of.readStream(...given)
    },
  })
  const { handle, find } = makeHandler({
    store: {
      ...counted(store),
      // What is read where the log ends.
      head: () => {
        calls.push('read')
        return store.head()
      },
    },
    eventId: (stream, revision, command, at) => timedUuid(`${stream}/${revision}/${command}`, at),
    commandId: randomUUID,
  })
  return { store, calls, handle, find, streams: counted(streams) }
}

test('on an EventStoreDB a stranger costs the reads and appends that a payer costs', async () => {
  const { store, calls, handle, find, streams } = await openCounted()
  const strangers = strangersInStreams(streams, 'a key')
  const context = { at: 0, merchant: null, actor: 'payer:p', correlationId: 'c' }
  // By another node.
  await store.append(
    'payer-p',
    [
      {
        ...{ id: randomUUID(), type: 'PayerRegistered', data: { profile: 'p', credentials: 'c' } },
        metadata: { ...context, causationId: null, schema: 1 },
      },
    ],
    -1,
  )
  const callsOf = async (work: () => Promise<unknown>): Promise<readonly string[]> => {
    calls.length = 0
    await work().catch((error: unknown) => {
      if (!(error instanceof Refusal)) throw error
    })
    return [...calls]
  }
  for (let failures = 0; failures < 6; failures += 1) {
    const command = { type: 'CheckPin', at: 0, isRight: true } as const
    const payer = await callsOf(async () => {
      await dryRun(find, payers, 'p', command)
      await handle(payers, 'p', { ...command, isRight: false }, context)
    })
    const stranger = await callsOf(async () => {
      await strangers.check('4700000000', 0)
      await strangers.fail('4700000000', 0)
    })
    expect([failures, stranger]).toEqual([failures, payer])
  }
})

test('strangers who fail under new numbers fill no disk; no number is in the file', async () => {
  const { fail, check, file, close } = lockoutsIn('bounded', 100)
  await Promise.all(Array.from({ length: 2_000 }, (_, at) => fail(`47000${at}`, at)))
  for (let n = 0; n < 3; n++) await fail('4742424242', 2_000)
  expect(await waitFor(() => check('4742424242', 2_000))).toBe(30)
  close()
  const sqlite = new Database(file, { readonly: true })
  expect(sqlite.prepare('SELECT count(*) FROM strangers').pluck().get()).toBeLessThanOrEqual(101)
  sqlite.close()
  expect(readFileSync(file).includes('4742424242')).toBe(false)
})

test('a failure waits for the disk, as that of a payer waits for the log', async () => {
  const { fail } = lockoutsIn('slow')
  let isAnswered = false
  const failing = fail('4700000000', 0).then(() => {
    isAnswered = true
  })
  await nextTurn()
  expect(isAnswered).toBe(false)
  await failing
})
