import { createHash, randomBytes } from 'node:crypto'
import { decodeJwt, jwtVerify, createLocalJWKSet } from 'jose'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { isRedirectUri } from '../../domain/people/application.ts'
import { codeAt } from '../../infrastructure/people/one-time-codes.ts'
import { startPeopleService, type PeopleService } from '../support/people-service.ts'
import { makeVisitor, type TestVisitor } from './visitor.ts'
import { addOlderApp } from './pkce.ts'

const redirectUri = 'https://shop.example/callback'
type App = { readonly client_id: string; readonly client_secret: string }

let service: PeopleService
let app: App
let other: App
let twoUris: App
let publicApp: App
let alice: TestVisitor

beforeAll(async () => {
  service = await startPeopleService()
  const add = async (...words: string[]) =>
    (await service.operator('app', 'add', ...words)) as unknown as App
  const uri = ['--redirect-uri', redirectUri]
  app = await addOlderApp(service, 'Web shop', [redirectUri])
  other = await addOlderApp(service, 'Another', [redirectUri])
  twoUris = await addOlderApp(service, 'Two', [redirectUri, `${redirectUri}/2`])
  publicApp = await add('sandbox', '--name', 'Phone app', '--public', ...uri)
  alice = makeVisitor(service)
  await alice.signIn('alice')
})
afterAll(() => service.stop())

const verifier = randomBytes(32).toString('base64url')
const challenge = createHash('sha256').update(verifier).digest('base64url')
const pkce = { code_challenge: challenge, code_challenge_method: 'S256' }

type Query = Readonly<Record<string, string | undefined>>

const authPath = (query: Query): string => {
  const asked = {
    response_type: 'code',
    client_id: app.client_id,
    redirect_uri: redirectUri,
    scope: 'openid profile',
    prompt: 'consent',
    ...query,
  }
  const given = Object.entries(asked).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, value] as [string, string]],
  )
  return `/oauth2/auth?${new URLSearchParams(given).toString()}`
}

/** What the application receives when a payer, by default alice, consents. */
const allowed = async (query: Query = {}, payer = alice): Promise<URLSearchParams> => {
  const asked = await payer.follow(await payer.visit(authPath(query)))
  const answered = await payer.submit(asked, { decision: 'allow' })
  return new URL(answered.location ?? '').searchParams
}
const codeFor = async (query: Query = {}, payer = alice): Promise<string> =>
  (await allowed(query, payer)).get('code') ?? ''

const post = async (path: string, fields: Query, headers: Record<string, string> = {}) => {
  const body = new URLSearchParams(JSON.parse(JSON.stringify(fields)) as Record<string, string>)
  const response = await fetch(service.address + path, { method: 'POST', body, headers })
  return {
    status: response.status,
    headers: response.headers,
    body: (await response.json()) as any,
  }
}
const basic = ({ client_id, client_secret }: App) => ({
  Authorization: `Basic ${Buffer.from(`${client_id}:${client_secret}`).toString('base64')}`,
})
const redeem = (fields: Query, by: App = app) =>
  post(
    '/oauth2/token',
    { grant_type: 'authorization_code', redirect_uri: redirectUri, ...fields },
    basic(by),
  )
const refresh = (token: string, fields: Query = {}, by: App = app) =>
  post('/oauth2/token', { grant_type: 'refresh_token', refresh_token: token, ...fields }, basic(by))
const get = async (path: string, token?: string) => {
  const headers = token === undefined ? {} : { Authorization: `Bearer ${token}` }
  const response = await fetch(service.address + path, { headers })
  return {
    status: response.status,
    headers: response.headers,
    body: (await response.json()) as any,
  }
}
const userInfo = (token: string) => get('/oauth2/v1/userinfo', token)
const isInvalidGrant = { status: 400, body: { error: 'invalid_grant' } }

test.each([
  ['an unknown client', { client_id: 'nobody' }],
  ['no client', { client_id: undefined }],
  ['a merchant id, which has no redirect URIs', { client_id: 'sandbox' }],
  ['a redirect URI that is not registered', { redirect_uri: 'https://evil.example/' }],
  ['a registered one with something after it', { redirect_uri: `${redirectUri}/evil` }],
  ['a registered one with a query', { redirect_uri: `${redirectUri}?x=1` }],
  ['a host that only begins alike', { redirect_uri: 'https://shop.example.evil.example/callback' }],
  ['a name before the host', { redirect_uri: 'https://shop.example@evil.example/callback' }],
  ['a script', { redirect_uri: 'javascript:alert(1)' }],
])(
  'given %s, when authorization is asked for, then an error page answers and nobody is redirected',
  async (_, query) => {
    const { status, location, html } = await makeVisitor(service).visit(authPath(query))
    expect({ status, location }).toEqual({ status: 400, location: null })
    expect(html).not.toContain('evil')
  },
)

test('given two registered addresses, when none is named, then nobody is redirected', async () => {
  const query = { client_id: twoUris.client_id, redirect_uri: undefined }
  expect((await alice.visit(authPath(query))).status).toBe(400)
})

