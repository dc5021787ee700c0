import { expect, test } from 'vitest'
import { feeSchedules } from '../../domain/aggregates.ts'
import type { RecordedEvent } from '../../application/event-store.ts'
import { makeFeeBook } from '../../application/fee-book.ts'
import type { Find } from '../../application/find-state.ts'
import { noFees, type FeeSchedule } from '../../domain/accounting/fees.ts'

const schedule = (transactionFixed: number): FeeSchedule => ({
  ...noFees,
  transactionFixed,
  from: 0,
  currency: 'NOK',
})

const scheduled: RecordedEvent = {
  stream: 'fees-shop',
  revision: 0,
  position: 1,
  id: '00000000-0000-0000-0000-000000000001',
  type: 'FeesScheduled',
  data: {},
  metadata: { merchant: 'shop' },
}

/** A log with one merchant's schedules, and a counter of reads; each read waits until released. */
const logOf = (schedules: FeeSchedule[]) => {
  const waiting: (() => void)[] = []
  let reads = 0
  const find = (async ({ category }) => {
    if (category !== feeSchedules.category) return { status: 'absent' }
    reads += 1
    const found = [...schedules]
    await new Promise<void>((resolve) => waiting.push(resolve))
    return found
  }) as Find
  const andThen = (): void => {
    for (const resolve of waiting.splice(0)) resolve()
  }
  return { find, andThen, reads: () => reads }
}

const feeIn = async (terms: ReturnType<ReturnType<typeof makeFeeBook>['findTerms']>) =>
  (await terms).transactionFixed

test('given terms that were read once, then the log is not asked until they change', async () => {
  const schedules = [schedule(1)]
  const { find, andThen, reads } = logOf(schedules)
  const { findTerms, observe } = makeFeeBook({ find })
  const ask = () => {
    const fee = feeIn(findTerms('shop', 'NOK', 1))
    andThen()
    return fee
  }
  expect([await ask(), await ask(), reads()]).toEqual([1, 1, 1])
  schedules.push(schedule(2))
  observe([scheduled])
  expect([await ask(), await ask(), reads()]).toEqual([2, 2, 2])
})

test('given terms that change while they are read, then nothing old is remembered', async () => {
  const schedules = [schedule(1)]
  const { find, andThen } = logOf(schedules)
  const { findTerms, observe } = makeFeeBook({ find })
  const before = feeIn(findTerms('shop', 'NOK', 1))
  schedules.push(schedule(2))
  observe([scheduled])
  andThen()
  expect(await before).toBe(1)
  const after = feeIn(findTerms('shop', 'NOK', 1))
  andThen()
  expect(await after).toBe(2)
})
