// @module-tag long
import * as client from 'openid-client'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { codeOf, startPeopleService, type PeopleService } from '../support/people-service.ts'
import { formIn, makeVisitor, type Shown, type TestVisitor } from './visitor.ts'
import { pkce } from './pkce.ts'

const redirectUri = 'https://shop.example/callback'
let service: PeopleService
let config: client.Configuration
let other: string
let number = 0

beforeAll(async () => {
  service = await startPeopleService()
  const add = ['app', 'add', 'sandbox', '--redirect-uri', redirectUri]
  other = (await service.operator(...add, '--name', 'Another'))['client_id'] ?? ''
})
afterAll(() => service.stop())

/** A new application, using an unmodified library. */
const newApplication = async () => {
  number += 1
  const words = ['app', 'add', 'sandbox', '--name', `Shop ${number}`, '--redirect-uri', redirectUri]
  const { client_id = '', client_secret = '' } = await service.operator(...words)
  const options = { execute: [client.allowInsecureRequests] }
  const server = new URL(service.address)
  config = await client.discovery(server, client_id, client_secret, undefined, options)
  return client_id
}

const ask = (visitor: TestVisitor, more: Readonly<Record<string, string>> = {}): Promise<Shown> => {
  const asked = { redirect_uri: redirectUri, scope: 'openid profile', ...pkce.challenge, ...more }
  return visitor.visit(client.buildAuthorizationUrl(config, asked).href)
}
const errorOf = ({ location }: Shown) => new URL(location ?? '').searchParams.get('error')
const tokensOf = ({ location }: Shown) =>
  client.authorizationCodeGrant(config, new URL(location ?? ''), {
    pkceCodeVerifier: pkce.verifier.code_verifier,
  })
const isLive = async (token: string) =>
  (await client.tokenIntrospection(config, token)).active === true

const signedIn = async (payer: 'alice' | 'bob' = 'alice') => {
  const visitor = makeVisitor(service)
  await visitor.signIn(payer)
  return visitor
}
const allowed = async (visitor: TestVisitor, more: Readonly<Record<string, string>> = {}) => {
  const page = await visitor.follow(await ask(visitor, more))
  return visitor.submit(page, { decision: 'allow' })
}

test('given nobody who is signed in, and then nobody who has consented, when a client asks with prompt none, then it is told', async () => {
  await newApplication()
  expect(errorOf(await ask(makeVisitor(service), { prompt: 'none' }))).toBe('login_required')
  expect(errorOf(await ask(await signedIn(), { prompt: 'none' }))).toBe('consent_required')
})

test('given a consent, when a client asks again, with prompt none or without, then the payer is not asked', async () => {
  await newApplication()
  const visitor = await signedIn()
  const { sub } = (await tokensOf(await allowed(visitor))).claims() ?? {}
  for (const more of [{ prompt: 'none' }, {}, { scope: 'openid' }, { max_age: '10000' }]) {
    const back = await visitor.follow(await ask(visitor, more))
    expect((await tokensOf(back)).claims()?.sub).toBe(sub)
  }
})

test('given a consent, when a client asks for more, or for consent, or for a new sign-in, then the payer is asked', async () => {
  await newApplication()
  const visitor = await signedIn()
  await allowed(visitor)
  for (const more of [{ scope: 'openid profile phone' }, { prompt: 'consent' }]) {
    const page = await visitor.follow(await ask(visitor, more))
    expect(formIn(page.html, 'decision').action).toContain('/oauth2/post_auth/')
  }
  const scope = 'openid phone'
  expect(errorOf(await ask(visitor, { scope, prompt: 'none' }))).toBe('consent_required')
  expect((await visitor.follow(await ask(visitor, { prompt: 'login' }))).html).toContain('"pin"')
})

test('given a consent whose tokens the client has revoked, when it asks again, then the consent stands', async () => {
  await newApplication()
  const visitor = await signedIn()
  const { access_token } = await tokensOf(await allowed(visitor))
  await client.tokenRevocation(config, access_token)
  const again = await tokensOf(await ask(visitor, { prompt: 'none' }))
  expect([await isLive(access_token), await isLive(again.access_token)]).toEqual([false, true])
})

test('given sign-ins to one application, when the payer withdraws, then it is one row, and every token of it is dead at once', async () => {
  const id = await newApplication()
  const visitor = await signedIn('bob')
  const first = await tokensOf(await allowed(visitor, { scope: 'openid phone' }))
  const second = await tokensOf(await allowed(visitor, { scope: 'openid profile' }))
  const third = await tokensOf(await ask(visitor, { prompt: 'none' }))
  const unused = await ask(visitor, { prompt: 'none' })
  const who = { phone: '4799999902', pin: '5678', code: codeOf('bob') }
  const { token } = (await service.call('POST', '/payer/v1/session/', who, {})).body
  const api = (method: string, path: string) =>
    service.call(method, path, undefined, { Authorization: `Bearer ${token}` })
  const { permissions } = (await api('GET', '/payer/v1/permission/')).body
  const row = { id, merchant: 'Sandbox Shop', scope: 'openid phone profile' }
  expect(permissions).toEqual([
    { ...row, application: `Shop ${number}`, date_granted: expect.any(String) },
  ])
  const page = await visitor.visit('/payer/permissions')
  expect(page.html.match(/\?withdraw=/g)).toHaveLength(1)
  const after = await visitor.follow(await visitor.withdraw(id))
  expect(after.html).toContain('Withdrawn.')
  expect(after.html).not.toContain('?withdraw=')
  for (const { access_token } of [first, second, third])
    expect(await isLive(access_token)).toBe(false)
  await expect(client.refreshTokenGrant(config, first.refresh_token ?? '')).rejects.toMatchObject({
    error: 'invalid_grant',
  })
  await expect(tokensOf(unused)).rejects.toMatchObject({ error: 'invalid_grant' })
  expect(errorOf(await ask(visitor, { prompt: 'none' }))).toBe('consent_required')
  expect((await api('DELETE', `/payer/v1/permission/${id}/`)).status).toBe(404)
})

