// @module-tag long
import { readSheet } from 'read-excel-file/node'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { logIn } from '../../web/portal/zoned-log.ts'
import { registerTried } from './developer-tries.ts'
import { portalTries } from './portal-tries.ts'
import { shopOfAlice } from './shop-of-alice.ts'

const timeZone = 'Pacific/Auckland'
const { service, alice } = await shopOfAlice()
await service.operator('merchant', 'change', 'sandbox', '--time-zone', timeZone)
await service.call('POST', '/sandbox/v1/clock/', { now: '2027-01-15 12:30:00' })
await alice.signIn('alice')
const { id: tid } = await service.requestPayment({ customer: '4799999901', pos_tid: 'by-night' })
await service.call('POST', `/sandbox/v1/payment_request/${tid}/accept/`, {})
await registerTried(service)
const { id: code } = (await service.call('POST', '/merchant/v1/shortlink/', {})).body

const other = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeStyle: 'short', timeZone })
const thisYear = new Intl.DateTimeFormat('en', {
  ...{ day: 'numeric', month: 'short', hour: 'numeric', minute: '2-digit', timeZone },
})

/** The year is told of other years alone. */
const textAt = (at: Date): string =>
  (at >= new Date('2026-12-31T11:00:00Z') ? thisYear : other).format(at)

const pages = portalTries.filter(
  ({ method, path, isEmpty }) => method === 'GET' && !isEmpty && !/events\?|\.\w+$/.test(path),
)

test('all times on pages of a shop are by its clocks, which each page names once', async () => {
  let found = 0
  for (const { path } of pages) {
    const { html } = await alice.visit(
      `/portal/sandbox/${path.replace('TID', tid).replace('CODE', code)}`,
    )
    for (const [, at = '', zone, text] of html.matchAll(
      /<time datetime="([^"]+)"([^>]*)>([^<]*)/g,
    )) {
      const expected = [path, ` data-zone="${timeZone}"`, textAt(new Date(at))]
      expect([path, zone, text]).toEqual(expected)
      found += 1
    }
    expect([path, html.split(`Time zone ${timeZone}`).length]).toEqual([path, 2])
  }
  expect(found).toBeGreaterThan(15)
})

test('files have the times of the shop, and say so in the head', async () => {
  const file = async (path: string) =>
    (await alice.visit(`/portal/sandbox/${path}`, { headers: { Accept: '*/*' } })).html
  const payments = await file('payments.csv')
  expect(payments).toContain(`,requested (${timeZone}),`)
  expect(payments).toContain(',by-night,2027-01-16 01:30:')
  const report = 'money/ledgers/default/reports/1'
  const soFar = await file(`${report}/transactions-so-far.csv`)
  expect(soFar).toMatch(new RegExp(`^\ufeff?tid,sub_id,timestamp \\(${timeZone}\\),action`))
  expect(soFar).toMatch(/,2027-01-16 01:30:\d\d,auth,/)
  expect(soFar).not.toContain('2027-01-15')
  const cookie = [...alice.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
  const address = `${service.address}/portal/sandbox/${report}/transactions-so-far.xlsx`
  const answer = await fetch(address, { headers: { Cookie: cookie } })
  expect(answer.headers.get('content-disposition')).toContain(
    'so-far-2027-01-16-01-30-transactions.xlsx',
  )
  const workbook = join(service.folder, 'times.xlsx')
  writeFileSync(workbook, new Uint8Array(await answer.arrayBuffer()))
  expect(String(await readSheet(workbook, 1))).toMatch(
    /Sums so far, 2027-01-16 01:30:\d\d \(Pacific\/Auckland\)/,
  )
  const [[, , head] = [], [, , at] = []] = await readSheet(workbook, 2)
  expect(head).toBe(`timestamp (${timeZone})`)
  expect(at).toMatch(/^2027-01-16 01:30:\d\d$/)
})

test('whatever is in a log, its times alone are told in the zone, also in pieces', async () => {
  const log = [
    'tid,sub_id,timestamp,action,text',
    'a,"2027-01-15 12:30:00,2027-01-15 12:30:00",2027-07-15 12:30:00,auth,x',
    'b,2027-01-15 12:30:00,2027-01-15 12:30:00,auth,2027-01-15 12:30:00',
    '',
  ]
  const bytes = Buffer.from(log.join('\n'))
  const stream = new ReadableStream<Uint8Array>({
    start: (controller) => {
      for (const byte of bytes) controller.enqueue(Uint8Array.of(byte))
      controller.close()
    },
  })
  const zoned = await new Response(stream.pipeThrough(logIn(timeZone, 'transactions'))).text()
  expect(zoned.split('\n')).toEqual([
    `tid,sub_id,timestamp (${timeZone}),action,text`,
    'a,"2027-01-15 12:30:00,2027-01-15 12:30:00",2027-07-16 00:30:00,auth,x',
    'b,2027-01-15 12:30:00,2027-01-16 01:30:00,auth,2027-01-15 12:30:00',
    '',
  ])
})
