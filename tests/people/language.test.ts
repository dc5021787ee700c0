import { expect, test } from 'vitest'
import { startPeopleService } from '../support/people-service.ts'
import { languages } from '../../texts/catalogue.ts'
import { makeVisitor, type Shown } from './visitor.ts'

const service = await startPeopleService()

const languageIn = ({ html }: Shown): string | undefined => /<html lang="([^"]*)"/.exec(html)?.[1]

test('a page leads to itself in each language, which is kept for a year', async () => {
  const visitor = makeVisitor(service, 'nb')
  const page = await visitor.visit('/payer/sign-in?next=x')
  const footer = /<footer>[^]*<\/footer>/.exec(page.html)?.[0] ?? ''
  const links = [...footer.matchAll(/<a href="([^"]*)" lang="(\w+)"/g)]
  expect(links.map(([, , language]) => language)).toEqual(languages)
  expect(footer).toContain('<a href="/payer/language/nb" lang="nb" aria-current="true">Norsk')
  const { status, location, headers } = await visitor.visit('/payer/language/sv', {
    headers: { Referer: page.url },
  })
  expect([status, location]).toEqual([303, '/payer/sign-in?next=x'])
  expect(headers.get('set-cookie')).toMatch(
    /^daybook-language=sv; Max-Age=31536000; Path=\/; HttpOnly; SameSite=Lax$/,
  )
})

test('the chosen language is that of all pages, whatever else is liked', async () => {
  await service.operator('staff', 'add', 'sandbox', '+4799999901', '--role', 'owner')
  const visitor = makeVisitor(service, 'en-GB, nb;q=0.5')
  await visitor.signIn('alice')
  const pages = [
    ...['/payer/', '/portal/', '/portal/sandbox/', '/payer/sign-in?again&ui_locales=sv'],
    ...['/audit/sign-in', '/no-such-page', '/operator/'],
  ]
  const all = async () =>
    new Set(await Promise.all(pages.map(async (path) => languageIn(await visitor.visit(path)))))
  await visitor.visit('/payer/language/nb')
  expect([...(await all())].map((tag) => tag?.slice(0, 2))).toEqual(['nb', 'nb'])
  const account = await visitor.visit('/payer/security')
  expect(account.html).toContain('<h2>Språk</h2>')
  // Dates and amounts stay those of the browser's English.
  await visitor.visit('/payer/language/en')
  expect(languageIn(await visitor.visit('/payer/'))).toBe('en-GB')
})

test('the language of an account is shown on another device after signing in', async () => {
  // It was chosen before, while nobody had signed in, and the account had none.
  const first = makeVisitor(service)
  await first.visit('/payer/language/da')
  await first.signIn('bob')
  const device = makeVisitor(service)
  await device.visit('/payer/language/en')
  const answer = await device.signIn('bob')
  expect(languageIn(await device.visit('/payer/'))).toBe('da-DK')
  expect(device.cookies.get('daybook-language')).toBe('da')
  expect(answer.status).toBe(303)

  await first.visit('/payer/language/sv')
  expect(languageIn(await device.visit('/portal/'))).toBe('sv-SE')
  const headers = { 'Sec-Fetch-Site': 'cross-site' }
  await device.visit('/payer/language/nb', { headers })
  expect(languageIn(await first.visit('/payer/'))).toBe('sv-SE')
})

test.each([
  [undefined, '/payer/'],
  ['https://elsewhere.example/', '/payer/'],
  ['https://elsewhere.example//elsewhere.example/portal/', '/payer/'],
  ['https://elsewhere.example/x/portal/', '/payer/'],
  ['https://pay.example/portal/shop/payments?q=a#top', '/portal/shop/payments?q=a'],
  ['nonsense', '/payer/'],
])('from %s the choice leads to %s', async (referer, location) => {
  const headers: Record<string, string> = referer === undefined ? {} : { Referer: referer }
  expect(await makeVisitor(service).visit('/payer/language/en', { headers })).toMatchObject({
    ...{ status: 303, location },
  })
})

test('a language that is not there is not found', async () => {
  const visitor = makeVisitor(service)
  expect((await visitor.visit('/payer/language/xx')).status).toBe(404)
  visitor.cookies.set('daybook-language', 'xx')
  expect(languageIn(await visitor.visit('/payer/sign-in'))).toBe('en')
})
