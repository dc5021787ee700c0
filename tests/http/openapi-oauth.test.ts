import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { codeOf, startPeopleService, type PeopleService } from '../support/people-service.ts'
import { makeVisitor } from '../people/visitor.ts'
import {
  makeAnswerCheck,
  openApiDocument,
  operationsOf,
  type OpenApiDocument,
} from './openapi-document.ts'
import { formsIn, queryIn } from './openapi-fields.ts'
import { pkce } from '../people/pkce.ts'

const redirectUri = 'https://shop.example/callback'
const clientEndpoints = ['/oauth2/token', '/oauth2/revoke', '/oauth2/introspect']

let service: PeopleService
let document: OpenApiDocument
let app: { readonly client_id: string; readonly client_secret: string }
beforeAll(async () => {
  service = await startPeopleService()
  document = openApiDocument.parse((await service.call('GET', '/openapi.json')).body)
  const words = ['sandbox', '--name', 'Shop', '--redirect-uri', redirectUri]
  app = (await service.operator('app', 'add', ...words)) as typeof app
})
afterAll(() => service.stop())

const operation = (name: string) => operationsOf(document).get(name)!

const queryOf = (name: string) => queryIn(operation(name))
const formsOf = (name: string) => formsIn(operation(name))

const authorize = async (query: Readonly<Record<string, string>>) => {
  const path = `/oauth2/auth?${new URLSearchParams(query).toString()}`
  const { status, headers } = await fetch(service.address + path, { redirect: 'manual' })
  const location = headers.get('location')
  return { status, error: location === null ? null : new URL(location).searchParams.get('error') }
}

const ask = async (
  path: string,
  fields: Readonly<Record<string, string>>,
  more: Readonly<Record<string, string>> = {},
) => {
  const { client_id, client_secret } = app
  const credentials = Buffer.from(`${client_id}:${client_secret}`).toString('base64')
  const response = await fetch(service.address + path, {
    method: 'POST',
    body: new URLSearchParams(fields).toString(),
    headers: {
      Authorization: `Basic ${credentials}`,
      'Content-Type': 'application/x-www-form-urlencoded',
      ...more,
    },
  })
  const text = await response.text()
  const header = (name: string) => response.headers.get(name)
  return { status: response.status, type: header('content-type') ?? '', header, text }
}

const without = (fields: Readonly<Record<string, string>>, name: string) =>
  Object.fromEntries(Object.entries(fields).filter(([one]) => one !== name))

describe('the authorization request', () => {
  const required = () => ({
    ...{ response_type: 'code', client_id: app.client_id },
    ...pkce.challenge,
  })

  test('given what is documented as required and nothing else, when it is sent, then the payer is asked to sign in', async () => {
    const names = queryOf('GET /oauth2/auth').filter(({ isRequired }) => isRequired)
    expect(names.map(({ name }) => name)).toEqual(Object.keys(required()))
    expect((await authorize(required())).status).toBe(200)
  })

  test('given one that lacks what is documented as required, when it is sent, then it is refused', async () => {
    expect((await authorize(without(required(), 'client_id'))).status).toBe(400)
    expect(await authorize(without(required(), 'response_type'))).toEqual({
      status: 303,
      error: 'invalid_request',
    })
  })

  test('given a value outside of what the document says of it, when it is sent, then it is refused', async () => {
    const limited = queryOf('GET /oauth2/auth').filter(
      ({ type, ...field }) =>
        type === 'integer' || (field.const ?? field.pattern ?? field.maxLength),
    )
    expect(limited.map(({ name }) => name)).toEqual([
      ...['response_type', 'state', 'nonce', 'code_challenge', 'code_challenge_method'],
      ...['dpop_jkt', 'response_mode', 'max_age'],
    ])
    for (const { name, maxLength = 43 } of limited) {
      const { status, error } = await authorize({
        ...required(),
        [name]: 'x'.repeat(maxLength + 1),
      })
      expect([name, status, error]).toEqual([name, 303, expect.stringMatching(/invalid|unsupp/)])
    }
  })

  test('given the example of each parameter, when it is sent, then it is taken', async () => {
    const shown = queryOf('GET /oauth2/auth').filter(({ examples }) => examples)
    const query = Object.fromEntries(shown.map(({ name, examples = [] }) => [name, examples[0]!]))
    expect(Object.keys(query)).toContain('code_challenge')
    expect(await authorize({ ...required(), ...query })).toEqual({
      status: 200,
      error: null,
    })
  })
})

