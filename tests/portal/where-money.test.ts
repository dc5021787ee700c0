import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readSheet } from 'read-excel-file/node'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { houseAccount, paidStatement } from './paid-statement.ts'
import { startPaymentDesk, type PaymentDesk } from './payment-desk.ts'

const folder = mkdtempSync(join(tmpdir(), 'daybook-money-'))
const order = join(folder, 'order.xml')

let desk: PaymentDesk

const goTo = async (day: string, clock = '12:00:00') => {
  await desk.service.call('POST', '/sandbox/v1/clock/', { now: `${day} ${clock}` })
  await desk.alice.signIn('alice')
}

beforeAll(async () => {
  desk = await startPaymentDesk({ BANK_ACCOUNT: houseAccount })
  // A Sunday: what is settled then and the night after is paid on one banking day.
  await goTo('2030-06-02')
  await desk.captured({ amount: '300.00' })
  await desk.captured({ amount: '20.00', currency: 'EUR' })
  await desk.service.call('POST', '/sandbox/v1/settlement/', { merchant: 'sandbox' })
  await desk.accepted({ amount: '100.00', additional_amount: '10.00' })
  await desk.accepted({ amount: '25.00', currency: 'EUR' })
  await desk.captured({ amount: '50.00', pos_tid: 'in-till' })
})
afterAll(async () => {
  await desk.service.stop()
  rmSync(folder, { recursive: true })
})

const textOf = (html: string): string =>
  html.replaceAll(/<[^>]*>/g, ' ').replaceAll(/[\s\u00a0]+/g, ' ')

const where = async (path = '', language = 'en') => {
  const headers = { 'Accept-Language': language }
  const { html } = await desk.alice.visit(`/portal/sandbox/${path}`, { headers })
  const card = /<dl class="money-facts places">([^]*?)<\/dl>/.exec(html)?.[1]
  const places = (card ?? '').split(/<div[^>]*>/).slice(1)
  return {
    places: places.map((place) => textOf(place).trim()),
    links: places.map((place) => /href="([^"]*)"/.exec(place)?.[1]),
  }
}

test('the overview and Money tell where it is in every currency, and lead there', async () => {
  const overview = await where()
  expect(overview.places).toEqual([
    'Reserved, with customers €25.00 NOK 110.00 Accepted and not captured yet.',
    expect.stringMatching(/^In the till, not settled NOK 48\.20 So far\. Will be settled \w/),
    expect.stringMatching(
      /^Settled, on its way €20\.00 NOK 283\.20 €20\.00 due \w+ NOK 283\.20 due \w+$/,
    ),
    'Arrived NOK 0.00',
  ])
  expect(await where('money')).toEqual(overview)
  const shop = '/portal/sandbox'
  const places = ['payments?status=auth', 'money/unsettled', 'money/coming', 'money/arrived']
  expect(overview.links).toEqual(places.map((place) => `${shop}/${place}`))
  expect((await where('', 'nb')).places[0]).toMatch(/^Reservert, hos kundene /)
  expect((await where('', 'sv')).places[0]).toMatch(/^Reserverat, hos kunderna /)
})

test('what no settlement has taken is a list that adds up to it', async () => {
  const { html } = await desk.alice.visit('/portal/sandbox/money/unsettled')
  expect(textOf(html)).toMatch(
    /In the till, not settled NOK 48\.20 .* NOK 50\.00 −NOK 1\.80 NOK 48/,
  )
  expect(html.match(/href="\/portal\/sandbox\/payments\/\w+"/g)).toHaveLength(1)
  const before = await desk.alice.visit('/portal/sandbox/money/unsettled?before=1')
  expect(textOf(before.html)).toContain('There are none.')
})

/** The payouts on a page: what each pays, and the orders in it. */
const payoutsAt = async (place: string) => {
  const { html, status } = await desk.alice.visit(`/portal/sandbox/money/${place}`)
  expect(status).toBe(200)
  return html
    .split('<h2>')
    .slice(1)
    .map((part) => [
      textOf(part).trim().split(' ').slice(0, 2).join(' '),
      ...(part.match(/order-\d+|in-till/g) ?? []),
    ])
}

test('what is settled opens into its payments, by payout', async () => {
  expect(await payoutsAt('coming')).toEqual([
    ['€20.00 Due', 'order-2'],
    ['NOK 283.20', 'order-1'],
  ])
  expect(await payoutsAt('coming?day=2001-01-01')).toEqual([])
  expect(await payoutsAt('coming?before=1')).toEqual([])
  expect(await payoutsAt('arrived')).toEqual([])
})

test('a payout lists its payments, found by order number, and adds up to it', async () => {
  const { service, alice } = desk
  const { payouts } = (await service.events()).find(({ type }) => type === 'SettlementMade')
    ?.data as { payouts: { currency: string; payout: string }[] }
  expect(payouts.find(({ currency }) => currency === 'NOK')?.payout).toBe('28320')
  const settlement = await alice.visit('/portal/sandbox/money/settlements/1')
  const [, path = ''] = /href="([^"]*\/payouts\/1)"/.exec(settlement.html) ?? []
  const netsOf = (html: string) =>
    [...html.matchAll(/<tr>([^]*?)<\/tr>/g)].flatMap(
      ([, row = '']) => /−?(?:NOK |€)[\d.]+(?= $)/.exec(textOf(row)) ?? [],
    )
  const { html } = await alice.visit(path)
  expect(html).toMatch(/<a href="\/portal\/sandbox\/payments\/\w+"/)
  expect(netsOf(html)).toEqual(['−NOK 15.00', '€20.00', 'NOK 298.20'])
  const found = (await alice.visit(`${path}?q=order-2`)).html
  expect(netsOf(found)).toEqual(['€20.00'])
  expect(netsOf((await alice.visit(`${path}?q=no-such-order`)).html)).toEqual([])
})

