import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startPaymentDesk, type PaymentDesk } from './payment-desk.ts'

let desk: PaymentDesk

beforeAll(async () => {
  desk = await startPaymentDesk()
})
afterAll(() => desk.service.stop())

/** The order numbers in a list, in order. */
const ordersIn = (html: string): string[] =>
  [...html.matchAll(/<td class="what"><span>([^<]*)</g)].map(([, order = '']) => order)

describe('given payments of some amounts, points of sale and states,', () => {
  let paid = ''
  beforeAll(async () => {
    const { request, accepted, captured, service } = desk
    const till2 = { id: 'till-2', name: 'Bar', type: 'store' }
    await service.call('POST', '/merchant/v1/pos/', till2)
    await request({ pos_tid: 'waits', amount: '40.00' })
    await accepted({ pos_tid: 'open', amount: '250.00', customer: '+47 999 99 901' })
    paid = await captured({ pos_tid: 'paid', pos_id: 'till-2', text: '=1+1' })
    await request({ pos_tid: 'unknown', customer: 'Ola at table 7' })
  })

  test('when the list is opened, they are there, newest first', async () => {
    const { status, html } = await desk.listOf()
    expect(status).toBe(200)
    expect(ordersIn(html)).toEqual(['unknown', 'paid', 'open', 'waits'])
    expect(html).toContain('NOK&nbsp;100.00'.replace('&nbsp;', '\u00a0'))
    expect(html).toContain('Ola at table 7')
    expect(html).toContain('<td class="where">Bar</td>')
  })

  test.each([
    ['?status=pending', ['waits']],
    ['?status=auth', ['open']],
    ['?status=ok', ['paid']],
    ['?status=fail', ['unknown']],
    ['?pos=till-2', ['paid']],
    ['?least=100&most=250,00', ['unknown', 'paid', 'open']],
    ['?sort=largest', ['open', 'unknown', 'paid', 'waits']],
    ['?q=open', ['open']],
    ['?q=%2B4799999901', ['open']],
    ['?q=99999901', ['open']],
    ['?q=Ola+at+table+7', ['unknown']],
    ['?q=ola', []],
    ['?since=2000-01-01&until=2000-01-02', []],
    ['?status=ok&pos=till-1', []],
  ])('when the address says %s, those that fit are there', async (search, orders) => {
    expect(ordersIn((await desk.listOf(search)).html)).toEqual(orders)
  })

  test('when a payment id is looked for, it is found', async () => {
    expect(ordersIn((await desk.listOf(`?q=${paid}`)).html)).toEqual(['paid'])
  })

  test('when a filter cannot be read, the page says so', async () => {
    const { html } = await desk.listOf('?since=yesterday&least=much')
    expect(html).toContain('Write a date such as')
    expect(html).toContain('Write an amount such as')
    expect(ordersIn(html)).toHaveLength(4)
  })

  test('when a filter ends before it begins, the page says so', async () => {
    const { html } = await desk.listOf('?since=2026-11-02&until=2026-11-01&least=20&most=10')
    expect(html).toMatch(/id="until-problem"[^>]*>Must not be before the first day\./)
    expect(html).toMatch(/id="most-problem"[^>]*>Must not be less than the first amount\./)
    const one = await desk.listOf('?since=2026-11-01&until=2026-11-01&least=20&most=20')
    expect(one.html).not.toContain('-problem"')
  })

  test('when it is downloaded, it has the lines of the list, and no formula', async () => {
    const { status, headers, html } = await desk.listOf('.csv?status=ok')
    expect([status, headers.get('content-type')]).toEqual([200, 'text/csv; charset=utf-8'])
    const cookie = [...desk.alice.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const path = `${desk.service.address}/portal/sandbox/payments.csv`
    const answer = await fetch(path, { headers: { Cookie: cookie } })
    const bytes = Buffer.from(await answer.arrayBuffer())
    expect(bytes.subarray(0, 6).toString()).toBe('\ufefftid')
    const [head, line = '', ...rest] = html.trim().split('\r\n')
    expect(head).toContain('tid,pos_id,pos_tid,requested (UTC),status')
    expect(rest).toEqual([])
    expect(line).toMatch(
      /^\w+,till-2,paid,\d{4}-\d\d-\d\d [\d:]+,ok,2000,,NOK,100.00,0.00,0.00,100.00,/,
    )
    expect(line).toMatch(/,'=1\+1$/)
  })

  test('when it is read in Norwegian, it is Norwegian', async () => {
    const headers = { 'Accept-Language': 'nb' }
    const { html } = await desk.alice.visit('/portal/sandbox/payments', { headers })
    expect(html).toContain('<h1>Betalinger</h1>')
    expect(html).toContain('Reservert')
  })

  test('when more happens, a live page is notified', { tags: 'long' }, async () => {
    const { html } = await desk.listOf('?status=pending')
    const follow = /data-follow="([^"]*)"/.exec(html)?.[1]?.replaceAll('&amp;', '&') ?? ''
    const told = desk.alice.visit(follow)
    await desk.request({ pos_tid: 'later' })
    expect((await told).html).toContain('event: changed')
  })
})