test.each([
  ['another response type', { response_type: 'token' }, 'unsupported_response_type'],
  ['no response type', { response_type: undefined }, 'invalid_request'],
  ['plain PKCE', { code_challenge: challenge, code_challenge_method: 'plain' }, 'invalid_request'],
  ['PKCE without a method', { code_challenge: challenge }, 'invalid_request'],
  ['a request object', { request: 'x' }, 'request_not_supported'],
  ['prompt none', { prompt: 'none' }, 'login_required'],
])(
  'given %s, when authorization is asked for, then the application is told, with state and iss',
  async (_, query, error) => {
    const { location } = await makeVisitor(service).visit(authPath({ state: 'a b&c', ...query }))
    const back = new URL(location ?? '')
    expect(back.origin + back.pathname).toBe(redirectUri)
    const { error: told, state, iss } = Object.fromEntries(back.searchParams)
    expect({ told, state, iss }).toEqual({ told: error, state: 'a b&c', iss: service.address })
  },
)

test('given a registered address with a query, when the payer is sent back, then the query stays as it is', async () => {
  const uri = `${redirectUri}?x=a%20b&y=1+2`
  const { client_id } = await addOlderApp(service, 'With a query', [uri])
  const query = { client_id, redirect_uri: uri, state: 's' }
  const asked = await alice.follow(await alice.visit(authPath(query)))
  const { location } = await alice.submit(asked, { decision: 'allow' })
  expect(location?.slice(0, location.indexOf('&code='))).toBe(uri)
  const refused = await alice.visit(authPath({ ...query, response_type: 'token' }))
  expect(refused.location).toContain(`${uri}&error=unsupported_response_type&`)
})

test('given a public client, when it sends no code challenge, then it is refused', async () => {
  const { location } = await alice.visit(authPath({ client_id: publicApp.client_id }))
  expect(location).toContain('error=invalid_request')
})

test('given a payer who denies, when the browser goes back, then the application learns it and gets its state', async () => {
  const asked = await alice.follow(await alice.visit(authPath({ state: 's' })))
  const { location } = await alice.submit(asked, { decision: 'deny' })
  const { searchParams } = new URL(location ?? '')
  expect(Object.fromEntries(searchParams)).toEqual({
    error: 'access_denied',
    state: 's',
    iss: service.address,
  })
})

test('given an answer, when its button is pressed twice, then both presses lead to the same place', async () => {
  for (const decision of ['allow', 'deny']) {
    const asked = await alice.follow(await alice.visit(authPath({})))
    const press = () => alice.submit(asked, { decision })
    const both = await Promise.all([press(), press()])
    const after = await press()
    expect(both.map(({ status }) => status)).toEqual([303, 303])
    expect([both[1]?.location, after.location]).toEqual([both[0]?.location, both[0]?.location])
    const other = decision === 'allow' ? 'deny' : 'allow'
    const { location } = await alice.submit(asked, { decision: other })
    expect(location).toContain(other === 'deny' ? 'error=access_denied' : '/oauth2/auth?')
  }
})

test('given a code that was redeemed, when its payer allows once more, then the application keeps its tokens', async () => {
  const asked = await alice.follow(await alice.visit(authPath({})))
  const { location } = await alice.submit(asked, { decision: 'allow' })
  const code = new URL(location ?? '').searchParams.get('code') ?? ''
  const { body } = await redeem({ code })
  const again = await alice.submit(asked, { decision: 'allow' })
  const page = await alice.follow(again)
  const { searchParams } = new URL((await alice.submit(page, { decision: 'allow' })).location ?? '')
  expect(searchParams.get('code')).not.toBe(code)
  expect((await redeem({ code: searchParams.get('code') ?? '' })).status).toBe(200)
  expect((await userInfo(body.access_token)).status).toBe(200)
})

test('given a payer who ticks off a scope, when tokens are issued, then they have only what was allowed', async () => {
  const asked = await alice.follow(await alice.visit(authPath({ scope: 'openid profile phone' })))
  const { location } = await alice.submit(asked, { decision: 'allow', scope: ['openid', 'phone'] })
  const code = new URL(location ?? '').searchParams.get('code') ?? ''
  const { body } = await redeem({ code })
  expect(body.scope).toBe('openid phone')
  expect((await userInfo(body.access_token)).body).not.toHaveProperty('name')
})

test.each(['client_id', 'client_secret'] as const)(
  'given a token request, when its %s is repeated, then the request is invalid, not the client',
  async (name) => {
    const { client_id, client_secret } = app
    const fields = { grant_type: 'authorization_code', code: 'x', client_id, client_secret }
    const body = new URLSearchParams(fields)
    body.append(name, fields[name])
    const answer = await fetch(`${service.address}/oauth2/token`, { method: 'POST', body })
    expect([answer.status, await answer.json()]).toEqual([
      400,
      { error: 'invalid_request', error_description: `${name} is repeated.` },
    ])
  },
)

test('given a state in the authorization request, when its code is redeemed, then the tokens come with that state and no other', async () => {
  const first = await redeem({ code: await codeFor({ state: 'a b&c' }), state: 'another' })
  expect(first.body.state).toBe('a b&c')
  const without = await redeem({ code: await codeFor(), state: 'another' })
  expect(without.body).not.toHaveProperty('state')
  const refreshed = await refresh(first.body.refresh_token, { state: 'another' })
  expect(refreshed.body).not.toHaveProperty('state')
})

