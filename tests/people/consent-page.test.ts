import { afterAll, beforeAll, expect, test } from 'vitest'
import { codeAt } from '../../infrastructure/people/one-time-codes.ts'
import { startPeopleService, type PeopleService } from '../support/people-service.ts'
import { formIn, makeVisitor, type Shown } from './visitor.ts'

let service: PeopleService
let clientId = ''
const redirectUri = 'https://books.example/cb'
const challenge = {
  code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
  code_challenge_method: 'S256',
}

beforeAll(async () => {
  service = await startPeopleService()
  const app = await service.operator(
    ...['app', 'add', 'sandbox', '--name', 'Bookshop', '--redirect-uri', redirectUri, '--public'],
  )
  clientId = app['client_id'] ?? ''
})
afterAll(() => service.stop())

const pathFor = (scope: string): string => {
  const query = { response_type: 'code', client_id: clientId, redirect_uri: redirectUri, scope }
  return `/oauth2/auth?${new URLSearchParams({ ...query, ...challenge }).toString()}`
}

const consentOf = async (scope: string, language = 'en') => {
  const alice = makeVisitor(service, language)
  await alice.signIn()
  return { alice, page: await alice.follow(await alice.visit(pathFor(scope))) }
}

let people = 0
/** A person with only a name and phone number. */
const signedInStranger = async () => {
  people += 1
  const phone = `47400001${people}0`
  const added = await service.operator('payer', 'add', phone, '--name', 'Siri Ny', '--pin', '1793')
  const visitor = makeVisitor(service)
  const pin = await visitor.submit(await visitor.visit('/payer/sign-in'), { phone, pin: '1793' })
  await visitor.submit(pin, { code: codeAt(added['totp_secret'] ?? '', Date.now()) })
  return { visitor, phone }
}

const boxesIn = ({ html }: Shown) =>
  [...html.matchAll(/<input[^>]*type="checkbox"[^>]*>/g)].map(([input]) => ({
    scope: /value="(\w+)"/.exec(input)?.[1] ?? 'openid',
    ticked: /\schecked/.test(input),
  }))

const timesIn = (text: string, part: string): number => text.split(part).length - 1

test('given an application that asks for everything, when its payer is asked, then nothing sensitive is ticked, and what is sensitive comes last', async () => {
  const { page } = await consentOf(
    'bankid fodselsnummer shipping_address address phone email profile openid',
  )
  expect(boxesIn(page)).toEqual([
    { scope: 'openid', ticked: true },
    { scope: 'profile', ticked: true },
    { scope: 'phone', ticked: true },
    { scope: 'email', ticked: true },
    { scope: 'address', ticked: true },
    { scope: 'shipping_address', ticked: true },
    { scope: 'fodselsnummer', ticked: false },
    { scope: 'bankid', ticked: false },
  ])
})

test('given an application that asks for everything, when its payer is asked, then each value that will be given is shown once', async () => {
  const { page } = await consentOf('openid profile phone email address fodselsnummer bankid')
  const choice = /<fieldset[^]*<\/fieldset>/.exec(page.html)?.[0] ?? ''
  for (const value of [
    'Alice Andersen',
    '+4799999901',
    'alice@example.com',
    'Storgata 1, 0155 Oslo, Norway',
    '01017000027',
  ])
    expect([value, timesIn(choice, value)]).toEqual([value, 1])
  const { page: norwegian } = await consentOf('openid address', 'nb')
  expect(norwegian.html).toContain('Storgata 1, 0155 Oslo, Norge')
})

test('given a payer who is signed in, when an application asks, then the page says as whom', async () => {
  const { page } = await consentOf('openid')
  expect(page.html).toMatch(/Signed in as\s*<b>Alice Andersen<\/b>/)
})

test.each([
  { language: 'en', heading: 'Sign in with your daybook account', says: 'to continue to' },
  { language: 'nb', heading: 'Logg inn med daybook-kontoen din', says: 'for å fortsette til' },
])(
  'given nobody is signed in, when an application sends them here, then the heading says with what to sign in: $language',
  async ({ language, heading, says }) => {
    const visitor = makeVisitor(service, language)
    const { html } = await visitor.visit(pathFor('openid'))
    expect(/<h1>([^]*?)<\/h1>/.exec(html)?.[1]?.trim()).toBe(heading)
    expect(html).toContain(says)
    const { html: plain } = await visitor.visit('/payer/sign-in')
    expect(/<h1>([^]*?)<\/h1>/.exec(plain)?.[1]?.trim()).toBe(heading)
  },
)