describe.each(clientEndpoints)('%s', (path) => {
  test('given a form, when a field is left out, then it is missed if it is documented as required, and only then', async () => {
    for (const fields of formsOf(`POST ${path}`)) {
      expect(fields.length).toBeGreaterThan(2)
      const samples = fields.map((field) => [field.name, field.const ?? field.examples?.[0] ?? 'x'])
      const given = without(Object.fromEntries(samples), 'client_secret')
      const form = { ...given, client_id: app.client_id }
      for (const { name, isRequired } of fields) {
        const { text } = await ask(path, without(form, name))
        expect([name, text.includes(`${name} is missing.`)]).toEqual([name, isRequired])
      }
    }
  })

  test('given a request that is wrong, when it is refused, then as is documented, in the words of OAuth', async () => {
    const { check, seen } = makeAnswerCheck(document)
    const refused = [
      await ask(path, {}),
      await ask(path, { client_id: 'nobody' }, { Authorization: 'none' }),
      await ask(path, {}, { Accept: 'image/png' }),
      await ask(path, { token: 'x'.repeat(1_048_577) }),
      await ask(path, { token: 'x' }, { 'Content-Type': 'text/plain' }),
    ]
    for (const answer of refused) check('POST', path, { ...answer, body: JSON.parse(answer.text) })
    const statuses = [400, 401, 406, 413, 415]
    expect([...seen]).toEqual(statuses.map((status) => `POST ${path} ${status}`))
  })
})

test('given an endpoint for clients or tokens, then its errors are documented in the words of OAuth alone', () => {
  const names = [...operationsOf(document)].flatMap(([name, { security }]) =>
    security.some((one) => 'client' in one || 'token' in one) ? name : [],
  )
  expect(names).toHaveLength(8)
  for (const name of names) {
    const told = ['WWW-Authenticate', 'Cache-Control', 'Pragma', 'X-Service-Position']
    expect([name, Object.keys(operation(name).responses['401']?.headers ?? {})]).toEqual([
      name,
      told,
    ])
    for (const [status, { content }] of Object.entries(operation(name).responses))
      if (status !== '200')
        expect([name, status, content]).toEqual([
          ...[name, status],
          { 'application/json': { schema: { $ref: '#/components/schemas/OAuthError' } } },
        ])
  }
})

/** An access token without any scope. */
const tokenWithoutScope = async (): Promise<string> => {
  const payer = makeVisitor(service)
  const asked = { response_type: 'code', client_id: app.client_id, ...pkce.challenge }
  const query = new URLSearchParams(asked)
  const signedIn = await payer.signInAt(await payer.visit(`/oauth2/auth?${query}`), 'bob')
  const { location } = await payer.submit(await payer.follow(signedIn), { decision: 'allow' })
  const code = new URL(location ?? '').searchParams.get('code') ?? ''
  const { text } = await ask('/oauth2/token', {
    ...{ grant_type: 'authorization_code', code, ...pkce.verifier },
  })
  return JSON.parse(text).access_token
}