test('given a code, when it comes a second time, then it is refused and what it gave is revoked', async () => {
  const code = await codeFor()
  const first = await redeem({ code })
  expect(first.status).toBe(200)
  expect(first.headers.get('cache-control')).toBe('no-store')
  const costsNothing = { currency: null, fee: '0.00', report_id: null }
  expect(first.body).toMatchObject({ expires_in: 3600, ...costsNothing })
  expect((await userInfo(first.body.access_token)).status).toBe(200)
  expect(await redeem({ code })).toMatchObject(isInvalidGrant)
  expect((await userInfo(first.body.access_token)).status).toBe(401)
  expect(await refresh(first.body.refresh_token)).toMatchObject(isInvalidGrant)
})

test('given a code, when it comes twice at the same time, then nobody keeps what it gave', async () => {
  const code = await codeFor()
  const both = await Promise.all([redeem({ code }), redeem({ code })])
  expect(both.map(({ status }) => status).toSorted()).toEqual([200, 400])
  const tokens = both.find(({ status }) => status === 200)?.body
  expect((await userInfo(tokens.access_token)).status).toBe(401)
  expect(await refresh(tokens.refresh_token)).toMatchObject(isInvalidGrant)
})

test('given a body that is not a form, when it is sent to an OAuth endpoint, then it gets an OAuth error', async () => {
  for (const path of ['/oauth2/token', '/oauth2/revoke', '/oauth2/introspect']) {
    const headers = { ...basic(app), 'Content-Type': 'application/json' }
    const answer = await fetch(service.address + path, { method: 'POST', headers, body: '{}' })
    expect([answer.status, answer.headers.get('content-type')]).toEqual([415, 'application/json'])
    expect(answer.headers.get('pragma')).toBe('no-cache')
    expect(await answer.json()).toMatchObject({ error: 'invalid_request' })
  }
})

test('given another method, when it comes to an OAuth endpoint, then it is refused in the words of OAuth', async () => {
  for (const path of ['/oauth2/token', '/oauth2/revoke', '/oauth2/introspect']) {
    const { status, headers, body } = await get(path)
    expect([status, headers.get('allow'), headers.get('cache-control')]).toEqual([
      405,
      'POST',
      'no-store',
    ])
    expect(body).toEqual({ error: 'invalid_request', error_description: 'Allowed here: POST.' })
  }
})

test('given a client that names the type of the interface everywhere, when it asks for plain JSON, then it gets it as that', async () => {
  const headers = { Accept: 'application/vnd.service.api.merchant.v1+json' }
  for (const path of ['/oauth2/jwks', '/.well-known/openid-configuration']) {
    const answer = await fetch(service.address + path, { headers })
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'application/json'])
  }
  const fields = { grant_type: 'refresh_token', refresh_token: 'x' }
  expect(await post('/oauth2/token', fields, { ...basic(app), ...headers })).toMatchObject(
    isInvalidGrant,
  )
  expect((await fetch(`${service.address}/docs`, { headers })).status).toBe(406)
})

test('given a redirect URI, when its host or scheme could mean something else to a browser, then it cannot be registered', () => {
  const isGood = (uri: string) => isRedirectUri(uri, false)
  const good = ['https://shop.example/a;b', 'http://[::1]:9/cb', 'com.shop.app:/cb', 'a.b.c:cb']
  expect(good.map(isGood)).toEqual([true, true, true, true])
  const hosts = ['*.shop.example', "a';x.example", 'a;script-src.example', 'a,b.example', 'a@b.no']
  for (const host of hosts) expect(isGood(`https://${host}/cb`)).toBe(false)
  for (const uri of ['javascript:alert(1)', 'data:text/html,x', 'http://localhost.evil.example/'])
    expect(isGood(uri)).toBe(false)
})

test('given a URI to which nobody can be sent back, when it is registered, then the answer says what may be', async () => {
  const asked = { name: 'Web shop', redirect_uris: [redirectUri, 'ftp://shop.example/'] }
  const { status, body } = await service.call('POST', '/merchant/v1/application/', asked)
  expect(status).toBe(400)
  expect(body).toMatchObject({
    error_details: { 'redirect_uris.1': [expect.stringContaining('or of a native app')] },
  })
})

test('given an application of one merchant, when another reads or removes it, then there is none, and it stays', async () => {
  await service.operator('merchant', 'add', 'fourth', '--name', 'Fourth', '--currency', 'NOK')
  await service.operator('user', 'add', 'fourth', 'u', '--secret', 'fourth-secret')
  const headers = service.merchantHeaders('fourth', 'u', 'fourth-secret')
  const path = `/merchant/v1/application/${other.client_id}/`
  for (const method of ['GET', 'DELETE'])
    expect((await service.call(method, path, undefined, headers)).status).toBe(404)
  const { status, body } = await service.call('GET', path)
  expect([status, body.name]).toEqual([200, 'Another'])
})

test('given a code, when its payer is erased before it is redeemed, then there are no tokens', async () => {
  const phone = '4740000007'
  const added = await service.operator('payer', 'add', phone, '--name', 'E', '--pin', '1793')
  const visitor = makeVisitor(service)
  const pin = await visitor.submit(await visitor.visit('/payer/sign-in'), { phone, pin: '1793' })
  await visitor.submit(pin, { code: codeAt(added['totp_secret'] ?? '', Date.now()) })
  const code = await codeFor({}, visitor)
  await service.operator('payer', 'erase', phone)
  expect(await redeem({ code })).toMatchObject(isInvalidGrant)
})