test('payouts are found by the amount on the bank statement, and are a file', async () => {
  const money = '/portal/sandbox/money'
  const shown = async (amount: string) => {
    const { html } = await desk.alice.visit(`${money}?payout=${amount}`)
    return [...html.matchAll(/<th[^>]*><a href="[^"]*\/settlements\/(\d+)"/g)].map(
      ([, serial]) => serial,
    )
  }
  // Both currencies of the settlement are rows of it.
  expect(await shown('283,20')).toEqual(['1', '1'])
  expect(await shown('20')).toEqual(['1', '1'])
  expect(await shown('283.21')).toEqual([])
  const lines = (await desk.alice.visit(`${money}/payouts.csv`)).html.trim().split('\r\n')
  expect(lines).toHaveLength(3)
  expect(lines[0]).toMatch(/settled,settlement_id,currency,gross,fees,payout,status,arrives,/)
  expect(lines.filter((line) => line.includes(',NOK,'))).toEqual([
    expect.stringMatching(/^\d{4}-\d\d-\d\d,[\w-]+,NOK,300\.00,-16\.80,283\.20,due,\d{4}-/),
  ])
  const cookies = [...desk.alice.cookies].map(([name, value]) => `${name}=${value}`)
  const init = { headers: { Cookie: cookies.join('; ') } }
  const workbook = await fetch(`${desk.service.address}${money}/payouts.xlsx`, init)
  const rows = await readSheet(Buffer.from(await workbook.arrayBuffer()))
  expect(rows[0]?.join(',')).toBe(lines[0]?.replace('\uFEFF', ''))
  const text = (cell: unknown) => (typeof cell === 'number' ? cell.toFixed(2) : (cell ?? ''))
  expect(rows.slice(1).map((row) => row.map(text).join(','))).toEqual(lines.slice(1))
})

const dayAfter = (day: string, days: number): string =>
  new Date(Date.parse(day) + days * 86_400_000).toISOString().slice(0, 10)

test('the overview shows one currency at a time, which keeps the days', async () => {
  const read = async (search: string) => {
    const { html } = await desk.alice.visit(`/portal/sandbox/${search}`)
    const [, tabs = ''] = /<nav class="tabs" aria-label="Currency">(.*?)<\/nav>/.exec(html) ?? []
    return { html, figure: /class="amount [^"]*">([^<]*)/.exec(html)?.[1], tabs }
  }
  const own = await read('?days=7')
  expect(own.figure).toMatch(/^NOK/)
  expect(own.html.match(/<section aria-label="(?:NOK|EUR)"/g)).toEqual([
    '<section aria-label="NOK"',
  ])
  expect(own.tabs).toContain('href="/portal/sandbox/?days=7" aria-current="true">NOK<')
  expect(own.tabs).toContain('href="/portal/sandbox/?days=7&amp;currency=EUR">EUR<')
  const euros = await read('?days=7&currency=EUR')
  expect(euros.figure).toMatch(/^€/)
  expect(euros.html).toContain('href="/portal/sandbox/?days=90&amp;currency=EUR"')
  expect((await read('?currency=none')).figure).toMatch(/^NOK/)
})

test('the next payout is told by currency and by when, apart from what is unsettled', async () => {
  const made = (await desk.service.events()).find(({ type }) => type === 'SettlementMade')
  const { payoutDay: first } = made?.data as { payoutDay: string }
  await goTo(first)
  const coming = async (path: string) => (await where(path)).places[2]
  expect(await coming('money')).toMatch(/ €20\.00 due today NOK 316\.40 due today$/)
  await goTo(dayAfter(first, 3))
  expect(await coming('money')).toMatch(/ €20\.00 Overdue since [^€]*NOK 316\.40 Overdue since /)
  await desk.service.operator('settle', '--pain001', order)
  expect(await coming('')).toMatch(/€20\.00 ordered, to be paid (today|tomorrow|on \w)/)
  const [, day = ''] = /<ReqdExctnDt>\s*<Dt>([^<]*)</.exec(readFileSync(order, 'utf8')) ?? []
  const file = join(folder, 'statement.xml')
  writeFileSync(file, paidStatement(order, day))
  await desk.service.operator('bank', 'import', file)
  await goTo(day, '23:00:00')
  const { places } = await where('money')
  expect(places[2]).toBe('Settled, on its way NOK 0.00')
  expect(places[3]).toMatch(/^Arrived €20\.00 NOK \d+\.\d\d On bank statements/)
  expect(await payoutsAt('coming')).toEqual([])
  expect(await payoutsAt('arrived')).toEqual([
    ['NOK 33.20', 'in-till'],
    ['€20.00 Paid', 'order-2'],
    ['NOK 283.20', 'order-1'],
  ])
  expect(await payoutsAt(`arrived?day=${day}`)).toHaveLength(3)
  await goTo(dayAfter(day, 31))
  expect((await where('money')).places[3]).toBe('Arrived NOK 0.00')
})
