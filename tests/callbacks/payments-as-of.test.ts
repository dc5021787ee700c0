import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Recorded } from '../../domain/events.ts'
import { paymentsAsOf } from '../../application/callback-object.ts'
import { paymentAfter, play, recorded, someSteps } from '../domain/payment-histories.ts'
import { events, morning } from '../domain/payments.ts'

/** Histories of streams, and a record of what was read. */
const histories = (streams: ReadonlyMap<string, readonly Recorded[]>) => {
  const reads: { readonly stream: string; readonly from: number; readonly upTo: number }[] = []
  const readStream = async (stream: string, from = 0, limit = Infinity) => {
    reads.push({ stream, from, upTo: from + limit - 1 })
    return streams.get(stream)?.slice(from, from + limit) ?? []
  }
  return { reads, asOf: paymentsAsOf({ readStream }) }
}

const somePayments = fc
  .array(someSteps, { minLength: 1, maxLength: 3 })
  .map((all) => all.map((steps) => play(steps).log).filter((log) => log.length > 0))

test('a payment as of any event is what the events up to it led to, in any order', async () => {
  await fc.assert(
    fc.asyncProperty(
      somePayments,
      fc.array(fc.tuple(fc.nat(), fc.nat()), { maxLength: 20 }),
      async (logs, wishes) => {
        const { asOf } = histories(new Map(logs.map((log, n) => [`payment-${n}`, log])))
        for (const [one, event] of wishes) {
          const log = logs[one % logs.length]
          if (!log) continue
          const revision = event % log.length
          const expected = paymentAfter(log.slice(0, revision + 1))
          const outcome = await asOf(`payment-${one % logs.length}`, revision)
          expect(outcome).toEqual(expected)
        }
      },
    ),
  )
})

test('messages built in order read each event once, and a rebuilt one reads none', async () => {
  const captures = Array.from({ length: 50 }, (_, n) => events.captured(`c${n}`, 1))
  const log = [events.requested(), events.authorized(), ...captures].map((event, revision) =>
    recorded({ at: morning, event }, revision),
  )
  const { reads, asOf } = histories(new Map([['payment-t', log]]))
  for (const { revision } of log) await asOf('payment-t', revision)
  expect(reads.map(({ from, upTo }) => [from, upTo])).toEqual(
    log.map(({ revision }) => [revision, revision]),
  )
  const last = log.length - 1
  expect(await asOf('payment-t', last)).toEqual(paymentAfter(log))
  expect(reads.length).toBe(log.length)
})

test(
  'payments are remembered by the hundred, those of many captures by the dozen',
  { tags: 'long' },
  async () => {
    const logOf = (captures: number) =>
      [
        events.requested(),
        events.authorized(),
        ...Array.from({ length: captures }, (_, n) => events.captured(`c${n}`, 1)),
      ].map((event, revision) => recorded({ at: morning, event }, revision))
    const reread = async (payments: number, captures: number): Promise<number> => {
      const log = logOf(captures)
      const names = Array.from({ length: payments }, (_, n) => `payment-${n}`)
      const { reads, asOf } = histories(new Map(names.map((name) => [name, log])))
      for (const name of names) await asOf(name, log.length - 1)
      reads.length = 0
      for (const name of names) await asOf(name, log.length - 1)
      return reads.filter(({ from }) => from === 0).length
    }
    expect(await reread(200, 1)).toBe(0)
    expect(await reread(600, 1)).toBeGreaterThan(0)
    expect(await reread(20, 3_000)).toBe(0)
    expect(await reread(60, 3_000)).toBeGreaterThan(0)
  },
)

test('a stream without a payment is refused', async () => {
  await expect(histories(new Map()).asOf('payment-t', 3)).rejects.toThrow(
    'payment-t is not a payment',
  )
})