describe('given a payment with line items, a callback address and a refund,', () => {
  let tid = ''
  beforeAll(async () => {
    tid = await desk.captured({
      pos_tid: 'lunch',
      callback_uri: 'http://127.0.0.1:9/callback',
      line_items: [
        {
          ...{ product_id: 'soup', description: 'Soup', quantity: 2 },
          ...{ item_cost: '50.00', total: '100.00', vat: '15.00', vat_rate: '15' },
        },
      ],
    })
  })
  const visit = (more = '') => desk.alice.visit(`/portal/sandbox/payments/${tid}${more}`)

  test('when its page is opened, all of it is there', async () => {
    const { status, html } = await visit()
    expect(status).toBe(200)
    const money = (text: string) => `NOK\u00a0${text}`
    expect(html).toContain('Soup')
    expect(html).toContain(
      `aria-label="Reserved ${money('100.00')}, Captured ${money('100.00')}, Released`,
    )
    expect(html).toContain(`${money('100.00')} was captured.`)
    expect(html).toContain('by API user pos1')
    expect(html).toContain('by the payer')
    expect(html).toMatch(/>Payment captured<\/a>\s*<code class="quiet">payment_captured</)
    expect(html).toContain('1 of default')
    // The payer is nobody the merchant has named.
    expect(html).not.toContain('4799999901')
  })

  test('when it was sent to an address, the page shows each attempt', async () => {
    await expect
      .poll(async () => (await visit()).html, { timeout: 5_000 })
      .toContain('http://127.0.0.1:9/callback')
  })

  test('when it is settled, the page leads to its report, settlement and messages', async () => {
    const money = '/portal/sandbox/money'
    expect((await visit()).html).toContain(`href="${money}/ledgers/default/reports/1"`)
    expect((await visit()).html).toContain('Not settled yet')
    await desk.service.call('POST', '/sandbox/v1/settlement/', { merchant: 'sandbox' })
    const { html } = await visit()
    const settled = new RegExp(`<a href="(${money}/settlements/1)">\\w+-[\\d-]+</a>`).exec(html)
    expect((await desk.alice.visit(settled?.[1] ?? '')).html).toContain('From turnover to payout')
    expect(html).toMatch(/What has happened<.*<h2>Callbacks</s)
    const told = /href="([^"]*\/callbacks\/[^"]+)"/.exec(html)?.[1] ?? ''
    expect((await desk.alice.visit(told)).html).toContain(tid)
    // A role that may not see money and callbacks sees their names.
    await desk.bobIs('cashier', '--pos', 'till-1')
    const seen = (await desk.bob.visit(`/portal/sandbox/payments/${tid}`)).html
    expect(seen).toContain('1 of default')
    expect(seen).toMatch(/Payment captured\s*<code class="quiet">payment_captured</)
    expect(seen).not.toMatch(/href="[^"]*\/(money|developers)\//)
  })

  test('when a payment has no address, its page has the messages of the feed', async () => {
    const quiet = await desk.captured({ pos_tid: 'quiet', callback_uri: null })
    const { html } = await desk.alice.visit(`/portal/sandbox/payments/${quiet}`)
    expect(html).toContain('payment_captured')
    expect(html).toContain('No address, only in the feed')
    const told = /href="([^"]*\/callbacks\/[^"]+)"/.exec(html)?.[1] ?? ''
    expect((await desk.alice.visit(told)).html).toContain(quiet)
  })

  test('when somebody else has it, or nobody, there is no such page', async () => {
    const { service, alice } = desk
    expect((await alice.visit('/portal/sandbox/payments/abc123')).status).toBe(404)
    await service.operator('merchant', 'add', 'other', '--name', 'Other', '--currency', 'NOK')
    await service.operator('staff', 'add', 'other', '+4799999901', '--role', 'owner')
    for (const more of ['', '/capture', '/release', '/renew', '/refund', '/proof.json', '/events'])
      expect((await alice.visit(`/portal/other/payments/${tid}${more}`)).status).toBe(404)
    expect((await alice.visit(`/portal/other/payments?q=${tid}`)).html).not.toContain('lunch')
  })

  test('when its proof is requested, it is a file of its events', async () => {
    // A closed report has a checkpoint of its own.
    await desk.service.call('PUT', '/merchant/v1/ledger/default/report/1/', {})
    await expect.poll(async () => (await visit('/proof.json')).status, { timeout: 5_000 }).toBe(200)
    const { headers, html } = await visit('/proof.json')
    expect(headers.get('content-disposition')).toContain(`proof-${tid}.json`)
    expect(JSON.parse(html)).toMatchObject({ merchant: 'sandbox', about: { payment: tid } })
    const since = JSON.parse((await visit('/proof.json?from=1')).html)
    expect(since.consistency).toMatchObject([{ old_size: 1 }])
    const answers = ['9999999', 'none'].map((from) => visit(`/proof.json?from=${from}`))
    expect((await Promise.all(answers)).map(({ status }) => status)).toEqual([404, 404])
  })
})

test('given a refund, then its amount is entered before its button is shown', async () => {
  const tid = await desk.captured()
  const path = `/portal/sandbox/payments/${tid}/refund`
  const asked = await desk.alice.visit(path)
  expect(asked.html).toContain('name="amount"')
  expect(asked.html).not.toContain('name="mark"')
  const { html } = await desk.alice.visit(`${path}?amount=50`)
  expect(html).toContain('Refund NOK\u00a050.00')
  // The only amount on the page is the one to refund.
  const amounts = html.match(/<input[^>]*name="amount"[^>]*>/g)
  expect(amounts).toEqual([expect.stringContaining('type="hidden"')])
  expect(html).toContain(`href="${path}">Another amount`)
})
