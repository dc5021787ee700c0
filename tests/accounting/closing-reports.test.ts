// @module-tag long
import { expect, test } from 'vitest'
import { clocks } from '../../domain/aggregates.ts'
import { readLog } from '../support/event-log.ts'
import { operatedPlace } from './operated-place.ts'

const shop = await operatedPlace()
const { daybook, moveTo } = shop

const put = (ledger: string, body: object) =>
  shop.place.ask('PUT', `/merchant/v1/ledger/${ledger}/`, body)
const openOf = async (ledger: string): Promise<string> =>
  /report\/(\d+)\//.exec((await shop.place.ledger('', ledger)).open_report_uri)?.[1] ?? ''
const closings = async (ledger: string) =>
  (await readLog(shop.place.directory)).filter(
    ({ type, stream }) => type === 'ReportClosed' && stream === `ledger-sandbox/${ledger}`,
  )

test('given a ledger, then its reports close by hand unless scheduled', async () => {
  expect((await shop.place.ledger()).closes).toBe('by_hand')
  expect(await put('default', { closes: 'hourly' })).toMatchObject({ status: 400 })
  expect(await put('default', { closes: 'daily' })).toMatchObject({ status: 204 })
  expect((await shop.place.ledger()).closes).toBe('daily')
  const body = { id: 'bar', currency: 'NOK', closes: 'monthly' }
  for (const _ of ['first', 'again'])
    expect((await shop.place.ask('POST', '/merchant/v1/ledger/', body)).status).toBe(201)
  expect((await shop.place.ledger('', 'bar')).closes).toBe('monthly')
})

test('given a daily ledger, then a report ends at the start of the local day', async () => {
  await daybook('merchant', 'change', 'sandbox', '--time-zone', 'Europe/Oslo')
  await moveTo('2027-01-15 22:59:00')
  const report = await openOf('default')
  await shop.place.capture(await shop.place.authorize({ amount: '100.00' }))
  await moveTo('2027-01-15 22:59:59')
  expect(await openOf('default')).toBe(report)
  await moveTo('2027-01-15 23:00:00')
  expect(await openOf('default')).toBe(String(Number(report) + 1))
  expect(await shop.place.ledger(`report/${report}/`)).toMatchObject({
    ...{ status: 'closed', time_closed: '2027-01-15 23:00:00', payment_capture_count: 1 },
  })
  const closed = (await closings('default')).at(-1)
  expect(closed).toMatchObject({
    data: { due: { closes: 'daily', at: Date.parse('2027-01-15T23:00:00Z') } },
    metadata: { actor: 'daybook', merchant: 'sandbox' },
  })
  // A Saturday: reports close on all days, not only on those of banks.
  await moveTo('2027-01-16 23:00:00')
  expect(await openOf('default')).toBe(String(Number(report) + 2))
})

test('given a report that somebody closes, then the next one closes by itself', async () => {
  const report = Number(await openOf('default'))
  await shop.place.close(report)
  expect((await closings('default')).at(-1)?.data).not.toHaveProperty('due')
  await moveTo('2027-01-17 23:00:00')
  expect(await openOf('default')).toBe(String(report + 2))
})

test('given an outage of days, then one closing catches up, and says when it was due', async () => {
  const report = Number(await openOf('default'))
  const to = Date.parse('2027-01-21T09:00:00Z')
  const { handle, contextOf } = shop.place.core
  const command = { type: 'AdvanceClock', machine: Date.now(), to } as const
  await handle(clocks, 'service', command, contextOf('sandbox'))
  await shop.startAgain()
  await shop.place.sandbox('clock/', { advance_seconds: 0 })
  expect(await openOf('default')).toBe(String(report + 1))
  expect((await closings('default')).at(-1)?.data).toMatchObject({
    report,
    due: { closes: 'daily', at: Date.parse('2027-01-18T23:00:00Z') },
  })
  await moveTo('2027-01-21 23:00:00')
  expect(await openOf('default')).toBe(String(report + 2))
})

test('given a start of day, then reports close then, months on their first day', async () => {
  const bar = Number(await openOf('bar'))
  await daybook('settlement-account', 'set', 'sandbox', '--start-of-day', '06:00')
  await moveTo('2027-02-01 04:59:59')
  expect(await openOf('bar')).toBe(String(bar))
  await moveTo('2027-02-01 05:00:00')
  expect(await openOf('bar')).toBe(String(bar + 1))
})

test('given a ledger that is to close by hand again, then it stays open', async () => {
  expect(await put('default', { closes: 'by_hand' })).toMatchObject({ status: 204 })
  const report = await openOf('default')
  await moveTo('2027-02-10 12:00:00')
  expect(await openOf('default')).toBe(report)
})

test('given all of that, then every closing follows from the log by the rules', async () => {
  const { output } = await daybook('audit', 'verify')
  expect(JSON.parse(output)).toMatchObject({ problems: [] })
})
