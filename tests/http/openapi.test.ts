import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { openApiDocument, operationsOf, type OpenApiDocument } from './openapi-document.ts'
import { startService, type Service } from '../support/http-service.ts'

let service: Service

let document: OpenApiDocument

let printed: unknown

beforeAll(async () => {
  service = await startService({ SECURITY_CONTACT: 'https://pay.example/report' })
  printed = (await service.call('GET', '/openapi.json')).body
  document = openApiDocument.parse(printed)
})

afterAll(() => service.stop())

const templateOf = (path: string): string => path.replaceAll(/:(\w+)(?:\{[^}]*\})?/g, '{$1}')

describe('the document', () => {
  test('is OpenAPI 3.1 in which every name is unique and every reference leads somewhere', () => {
    const sent = Object.values(document.webhooks).map(({ post }) => post)
    const operations = [...operationsOf(document).values(), ...sent]
    const ids = operations.map(({ operationId }) => operationId)
    expect(new Set(ids).size).toBe(ids.length)
    const references = JSON.stringify(printed).matchAll(/#\/components\/schemas\/(\w+)/g)
    const named = new Set([...references].map(([, name]) => name))
    expect([...named].sort()).toEqual(Object.keys(document.components.schemas).sort())
    expect(JSON.stringify(printed)).not.toContain('$defs')
    for (const { security } of operations)
      for (const scheme of security.flatMap(Object.keys))
        expect(Object.keys(document.components.securitySchemes)).toContain(scheme)
  })

  test('lists each group that it has, payments first', () => {
    const tags = document.tags.map(({ name }) => name)
    const sent = Object.values(document.webhooks).map(({ post }) => post)
    const used = [...operationsOf(document).values(), ...sent].flatMap(({ tags }) => tags)
    expect([...tags].sort()).toEqual([...new Set(used)].sort())
    expect(tags[0]).toBe('Payment request')
  })

  test('declares the parameters that stand in its paths', () => {
    for (const [name, { parameters }] of operationsOf(document)) {
      const inPath = [...name.matchAll(/\{(\w+)\}/g)].map(([, parameter]) => parameter)
      const declared = parameters.filter(({ in: where }) => where === 'path')
      expect(declared.map(({ name }) => name)).toEqual(inPath)
      expect(declared.every(({ required }) => required)).toBe(true)
    }
  })

  test('has every path that is mounted, and no other', () => {
    const mounted = new Set(service.app.routes.map(({ path }) => templateOf(path)))
    expect(Object.keys(document.paths)).toEqual([...mounted])
    expect(mounted.size).toBeGreaterThan(15)
  })

  test('has every method that a path answers to, and no other', { tags: 'long' }, async () => {
    const scopes = ['shipping_address', 'personal_id/no/id', 'personal_id/no/bankid']
    const pagesMayAsk = new Set([
      ...['/oauth2/token', '/oauth2/revoke', '/oauth2/v1/userinfo'],
      ...scopes.map((name) => `/oauth2/v1/scope/${name}`),
      ...['/.well-known/openid-configuration', '/.well-known/oauth-authorization-server'],
      '/oauth2/jwks',
    ])
    const { text } = await service.call('GET', '/docs/browsers')
    const told = [...text.matchAll(/<li><code>(.*?)<\/code><\/li>/g)].map(([, path]) => path)
    expect(told).toEqual([...pagesMayAsk])
    for (const [template, methods] of Object.entries(document.paths)) {
      const path = template.replaceAll(/\{\w+\}/g, 'x')
      const { status, headers } = await service.call('OPTIONS', path)
      const documented = Object.keys(methods).map((method) => method.toUpperCase())
      const allowed = (headers.allow ?? '').split(', ').filter((method) => method !== 'HEAD')
      expect([template, allowed]).toEqual([template, documented])
      expect([template, status]).toEqual([template, pagesMayAsk.has(template) ? 204 : 405])
      const origin = headers['access-control-allow-origin']
      expect([template, origin]).toEqual([template, status === 204 ? '*' : undefined])
      for (const method of documented)
        expect((await service.call(method, path)).status).not.toBe(405)
    }
  })

  test('asks for credentials where the service does', async () => {
    for (const [name, { security, responses }] of operationsOf(document)) {
      const [method = '', template = ''] = name.split(' ')
      const answer = await service.call(method, template.replaceAll(/\{\w+\}/g, 'x'))
      expect([name, answer.status === 401]).toEqual([name, security.length > 0])
      if (security.length > 0) expect([name, '401' in responses]).toEqual([name, true])
    }
  })

  test.each(['PaymentRequestInput', 'PermissionRequestInput'])(
    'says whom %s may name as customer, and when it expires by itself',
    (name) => {
      const { properties } = z
        .looseObject({ properties: z.record(z.string(), z.looseObject({})) })
        .parse(document.components.schemas[name])
      expect(properties['customer']?.['description']).toMatch(/access token.*phone number/)
      expect(properties['expires_in']).toMatchObject({
        description: expect.stringMatching(/^Seconds.* Default: 21600\.$/),
      })
    },
  )

  test('is what the command prints', { tags: 'long' }, async () => {
    const { stdout } = await promisify(execFile)('npm', ['run', '-s', 'openapi'], {
      cwd: new URL('../..', import.meta.url).pathname,
      env: { ...process.env, MODE: 'sandbox' },
      maxBuffer: 10_000_000,
    })
    expect(JSON.parse(stdout)).toEqual(printed)
  })
})

describe('the documentation', () => {
  test('is where somebody who knows no path is led', async () => {
    for (const path of ['/', '/%2e%2e/']) {
      const { status, headers } = await service.call('GET', path)
      expect([status, headers['location']]).toEqual([302, `${service.address}/docs`])
    }
    expect((await service.call('POST', '/')).status).toBe(405)
  })

  test('says of every operation and callback in a line what it does, and more beside', () => {
    const sent = Object.entries(document.webhooks).map(([name, { post }]) => [name, post] as const)
    let described = 0
    for (const [name, { summary, description }] of [...operationsOf(document), ...sent]) {
      expect([name, summary]).toEqual([name, expect.stringMatching(/^[A-Z].{3,}/)])
      if (description === undefined) continue
      expect([name, description]).toEqual([name, expect.stringMatching(/^[A-Z][^]*[.:]$/)])
      described += 1
    }
    expect(described).toBeGreaterThan(20)
  })
})
