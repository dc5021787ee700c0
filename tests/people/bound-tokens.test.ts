import { afterAll, beforeAll, expect, test } from 'vitest'
import { startPeopleService, type PeopleService } from '../support/people-service.ts'
import { ath, dpopClient, newKey, proofOf, type App, type Key } from './dpop-client.ts'

let service: PeopleService
let asClient: ReturnType<typeof dpopClient>
let app: App
let key: Key
let token: string

beforeAll(async () => {
  service = await startPeopleService()
  asClient = dpopClient(service)
  app = await asClient.addApp('--public')
  key = await newKey()
  token = (await asClient.boundTokens(app, key)).access_token
})
afterAll(() => service.stop())

test('a bound token is good with a proof of its key, each used once', async () => {
  const proof = await proofOf(key, asClient.atUserInfo(token))
  expect((await asClient.userInfo(`DPoP ${token}`, proof)).status).toBe(200)
  expect(await asClient.userInfo(`DPoP ${token}`, proof)).toMatchObject({
    status: 401,
    body: {
      error: 'invalid_dpop_proof',
      error_description: 'The DPoP proof has been used.',
    },
    challenge: expect.stringMatching(/^DPoP realm="daybook", error="invalid_dpop_proof".* algs=/),
  })
})

test('a bound token is refused as a Bearer token and needs a proof', async () => {
  expect(await asClient.userInfo(`Bearer ${token}`)).toMatchObject({
    status: 401,
    body: { error: 'invalid_token' },
    challenge: expect.stringMatching(/^DPoP /),
  })
  const proof = await proofOf(key, asClient.atUserInfo(token))
  expect((await asClient.userInfo(`Bearer ${token}`, proof)).status).toBe(401)
  expect((await asClient.userInfo(`DPoP ${token}`)).body.error).toBe('invalid_dpop_proof')
})

test('a bound token is refused with the proof of another key', async () => {
  const stolen = await proofOf(await newKey(), asClient.atUserInfo(token))
  expect(await asClient.userInfo(`DPoP ${token}`, stolen)).toMatchObject({
    status: 401,
    body: { error: 'invalid_token' },
  })
})

test('an unbound token is not a DPoP token', async () => {
  const { body } = await asClient.post(await asClient.codeFor(app))
  expect(body.token_type).toBe('Bearer')
  const proof = await proofOf(key, asClient.atUserInfo(body.access_token))
  expect(await asClient.userInfo(`DPoP ${body.access_token}`, proof)).toMatchObject({
    status: 401,
    body: { error: 'invalid_token' },
    challenge: expect.stringMatching(/^Bearer /),
  })
  expect((await asClient.userInfo(`Bearer ${body.access_token}`)).status).toBe(200)
})

test.each([
  ['for another method', { htm: 'POST' }, {}],
  ['for another URL', { htu: 'https://elsewhere.example/oauth2/v1/userinfo' }, {}],
  ['of an hour ago', { iat: Math.floor(Date.now() / 1000) - 3600 }, {}],
  ['of the future', { iat: Math.floor(Date.now() / 1000) + 3600 }, {}],
  ['without a time', { iat: undefined }, {}],
  ['for another token', { ath: ath('another') }, {}],
  ['without its token', { ath: undefined }, {}],
  ['without a name', { jti: undefined }, {}],
  ['of another type', {}, { typ: 'JWT' }],
  ['without a key', {}, { jwk: undefined }],
])('a bound token is refused with a proof %s', async (_, claims, header) => {
  const proof = await proofOf(key, { ...asClient.atUserInfo(token), ...claims }, header)
  expect(await asClient.userInfo(`DPoP ${token}`, proof)).toMatchObject({
    status: 401,
    body: { error: 'invalid_dpop_proof' },
  })
})

test.each(['', 'none', 'a.b.c', `${'x'.repeat(4000)}`])(
  'a bound token is refused with %s in the place of a proof',
  async (proof) => {
    expect((await asClient.userInfo(`DPoP ${token}`, proof)).body.error).toBe('invalid_dpop_proof')
    expect((await asClient.post(await asClient.codeFor(app), { DPoP: proof })).body.error).toBe(
      'invalid_dpop_proof',
    )
  },
)

test('a proof with another query counts, as the query is not part of it', async () => {
  const claims = {
    ...asClient.atUserInfo(token),
    htu: `${service.address}/oauth2/v1/userinfo?x=1#y`,
  }
  expect((await asClient.userInfo(`DPoP ${token}`, await proofOf(key, claims))).status).toBe(200)
})
