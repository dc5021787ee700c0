import { createHash, randomBytes } from 'node:crypto'
import { decodeJwt, decodeProtectedHeader, generateKeyPair, SignJWT } from 'jose'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startPeopleService, type PeopleService } from '../support/people-service.ts'
import { formIn, makeVisitor } from './visitor.ts'

const redirectUri = 'https://shop.example/callback'
const verifier = randomBytes(32).toString('base64url')
const code_challenge = createHash('sha256').update(verifier).digest('base64url')

let service: PeopleService
let clientId: string

beforeAll(async () => {
  service = await startPeopleService()
  const add = ['app', 'add', 'sandbox', '--name', 'Page', '--public', '--redirect-uri', redirectUri]
  clientId = (await service.operator(...add))['client_id'] ?? ''
})
afterAll(() => service.stop())

const asked = (more: Readonly<Record<string, string>> = {}) =>
  new URLSearchParams({
    response_type: 'code',
    client_id: clientId,
    redirect_uri: redirectUri,
    scope: 'openid profile',
    code_challenge,
    code_challenge_method: 'S256',
    prompt: 'consent',
    ...more,
  })

const signedIn = async () => {
  const alice = makeVisitor(service)
  await alice.signIn('alice')
  return alice
}

const send = (path: string, init: RequestInit) =>
  fetch(service.address + path, { redirect: 'manual', ...init })

const tokensOf = async (code: string) => {
  const fields = { grant_type: 'authorization_code', code, redirect_uri: redirectUri }
  const body = new URLSearchParams({ ...fields, client_id: clientId, code_verifier: verifier })
  const origin = { Origin: 'https://shop.example' }
  return send('/oauth2/token', { method: 'POST', body, headers: origin })
}

test('given an authorization request that comes as a form, then it goes on as one in the address does, and sets no cookie', async () => {
  const body = asked({ state: 'a b&c' })
  const answer = await send('/oauth2/auth', { method: 'POST', body })
  expect([answer.status, answer.headers.getSetCookie()]).toEqual([303, []])
  const location = answer.headers.get('location') ?? ''
  expect(Object.fromEntries(new URL(location, service.address).searchParams)).toEqual(
    Object.fromEntries(body),
  )
  const alice = await signedIn()
  const page = await alice.follow(await alice.visit(location))
  const back = new URL((await alice.submit(page, { decision: 'allow' })).location ?? '')
  expect(back.searchParams.get('state')).toBe('a b&c')
})

test('given an authorization form without response type, then the application gets the error', async () => {
  const body = asked({ state: 's' })
  body.delete('response_type')
  const answer = await send('/oauth2/auth', { method: 'POST', body })
  const told = await makeVisitor(service).visit(answer.headers.get('location') ?? '')
  const { origin, pathname, searchParams } = new URL(told.location ?? '')
  expect(origin + pathname).toBe(redirectUri)
  expect(Object.fromEntries(searchParams)).toMatchObject({ error: 'invalid_request', state: 's' })
})

test('given strangers at the authorization endpoint, then the log stays as it was', async () => {
  const before = (await service.recorded()).length
  const request = asked({ prompt: 'login', state: 'stranger' }).toString()
  const stranger = makeVisitor(service)
  const page = await stranger.visit(`/oauth2/auth?${request}`)
  const [, image = ''] = /<img\s+src="(\/oauth2\/qr_image[^"]*)"/.exec(page.html) ?? []
  const picture = { headers: { Accept: 'image/svg+xml' } }
  expect((await stranger.visit(image.replaceAll('&amp;', '&'), picture)).status).toBe(200)
  for (let more = 0; more < 20; more += 1)
    await makeVisitor(service).visit(`/oauth2/auth?${asked({ max_age: '1' }).toString()}`)
  expect(await service.recorded()).toHaveLength(before)
  await stranger.submit(page, { phone: '+4700000000', pin: '0000' })
  expect((await service.recorded()).slice(before)).not.toContain('AuthorizationRequested')
})

