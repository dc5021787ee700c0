// @module-tag long
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openPlace, type Place } from '../../harness/ledger-service.ts'

let place: Place

beforeAll(async () => {
  place = await openPlace()
})

afterAll(async () => {
  await place.stop()
  place.remove()
})

const path = '/merchant/v1/transaction/'

type Line = Readonly<Record<string, string | null>> & { readonly id: string }

type Page = {
  readonly transactions: readonly Line[]
  readonly next: string | null
  readonly next_since: string | null
}

const read = (query = ''): Promise<Page> => place.get(`${path}${query}`)

/** All pages from an address on. */
const readAll = async (query = ''): Promise<Line[]> => {
  const lines: Line[] = []
  for (let at: string | null = `${path}${query}`; at !== null;) {
    const page: Page = await place.get(at)
    lines.push(...page.transactions)
    at = page.next
  }
  return lines
}

/** Øre, exactly. */
const minor = (text: string | null | undefined): bigint => BigInt((text ?? '').replace('.', ''))

const sumOf = (lines: readonly Line[], name: string): bigint =>
  lines.reduce((sum, line) => sum + minor(line[name]), 0n)

const idsOf = (lines: readonly Line[]): string[] => lines.map(({ id }) => id)

const settle = () => place.sandbox('settlement/', { merchant: 'sandbox' })

const openReport = async (ledger = 'default'): Promise<number> =>
  Number((await place.ledger('', ledger)).open_report_uri.split('/').at(-2))

describe('one line each', () => {
  test('a capture, a refund and a settlement fee, with the balance of the ledger', async () => {
    const tid = await place.authorize({ amount: '200.00', credit: true }, 'order-1')
    await place.capture(tid, { amount: '150.00', currency: 'NOK', capture_id: 'c1' })
    await place.refund(tid, { amount: '20.00', currency: 'NOK', refund_id: 'r1' })
    await settle()
    const { transactions, next, next_since } = await read()
    const about = { ledger: 'default', report: '1', currency: 'NOK', vat: '0.00' }
    const paid = { pos_id: 'till-1', pos_tid: 'order-1', tid, rid: null }
    const settled = { settlement_id: expect.stringMatching(/-1$/), paid_out: null }
    const own = { id: expect.any(String), date: expect.any(String), taxcode: 'NO:2013' }
    expect(transactions).toEqual([
      {
        ...{ ...about, ...paid, ...settled, ...own, kind: 'capture' },
        ...{ gross: '150.00', fee: '1.80', interchange: '1.50', net: '146.70' },
        ...{ balance_before: '0.00', balance_after: '146.70', capture_id: 'c1', refund_id: null },
      },
      {
        ...{ ...about, ...paid, ...settled, ...own, kind: 'refund' },
        ...{ gross: '-20.00', fee: '0.00', interchange: '0.00', net: '-20.00' },
        ...{ balance_before: '146.70', balance_after: '126.70', capture_id: null },
        refund_id: 'r1',
      },
      {
        ...{ ...about, ...settled, ...own, kind: 'settlement_fee', ledger: null, report: null },
        ...{ gross: '0.00', fee: '15.00', interchange: '0.00', net: '-15.00' },
        ...{ balance_before: '0.00', balance_after: '-15.00', pos_id: null, pos_tid: null },
        ...{ tid: null, rid: null, capture_id: null, refund_id: null },
      },
    ])
    expect(next).toBeNull()
    expect(next_since).toEqual(expect.any(String))
  })

  test('a permission fee names its request', async () => {
    const asked = { pos_id: 'till-1', pos_tid: 'who', customer: '+4799999901', scope: 'openid' }
    const { body } = await place.ask('POST', '/merchant/v1/permission_request/', asked)
    await place.sandbox(`permission_request/${body.id}/accept/`)
    const named = { tid: null, rid: body.id, pos_id: 'till-1', pos_tid: 'who', fee: '2.00' }
    const fee = { ...named, kind: 'permission_fee', net: '-2.50', ledger: 'default' }
    for (const query of ['kind=permission_fee', 'pos_id=till-1&pos_tid=who', 'pos_tid=who'])
      expect([query, (await read(`?${query}`)).transactions]).toEqual([
        query,
        [expect.objectContaining(fee)],
      ])
  })
})

