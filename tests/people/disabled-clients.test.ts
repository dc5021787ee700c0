// @module-tag long
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startPeopleService, type PeopleService } from '../support/people-service.ts'
import { makeVisitor } from './visitor.ts'

let service: PeopleService
const redirectUri = 'https://shop.example/callback'

beforeAll(async () => {
  service = await startPeopleService()
})
afterAll(() => service.stop())

const addApp = async () => {
  const words = ['app', 'add', 'sandbox', '--name', 'Web shop', '--redirect-uri', redirectUri]
  const { client_id: id = '', client_secret: secret = '' } = await service.operator(...words)
  return { id, basic: `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}` }
}

/** RFC 7636, appendix B. */
const codeVerifier = 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk'
const codeChallenge = 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM'

const authorizationPath = (clientId: string) =>
  `/oauth2/auth?${new URLSearchParams({
    ...{ response_type: 'code', client_id: clientId, scope: 'openid', prompt: 'consent' },
    ...{ code_challenge: codeChallenge, code_challenge_method: 'S256' },
  }).toString()}`

const post = async (path: string, authorization: string, form: Record<string, string>) => {
  const answer = await fetch(service.address + path, {
    method: 'POST',
    headers: { Authorization: authorization },
    body: new URLSearchParams(form),
  })
  return { status: answer.status, body: (await answer.json()) as any }
}

/** Alice consents; returns the tokens. */
const tokensOf = async ({ id, basic }: Awaited<ReturnType<typeof addApp>>) => {
  const visitor = makeVisitor(service)
  const page = await visitor.follow(await visitor.visit(authorizationPath(id)))
  const asked = await visitor.follow(await visitor.signInAt(page, 'alice'))
  const { location } = await visitor.submit(asked, { decision: 'allow' })
  const code = new URL(location ?? '').searchParams.get('code') ?? ''
  const form = { grant_type: 'authorization_code', code, code_verifier: codeVerifier }
  const { status, body } = await post('/oauth2/token', basic, form)
  if (status !== 200) throw new Error(JSON.stringify(body))
  return body as { access_token: string; refresh_token: string }
}

const statusOf = async (accessToken: string): Promise<number> => {
  const headers = { Authorization: `Bearer ${accessToken}` }
  return (await fetch(`${service.address}/oauth2/v1/userinfo`, { headers })).status
}

test('a disabled application rests with its tokens; a removed one is over', async () => {
  const app = await addApp()
  const { access_token, refresh_token } = await tokensOf(app)
  const refresh = () =>
    post('/oauth2/token', app.basic, { grant_type: 'refresh_token', refresh_token })
  const begin = () => makeVisitor(service).visit(authorizationPath(app.id))
  expect(await statusOf(access_token)).toBe(200)

  expect(await service.operator('app', 'disable', app.id)).toEqual({ id: app.id, enabled: false })
  expect(await statusOf(access_token)).toBe(401)
  expect(await refresh()).toMatchObject({
    status: 401,
    body: {
      error: 'invalid_client',
      error_description: 'The application or its merchant is disabled.',
    },
  })
  expect(await begin()).toMatchObject({
    status: 400,
    location: null,
    html: expect.stringContaining('The application that sent you here is disabled.'),
  })
  expect(await service.operator('app', 'list', 'sandbox')).toMatchObject([
    { client_id: app.id, name: 'Web shop', public: false, enabled: false },
  ])

  await service.operator('app', 'enable', app.id)
  expect(await statusOf(access_token)).toBe(200)
  expect((await refresh()).status).toBe(200)

  expect(await service.operator('app', 'remove', app.id)).toEqual({ id: app.id, removed: true })
  expect(await statusOf(access_token)).toBe(401)
  expect(await refresh()).toMatchObject({ status: 401, body: { error: 'invalid_client' } })
  expect((await begin()).html).toContain('is not known')
  expect(await service.operator('app', 'list', 'sandbox')).toEqual([])
})

test('payers see that a shop is disabled, and its applications stop working', async () => {
  const app = await addApp()
  const { access_token } = await tokensOf(app)
  const urls = { success_return_uri: redirectUri, failure_return_uri: redirectUri }
  const { id } = await service.requestPayment({ ...urls, pos_tid: 'closing' })
  const visitor = makeVisitor(service)
  await visitor.signIn()
  const pages = [`/payer/checkout/${id}`, `/payer/payment/${id}?checkout`]
  for (const path of pages) expect((await visitor.visit(path)).status).toBe(200)
  const open = await visitor.visit(`/payer/payment/${id}?checkout`)

  await service.operator('merchant', 'disable', 'sandbox')
  const told = 'The shop cannot take payments just now. Nothing was paid or shared.'
  for (const path of pages) {
    const page = await visitor.visit(path)
    expect(page.status).toBe(409)
    expect(page.html).toContain(told)
  }
  const late = await visitor.submit(open, { decision: 'accept' })
  expect([late.status, late.html]).toEqual([409, expect.stringContaining(told)])
  expect(await statusOf(access_token)).toBe(401)
  expect((await makeVisitor(service).visit(authorizationPath(app.id))).status).toBe(400)

  await service.operator('merchant', 'enable', 'sandbox')
  expect((await visitor.submit(open, { decision: 'accept' })).status).toBe(303)
  expect(await statusOf(access_token)).toBe(200)
})
