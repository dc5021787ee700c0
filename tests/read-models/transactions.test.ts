// @module-tag long
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { TransactionPlace } from '../../projections/transaction-row.ts'
import { transactionQueries, type TransactionFilter } from '../../projections/transactions.ts'
import { events, morning } from '../domain/payments.ts'
import { foldedFile } from './folded-file.ts'

const file = foldedFile()

const now = async (): Promise<void> => {}

/** A line: where it is, by whom, and how far the clock has moved (back, if it was set back). */
const line = fc.record({
  ledger: fc.constantFrom('default', 'bar'),
  currency: fc.constantFrom('NOK', 'EUR'),
  posId: fc.constantFrom('till-1', 'till-2'),
  captureId: fc.constantFrom('c1', 'c2', null),
  amount: fc.integer({ min: 1, max: 9_000 }),
  moved: fc.integer({ min: -9, max: 20 }),
  isRefund: fc.boolean(),
})

type Line = Readonly<Record<'ledger' | 'currency' | 'posId' | 'kind', string>> & {
  readonly position: number
  readonly at: number
  readonly net: number
  readonly captureId: string | null
  readonly refundId: string | null
}

const written: Line[] = []
let at = morning
let count = 0

const second = 1_000

type Step = typeof line extends fc.Arbitrary<infer Each> ? Each : never

const write = ({ moved, amount, captureId, isRefund, ...request }: Step): void => {
  at += moved * second
  const stream = `payment-t${(count += 1)}`
  const about = { at }
  const before = { ...request, amount: 10_000, posTid: `o${count}`, customer: null }
  file.happened(stream, events.requested(before), about)
  file.happened(stream, events.authorized(), about)
  const add = (event: Parameters<typeof file.happened>[1], own: Partial<Line>): void => {
    file.happened(stream, event, about)
    const { ledger, currency, posId } = request
    const ids = { captureId: null, refundId: null }
    const position = file.position()
    written.push({ ledger, currency, posId, at, position, kind: '', net: 0, ...ids, ...own })
  }
  const captured = events.captured(captureId, amount)
  const data = { ...captured.data, charge: { fee: 7, interchange: 2, vat: 1, taxcode: 'x' } }
  const charged = { ...captured, data } as typeof captured
  add(charged, { kind: 'capture', net: amount - 10, captureId })
  const refund = { kind: 'refund', net: -1, refundId: captureId }
  if (isRefund) add(events.refunded(captureId, 1), refund)
}

const optional = <Value>(value: fc.Arbitrary<Value>) => fc.option(value, { nil: undefined })

const filters = fc.record({
  order: fc.constantFrom('oldest' as const, 'newest' as const),
  ledger: optional(fc.constantFrom('default', 'bar', 'none')),
  currency: optional(fc.constantFrom('NOK', 'EUR')),
  posId: optional(fc.constantFrom('till-1', 'nowhere')),
  kind: optional(fc.constantFrom('capture' as const, 'refund' as const, 'dispute' as const)),
  captureId: optional(fc.constant('c1')),
  /** Seconds before the last line was written. */
  since: optional(fc.integer({ min: -20, max: 200 })),
  until: optional(fc.integer({ min: -20, max: 200 })),
})

const fits = (filter: Omit<TransactionFilter, 'merchant'>) => (one: Line) => {
  const { ledger, currency, posId, kind, captureId, since, until } = filter
  const wanted = { ledger, currency, posId, kind, captureId }
  const isSame = Object.entries(wanted).every(
    ([name, value]) => value === undefined || one[name as keyof Line] === value,
  )
  return isSame && one.at >= (since ?? 0) && one.at < (until ?? Number.MAX_SAFE_INTEGER)
}

const run = fc.record({
  first: fc.array(line, { maxLength: 8 }),
  later: fc.array(line, { minLength: 1, maxLength: 8 }),
  filter: filters,
  size: fc.integer({ min: 1, max: 5 }),
})