test('given a code, when another client brings it, then it is refused and still works for its own', async () => {
  const code = await codeFor()
  expect(await redeem({ code }, other)).toMatchObject(isInvalidGrant)
  expect((await redeem({ code })).status).toBe(200)
})

test('given a redirect URI in the request, when the token request names none or another, then it is refused', async () => {
  const code = await codeFor()
  expect(await redeem({ code, redirect_uri: undefined })).toMatchObject(isInvalidGrant)
  expect(await redeem({ code, redirect_uri: `${redirectUri}/` })).toMatchObject(isInvalidGrant)
  expect((await redeem({ code })).status).toBe(200)
})

test('given no redirect URI in the request, when the token request names none, then there are tokens', async () => {
  const code = await codeFor({ redirect_uri: undefined })
  expect((await redeem({ code, redirect_uri: undefined })).status).toBe(200)
})

test('given a code challenge, when the verifier is wrong, missing or uncalled for, then there are no tokens', async () => {
  const code = await codeFor(pkce)
  const wrong = randomBytes(32).toString('base64url')
  expect(await redeem({ code, code_verifier: wrong })).toMatchObject(isInvalidGrant)
  expect(await redeem({ code })).toMatchObject(isInvalidGrant)
  expect((await redeem({ code, code_verifier: verifier })).status).toBe(200)
  const without = await codeFor()
  expect(await redeem({ code: without, code_verifier: verifier })).toMatchObject(isInvalidGrant)
})

test('given a made-up code, when it is redeemed, then it is refused', async () => {
  const code = await codeFor()
  for (const made of [
    'x',
    `${code.slice(0, 32)}${'A'.repeat(43)}`,
    `${'0'.repeat(32)}${code.slice(32)}`,
  ])
    expect(await redeem({ code: made })).toMatchObject(isInvalidGrant)
})

test('given bad credentials, when tokens are requested, then the client gets a challenge', async () => {
  const code = await codeFor()
  const bad = await redeem({ code }, { ...app, client_secret: 'wrong' })
  expect(bad).toMatchObject({ status: 401, body: { error: 'invalid_client' } })
  expect(bad.headers.get('www-authenticate')).toContain('Basic')
  const fields = { grant_type: 'authorization_code', code, redirect_uri: redirectUri }
  const nobody = await post('/oauth2/token', { ...fields, client_id: app.client_id })
  expect(nobody).toMatchObject({ status: 401, body: { error: 'invalid_client' } })
  const twice = await post(
    '/oauth2/token',
    { ...fields, client_secret: app.client_secret, client_id: app.client_id },
    basic(app),
  )
  expect(twice).toMatchObject({ status: 400, body: { error: 'invalid_request' } })
  const kind = await post('/oauth2/token', { grant_type: 'password' }, basic(app))
  expect(kind).toMatchObject({ status: 400, body: { error: 'unsupported_grant_type' } })
  expect(await post('/oauth2/token', {}, basic(app))).toMatchObject({
    status: 400,
    body: { error: 'invalid_request' },
  })
})

test('given a public client, when it brings a secret, which it has none of, then it is refused, and without one it gets its tokens', async () => {
  const { client_id } = publicApp
  const code = await codeFor({ client_id, ...pkce })
  const fields = { grant_type: 'authorization_code', redirect_uri: redirectUri, code }
  const ask = (more: Query, headers = {}) =>
    post('/oauth2/token', { ...fields, code_verifier: verifier, ...more }, headers)
  const refused = { status: 401, body: { error: 'invalid_client' } }
  expect(await ask({ client_id, client_secret: 'a guess' })).toMatchObject(refused)
  for (const client_secret of ['a guess', ''])
    expect(await ask({}, basic({ client_id, client_secret }))).toMatchObject(refused)
  expect((await ask({ client_id })).status).toBe(200)
})

test('given a refresh token, when two refresh with it at once, then both get the same answer', async () => {
  const { body } = await redeem({ code: await codeFor() })
  const [a, b] = await Promise.all([refresh(body.refresh_token), refresh(body.refresh_token)])
  expect(a.status).toBe(200)
  const { expires_in: _, ...rest } = a.body
  expect(b.body).toMatchObject(rest)
  expect(a.body.refresh_token).not.toBe(body.refresh_token)
})

test('given a refresh with less scope, when it is done, then the token has it, and more is refused', async () => {
  const { body } = await redeem({ code: await codeFor() })
  expect(await refresh(body.refresh_token, { scope: 'openid phone' })).toMatchObject({
    status: 400,
    body: { error: 'invalid_scope' },
  })
  const less = await refresh(body.refresh_token, { scope: 'openid' })
  expect(less.body.scope).toBe('openid')
  expect((await userInfo(less.body.access_token)).body).not.toHaveProperty('name')
})

