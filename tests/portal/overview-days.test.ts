import { beforeAll, describe, expect, test } from 'vitest'
import { confirmAt } from './payment-desk.ts'
import { shopOfAlice } from './shop-of-alice.ts'
import { pay } from './shop-month.ts'

const { service, alice } = await shopOfAlice()
const overview = '/portal/sandbox/'
const payment = '/merchant/v1/payment_request/'

const sell = async (amount: string) => {
  const tid = await pay(service, 'till-1', amount)
  const how = { action: 'capture', amount, currency: 'NOK', capture_id: 'all' }
  await service.call('PUT', `${payment}${tid}/`, how)
  return tid
}
const refund = async (tid: string, amount: string) => {
  await alice.signIn('alice')
  const path = `${overview}payments/${tid}/refund?amount=${amount}`
  await confirmAt(alice, await alice.visit(path))
}
const goTo = (now: string) => service.call('POST', '/sandbox/v1/clock/', { now })

/** The text of the page, without tags. */
const textOf = (html: string) => html.replaceAll(/<[^>]*>/g, ' ').replaceAll(/\s+/g, ' ')

const pageOf = async (query: string, language = 'en-GB') => {
  const headers = { 'Accept-Language': language }
  const { html, status } = await alice.visit(overview + query, { headers })
  return { html, status, text: textOf(html) }
}

/** The values of a chart's columns. */
const toldIn = (html: string, chart: 'broad' | 'slim' = 'broad'): string[] => {
  const drawn = html.split('<svg').find((part) => part.includes(`class="chart ${chart}"`)) ?? ''
  return [...drawn.matchAll(/class="column"[^>]*aria-label="([^"]*)"/g)].map(([, told = '']) =>
    told.replaceAll(/\s/g, ' '),
  )
}