describe('given an ID token as a hint', () => {
  const idTokenOf = async (payer: 'alice' | 'bob') => {
    const visitor = makeVisitor(service)
    await visitor.signIn(payer)
    const page = await visitor.follow(await visitor.visit(`/oauth2/auth?${asked().toString()}`))
    const back = new URL((await visitor.submit(page, { decision: 'allow' })).location ?? '')
    const answer = await tokensOf(back.searchParams.get('code') ?? '')
    const { id_token } = (await answer.json()) as { id_token: string }
    return { visitor, id_token_hint: id_token }
  }
  const pathOf = (more: Readonly<Record<string, string>>) =>
    `/oauth2/auth?${asked(more).toString()}`

  test('when its payer is signed in, then consent is requested, and the code is theirs', async () => {
    const { visitor, id_token_hint } = await idTokenOf('bob')
    const page = await visitor.follow(await visitor.visit(pathOf({ id_token_hint })))
    const back = new URL((await visitor.submit(page, { decision: 'allow' })).location ?? '')
    const answer = await tokensOf(back.searchParams.get('code') ?? '')
    const { id_token } = (await answer.json()) as { id_token: string }
    expect(decodeJwt(id_token).sub).toBe(decodeJwt(id_token_hint).sub)
    const silent = await visitor.visit(pathOf({ id_token_hint, prompt: 'none' }))
    expect(silent.location).toContain('code=')
  })

  test('when somebody else is signed in, then that payer is asked to sign in, and nobody else gets through', async () => {
    const { id_token_hint } = await idTokenOf('bob')
    const alice = await signedIn()
    const silent = await alice.visit(pathOf({ id_token_hint, prompt: 'none' }))
    expect(silent.location).toContain('error=login_required')
    const page = await alice.follow(await alice.visit(pathOf({ id_token_hint })))
    expect(page.html).toContain('name="pin"')
    // Alice signs in again, and is the same person.
    const again = await alice.follow(await alice.signInAt(page, 'alice'))
    expect(again.html).toContain('name="pin"')
    const allowed = await alice.follow(await alice.signInAt(again, 'bob'))
    const { location } = await alice.submit(allowed, { decision: 'allow' })
    expect(new URL(location ?? '').searchParams.get('code')).toMatch(/./)
  })

  test('when somebody else signs in before the answer is sent, then nothing is allowed, and their payer is asked to sign in', async () => {
    const { visitor, id_token_hint } = await idTokenOf('bob')
    const page = await visitor.follow(await visitor.visit(pathOf({ id_token_hint })))
    const csrfOf = (html: string) => /name="csrf" value="([^"]+)"/.exec(html)?.[1] ?? ''
    await visitor.submit(await visitor.visit('/payer/'), {
      csrf: csrfOf((await visitor.visit('/payer/')).html),
    })
    await visitor.signIn('alice')
    const csrf = csrfOf((await visitor.visit('/payer/')).html)
    const answer = await visitor.submit(page, { decision: 'allow', csrf })
    expect((await visitor.follow(answer)).html).toContain('name="pin"')
  })

  test('when it is not ours, or was changed, then the application gets the error', async () => {
    const { visitor, id_token_hint } = await idTokenOf('bob')
    const { privateKey } = await generateKeyPair('RS256')
    const { iss = '', sub = '' } = decodeJwt(id_token_hint)
    const { kid = '' } = decodeProtectedHeader(id_token_hint)
    const forged = new SignJWT({}).setProtectedHeader({ alg: 'RS256', kid }).setIssuer(iss)
    const hints = [
      'garbage',
      id_token_hint.replace(/\.[^.]+\./, '.e30.'),
      await forged.setSubject(sub).sign(privateKey),
    ]
    for (const hint of hints)
      expect((await visitor.visit(pathOf({ id_token_hint: hint }))).location).toContain(
        'error=invalid_request',
      )
  })
})

test('given a page of another origin with a public client, when it asks for tokens and claims, then its browser lets it', async () => {
  const alice = await signedIn()
  const page = await alice.follow(await alice.visit(`/oauth2/auth?${asked().toString()}`))
  const back = new URL((await alice.submit(page, { decision: 'allow' })).location ?? '')
  const allows = ({ headers }: Response) => headers.get('access-control-allow-origin')
  const shows = ({ headers }: Response) => headers.get('access-control-expose-headers')
  const wrong = await tokensOf('not-a-code')
  expect([wrong.status, allows(wrong)]).toEqual([400, '*'])
  expect(shows(wrong)).toBe('WWW-Authenticate, X-Request-Id, X-Service-Position, Age')
  const answer = await tokensOf(back.searchParams.get('code') ?? '')
  expect([answer.status, allows(answer)]).toEqual([200, '*'])
  const { access_token } = (await answer.json()) as { access_token: string }
  const headers = { Authorization: `Bearer ${access_token}` }
  for (const method of ['GET', 'POST']) {
    const claims = await send('/oauth2/v1/userinfo', { method, headers })
    expect([claims.status, allows(claims)]).toEqual([200, '*'])
    expect(await claims.json()).toMatchObject({ sub: expect.any(String) })
  }
  const preflight = await send('/oauth2/v1/userinfo', { method: 'OPTIONS' })
  expect([preflight.status, allows(preflight)]).toEqual([204, '*'])
  expect(preflight.headers.get('access-control-allow-headers')).toContain('Authorization')
  // Pages of other origins must not use cookies or the secrets of a merchant.
  for (const path of ['/oauth2/auth', '/oauth2/introspect', '/merchant/v1/pos/'])
    expect(allows(await send(path, { method: 'OPTIONS' }))).toBeNull()
})

test('given a code that is over, when the payer allows once more, then they are asked anew, and go back with another', async () => {
  const alice = await signedIn()
  const page = await alice.follow(await alice.visit(`/oauth2/auth?${asked().toString()}`))
  const { location } = await alice.submit(page, { decision: 'allow' })
  expect((await alice.submit(page, { decision: 'allow' })).location).toBe(location)
  await service.advance(60)
  const anew = await alice.follow(await alice.submit(page, { decision: 'allow' }))
  const other = (await alice.submit(anew, { decision: 'allow' })).location
  expect(other).toContain('code=')
  expect(other).not.toBe(location)
})

test('given languages that the application asks for, then the pages are in the first of them that is spoken here', async () => {
  const pageIn = async (ui_locales: string) =>
    (await makeVisitor(service).visit(`/oauth2/auth?${asked({ ui_locales }).toString()}`)).html
  expect(await pageIn('fr-CA nb en')).toContain('<html lang="nb-NO">')
  expect(await pageIn('en nb')).toContain('<html lang="en">')
})

test('given a request for a payer, when others follow what becomes of it, then they hear nothing', async () => {
  const { id } = await service.requestPayment({ customer: '4799999901' })
  const follow = async (visitor = makeVisitor(service)) => {
    const stop = new AbortController()
    const cookies = [...visitor.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const answer = await send(`/payer/checkout/${id}/events`, {
      headers: { Cookie: cookies },
      signal: stop.signal,
    })
    stop.abort()
    return answer.status
  }
  expect(await follow()).toBe(404)
  const bob = makeVisitor(service)
  await bob.signIn('bob')
  expect(await follow(bob)).toBe(404)
  const alice = await signedIn()
  expect(await follow(alice)).toBe(200)
  const page = await alice.visit(`/payer/payment/${id}`)
  expect(formIn(page.html, 'decision').action).toContain(id)
})