test('given an endpoint that takes a token, when there is none, a wrong one or one without the scope, then the challenge names what is missing, as is documented', async () => {
  const { check } = makeAnswerCheck(document)
  const token = await tokenWithoutScope()
  const names = [...operationsOf(document)].flatMap(([name, { security }]) =>
    security.some((one) => 'token' in one) ? name : [],
  )
  expect(names).toHaveLength(5)
  for (const name of names) {
    const [method = '', path = ''] = name.split(' ')
    const challenge = async (status: number, headers: Readonly<Record<string, string>>) => {
      const response = await fetch(service.address + path, { method, headers })
      const text = await response.text()
      const header = (one: string) => response.headers.get(one)
      const type = header('content-type') ?? ''
      expect([name, response.status]).toEqual([name, status])
      const documented = operation(name).responses[String(status)]?.headers ?? {}
      expect([name, status, Object.keys(documented)]).toEqual([
        ...[name, status],
        expect.arrayContaining(['WWW-Authenticate']),
      ])
      check(method, path, { status, type, header, text, body: JSON.parse(text) })
      return header('www-authenticate')
    }
    expect(await challenge(401, {})).toMatch(
      /^Bearer realm="daybook", DPoP realm="daybook", algs="ES256 [\w ]+"$/,
    )
    expect(await challenge(401, { Authorization: 'Bearer unknown' })).toMatch(
      /^Bearer realm="daybook", error="invalid_token", error_description="[^"\\]+"$/,
    )
    const lacking = await challenge(403, { Authorization: `Bearer ${token}` })
    const [, scope] =
      /^Bearer realm="daybook", error="insufficient_scope", error_description="[^"\\]+", scope="(\w+)"$/.exec(
        lacking ?? '',
      ) ?? []
    expect([name, operation(name).description]).toEqual([
      name,
      expect.stringContaining(`Needs the scope \`${scope}\``),
    ])
  }
})

test('given an answer that leads elsewhere, then it is documented with its target and without a body', () => {
  const redirects = [...operationsOf(document).values()].flatMap(({ responses }) =>
    Object.entries(responses).flatMap(([status, answer]) => (/^3/.test(status) ? answer : [])),
  )
  expect(redirects.length).toBeGreaterThan(10)
  for (const { headers, content } of redirects)
    expect([Object.keys(headers ?? {}), content]).toEqual([
      expect.arrayContaining(['Location']),
      undefined,
    ])
})

test('given a parameter of OAuth, then the document describes it, with the clause that it is from', () => {
  const ofClients = clientEndpoints.map((path) => `POST ${path}`)
  const clause = /^(RFC \d+|OpenID Connect Core|OAuth 2.0 Multiple Response Types), \d/
  for (const name of ['GET /oauth2/auth', ...ofClients]) {
    const fields = [...queryOf(name), ...formsOf(name).flat()]
    expect(fields.length).toBeGreaterThan(2)
    for (const { name, description = '' } of fields) {
      // A number to distinguish runs.
      if (name !== 'attempt')
        expect([name, description]).toEqual([name, expect.stringMatching(clause)])
    }
  }
})

test('given the pages of an authorization, then each field of their forms is documented where the form is sent', async () => {
  const payer = makeVisitor(service)
  const query = new URLSearchParams({
    response_type: 'code',
    client_id: app.client_id,
    scope: 'openid profile',
    ...pkce.challenge,
  })
  const signIn = await payer.visit(`/oauth2/auth?${query.toString()}`)
  const second = await payer.submit(signIn, { phone: '4799999901', pin: '1234' })
  const consent = await payer.follow(await payer.submit(second, { code: codeOf('alice') }))
  const documented = new Map(
    ['auth', 'post_auth/{request_id}'].map((path) => [
      path.split('/')[0],
      new Set(
        formsOf(`POST /oauth2/${path}`)
          .flat()
          .map(({ name }) => name),
      ),
    ]),
  )
  const found = new Set<string>()
  for (const { html } of [signIn, second, consent])
    for (const [, path = '', form = ''] of html.matchAll(
      /<form[^>]* action="\/oauth2\/(\w+)[^>]*>([^]*?)<\/form>/g,
    ))
      for (const [, name = ''] of form.matchAll(/ name="(\w+)"/g)) {
        expect([path, name, documented.get(path)?.has(name)]).toEqual([path, name, true])
        found.add(name)
      }
  expect([...found].sort()).toEqual([
    'asked',
    'challenge',
    'code',
    'csrf',
    'decision',
    'phone',
    'pin',
    'recovery_code',
    'scope',
  ])
})

test.each(['application/json', 'application/jwk-set+json'])(
  'given a client that takes keys as %s and as nothing else, when it asks for them, then they come as that',
  async (Accept) => {
    const { headers } = await fetch(`${service.address}/oauth2/jwks`, { headers: { Accept } })
    expect(headers.get('content-type')).toBe(Accept)
    const answers = operation('GET /oauth2/jwks').responses['200']?.content ?? {}
    expect(Object.keys(answers)).toContain(Accept)
  },
)
