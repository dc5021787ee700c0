import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as client from 'openid-client'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { startPeopleService, type PeopleService } from '../support/people-service.ts'
import { makeProofCheck } from '../../infrastructure/people/one-time-codes.ts'
import { usedOnce } from '../../infrastructure/people/used-once.ts'
import { dpopClient, newKey, proofOf, redirectUri, thumbprint, type Key } from './dpop-client.ts'
import { addOlderApp, pkce } from './pkce.ts'
import { makeVisitor } from './visitor.ts'

let service: PeopleService

let asClient: ReturnType<typeof dpopClient>

beforeAll(async () => {
  service = await startPeopleService()
  asClient = dpopClient(service)
})

afterAll(() => service.stop())

test('an unmodified openid-client gets, uses and refreshes bound tokens', async () => {
  const app = await asClient.addApp('--dpop')
  const { client_id: id, client_secret: secret } = app
  const options = { execute: [client.allowInsecureRequests] }
  const config = await client.discovery(
    new URL(service.address),
    id,
    secret ?? '',
    undefined,
    options,
  )
  expect(config.serverMetadata().dpop_signing_alg_values_supported).toContain('ES256')
  const keys = await client.randomDPoPKeyPair('ES256')
  const DPoP = client.getDPoPHandle(config, keys)
  const { code } = await asClient.codeFor(app)
  const back = new URL(`${redirectUri}?code=${code}&iss=${encodeURIComponent(service.address)}`)
  const checks = { pkceCodeVerifier: pkce.verifier.code_verifier, idTokenExpected: true }
  const tokens = await client.authorizationCodeGrant(config, back, checks, undefined, { DPoP })
  expect(tokens.token_type).toBe('dpop')
  const subject = tokens.claims()?.sub ?? ''
  const info = await client.fetchUserInfo(config, tokens.access_token, subject, { DPoP })
  expect(info).toMatchObject({ name: 'Alice Andersen' })
  const jkt = await thumbprint({ ...keys } as Key)
  expect(await client.tokenIntrospection(config, tokens.access_token)).toMatchObject({
    ...{ active: true, token_type: 'DPoP', cnf: { jkt } },
  })
  const refreshed = await client.refreshTokenGrant(config, tokens.refresh_token ?? '', undefined, {
    DPoP,
  })
  expect(refreshed.token_type).toBe('dpop')
  const again = await client.fetchUserInfo(config, refreshed.access_token, subject, { DPoP })
  expect(again.sub).toBe(subject)
})

test('a client that must prove a key gets no tokens without', async () => {
  const app = await asClient.addApp('--dpop', '--public')
  const form = await asClient.codeFor(app)
  expect(await asClient.post(form)).toEqual({
    status: 400,
    body: {
      error: 'invalid_dpop_proof',
      error_description: 'This client must send a DPoP proof.',
    },
  })
  const proof = await proofOf(await newKey(), asClient.atToken())
  expect((await asClient.post(form, { DPoP: proof })).status).toBe(200)
})

test('a refresh token of a public client stays bound to its key', async () => {
  const app = await asClient.addApp('--public')
  const [key, thief] = [await newKey(), await newKey()]
  const { refresh_token } = await asClient.boundTokens(app, key)
  const form = { grant_type: 'refresh_token', client_id: app.client_id, refresh_token }
  const refused = { status: 400, body: { error: 'invalid_grant' } }
  expect(await asClient.post(form)).toMatchObject(refused)
  expect(
    await asClient.post(form, { DPoP: await proofOf(thief, asClient.atToken()) }),
  ).toMatchObject(refused)
  expect(await asClient.post(form, { DPoP: await proofOf(key, asClient.atToken()) })).toMatchObject(
    {
      status: 200,
      body: { token_type: 'DPoP' },
    },
  )
})

test('a code requested with a key is redeemed with that key only', async () => {
  const app = await asClient.addApp('--public')
  const key = await newKey()
  const form = await asClient.codeFor(app, { dpop_jkt: await thumbprint(key) })
  const refused = { status: 400, body: { error: 'invalid_grant' } }
  expect(await asClient.post(form)).toMatchObject(refused)
  const stolen = await proofOf(await newKey(), asClient.atToken())
  expect(await asClient.post(form, { DPoP: stolen })).toMatchObject(refused)
  expect((await asClient.post(form, { DPoP: await proofOf(key, asClient.atToken()) })).status).toBe(
    200,
  )
})

test('a proof counts once on all nodes, for as long as its time would admit it', async () => {
  let now = Date.UTC(2026, 10, 27)
  const folder = mkdtempSync(join(tmpdir(), 'daybook-used-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const node = () => usedOnce(join(folder, 'used'), 'key')
  const check = makeProofCheck(() => now, node())
  const other = makeProofCheck(() => now, node())
  const key = await newKey()
  const asked = { method: 'POST', url: 'https://pay.example/oauth2/token' }
  const iat = now / 1000 + 60
  const proof = await proofOf(key, { htm: asked.method, htu: asked.url, iat })
  expect(await check(proof, asked)).toEqual({ jkt: await thumbprint(key) })
  for (const seconds of [0, 59, 60, 61, 120]) {
    now = Date.UTC(2026, 10, 27) + seconds * 1000
    for (const again of [check, other])
      expect(await again(proof, asked)).toEqual({ problem: 'The DPoP proof has been used.' })
  }
  now += 1000
  expect(await check(proof, asked)).toEqual({ problem: expect.stringContaining('stale') })
})

test('an application of the interface says whether its tokens are bound', async () => {
  const input = { name: 'Bound', redirect_uris: [redirectUri], dpop_bound_access_tokens: true }
  const { body } = await service.call('POST', '/merchant/v1/application/', input)
  const shown = await service.call('GET', `/merchant/v1/application/${body.id}/`)
  expect(shown.body).toMatchObject({ public: false, dpop_bound_access_tokens: true })
})

test('a client with a secret needs PKCE, unless it is an older one', async () => {
  const app = await asClient.addApp()
  const begin = (client_id: string) => {
    const query = new URLSearchParams({ response_type: 'code', client_id, scope: 'openid' })
    return makeVisitor(service).visit(`/oauth2/auth?${query.toString()}`)
  }
  const { location } = await begin(app.client_id)
  expect(location).toContain('error=invalid_request&error_description=code_challenge+is+missing.')
  const older = await addOlderApp(service, 'Of before', [redirectUri])
  expect((await begin(older.client_id)).status).toBe(200)
})
