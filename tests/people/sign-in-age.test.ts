import { afterAll, beforeAll, expect, test } from 'vitest'
import { startPeopleService, type PeopleService } from '../support/people-service.ts'
import { formIn, makeVisitor, type Shown, type TestVisitor } from './visitor.ts'
import { pkce } from './pkce.ts'
import { scannedSvg } from './scanned-svg.ts'

const redirectUri = 'https://shop.example/callback'
let service: PeopleService
let clientId: string
/** Has a session older than required. */
let alice: TestVisitor
/** The same payer in other browsers: a new sign-in ends a browser's session. */
const others: TestVisitor[] = []

beforeAll(async () => {
  service = await startPeopleService()
  const add = ['app', 'add', 'sandbox', '--name', 'Web shop', '--redirect-uri', redirectUri]
  clientId = (await service.operator(...add))['client_id'] ?? ''
  alice = makeVisitor(service)
  await alice.signIn('alice')
  for (let count = 0; count < 12; count += 1) {
    const other = makeVisitor(service)
    await other.signIn('alice')
    others.push(other)
  }
  await service.advance(1000)
})
afterAll(() => service.stop())

type Asked = Readonly<Record<string, string>>

const query = (asked: Asked): string =>
  new URLSearchParams({
    ...{ response_type: 'code', client_id: clientId, scope: 'openid', prompt: 'consent' },
    ...pkce.challenge,
    ...asked,
  }).toString()

const asksForPin = ({ html }: Shown): boolean => html.includes('name="pin"')

const numberOn = ({ html }: Shown): string => /class="compare">(\d\d)</.exec(html)?.[1] ?? ''

const allow = (visitor: TestVisitor, page: Shown): Promise<Shown> =>
  visitor.submit(page, { decision: 'allow' })

/** Alice with an old session, in another browser each time. */
const withOldSession = (): TestVisitor => others.pop() ?? alice

/** Where a page's code leads the phone that scans it. */
const scanned = async (visitor: TestVisitor, page: Shown): Promise<string> => {
  const src = /<img\s+src="([^"]*)"/.exec(page.html)?.[1]?.replaceAll('&amp;', '&') ?? ''
  const image = await visitor.visit(src, { headers: { Accept: 'image/*' } })
  return scannedSvg(image.html)
}

const wanted = [
  ['max_age', { max_age: '600' }],
  ['a max_age of 0', { max_age: '0' }],
  ['prompt login', { prompt: 'login consent' }],
] as const

test.each(wanted)(
  'given %s and an old session, when the payer opens the consent page past the sign-in, then they sign in all the same, once',
  async (_, asked) => {
    const visitor = withOldSession()
    const page = await visitor.follow(await visitor.visit(`/oauth2/pre_auth?${query(asked)}`))
    expect(asksForPin(page)).toBe(true)
    const consent = await visitor.follow(await visitor.signInAt(page, 'alice'))
    expect((await allow(visitor, consent)).location).toContain('code=')
  },
)

test.each(wanted)(
  'given %s and an old session, when the payer signs in on the way, then that is enough, however often the pages are opened again',
  async (_, asked) => {
    const visitor = withOldSession()
    const path = `/oauth2/auth?${query(asked)}`
    expect(asksForPin(await visitor.visit(path))).toBe(true)
    const page = await visitor.visit(path)
    const consent = await visitor.follow(await visitor.signInAt(page, 'alice'))
    const again = await visitor.visit(consent.url)
    // A page's token against forged forms is its own.
    const textOf = ({ html }: { readonly html: string }) =>
      html.replaceAll(/name="csrf" value="[^"]*"/g, '')
    expect(textOf(again)).toBe(textOf(consent))
    const fromTheStart = await visitor.follow(
      await visitor.visit(consent.url.replace('pre_auth', 'auth')),
    )
    expect(textOf(fromTheStart)).toBe(textOf(consent))
    expect((await allow(visitor, again)).location).toContain('code=')
  },
)

test('given a session that is young enough, when max_age is asked for, then the payer goes straight to consent', async () => {
  const visitor = makeVisitor(service)
  await visitor.signIn('alice')
  const consent = await visitor.follow(
    await visitor.visit(`/oauth2/auth?${query({ max_age: '600' })}`),
  )
  expect((await allow(visitor, consent)).location).toContain('code=')
})

test('given a max_age that is not a number, when authorization is requested, then the application gets the error', async () => {
  const { location } = await alice.visit(`/oauth2/auth?${query({ max_age: '-1' })}`)
  expect(location).toContain('error=invalid_request')
})