test('given consents to two applications, when one is withdrawn, then the other stands', async () => {
  const id = await newApplication()
  const visitor = await signedIn()
  const kept = await tokensOf(await allowed(visitor))
  const query = { response_type: 'code', client_id: other, ...pkce.challenge }
  const path = `/oauth2/auth?${new URLSearchParams(query)}`
  const page = await visitor.follow(await visitor.visit(path))
  await visitor.submit(page, { decision: 'allow' })
  await visitor.withdraw(other)
  expect(await isLive(kept.access_token)).toBe(true)
  await visitor.withdraw(id)
  expect(await isLive(kept.access_token)).toBe(false)
})

const linkTo = ({ html }: Shown, start: string): string =>
  [...html.matchAll(/<a[^>]* href="([^"]*)"/g)]
    .map(([, href = '']) => href.replaceAll('&amp;', '&'))
    .find((href) => href.startsWith(start)) ?? ''

test('given a payer who is signed in, when an application asks which account it is, then they can go on or sign in as another', async () => {
  await newApplication()
  const visitor = await signedIn()
  const choice = await visitor.follow(await ask(visitor, { prompt: 'select_account' }))
  expect(choice.html).toContain('Continue as Alice Andersen')
  const asAlice = await visitor.follow(await visitor.visit(linkTo(choice, '/oauth2/pre_auth?')))
  expect(asAlice.html).toContain('Alice Andersen')
  const asBob = await visitor.follow(await visitor.signInAt(choice, 'bob'))
  const { location } = await visitor.submit(asBob, { decision: 'allow' })
  expect(location).toContain('code=')
})

test('given the consent page, when the payer is somebody else, then the page leads to another account for the same request', async () => {
  await newApplication()
  const visitor = await signedIn()
  const page = await visitor.follow(await ask(visitor, { state: 's' }))
  expect(page.html).toContain('Alice Andersen')
  const choice = await visitor.visit(linkTo(page, '/oauth2/auth?'))
  const asBob = await visitor.follow(await visitor.signInAt(choice, 'bob'))
  expect(asBob.html).toContain('Bob')
  const { location } = await visitor.submit(asBob, { decision: 'allow' })
  expect(new URL(location ?? '').searchParams.get('state')).toBe('s')
})

test('given a login hint, when nobody is signed in, then the number is there, and when somebody else is, then the account is asked for', async () => {
  await newApplication()
  const hint = { login_hint: '+47 999 99 902' }
  const page = await ask(makeVisitor(service), hint)
  expect(new Map(formIn(page.html, 'phone').fields).get('phone')).toBe('+4799999902')
  const alice = await signedIn()
  await allowed(alice)
  expect((await alice.follow(await ask(alice, hint))).html).toContain('Continue as Alice Andersen')
  expect(errorOf(await ask(alice, { ...hint, prompt: 'none' }))).toBe('login_required')
  for (const login_hint of ['+4799999901', 'alice@example.com'])
    expect((await alice.follow(await ask(alice, { login_hint }))).location).toContain('code=')
})

test('given an application that was allowed, when it signs the payer in again, then their history shows one consent, and its withdrawal', async () => {
  const id = await newApplication()
  const visitor = await signedIn('bob')
  await tokensOf(await allowed(visitor))
  await tokensOf(await ask(visitor, { prompt: 'none' }))
  const rows = async () => {
    const { html } = await visitor.visit('/payer/history')
    return [...html.matchAll(/<a class="row"[^>]*>[^]*?<\/a>/g)]
      .map(([row]) => row)
      .filter((row) => row.includes(`Shop ${number}`))
  }
  expect(await rows()).toEqual([expect.stringMatching(/· Granted/)])
  const asked = await visitor.visit(`/payer/permissions?withdraw=${id}`)
  expect(asked.html).toContain('All its tokens end at once')
  expect(await rows()).toEqual([expect.stringMatching(/· Granted/)])
  const after = await visitor.follow(await visitor.submit(asked, { grant: id }))
  expect(after.html).toMatch(/role="status">\s*<span>Withdrawn\. Shop \d+ is signed out everywhere/)
  expect(await rows()).toEqual([expect.stringMatching(/· Withdrawn/)])
})
