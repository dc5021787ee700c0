import { afterAll, beforeAll, expect, test } from 'vitest'
import { startPeopleService, type PeopleService } from '../support/people-service.ts'
import { makeVisitor, wayOnIn, type Shown, type TestVisitor } from './visitor.ts'
import { pkce } from './pkce.ts'

const redirectUri = 'https://shop.example/callback'
let service: PeopleService
let clientId: string
beforeAll(async () => {
  service = await startPeopleService()
  const add = ['app', 'add', 'sandbox', '--name', 'Web shop', '--redirect-uri', redirectUri]
  clientId = (await service.operator(...add))['client_id'] ?? ''
})
afterAll(() => service.stop())

const authPath = (more: Readonly<Record<string, string>> = {}) => {
  const asked = { response_type: 'code', client_id: clientId, scope: 'openid', state: 's 1' }
  return `/oauth2/auth?${new URLSearchParams({ ...asked, ...pkce.challenge, ...more }).toString()}`
}

const linkIn = ({ html }: Shown, start: string): string =>
  [...html.matchAll(/<a[^>]* href="([^"]*)"/g)]
    .map(([, href = '']) => href.replaceAll('&amp;', '&'))
    .find((href) => href.startsWith(start)) ?? ''

/** A new payer follows a page's sign-up link; returns where that leads. */
const signUpFrom = async (visitor: TestVisitor, page: Shown, phone: string): Promise<Shown> => {
  const form = await visitor.visit(linkIn(page, '/payer/sign-up?next='))
  return visitor.visit(wayOnIn(await visitor.signUpAt(form, { phone })))
}

test('given somebody sent by an application who signs up, they are asked for consent', async () => {
  const visitor = makeVisitor(service)
  const page = await visitor.visit(authPath())
  const asked = await visitor.follow(await signUpFrom(visitor, page, '4740001001'))
  const { location } = await visitor.submit(asked, { decision: 'allow' })
  const { origin, pathname, searchParams } = new URL(location ?? '')
  expect(origin + pathname).toBe(redirectUri)
  expect([searchParams.get('code'), searchParams.get('state')]).toEqual([
    expect.stringMatching(/./),
    's 1',
  ])
})

test('given somebody who signs up by themselves, they are signed in at the start', async () => {
  const visitor = makeVisitor(service)
  const signIn = await visitor.visit('/payer/sign-in')
  const done = await signUpFrom(visitor, signIn, '4740001002')
  expect(new URL(done.url).pathname).toBe('/payer/')
  expect((await visitor.visit('/payer/')).status).toBe(200)
})

test('given somebody who will not sign in, the application hears of access denied', async () => {
  const visitor = makeVisitor(service)
  const page = await visitor.visit(authPath())
  const told = { error: 'access_denied', state: 's 1', iss: service.address }
  const second = await visitor.submit(page, { phone: '4799999901', pin: '1234' })
  for (const shown of [page, second]) {
    const back = new URL(linkIn(shown, redirectUri))
    expect(Object.fromEntries(back.searchParams)).toEqual(told)
  }
})

test('given a payer who is signed in, when somebody signs in anew, that session ends', async () => {
  const visitor = makeVisitor(service)
  await visitor.signIn('alice')
  const before = new Map(visitor.cookies)
  await visitor.signInAt(await visitor.visit('/payer/sign-in?again'), 'bob')
  expect((await visitor.visit('/payer/')).status).toBe(200)
  const kept = makeVisitor(service)
  for (const [name, value] of before) kept.cookies.set(name, value)
  expect((await kept.visit('/payer/')).location).toContain('/payer/sign-in')
})
