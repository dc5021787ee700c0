import { createRemoteJWKSet, jwtVerify } from 'jose'
import * as oauth from 'oauth4webapi'
import * as client from 'openid-client'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startPeopleService, type PeopleService } from '../support/people-service.ts'
import { makeVisitor } from './visitor.ts'
import { pkce } from './pkce.ts'

const redirectUri = 'https://shop.example/callback'
let service: PeopleService
let app: { client_id: string; client_secret: string }
let publicApp: { client_id: string }

beforeAll(async () => {
  service = await startPeopleService()
  const add = ['app', 'add', 'sandbox', '--redirect-uri', redirectUri]
  app = (await service.operator(...add, '--name', 'Web shop')) as typeof app
  publicApp = (await service.operator(
    ...add,
    '--name',
    'Phone app',
    '--public',
  )) as typeof publicApp
})
afterAll(() => service.stop())

/** A payer follows the application's link, signs in and consents; returns the redirect. */
const consent = async (url: URL, scope?: readonly string[]): Promise<URL> => {
  const visitor = makeVisitor(service)
  const page = await visitor.visit(url.href)
  const asked = await visitor.follow(await visitor.signInAt(page, 'alice'))
  const answered = await visitor.submit(asked, {
    decision: 'allow',
    ...(scope && { scope }),
  })
  return new URL(answered.location ?? '')
}

test('an unmodified openid-client completes each step from discovery to revocation', async () => {
  const server = new URL(service.address)
  const options = { execute: [client.allowInsecureRequests] }
  const config = await client.discovery(
    server,
    app.client_id,
    app.client_secret,
    client.ClientSecretBasic(app.client_secret),
    options,
  )
  const verifier = client.randomPKCECodeVerifier()
  const state = client.randomState()
  const nonce = client.randomNonce()
  const url = client.buildAuthorizationUrl(config, {
    redirect_uri: redirectUri,
    scope: 'openid profile email phone address',
    code_challenge: await client.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
    state,
    nonce,
  })
  const back = await consent(url)
  expect(back.origin + back.pathname).toBe(redirectUri)
  const tokens = await client.authorizationCodeGrant(config, back, {
    pkceCodeVerifier: verifier,
    expectedState: state,
    expectedNonce: nonce,
    idTokenExpected: true,
  })
  const claims = tokens.claims()
  expect(claims).toMatchObject({ iss: service.address, aud: app.client_id, nonce })
  const info = await client.fetchUserInfo(config, tokens.access_token, claims?.sub ?? '')
  expect(info).toMatchObject({
    name: 'Alice Andersen',
    email: 'alice@example.com',
    email_verified: true,
    phone_number: '+4799999901',
    address: { street_address: 'Storgata 1', postal_code: '0155', locality: 'Oslo', country: 'NO' },
  })
  const refreshed = await client.refreshTokenGrant(config, tokens.refresh_token ?? '')
  expect(refreshed.access_token).not.toBe(tokens.access_token)
  expect(refreshed.claims()?.sub).toBe(claims?.sub)
  const introspect = () => client.tokenIntrospection(config, refreshed.access_token)
  expect(await introspect()).toMatchObject({ active: true, client_id: app.client_id })
  await client.tokenRevocation(config, refreshed.refresh_token ?? '')
  expect(await introspect()).toEqual({ active: false })
  await expect(
    client.refreshTokenGrant(config, refreshed.refresh_token ?? ''),
  ).rejects.toMatchObject({ error: 'invalid_grant' })
})

test('given a clock that is days ahead, unmodified libraries find tokens of today', async () => {
  await service.advance(10 * 86_400)
  const options = { execute: [client.allowInsecureRequests] }
  const { client_id, client_secret } = app
  const server = new URL(service.address)
  const config = await client.discovery(server, client_id, client_secret, undefined, options)
  const url = client.buildAuthorizationUrl(config, {
    ...{ redirect_uri: redirectUri, scope: 'openid', prompt: 'consent', max_age: '60' },
    ...pkce.challenge,
  })
  const tokens = await client.authorizationCodeGrant(config, await consent(url), {
    maxAge: 60,
    pkceCodeVerifier: pkce.verifier.code_verifier,
  })
  const keys = createRemoteJWKSet(new URL(`${service.address}/oauth2/jwks`))
  await service.advance(600)
  await expect(jwtVerify(tokens.id_token ?? '', keys, { maxTokenAge: 60 })).resolves.toBeTruthy()
  const told = await client.tokenIntrospection(config, tokens.access_token)
  expect(told.iat).toBeLessThanOrEqual(Date.now() / 1000)
  // The remaining lifetime, by either clock.
  expect((told.exp ?? 0) - Date.now() / 1000).toBeLessThanOrEqual(3000)
  expect((told.exp ?? 0) - Date.now() / 1000).toBeGreaterThan(2900)
})

test('an unmodified openid-client with its defaults gets tokens, too', async () => {
  const options = { execute: [client.allowInsecureRequests] }
  const server = new URL(service.address)
  const config = await client.discovery(
    server,
    app.client_id,
    app.client_secret,
    undefined,
    options,
  )
  const url = client.buildAuthorizationUrl(config, {
    ...{ redirect_uri: redirectUri, scope: 'openid', prompt: 'consent' },
    ...pkce.challenge,
  })
  const tokens = await client.authorizationCodeGrant(config, await consent(url), {
    pkceCodeVerifier: pkce.verifier.code_verifier,
  })
  expect(tokens.scope).toBe('openid')
})

test('an unmodified oauth4webapi completes the same as a public client', async () => {
  const insecure = { [oauth.allowInsecureRequests]: true }
  const issuer = new URL(service.address)
  const found = await oauth.discoveryRequest(issuer, { algorithm: 'oidc', ...insecure })
  const server = await oauth.processDiscoveryResponse(issuer, found)
  const known: oauth.Client = { client_id: publicApp.client_id }
  const none = oauth.None()
  const verifier = oauth.generateRandomCodeVerifier()
  const nonce = oauth.generateRandomNonce()
  const url = new URL(server.authorization_endpoint ?? '')
  url.search = new URLSearchParams({
    client_id: known.client_id,
    redirect_uri: redirectUri,
    response_type: 'code',
    scope: 'openid profile',
    code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
    nonce,
    prompt: 'consent',
    state: 'a state',
  }).toString()
  const parameters = oauth.validateAuthResponse(server, known, await consent(url), 'a state')
  const response = await oauth.authorizationCodeGrantRequest(
    server,
    known,
    none,
    parameters,
    redirectUri,
    verifier,
    insecure,
  )
  const tokens = await oauth.processAuthorizationCodeResponse(server, known, response, {
    expectedNonce: nonce,
    requireIdToken: true,
  })
  // The signature, with the service's published keys.
  await oauth.validateApplicationLevelSignature(server, response, insecure)
  const claims = oauth.getValidatedIdTokenClaims(tokens)
  const asked = await oauth.userInfoRequest(server, known, tokens.access_token, insecure)
  const info = await oauth.processUserInfoResponse(server, known, claims?.sub ?? '', asked)
  expect(info).toEqual({ sub: claims?.sub, name: 'Alice Andersen' })
  const refresh = tokens.refresh_token ?? ''
  const again = await oauth.refreshTokenGrantRequest(server, known, none, refresh, insecure)
  const next = await oauth.processRefreshTokenResponse(server, known, again)
  const revoked = await oauth.revocationRequest(server, known, none, next.access_token, insecure)
  await oauth.processRevocationResponse(revoked)
  const gone = await oauth.userInfoRequest(server, known, next.access_token, insecure)
  expect(gone.status).toBe(401)
})