test('given a refresh that comes again within the minute, when it asks for more than its successor has, then that is refused', async () => {
  const { body } = await redeem({ code: await codeFor() })
  const successor = await refresh(body.refresh_token, { scope: 'openid' })
  for (const scope of ['openid profile', 'openid phone'])
    expect(await refresh(body.refresh_token, { scope })).toMatchObject({
      status: 400,
      body: { error: 'invalid_scope' },
    })
  for (const scope of ['openid', undefined]) {
    const again = await refresh(body.refresh_token, { scope })
    expect(again.body).toMatchObject({ scope: 'openid', access_token: successor.body.access_token })
  }
  expect((await refresh(successor.body.refresh_token)).body.scope).toBe('openid profile')
})

test('given unknown scopes such as offline_access, when they are requested, then they are ignored', async () => {
  const code = await codeFor({ scope: 'openid offline_access everything' })
  const { body } = await redeem({ code })
  expect(body.scope).toBe('openid')
  const next = await refresh(body.refresh_token, { scope: 'offline_access openid' })
  expect([next.status, next.body.scope]).toEqual([200, 'openid'])
  expect(await refresh(next.body.refresh_token, { scope: 'everything' })).toMatchObject({
    status: 400,
    body: { error: 'invalid_scope' },
  })
})

test('given a scope of nothing, then it is left out of the answers', async () => {
  const { body } = await redeem({ code: await codeFor({ scope: 'offline_access' }) })
  expect(body).not.toHaveProperty('scope')
  const { body: next } = await refresh(body.refresh_token)
  expect(next).not.toHaveProperty('scope')
  const { body: told } = await post('/oauth2/introspect', { token: next.access_token }, basic(app))
  expect(told.active).toBe(true)
  expect(told).not.toHaveProperty('scope')
})

test('given parameters that this service does not know, when they are repeated, then they are ignored as once', async () => {
  const path = (name: string) => `${authPath({ prompt: 'none' })}&${name}=a&${name}=b`
  const error = async (name: string) =>
    new URL((await makeVisitor(service).visit(path(name))).location ?? '').searchParams.get('error')
  expect(await error('resource')).toBe('login_required')
  expect(await error('nonce')).toBe('invalid_request')
})

test('given a spent code, when it comes without its verifier, then nothing is revoked, and with it what it gave is', async () => {
  const code = await codeFor(pkce)
  const { body } = await redeem({ code, code_verifier: verifier })
  const wrong = randomBytes(32).toString('base64url')
  for (const code_verifier of [undefined, wrong])
    expect(await redeem({ code, code_verifier })).toMatchObject(isInvalidGrant)
  expect((await userInfo(body.access_token)).status).toBe(200)
  expect(await redeem({ code, code_verifier: verifier })).toMatchObject(isInvalidGrant)
  expect((await userInfo(body.access_token)).status).toBe(401)
})

test('given an app that listens on its machine, when it asks with any port, then its payer is sent back there (RFC 8252, 7.3)', async () => {
  const addApp = async (...words: string[]) => {
    const uris = ['http://127.0.0.1/cb', 'http://[::1]:9/cb'].flatMap((uri) => [
      '--redirect-uri',
      uri,
    ])
    const added = await service.operator(
      'app',
      'add',
      'sandbox',
      '--name',
      'Local',
      ...uris,
      ...words,
    )
    return (added as unknown as App).client_id
  }
  const [native, web] = [await addApp('--public'), await addApp()]
  const asked = (client_id: string, redirect_uri: string) =>
    alice.visit(authPath({ ...pkce, client_id, redirect_uri, prompt: 'consent' }))
  for (const redirect_uri of ['http://127.0.0.1:51004/cb', 'http://[::1]:51004/cb']) {
    const page = await alice.follow(await asked(native, redirect_uri))
    const { location } = await alice.submit(page, { decision: 'allow' })
    expect(location).toContain(`${redirect_uri}?code=`)
    const code = new URL(location ?? '').searchParams.get('code') ?? ''
    const fields = { grant_type: 'authorization_code', client_id: native, code, redirect_uri }
    const other = { ...fields, redirect_uri: redirect_uri.replace('51004', '51005') }
    const tokens = (given: Query) => post('/oauth2/token', { ...given, code_verifier: verifier })
    expect(await tokens(other)).toMatchObject(isInvalidGrant)
    expect((await tokens(fields)).status).toBe(200)
  }
  for (const uri of [
    'http://127.0.0.1:51004/other',
    'http://127.0.0.1:99999/cb',
    'https://127.0.0.1:51004/cb',
    'http://localhost:51004/cb',
  ])
    expect((await asked(native, uri)).status).toBe(400)
  expect((await asked(web, 'http://127.0.0.1:51004/cb')).status).toBe(400)
})

test('given another client, when it brings a token, then it is refused and nothing is revoked', async () => {
  const { body } = await redeem({ code: await codeFor() })
  expect(await refresh(body.refresh_token, {}, other)).toMatchObject(isInvalidGrant)
  for (const token of [body.refresh_token, body.access_token])
    expect(await post('/oauth2/revoke', { token }, basic(other))).toMatchObject(isInvalidGrant)
  expect((await refresh(body.refresh_token)).status).toBe(200)
})