describe('filters', () => {
  test('each part of the query gives the lines that all have it', async () => {
    await place.ask('POST', '/merchant/v1/ledger/', { id: 'bar', currency: 'NOK' })
    const bar = await place.authorize({ amount: '31.00', ledger: 'bar' })
    await place.capture(bar, { amount: '10.00', currency: 'NOK', capture_id: 'c1' })
    await place.close(1, 'bar')
    await place.capture(bar, { amount: '21.00', currency: 'NOK', capture_id: 'c2' })
    await place.capture(await place.authorize({ amount: '300', currency: 'JPY' }))
    const all = await readAll()
    const of = (fits: (line: Line) => boolean) => all.filter(fits)
    const cases: readonly (readonly [string, (line: Line) => boolean])[] = [
      ['ledger=bar', (line) => line['ledger'] === 'bar'],
      ['ledger=bar&report=2', (line) => line['ledger'] === 'bar' && line['report'] === '2'],
      ['report=1', (line) => line['report'] === '1'],
      ['report=9', () => false],
      ['currency=jpy', (line) => line['currency'] === 'JPY'],
      ['capture_id=c1', (line) => line['capture_id'] === 'c1'],
      ['capture_id=c1&refund_id=r1', () => false],
      ['refund_id=r1', (line) => line['refund_id'] === 'r1'],
      [`tid=${bar}`, (line) => line['tid'] === bar],
      [`tid=${bar}&capture_id=c2`, (line) => line['tid'] === bar && line['capture_id'] === 'c2'],
      ['pos_tid=order-1', (line) => line['pos_tid'] === 'order-1'],
      ['pos_tid=order-1&kind=refund', (line) => line['refund_id'] === 'r1'],
      ['pos_id=till-1', (line) => line['pos_id'] === 'till-1'],
      ['pos_id=nowhere', () => false],
      ['kind=capture', (line) => line['kind'] === 'capture'],
      ['kind=settlement_fee', (line) => line['kind'] === 'settlement_fee'],
      ['kind=dispute', () => false],
      ['settlement_id=1', (line) => line['settlement_id'] !== null],
      [`settlement_id=${all[0]?.['settlement_id']}`, (line) => line['settlement_id'] !== null],
      ['settlement_id=2', () => false],
      [
        'settlement_id=1&kind=capture',
        (line) => line['pos_tid'] === 'order-1' && line['kind'] === 'capture',
      ],
    ]
    for (const [query, fits] of cases)
      for (const order of ['oldest', 'newest']) {
        const expected = idsOf(order === 'oldest' ? of(fits) : of(fits).toReversed())
        const found = idsOf(await readAll(`?${query}&order=${order}&size=2`))
        expect([query, order, found]).toEqual([query, order, expected])
      }
  })

  test('since is inclusive and until exclusive, also while the clock is set back', async () => {
    const all = await readAll()
    for (const date of new Set(all.map((line) => line['date'] as string))) {
      const text = encodeURIComponent(date)
      const from = all.filter((line) => (line['date'] as string) >= date)
      const to = all.filter((line) => (line['date'] as string) < date)
      expect(idsOf(await readAll(`?since=${text}`))).toEqual(idsOf(from))
      expect(idsOf(await readAll(`?until=${text}&order=newest`))).toEqual(idsOf(to.toReversed()))
    }
  })

  test.each(['what=1', 'size=0', 'size=1001', 'order=up', 'cursor=x', 'report=0', 'since=now'])(
    '%s is 400 and says which name is wrong',
    async (query) => {
      const { status, body } = await place.ask('GET', `${path}?${query}`)
      expect([status, Object.keys(body.error_details)]).toEqual([400, [query.split('=')[0]]])
    },
  )
})

test('as of a position, pages give what was there, with what was known then', async () => {
  const before = await readAll()
  const position = await place.core.store.head()
  await place.capture(await place.authorize({ amount: '3.00' }))
  await settle()
  expect(await readAll(`?size=2&as_of=${position}`)).toEqual(before)
  expect((await readAll()).length).toBe(before.length + 2)
})

test('as CSV, the columns are the names, and the next page is a Link', async () => {
  const { transactions } = await read('?size=2')
  for (const Accept of ['text/csv', 'application/vnd.service.api.merchant.v1+csv']) {
    const headers = {
      'X-Service-Merchant': 'sandbox',
      'X-Service-User': 'pos1',
      Authorization: 'SECRET sandbox-secret',
      Accept,
    }
    const answer = await place.app.request(`http://daybook.test${path}?size=2`, { headers }, {})
    expect(answer.headers.get('content-type')).toBe(`${Accept}; charset=utf-8`)
    expect(answer.headers.get('link')).toMatch(/^<.*cursor=.*>; rel="next"$/)
    const [header = '', ...lines] = (await answer.text()).trimEnd().split('\r\n')
    expect(header.split(',')).toEqual(Object.keys(transactions[0] ?? {}))
    expect(lines.map((line) => line.split(',')[0])).toEqual(idsOf(transactions))
  }
})

const steps = fc.array(
  fc.constantFrom('pay', 'pay', 'part', 'refund', 'refundAll', 'close', 'settle', 'read', 'read'),
  { minLength: 10, maxLength: 16 },
)