test.each(wanted)(
  'given %s, when a phone with an old session scans the code, then the payer signs in on it first, and then the screen goes on',
  async (_, asked) => {
    const computer = makeVisitor(service)
    const page = await computer.visit(`/oauth2/auth?${query(asked)}`)
    const code = await scanned(computer, page)
    expect(code).toContain('/oauth2/pre_auth?qr=')
    const phone = withOldSession()
    const signIn = await phone.follow(await phone.visit(code))
    expect(asksForPin(signIn)).toBe(true)
    const consent = await phone.follow(await phone.signInAt(signIn, 'alice'))
    expect(consent.html).toMatch(/is on the same network as this phone: <b>127\.0\.0\.1</)
    const number = numberOn(page)
    const wrong = number === '10' ? '11' : '10'
    const refused = await phone.submit(consent, { decision: 'allow', compare: wrong })
    expect([refused.status, refused.html.includes('That is not the number')]).toEqual([400, true])
    const approved = await phone.submit(consent, { decision: 'allow', compare: number })
    expect(approved.status).toBe(200)
    const [, action = ''] = /action="([^"]*)" data-continue/.exec(page.html) ?? []
    const [, csrf = ''] = /name="csrf" value="([^"]*)"/.exec(page.html) ?? []
    const body = new URLSearchParams({ csrf })
    expect((await computer.visit(action, { method: 'POST', body })).location).toContain('code=')
  },
)

test.each(wanted)(
  'given %s and a consent page that was shown, when it is answered with an older session, then nothing is allowed',
  async (_, asked) => {
    const visitor = withOldSession()
    const page = await visitor.visit(`/oauth2/auth?${query(asked)}`)
    const consent = await visitor.follow(await visitor.signInAt(page, 'alice'))
    // The session is older; the browser is the same.
    const session = alice.cookies.get('daybook-session') ?? ''
    visitor.cookies.set('daybook-session', session)
    const older = await visitor.visit('/payer/')
    const [, csrf = ''] = /name="csrf" value="([^"]*)"/.exec(older.html) ?? []
    const form = /action="(\/oauth2\/post_auth\/[^"]*)"/.exec(consent.html)?.[1] ?? ''
    const body = new URLSearchParams({ csrf, decision: 'allow', scope: 'openid' })
    const answered = await visitor.visit(form, { method: 'POST', body })
    expect([answered.status, answered.location]).toEqual([409, null])
  },
)

/** As after signing out in another tab. */
const afterTheSession = async (visitor: TestVisitor, page: Shown): Promise<Shown> => {
  visitor.cookies.delete('daybook-session')
  return allow(visitor, page)
}

test('given a consent page whose session and time are over, when it is answered, then the payer signs in, is asked again, and goes back with what the application sent', async () => {
  const visitor = makeVisitor(service)
  await visitor.signIn('alice')
  const path = `/oauth2/auth?${query({ state: 'a b&c' })}`
  const page = await visitor.follow(await visitor.visit(path))
  await service.advance(601)
  const signIn = await visitor.follow(await afterTheSession(visitor, page))
  expect(asksForPin(signIn)).toBe(true)
  const again = await visitor.follow(await visitor.signInAt(signIn, 'alice'))
  const back = new URL((await allow(visitor, again)).location ?? '')
  expect(back.searchParams.get('state')).toBe('a b&c')
  expect(back.searchParams.get('code')).not.toBeNull()
})

test('given a phone whose session is over, when its payer allows, then they sign in, are asked again, and the screen goes on', async () => {
  const computer = makeVisitor(service)
  const screen = await computer.visit(`/oauth2/auth?${query({})}`)
  const phone = makeVisitor(service)
  await phone.signIn('alice')
  const page = await phone.visit(await scanned(computer, screen))
  const signIn = await phone.follow(await afterTheSession(phone, page))
  expect(asksForPin(signIn)).toBe(true)
  const again = await phone.follow(await phone.signInAt(signIn, 'alice'))
  const compare = numberOn(screen)
  expect((await phone.submit(again, { decision: 'allow', compare })).status).toBe(200)
  const { action, fields } = formIn(screen.html, 'asked')
  const body = new URLSearchParams(fields.map(([name, value]): [string, string] => [name, value]))
  const back = await computer.visit(action, { method: 'POST', body })
  expect(back.location).toContain('code=')
})

test('given an answer that does not say to what, when nobody is signed in, then they are at home once they are', async () => {
  const visitor = makeVisitor(service)
  await visitor.signIn('alice')
  const page = await visitor.follow(await visitor.visit(`/oauth2/auth?${query({})}`))
  visitor.cookies.delete('daybook-session')
  const answer = await visitor.submit(page, { decision: 'allow' }, ['asked'])
  expect([answer.status, answer.location]).toEqual([303, '/payer/'])
  expect((await visitor.visit('/payer/')).location).toBe('/payer/sign-in?next=%2Fpayer%2F')
})
