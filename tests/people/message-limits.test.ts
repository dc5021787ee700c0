import { beforeEach, expect, test } from 'vitest'
import { Refusal } from '../../domain/refusal.ts'
import type { SecurityEvent } from '../../application/security-log.ts'
import { makeMessageLimits, prefixOf } from '../../infrastructure/people/message-limits.ts'

const told: unknown[] = []
const recorded: SecurityEvent[] = []
beforeEach(() => {
  told.length = 0
  recorded.length = 0
})

const limitsOf = (perHour: number) =>
  makeMessageLimits({
    perHour,
    log: { error: (...given: unknown[]) => void told.push(given) },
    securityLog: { record: (event) => void recorded.push(event) },
  })

/** How many of so many are let through. */
const passed = (limit: ReturnType<typeof limitsOf>['address'], keys: readonly string[], at = 0) =>
  keys.filter((key) => {
    try {
      limit.check(key, at)
    } catch (error) {
      if (error instanceof Refusal) return false
      throw error
    }
    limit.count(key, at)
    return true
  }).length

const addresses = (count: number, at: (n: number) => string) =>
  Array.from({ length: count }, (_, n) => at(n))

const hex = (n: number): string => n.toString(16)

test('somebody with a /56 gets as many messages as with one /64, with a /48 twice as many', () => {
  const of56 = addresses(500, (n) => `2001:db8:0:${hex(n % 256)}::${hex(n)}`)
  expect(passed(limitsOf(9_999).address, of56)).toBe(100)
  const of48 = addresses(5_000, (n) => `2001:db8:0:${hex((n * 256) % 65_536)}::${hex(n)}`)
  expect(passed(limitsOf(9_999).address, of48)).toBe(200)
  expect(
    passed(
      limitsOf(9_999).address,
      addresses(500, (n) => `192.0.2.${n % 250}`),
    ),
  ).toBe(100)
})

test('numbers of one country get half of all messages of an hour, with one alarm', () => {
  const { destination } = limitsOf(100)
  const numbers = (country: string, count: number) =>
    addresses(count, (n) => `${country}${10_000_000 + n}`)
  expect(passed(destination, numbers('371', 80))).toBe(50)
  expect(told).toHaveLength(1)
  expect(recorded).toEqual([
    { type: 'refused', actor: 'user:?', reason: 'many text messages to +371' },
  ])
  expect(passed(destination, numbers('47', 30))).toBe(30)
  expect(passed(destination, numbers('46', 30))).toBe(20)
  expect(recorded.at(-1)?.reason).toBe('many text messages in all')
  expect(passed(destination, numbers('46', 30), 3_600_000)).toBe(30)
})

test.each([
  ['a /56', (n: number) => `2001:db8:0:${hex(n % 256)}::1`, '2001:db8::/48'],
  ['a /48', (n: number) => `2001:db8:0:${hex((n * 256) % 65_536)}::${hex(n)}`, '2001:db8::/48'],
  ['a /24', (n: number) => `192.0.2.${n % 250}`, '192.0.2.0/24'],
])('%s at its limit raises one alarm, for an hour', (_, at, network) => {
  const limits = limitsOf(9_999)
  passed(limits.address, addresses(1_000, at))
  expect(limits.alarms(0)).toEqual([{ of: 'network', which: `from ${network}` }])
  expect([told.length, recorded.length]).toEqual([1, 1])
  expect(recorded[0]?.reason).toBe(`many text messages from ${network}`)
  expect(limits.alarms(3_600_000)).toEqual([])
})

test('the prefix of a number is that of its country, in North America with the area', () => {
  expect(['4740000001', '35840000001', '18765550100', '79161234567'].map(prefixOf)).toEqual([
    ...['47', '358', '1876', '7'],
  ])
})
