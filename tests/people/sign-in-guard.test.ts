import { expect, test } from 'vitest'
import { Refusal } from '../../domain/refusal.ts'
import { unknownNumberLockouts, makeThrottle } from '../../infrastructure/people/sign-in-guard.ts'

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

test('a stranger is locked out as a payer would be, though ten thousand others fail', () => {
  const { check, fail } = unknownNumberLockouts()
  let failures = 0
  const wait = () => waitOf(() => check('4700000000', 0))
  for (; wait() === undefined && failures < 100; failures++) fail('4700000000', 0)
  expect(failures).toBe(3)
  for (let n = 0; n < 9_999; n++) fail(`stranger ${n}`, 0)
  expect(wait()).toBe(30)
})