test('given a refresh token, when its client asks after it, then it is active until it is used up or revoked', async () => {
  const asked = async (token: string, by = app) =>
    (await post('/oauth2/introspect', { token }, basic(by))).body
  const { body: first } = await redeem({ code: await codeFor() })
  const { exp, iat, ...told } = await asked(first.refresh_token)
  const { sub } = decodeJwt(first.id_token)
  const about = { active: true, scope: 'openid profile', client_id: app.client_id, sub }
  expect(told).toEqual({ ...about, iss: service.address })
  expect(exp - iat).toBe(180 * 86_400)
  expect(await asked(first.refresh_token, other)).toEqual({ active: false })
  const { body: second } = await refresh(first.refresh_token)
  expect(await asked(first.refresh_token)).toEqual({ active: false })
  expect(await asked(second.refresh_token)).toMatchObject({ active: true })
  await post('/oauth2/revoke', { token: second.refresh_token }, basic(app))
  expect(await asked(second.refresh_token)).toEqual({ active: false })
})

test('given a token that nobody knows, when it is revoked, then that is done (RFC 7009, 2.2)', async () => {
  expect(await post('/oauth2/revoke', { token: 'nonsense' }, basic(app))).toMatchObject({
    status: 200,
    body: {},
  })
})

test('given a token, when it is missing, wrong or lacks the scope, then the challenge says so', async () => {
  const none = await get('/oauth2/v1/userinfo')
  expect(none.status).toBe(401)
  expect(none.headers.get('www-authenticate')).toMatch(/^Bearer realm="daybook", DPoP /)
  const wrong = await userInfo('nonsense')
  expect(wrong.status).toBe(401)
  expect(wrong.headers.get('www-authenticate')).toContain('error="invalid_token"')
  const { body } = await redeem({ code: await codeFor() })
  for (const path of ['shipping_address', 'personal_id/no/id', 'personal_id/no/bankid']) {
    const lacking = await get(`/oauth2/v1/scope/${path}`, body.access_token)
    expect(lacking.status).toBe(403)
    expect(lacking.headers.get('www-authenticate')).toContain('error="insufficient_scope"')
  }
  const withoutOpenId = await redeem({ code: await codeFor({ scope: 'phone' }) })
  expect(withoutOpenId.body).not.toHaveProperty('id_token')
  expect((await userInfo(withoutOpenId.body.access_token)).status).toBe(403)
})

test('given the scopes for it, when address and national id are read, then they come with their proofs', async () => {
  const scope = 'openid shipping_address fodselsnummer bankid'
  const asked = await alice.follow(await alice.visit(authPath({ scope })))
  // Sensitive scopes are not preselected.
  const ticked = { decision: 'allow', scope: scope.split(' ') }
  const { location } = await alice.submit(asked, ticked)
  const code = new URL(location ?? '').searchParams.get('code') ?? ''
  const { body } = await redeem({ code })
  const read = async (path: string) =>
    (await get(`/oauth2/v1/scope/${path}`, body.access_token)).body
  expect(await read('shipping_address')).toEqual({
    shipping_address: {
      name: 'Alice Andersen',
      street_address: 'Storgata 1',
      postal_code: '0155',
      locality: 'Oslo',
      country: 'NO',
    },
  })
  expect(await read('personal_id/no/id')).toMatchObject({ jurisdiction: 'NO', proofs: [{}, {}] })
  const { proofs } = await read('personal_id/no/bankid')
  expect(proofs).toEqual([{ issuer: 'bankid', method: 'bankid', date: '2026-01-15' }])
})

test('given an ID token, when it is checked, then at_hash is right and it is refused once it has expired', async () => {
  const { body } = await redeem({ code: await codeFor({ nonce: 'n-1' }) })
  const { exp = 0, iat, at_hash, nonce } = decodeJwt(body.id_token)
  const half = createHash('sha256').update(body.access_token).digest().subarray(0, 16)
  expect({ at_hash, nonce, lifetime: exp - (iat ?? 0) }).toEqual({
    at_hash: half.toString('base64url'),
    nonce: 'n-1',
    lifetime: 3600,
  })
  const keys = createLocalJWKSet((await get('/oauth2/jwks')).body)
  const at = (seconds: number) =>
    jwtVerify(body.id_token, keys, { currentDate: new Date(seconds * 1000) })
  await expect(at(exp - 1)).resolves.toBeTruthy()
  await expect(at(exp)).rejects.toThrow('"exp" claim timestamp check failed')
})

test('given a key that is rotated, when ID tokens are made, then it is published, and they have the one before as long as keys may be kept', async () => {
  const jwks = await get('/oauth2/jwks')
  const known = createLocalJWKSet(jwks.body)
  const [, kept = ''] = /max-age=(\d+)/.exec(jwks.headers.get('cache-control') ?? '') ?? []
  const { kid, signs_from = '' } = await service.operator('key', 'rotate')
  expect(Date.parse(signs_from) - Date.now()).toBeGreaterThan((Number(kept) - 10) * 1000)
  const kids = (await get('/oauth2/jwks')).body.keys.map((key: { kid: string }) => key.kid)
  expect(kids).toContain(kid)
  // Anyone who fetched the keys before can verify it.
  const { id_token } = (await redeem({ code: await codeFor() })).body
  await expect(jwtVerify(id_token, known)).resolves.toBeTruthy()
})