describe('given a Sunday of 25 hours, and payments of it and of the Saturday before,', () => {
  beforeAll(async () => {
    await service.operator('merchant', 'change', 'sandbox', '--time-zone', 'Europe/Oslo')
    // Tuesday, 09:00 and 11:30 in Oslo.
    await goTo('2027-10-26 07:00:00')
    await sell('10.00')
    await goTo('2027-10-26 09:30:00')
    await sell('7.00')
    // 00:30 and 22:30 in Oslo.
    await goTo('2027-10-29 22:30:00')
    await sell('100.00')
    await goTo('2027-10-30 20:30:00')
    await sell('300.00')
    // The second 02:30, and 10:30.
    await goTo('2027-10-31 01:30:00')
    const tid = await sell('150.00')
    await goTo('2027-10-31 09:30:00')
    await sell('50.00')
    await refund(tid, '20')
  })

  test('today is compared with yesterday until the same time', async () => {
    const { text, html } = await pageOf('?days=1')
    expect(text).toMatch(/31 Oct 2027, compared with 30 Oct 2027 until the same time of day\./)
    expect(text).toMatch(/Turnover NOK 200\.00 \+100% Before: NOK 100\.00 .*Payments paid 2 \+100%/)
    expect(text).toMatch(/Refunds NOK 20\.00 Fees/)
    const told = toldIn(html)
    // Future hours have no columns.
    expect(told).toHaveLength(11)
    expect(told[2]).toMatch(
      /^02:00: NOK 150\.00, 1 payment paid\. Period before, Sat,? 30 Oct: NOK 0/,
    )
    expect(told[0]).toMatch(/^00:00: NOK 0\.00, 0 payments paid\. Period[^:]*: NOK 100\.00, 1/)
    expect(told[10]).toMatch(/^10:00: NOK 50\.00, refunds NOK 20\.00, 1 payment paid\. /)
  })

  test('days that are over are compared with whole days', async () => {
    await goTo('2027-11-02 09:00:00')
    await alice.signIn('alice')
    const { text, html } = await pageOf('?since=2027-10-31&until=2027-10-31')
    expect(text).toContain('31 Oct 2027, compared with 30 Oct 2027.')
    expect(text).toMatch(/Turnover NOK 200\.00 −50% Before: NOK 400\.00 31/)
    expect(toldIn(html)).toHaveLength(24)
    expect(html).toMatch(/<details class="period find"><summary>31 Oct 2027</)
    expect(html).toMatch(/name="since" type="date" value="2027-10-31"/)
    const days = await pageOf('?since=2027-10-30&until=2027-10-31')
    const told = toldIn(days.html)
    expect(told.map((one) => one.split('. ')[0])).toEqual([
      expect.stringMatching(/^Sat,? 30 Oct: NOK 400\.00, 2 payments paid$/),
      expect.stringMatching(/^Sun,? 31 Oct: NOK 200\.00, refunds NOK 20\.00, 2 payments paid$/),
    ])
  })

  test('this week is compared with the one before until the same time of its Tuesday', async () => {
    const { text, html } = await pageOf('?days=this_week')
    expect(text).toMatch(/1.{3}2 Nov 2027, compared with 25.{3}26 Oct 2027 until the same time/)
    expect(text).toMatch(/Turnover NOK 0\.00 −100% Before: NOK 10\.00/)
    expect(toldIn(html)).toHaveLength(2)
    const last = await pageOf('?days=last_week', 'nb')
    expect(last.text).toMatch(/25\..{1,3}31\. okt\. 2027, sammenlignet med 18\..{1,3}24\. okt\./)
    expect(last.text).toMatch(/Omsetning (NOK )?617,00/)
    expect(last.html).toMatch(/aria-current="true"\s*>Forrige uke</)
  })

  test('the folded table shows the same as the chart, with the previous turnover', async () => {
    const { text, html } = await pageOf('?since=2027-10-31&until=2027-10-31')
    expect(text).toContain(
      'Hour Payments paid Turnover Period before Refunds Fees 22:00 0 0.00 300.',
    )
    expect(text).toMatch(/02:00 1 150\.00 0\.00 0\.00 1\.80 00:00 0 0\.00 100\.00/)
    expect(text).toMatch(/Total 2 200\.00 400\.00 20\.00 3\.60/)
    const folded = /<details class="card fold" id="columns-NOK">([^]*?)<\/details>/.exec(html)?.[1]
    expect(folded).toMatch(/<summary>\s*<h2>By hour<\/h2>\s*<\/summary>/)
    expect(folded).toContain('200.00')
  })

  test('a chart has bars and marks of the time before, and nothing where nothing was', async () => {
    const { html } = await pageOf('?since=2027-10-31&until=2027-10-31')
    // Two hours of turnover and two of counts, at three widths.
    expect(html.match(/class="earlier" d="M/g)).toHaveLength(12)
    expect(html.match(/class="up"/g)).toHaveLength(12)
    const charts = html.match(/<svg\s+class="chart[^]*?<\/svg>/g) ?? []
    expect(charts).toHaveLength(6)
    expect(charts.join('')).not.toMatch(/ d="[^"]*[CcSsQq]/)
    const other = await pageOf('?since=2027-01-01&until=2027-01-03')
    expect(other.text).toContain('No payments in this period.')
    expect(other.html).not.toContain('class="earlier"')
  })
})

test('the links of periods lead to them, and mark the current one', async () => {
  const { html } = await pageOf('?days=7')
  const links = [...html.matchAll(/<a\s+href="\/portal\/sandbox\/(\?days=\w+)?"([^>]*)>/g)].map(
    ([, query = '', more = '']) => [query, more.includes('aria-current="true"')],
  )
  expect(links.slice(-6)).toEqual([
    ['?days=1', false],
    ['?days=this_week', false],
    ['?days=last_week', false],
    ['?days=7', true],
    ['', false],
    ['?days=90', false],
  ])
})

test('a period that cannot be shown is refused with the reason', async () => {
  const { html, status } = await pageOf('?since=2027-10-31&until=2027-10-30')
  expect(status).toBe(200)
  expect(html).toMatch(/id="since"[^>]*aria-invalid="true"/)
  expect(textOf(html)).toContain('Must not be after the last day or today.')
})

test('in Norwegian too', async () => {
  const { text } = await pageOf('?since=2027-10-31&until=2027-10-31', 'nb')
  expect(text).toMatch(/31\. okt\. 2027, sammenlignet med 30\. okt\. 2027\./)
  expect(text).toMatch(/Omsetning NOK 200,00|Omsetning 200,00 kr|Omsetning kr 200,00/)
})