test('given a payer without an e-mail address, when they enter it where they consent, then it is kept and given', async () => {
  const { visitor } = await signedInStranger()
  const page = await visitor.follow(await visitor.visit(pathFor('openid profile email')))
  const answer = { scope: ['openid', 'profile', 'email'], decision: 'allow' }
  const wrong = await visitor.submit(page, { email: 'siri', ...answer, scope: ['openid', 'email'] })
  expect(wrong.status).toBe(400)
  expect(wrong.html).toMatch(/id="email-problem"[^>]*>\s*Type an e-mail address/)
  expect(new Map(formIn(wrong.html, 'email').fields).get('email')).toBe('siri')
  expect(boxesIn(wrong)).toEqual([
    { scope: 'openid', ticked: true },
    { scope: 'profile', ticked: false },
    { scope: 'email', ticked: true },
  ])
  const { location } = await visitor.submit(wrong, { email: 'siri@example.com', ...answer })
  expect(location).toContain('code=')
  const again = await visitor.follow(
    await visitor.visit(`${pathFor('openid profile email address')}&prompt=consent`),
  )
  expect(again.html).toContain('siri@example.com')
})

test('given a payer of whom no national identity number is known, when it is asked for, then the page says so and it cannot be ticked', async () => {
  const { visitor } = await signedInStranger()
  const page = await visitor.follow(await visitor.visit(pathFor('openid fodselsnummer')))
  expect(page.html).toContain('Nobody has verified this for you')
  expect(page.html).toMatch(/<input[^>]*value="fodselsnummer"[^>]*disabled/)
})

const askFor = async (customer: string, scope: string): Promise<string> => {
  const request = { pos_id: 'till-1', pos_tid: `page-${customer}`, customer, scope }
  return (await service.call('POST', '/merchant/v1/permission_request/', request)).body.id
}
const outcomeOf = async (rid: string) =>
  (await service.call('GET', `/merchant/v1/permission_request/${rid}/outcome/`)).body

test('given a payer without an address, when they enter it where they answer a shop, then the shop reads it', async () => {
  const { visitor, phone } = await signedInStranger()
  const rid = await askFor(phone, 'openid email address')
  const page = await visitor.visit(`/payer/permission/${rid}`)
  const answer = { scope: ['openid', 'email', 'address'], decision: 'allow' }
  const part = await visitor.submit(page, { street: 'Storgata 2', ...answer })
  expect([part.status, part.html.includes('Fill in the whole address')]).toEqual([400, true])
  expect((await outcomeOf(rid)).status).toBe('pending')
  const address = { street: 'Storgata 2', postal_code: '0155', locality: 'Oslo', country: 'NO' }
  await visitor.submit(part, { ...address, ...answer })
  const { access_token: token } = await outcomeOf(rid)
  const userInfo = await service.call('GET', '/oauth2/v1/userinfo', undefined, {
    Authorization: `Bearer ${token}`,
  })
  expect(userInfo.body.address).toMatchObject({ street_address: 'Storgata 2', country: 'NO' })
  expect(userInfo.body.email).toBeUndefined()
})

test('given a value that is typed for what is not shared, when the rest is allowed, then it is not kept', async () => {
  const { visitor, phone } = await signedInStranger()
  const rid = await askFor(phone, 'openid email')
  const page = await visitor.visit(`/payer/permission/${rid}`)
  await visitor.submit(page, { email: 'siri@example.com', scope: ['openid'], decision: 'allow' })
  expect((await outcomeOf(rid)).scope).toBe('openid')
  const later = await visitor.visit(`/payer/permission/${rid}`)
  expect(later.html).not.toContain('siri@example.com')
})

test('given a payment that asks for permissions, when its payer looks at it, then they see the values that the shop gets', async () => {
  const { id } = await service.requestPayment({
    customer: '4799999901',
    required_scope: 'email profile',
    required_scope_text: 'For your receipt',
  })
  const alice = makeVisitor(service)
  await alice.signIn()
  const { html } = await alice.visit(`/payer/payment/${id}`)
  expect(html).toContain('alice@example.com')
  expect(html.indexOf('Alice Andersen')).toBeLessThan(html.indexOf('alice@example.com'))
})