test('given two merchants, when one payer consents to both, then they see different subjects', async () => {
  await service.operator('merchant', 'add', 'second', '--name', 'Second', '--currency', 'NOK')
  const add = ['app', 'add', 'second', '--name', 'Theirs', '--redirect-uri', redirectUri]
  const theirs = (await service.operator(...add)) as unknown as App
  const ours = await redeem({ code: await codeFor() })
  const code = await codeFor({ client_id: theirs.client_id, ...pkce })
  const another = await redeem({ code, code_verifier: verifier }, theirs)
  const again = await redeem({ code: await codeFor() })
  const sub = (reply: typeof ours) => decodeJwt(reply.body.id_token).sub
  expect(sub(ours)).toBe(sub(again))
  expect(sub(ours)).not.toBe(sub(another))
  // Another merchant's client learns nothing about a token, and cannot name its payer with it.
  const told = await post('/oauth2/introspect', { token: ours.body.access_token }, basic(theirs))
  expect(told.body).toEqual({ active: false })
})

test('given a merchant, when it uses its own headers, then it is a client of its own without a secret', async () => {
  const asked = await service.call('POST', '/merchant/v1/permission_request/', {
    pos_id: 'till-1',
    pos_tid: 'implicit',
    customer: '4799999901',
    scope: 'openid',
  })
  await service.call('POST', `/sandbox/v1/permission_request/${asked.body.id}/accept/`, {})
  const outcomePath = `/merchant/v1/permission_request/${asked.body.id}/outcome/`
  const { body } = await service.call('GET', outcomePath)
  const fields = { grant_type: 'refresh_token', refresh_token: body.refresh_token }
  const next = await post('/oauth2/token', fields, service.merchantHeaders())
  expect(next.status).toBe(200)
  const wrong = service.merchantHeaders('sandbox', 'pos1', 'wrong-secret')
  expect(await post('/oauth2/token', fields, wrong)).toMatchObject({
    status: 401,
    body: { error: 'invalid_client' },
  })
  const token = next.body.access_token
  expect((await post('/oauth2/introspect', { token }, service.merchantHeaders())).body.active).toBe(
    true,
  )
  await post('/oauth2/revoke', { token }, service.merchantHeaders())
  // A revoked token no longer names anybody.
  const { id } = await service.requestPayment({ customer: token })
  expect(await service.outcome(id)).toMatchObject({ status: 'fail', status_code: 4004 })
  expect((await service.call('GET', outcomePath)).body.access_token).toBeNull()
})

test('given another merchant, when it names a customer by a token that is not its own, then nobody is found', async () => {
  const { body } = await redeem({ code: await codeFor() })
  const own = await service.requestPayment({ customer: body.access_token })
  expect(await service.outcome(own.id)).toMatchObject({ status: 'pending' })
  await service.operator('merchant', 'add', 'third', '--name', 'Third', '--currency', 'NOK')
  await service.operator('user', 'add', 'third', 'u', '--secret', 'third-secret')
  const headers = service.merchantHeaders('third', 'u', 'third-secret')
  const till = { id: 'till-1', name: 'Till', type: 'store' }
  await service.call('POST', '/merchant/v1/pos/', till, headers)
  const asked = {
    pos_id: 'till-1',
    pos_tid: 'stolen',
    action: 'auth',
    currency: 'NOK',
    amount: '1.00',
    allow_credit: false,
    customer: body.access_token,
  }
  const { body: made } = await service.call('POST', '/merchant/v1/payment_request/', asked, headers)
  const path = `/merchant/v1/payment_request/${made.id}/outcome/`
  expect((await service.call('GET', path, undefined, headers)).body.status_code).toBe(4004)
})

// Last, because they move the clock, which ends all other sessions and tokens.
test('given a code, when 60 seconds have passed, then it has expired', async () => {
  const [late, timely] = [await codeFor(), await codeFor()]
  await service.advance(59)
  expect((await redeem({ code: timely })).status).toBe(200)
  await service.advance(1)
  expect(await redeem({ code: late })).toMatchObject(isInvalidGrant)
})

test('given a session that began a while ago, when a code is redeemed, then the ID token says when its payer signed in', async () => {
  const visitor = makeVisitor(service)
  const before = Math.floor(Date.now() / 1000) - 1
  await visitor.signIn('alice')
  await service.advance(500)
  const code = await codeFor({}, visitor)
  await service.advance(50)
  const { body } = await redeem({ code })
  const { id_token } = body
  const { iat = 0, auth_time } = decodeJwt<{ auth_time: number }>(id_token)
  // By the machine's clock, which was not moved.
  expect(auth_time).toBeGreaterThanOrEqual(before)
  expect(auth_time).toBeLessThanOrEqual(iat + 1)
  expect(iat).toBeLessThanOrEqual(Date.now() / 1000)
  const refreshed = (await refresh(body.refresh_token)).body.id_token
  expect(decodeJwt(refreshed)['auth_time']).toBe(auth_time)
})

test('given a refresh token that was used up, when it comes again after a minute, then the whole family is revoked', async () => {
  const { body: first } = await redeem({ code: await codeFor() })
  const { body: second } = await refresh(first.refresh_token)
  await service.advance(60)
  expect((await userInfo(second.access_token)).status).toBe(200)
  expect(await refresh(first.refresh_token)).toMatchObject(isInvalidGrant)
  expect((await userInfo(second.access_token)).status).toBe(401)
  expect(await refresh(second.refresh_token)).toMatchObject(isInvalidGrant)
})

