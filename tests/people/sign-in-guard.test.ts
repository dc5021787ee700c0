import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { afterAll, expect, onTestFinished, test } from 'vitest'
import { afterFailure, checkLockout, unlocked } from '../../domain/people/lockout.ts'
import { Refusal } from '../../domain/refusal.ts'
import { makeThrottle } from '../../infrastructure/people/sign-in-guard.ts'
import { strangerLockouts } from '../../infrastructure/people/stranger-lockouts.ts'
import Database from '../../infrastructure/sqlite.ts'

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

test('a stranger is locked out as a payer would be, though ten thousand others fail', async () => {
  const { check, fail } = lockoutsIn('many')
  let failures = 0
  const wait = () => waitOf(() => check('4700000000', 0))
  for (; wait() === undefined && failures < 100; failures++) await fail('4700000000', 0)
  expect(failures).toBe(3)
  const others = Array.from({ length: 9_999 }, (_, n) => fail(`stranger ${n}`, 0))
  await Promise.all(others)
  expect(wait()).toBe(30)
})

test('strangers are locked for all processes and over a restart, as payers are', async () => {
  const [one, other] = [lockoutsIn('shared'), lockoutsIn('shared')]
  let payer = unlocked
  let at = 0
  for (let failures = 0; failures < 12; failures++) {
    const { check, fail } = failures % 2 === 0 ? one : other
    check('4700000000', at)
    await fail('4700000000', at)
    payer = afterFailure(payer, at)
    one.close()
    const waits = [one, other].map((each) => waitOf(() => each.check('4700000000', at)))
    const expected = waitOf(() => checkLockout(payer, at))
    expect(waits).toEqual([expected, expected])
    // A guess that was checked meanwhile is refused, and counts for nothing.
    if (expected !== undefined)
      await expect(other.fail('4700000000', at)).rejects.toMatchObject({ retryAfter: expected })
    at = Math.max(at, payer.lockedUntil)
  }
})

test('strangers who fail under new numbers fill no disk; no number is in the file', async () => {
  const { fail, check, file, close } = lockoutsIn('bounded', 100)
  await Promise.all(Array.from({ length: 2_000 }, (_, at) => fail(`47000${at}`, at)))
  for (let n = 0; n < 3; n++) await fail('4742424242', 2_000)
  expect(waitOf(() => check('4742424242', 2_000))).toBe(30)
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
