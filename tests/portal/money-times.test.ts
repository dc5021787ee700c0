import { beforeAll, expect, test } from 'vitest'
import { makeVisitor, type Shown, type TestVisitor } from '../people/visitor.ts'
import { shopOfAlice } from './shop-of-alice.ts'

const money = '/portal/sandbox/money'
const ledger = `${money}/ledgers/default`
let shop: Awaited<ReturnType<typeof shopOfAlice>>
/** The accountant. */
let bob: TestVisitor

beforeAll(async () => {
  shop = await shopOfAlice()
  await shop.service.operator('staff', 'add', 'sandbox', '+4799999902', '--role', 'accountant')
  bob = makeVisitor(shop.service)
  await bob.signIn('bob')
})

const told = async (path: string) =>
  (await shop.service.call('GET', `/merchant/v1/${path}`)).body as Record<string, unknown>
const reportsIn = ({ html }: Shown): number[] =>
  [...html.matchAll(/reports\/\d+"\s*>Report (\d+)</g)].map(([, number]) => Number(number))

test('given 30 reports of a ledger, then all of them are on its pages', async () => {
  for (let report = 1; report < 30; report += 1)
    await shop.service.call('PUT', `/merchant/v1/ledger/default/report/${report}/`, {})
  expect((await bob.visit(money)).html).toContain(`href="${ledger}"`)
  const first = await bob.visit(ledger)
  expect(reportsIn(first)).toEqual(Array.from({ length: 24 }, (_, index) => 30 - index))
  const older = /href="([^"]*before=\d+)"/.exec(first.html)?.[1] ?? ''
  const rest = await bob.visit(older)
  expect(reportsIn(rest)).toEqual([6, 5, 4, 3, 2, 1])
  const newer = /href="([^"]*before=\d+)"/.exec(rest.html)?.[1] ?? ''
  expect(reportsIn(await bob.visit(newer))).toEqual(reportsIn(first))
  expect((await bob.visit(`${money}/ledgers/none`)).status).toBe(404)
})

test('when an accountant says that reports close each Monday, the API says so too', async () => {
  const page = await bob.visit(ledger)
  const done = await bob.submit(page, { closes: 'weekly', description: 'The café' })
  expect(done.location).toBe(`${ledger}?saved`)
  expect((await bob.follow(done)).html).toMatch(/each Monday at 12:00\sAM/)
  expect(await told('ledger/default/')).toMatchObject({
    ...{ closes: 'weekly', description: 'The café' },
  })
  await bob.submit(page, { closes: 'by_hand', description: '' })
  expect(await told('ledger/default/')).toMatchObject({ closes: 'by_hand', description: null })
})

test('when what is said of a ledger cannot be, then nothing changes', async () => {
  const page = await bob.visit(ledger)
  const wrong = { closes: 'daily', description: 'x'.repeat(1001) }
  const again = await bob.submit(page, wrong)
  expect([again.status, again.html.includes('At most 1,000 characters.')]).toEqual([400, true])
  expect((await bob.submit(page, { closes: 'hourly' })).status).toBe(400)
  expect(await told('ledger/default/')).toMatchObject({ closes: 'by_hand', description: null })
})

test('when an owner sets times and zone, they hold, and are shown where days are', async () => {
  expect((await bob.visit(money)).html).not.toContain(`${money}/times`)
  const { alice } = shop
  const page = await alice.visit(`${money}/times`)
  const times = { frequency: 'weekly', start_of_day: '06:30', time_zone: 'europe/oslo' }
  const done = await alice.submit(page, times)
  expect(done.location).toBe(`${money}?saved`)
  expect(await told('settlement_account/default/')).toMatchObject({
    ...{ frequency: 'weekly', start_of_day: '06:30' },
  })
  expect(await told('merchant/sandbox/')).toMatchObject({ time_zone: 'Europe/Oslo' })
  const changed = (await shop.service.events()).filter(({ type }) => type === 'MerchantChanged')
  expect(String(changed.at(-1)?.metadata['actor'])).toMatch(/^staff:/)
  const { id } = (await shop.service.call('POST', '/merchant/v1/shortlink/', {})).body
  for (const path of ['money', 'payments', `points-of-sale/code/${id}`])
    expect((await alice.visit(`/portal/sandbox/${path}`)).html).toContain('Europe/Oslo')
})

test.each([
  ['en', /\d:\d\d(?!\d|:|\s[AP]M)/],
  ['en-GB', /[AP]M\b|\d\s[ap]m\b/],
  ['nb', /[AP]M\b|\d\s[ap]m\b/],
])('in %s all pages use the same clock, of 12 or of 24 hours', async (language, other) => {
  const headers = { 'Accept-Language': language }
  for (const path of ['', '/account', '/times', '/ledgers/default', '/ledgers/default/reports/1']) {
    const { html } = await shop.alice.visit(money + path, { headers })
    const main = html.replace(/^[^]*<main/, '<main').replaceAll(/<[^>]*>/g, ' ')
    expect([path, other.exec(main)?.[0]]).toEqual([path, undefined])
    if (path !== '/times') expect(main, path).toMatch(/\d:\d\d/)
    else expect(/name="start_of_day"\s+type="time"/.test(html)).toBe(language === 'en')
  }
})

test('when times or zone are none, the form says so, and nothing changes', async () => {
  const { alice } = shop
  const page = await alice.visit(`${money}/times`)
  const before = await told('settlement_account/default/')
  const wrong = { frequency: 'daily', start_of_day: '24:00', time_zone: 'Mars/Olympus' }
  const again = await alice.submit(page, wrong)
  expect(again.status).toBe(400)
  expect(again.html).toContain('Write a time of day such as 06:00.')
  expect(again.html).toContain('There is no such time zone.')
  expect(await told('settlement_account/default/')).toEqual(before)
})

test('given fees of a merchant, each says when it is charged, and whose VAT it is', async () => {
  const read = async (language: string) =>
    (await bob.visit(`${money}/terms`, { headers: { 'Accept-Language': language } })).html
      .replaceAll(/<[^>]*>/g, ' ')
      .replaceAll(/[\s\u00a0]+/g, ' ')
  const en = await read('en')
  expect(en).toMatch(
    /Answered permission request When a payer answers [^.]*\. NOK 2\.00 \+ 25% VAT/,
  )
  expect(en).toContain(
    'VAT is by the rules of Norway; reports and files call them tax code NO:2013',
  )
  const [{ interchange_rate: rate }] = (await told('fee_schedule/'))['fee_schedules'] as [
    { interchange_rate: string },
  ]
  const percent = `${Number(rate) * 100}%`
  const [, others = ''] = /Other currencies without fees of their own (.*)/.exec(en) ?? []
  expect(others).toMatch(new RegExp(`^Description Fees Credit .interchange. [^%]* ${percent} `))
  expect(others).not.toMatch(/Settlement|Payment Each/)
  expect(await read('nb')).toContain('Mva. følger reglene i Norge;')
})