test('given somebody who has guessed too often, when they sign in on the page of an application, then it says for how long to wait', async () => {
  const visitor = makeVisitor(service)
  const page = await visitor.visit(authPath({}))
  const guess = { phone: '4740000099', pin: '0000' }
  for (const _ of [1, 2, 3]) expect((await visitor.submit(page, guess)).status).toBe(200)
  const { status, headers } = await visitor.submit(page, guess)
  const wait = Number(headers.get('retry-after'))
  expect([status, wait > 0, wait <= 30]).toEqual([429, true, true])
})

test('given a page that was left open for ten minutes, when its payer still allows, then it is renewed and leads back with a code', async () => {
  const asked = await alice.follow(await alice.visit(authPath({ state: 's' })))
  await service.advance(600)
  const renewed = await alice.follow(await alice.submit(asked, { decision: 'allow' }))
  expect(renewed.html).toContain('The page was out of date.')
  const { searchParams } = new URL(
    (await alice.submit(renewed, { decision: 'allow' })).location ?? '',
  )
  expect(searchParams.get('state')).toBe('s')
  expect((await redeem({ code: searchParams.get('code') ?? '' })).status).toBe(200)
})

test('given a page that was left open for ten minutes, when its payer denies, then the application hears it', async () => {
  const asked = await alice.follow(await alice.visit(authPath({ state: 's' })))
  await service.advance(600)
  const { location } = await alice.submit(asked, { decision: 'deny' })
  const told = { error: 'access_denied', state: 's', iss: service.address }
  expect(Object.fromEntries(new URL(location ?? '').searchParams)).toEqual(told)
})

test('given a page for signing in that was left open for ten minutes, when the payer signs in, then what they allow leads back', async () => {
  for (const query of [{}, { prompt: 'login consent' }, { max_age: '60' }]) {
    const visitor = makeVisitor(service)
    const page = await visitor.visit(authPath(query))
    const src = /<img\s+src="([^"]*)"/.exec(page.html)?.[1]?.replaceAll('&amp;', '&') ?? ''
    await visitor.visit(src, { headers: { Accept: 'image/*' } })
    await service.advance(600)
    const asked = await visitor.follow(await visitor.signInAt(page, 'alice'))
    expect((await visitor.submit(asked, { decision: 'allow' })).location).toContain('code=')
  }
})

test('given a request watched by fifty pages, when another follows, then it gets a Retry-After', async () => {
  const page = await fetch(service.address + authPath({}))
  const [cookie = ''] = (page.headers.get('set-cookie') ?? '').split(';')
  const path = `${authPath({}).replace('/auth?', '/events?')}&attempt=watched`
  const leaving = new AbortController()
  const open = () => fetch(service.address + path, { signal: leaving.signal, headers: { cookie } })
  const watching = await Promise.all(Array.from({ length: 50 }, open))
  expect(new Set(watching.map(({ status }) => status))).toEqual(new Set([200]))
  const refused = await open()
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '10'])
  leaving.abort()
})

test('given an application that its merchant removes, then its tokens are dead and its open page leads nowhere', async () => {
  // The clock has advanced, and idle sessions end.
  await alice.signIn('alice')
  const gone = await addOlderApp(service, 'Gone', [redirectUri])
  const client = { client_id: gone.client_id }
  const { body: tokens } = await redeem({ code: await codeFor(client) }, gone)
  expect((await userInfo(tokens.access_token)).status).toBe(200)
  const open = await alice.follow(await alice.visit(authPath(client)))
  const removed = await service.call('DELETE', `/merchant/v1/application/${gone.client_id}/`)
  expect(removed.status).toBe(204)
  expect((await userInfo(tokens.access_token)).status).toBe(401)
  const asCustomer = await service.requestPayment({ customer: tokens.access_token })
  expect(await service.outcome(asCustomer.id)).toMatchObject({ status: 'fail', status_code: 4004 })
  expect(await alice.submit(open, { decision: 'allow' })).toMatchObject({
    status: 400,
    location: null,
  })
})

test('given an answer that is none, then it is refused, and the request can still be answered', async () => {
  const asked = await alice.follow(await alice.visit(authPath({})))
  expect((await alice.submit(asked, { decision: 'maybe' })).status).toBe(400)
  expect((await alice.submit(asked, { decision: 'allow' })).location).toContain('code=')
})

test('given an unused refresh token, when half a year has passed, then it has expired', async () => {
  const [late, timely] = [await codeFor(), await codeFor()]
  const tokens = async (code: string) => (await redeem({ code })).body.refresh_token as string
  const [over, good] = [await tokens(late), await tokens(timely)]
  const isActive = async (token: string) =>
    (await post('/oauth2/introspect', { token }, basic(app))).body.active
  await service.advance(180 * 86_400 - 60)
  expect((await refresh(good)).status).toBe(200)
  expect(await isActive(over)).toBe(true)
  await service.advance(60)
  expect(await isActive(over)).toBe(false)
  expect(await refresh(over)).toMatchObject(isInvalidGrant)
})
