import { afterAll, beforeAll, expect, test } from 'vitest'
import { startPeopleService, type PeopleService } from '../support/people-service.ts'
import { makeVisitor } from './visitor.ts'

let service: PeopleService

beforeAll(async () => {
  service = await startPeopleService()
})
afterAll(() => service.stop())

const headingOf = (html: string): string => /<h1>([^]*?)<\/h1>/.exec(html)?.[1]?.trim() ?? ''

test.each([
  { language: 'en', says: 'Try again at' },
  { language: 'nb', says: 'Prøv igjen' },
  { language: 'sv', says: 'Försök igen' },
])(
  'given too many wrong PINs, the payer is told to wait until a time with its zone: $language',
  async ({ language, says }) => {
    const visitor = makeVisitor(service, language)
    const phone = `474000080${['en', 'nb', 'sv'].indexOf(language)}`
    let page = await visitor.visit('/payer/sign-in')
    for (let count = 0; count < 4; count += 1)
      page = await visitor.submit(page, { phone, pin: '0000' })
    const told = /<p class="problem"[^>]*>([^]*?)<\/p>/.exec(page.html)?.[1] ?? ''
    expect(page.status).toBe(429)
    expect(told).toContain(says)
    expect(told).toMatch(/<time datetime="[^"]+" data-clock="">[^<]*\d\d[^<]* UTC<\/time>/)
    expect(told).not.toMatch(/\d+ s\)/)
    const until = new Date(/datetime="([^"]+)"/.exec(told)?.[1] ?? '').getTime()
    const wait = Number(page.headers.get('retry-after')) * 1000
    expect(Math.abs(until - Date.now() - wait)).toBeLessThan(60_000)
  },
)

test('given a form that is out of date, the page says so and leads to a fresh one', async () => {
  const alice = makeVisitor(service)
  await alice.signIn()
  const { id } = await service.requestPayment({ customer: '4799999901' })
  const path = `/payer/payment/${id}`
  const body = new URLSearchParams({ csrf: 'old', decision: 'accept' })
  const { status, html } = await alice.visit(path, { method: 'POST', body })
  expect([status, headingOf(html)]).toEqual([403, 'This page is out of date'])
  expect(html).toContain('Nothing was done.')
  expect(html).toContain(`href="${path}"`)
})

test('given a request answered elsewhere, the page says so and leads to it', async () => {
  const alice = makeVisitor(service)
  await alice.signIn()
  const request = { pos_id: 'till-1', pos_tid: 'told', customer: '4799999901', scope: 'openid' }
  const { id } = (await service.call('POST', '/merchant/v1/permission_request/', request)).body
  const path = `/payer/permission/${id}`
  const page = await alice.visit(path)
  await alice.submit(page, { decision: 'deny' })
  const { status, html } = await alice.submit(page, { decision: 'allow' })
  expect([status, headingOf(html)]).toEqual([409, 'This has changed in the meantime'])
  expect(html).toContain('The request has been answered already.')
  expect(html).toContain(`href="${path}"`)
})

test('given an address that leads nowhere, the Norwegian page says so and leads on', async () => {
  const visitor = makeVisitor(service, 'nb')
  for (const path of ['/payer/checkout/0123456789', '/payer/no-such-page']) {
    const { status, html } = await visitor.visit(path)
    expect([status, headingOf(html)]).toEqual([404, 'Siden finnes ikke'])
    expect(html).toMatch(/href="\/payer\/"[^>]*>Gå til startsiden/)
  }
})