const sizes = fc.array(fc.integer({ min: 1, max: 7 }), { minLength: 1, maxLength: 4 })

/** Long because it is the history, its readers and all sums that must agree. */
const holds = async (given: readonly string[], pageSizes: readonly number[]): Promise<void> => {
  const tids: string[] = []
  const seen: Line[] = []
  const already = (await readAll('?size=1000')).length
  let forward: string | null = (await read('?size=1000')).next_since
  let backward: { readonly from: readonly Line[]; readonly seen: Line[]; next: string | null }[] =
    []
  const sizeAt = (index: number) => pageSizes[index % pageSizes.length] ?? 1

  const readBackward = async (index: number): Promise<void> => {
    const from = await readAll('?size=1000')
    const newest = await read(`?order=newest&size=${sizeAt(index)}`)
    backward.push({ from, seen: [...newest.transactions], next: newest.next })
  }

  const readOn = async (index: number): Promise<void> => {
    const page = await read(`?size=${sizeAt(index)}&cursor=${forward}`)
    seen.push(...page.transactions)
    forward = page.next_since ?? new URLSearchParams(page.next?.split('?')[1]).get('cursor')
    backward = await Promise.all(
      backward.map(async (one) => {
        if (one.next === null) return one
        const page: Page = await place.get(one.next)
        return { ...one, seen: [...one.seen, ...page.transactions], next: page.next }
      }),
    )
  }

  for (const [index, name] of given.entries()) {
    const tid = tids[index % Math.max(1, tids.length)]
    const part = { amount: '7.00', currency: 'NOK' }
    if (name === 'read') await readBackward(index)
    if (name === 'read') await readOn(index)
    else if (name === 'close') await place.close(await openReport())
    else if (name === 'settle') await settle()
    else if (name === 'pay' || tid === undefined)
      tids.push(await place.authorize({ amount: '31.00', credit: index % 2 === 0 }))
    else if (name === 'part') await place.capture(tid, { ...part, capture_id: `c${index}` })
    else if (name === 'refund') await place.refund(tid, { ...part, refund_id: `r${index}` })
    else await place.refund(tid)
  }
  for (let index = 0; index < 200; index++) {
    const count = seen.length
    await readOn(index)
    if (count === seen.length && backward.every(({ next }) => next === null)) break
  }

  const all = await readAll('?size=1000')
  expect(idsOf(seen)).toEqual(idsOf(all.slice(already)))
  for (const { from, seen: read } of backward) expect(idsOf(read)).toEqual(idsOf(from.toReversed()))

  await settle()
  const last = await openReport()
  await place.close(last)
  const lines = await readAll('?size=1000')
  expect(new Set(idsOf(lines)).size).toBe(lines.length)
  const balances = new Map<string, string | null>()
  for (const line of lines) {
    const book = `${line['ledger']} ${line['currency']}`
    expect(line['balance_before']).toBe(balances.get(book) ?? line['balance_before'])
    expect(minor(line['balance_after']) - minor(line['balance_before'])).toBe(minor(line['net']))
    balances.set(book, line['balance_after'] ?? null)
  }
  for (let report = 1; report <= last; report++) {
    const { report_summary } = await place.ledger(`report/${report}/`)
    const own = await readAll(`?ledger=default&report=${report}&currency=NOK&size=3`)
    const summary = report_summary.filter((one: Line) => one['currency'] === 'NOK')
    for (const name of ['gross', 'net', 'interchange'])
      expect([report, name, sumOf(own, name)]).toEqual([report, name, sumOf(summary, name)])
  }
  const { uris } = await place.get('/merchant/v1/settlement/')
  for (const uri of uris) {
    const { payout_details, settlement_id } = await place.get(uri)
    for (const { currency, gross, net } of payout_details) {
      const own = await readAll(`?settlement_id=${settlement_id}&currency=${currency}&size=5`)
      expect([sumOf(own, 'gross'), sumOf(own, 'net')]).toEqual([minor(gross), minor(net)])
    }
  }
  const nok = lines.filter((line) => line['currency'] === 'NOK')
  const { days } = await place.get(`${path}days/?currency=NOK`)
  for (const name of ['gross', 'fee', 'interchange', 'vat', 'net'])
    expect([name, sumOf(days, name)]).toEqual([name, sumOf(nok, name)])
  expect(days.reduce((sum: number, { count }: { count: number }) => sum + count, 0)).toBe(
    nok.length,
  )
}

test('given any history, pages give each line once, and sums are those of reports', async () => {
  await fc.assert(fc.asyncProperty(steps, sizes, holds), { numRuns: 3, endOnFailure: true })
}, 120_000)