test('pages of any filter give each line once in order, while lines are written', async () => {
  const { page } = transactionQueries(file.db)
  await fc.assert(
    fc.asyncProperty(run, async ({ first, later, filter: given, size }) => {
      first.forEach(write)
      const [since, until] = [given.since, given.until].map((one) =>
        one === undefined ? undefined : at - one * second,
      )
      const filter = { ...given, merchant: 'sandbox', since, until }
      const before = written.length
      const waiting = [...later]
      const writeNext = async (): Promise<void> => waiting.splice(0, 1).forEach(write)
      const seen: { readonly position: number; readonly balance: string }[] = []
      let behind: TransactionPlace | null = null
      do {
        const { rows, next }: Awaited<ReturnType<typeof page>> = await page(
          filter,
          behind,
          size,
          writeNext,
        )
        seen.push(...rows)
        behind = next
        await writeNext()
      } while (behind !== null)
      const isOldest = given.order === 'oldest'
      const start = written.slice(0, before).filter(fits(filter))
      const found = seen.map(({ position }) => position)
      if (isOldest) {
        const all = written.filter(fits(filter)).map(({ position }) => position)
        expect(found).toEqual(all.slice(0, found.length))
        expect(found.length).toBeGreaterThanOrEqual(start.length)
      } else expect(found).toEqual(start.map(({ position }) => position).reverse())
      for (const { position, balance } of seen) {
        const own = written.find((one) => one.position === position)
        const earlier = written.filter(
          (one) =>
            one.position <= position && one.ledger === own?.ledger && one.currency === own.currency,
        )
        expect(balance).toBe(String(earlier.reduce((sum, { net }) => sum + net, 0)))
      }
    }),
    { numRuns: 60 },
  )
})

test('lines that are written while a page is read are on the next, in each ledger', async () => {
  const { page } = transactionQueries(file.db)
  const one = { currency: 'NOK', posId: 'till-1', captureId: null, amount: 50, moved: 1 } as const
  const add = (ledger: 'bar' | 'default'): void => write({ ...one, ledger, isRefund: false })
  add('bar')
  for (let count = 0; count < 100; count++) add('default')
  const filter = { merchant: 'sandbox', order: 'oldest' } as const
  const first = await page(filter, null, 102, async () =>
    (['bar', 'default'] as const).forEach(add),
  )
  const end = first.rows.at(-1) ?? null
  expect([first.rows.length, first.next]).toEqual([101, null])
  const { rows } = await page(filter, end, 1000, now)
  expect(rows.slice(0, 2).map(({ ledger }) => ledger)).toEqual(['bar', 'default'])
})

test('each page is read from an index in its order, without sorting', () => {
  const ask = (filter: Partial<TransactionFilter>) => () => {
    const { page } = transactionQueries(file.db)
    void page({ merchant: 'sandbox', order: 'oldest', ...filter }, null, 1, now)
    return {}
  }
  write({
    ...{ ledger: 'default', currency: 'NOK', posId: 'till-1', captureId: 'c1' },
    ...{ amount: 1, moved: 0, isRefund: false },
  })
  const plan = (filter: Partial<TransactionFilter>) =>
    file.plansOf(ask(filter), 'FROM transaction_lines').flat()
  const search = 'SEARCH line USING INDEX transaction_lines_by_'
  const between = 'position>? AND position<?)'
  const keys = 'merchant=? AND'
  expect(plan({})).toEqual([`${search}balance (${keys} ledger=? AND currency=? AND ${between}`])
  expect(plan({ posId: 'x' })).toEqual([`${search}pos (${keys} posId=? AND ${between}`])
  expect(plan({ captureId: 'x' })).toEqual([`${search}sub_id (${keys} subId=? AND ${between}`])
  expect(plan({ kind: 'refund' })).toEqual([`${search}action (${keys} action=? AND ${between}`])
  expect(plan({ tids: ['x'] })).toEqual([`${search}tid (tid=? AND ${between}`])
})
