import { request } from 'node:http'
import { gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startPeopleService, type PeopleService } from '../support/people-service.ts'
import { makeVisitor, type TestVisitor } from '../people/visitor.ts'

let service: PeopleService
let alice: TestVisitor

beforeAll(async () => {
  service = await startPeopleService()
  await service.operator('staff', 'add', 'sandbox', '+4799999901', '--role', 'owner')
  alice = makeVisitor(service)
  await alice.signIn('alice')
})
afterAll(() => service.stop())

type Headers = Readonly<Record<string, string>>

/** As it is on the wire, before anything unpacks it. */
const ask = (path: string, headers: Headers) =>
  new Promise<{ readonly headers: Headers; readonly body: Buffer }>((resolve, reject) => {
    request(service.address + path, { headers }, (answer) => {
      const chunks: Buffer[] = []
      answer.on('data', (chunk: Buffer) => chunks.push(chunk))
      answer.on('end', () =>
        resolve({ headers: answer.headers as Headers, body: Buffer.concat(chunks) }),
      )
    })
      .on('error', reject)
      .end()
  })

const cookie = (): string =>
  [...alice.cookies].map(([name, value]) => `${name}=${value}`).join('; ')

const page = '/portal/sandbox/money'
const opened = { 'sec-fetch-site': 'same-origin', 'sec-fetch-dest': 'document' }
const fetched = { 'sec-fetch-site': 'same-origin', 'sec-fetch-dest': 'empty' }
const zipped = { 'accept-encoding': 'gzip, br' }

test.each([
  ['a page that is opened', page, opened, true],
  ['a page that somebody has typed', page, { ...opened, 'sec-fetch-site': 'none' }, true],
  ['a page that fetches itself again', page, fetched, true],
  ['a page with a query', `${page}?before=9`, opened, true],
  ['a page with a query that fetches itself again', `${page}?before=9`, fetched, false],
  ['a page that another site asks for', page, { ...opened, 'sec-fetch-site': 'cross-site' }, false],
  ['a page of a browser that does not say who asks', page, {}, false],
  ['a file of the pages, whoever asks', '/payer/style.css', {}, true],
])('%s is compressed as far as its size tells nothing', async (_, path, says, isZipped) => {
  const who = { cookie: cookie(), ...says }
  const { headers, body } = await ask(path, { ...who, ...zipped })
  expect([path, headers['content-encoding'] === 'gzip']).toEqual([path, isZipped])
  expect(headers['vary']).toMatch(/Accept-Encoding$/)
  const plain = await ask(path, { ...who, 'accept-encoding': 'gzip;q=0' })
  expect(plain.headers['content-encoding']).toBeUndefined()
  if (!isZipped) return
  expect(body.length).toBeLessThan(plain.body.length / 2)
  const told = (bytes: Buffer) =>
    bytes.toString().replaceAll(/(?:name="csrf" value|data-follow)="[^"]*"/g, '')
  expect(told(gunzipSync(body))).toBe(told(plain.body))
})

test('what is small, or of the interface, comes as it is; pages of strangers do not', async () => {
  const of = async (path: string, headers: Headers = {}) =>
    (await ask(path, { ...zipped, ...headers })).headers['content-encoding']
  expect(await of('/openapi.json')).toBe('gzip')
  expect(await of('/payer/sign-in')).toBe('gzip')
  expect(await of('/health/live')).toBeUndefined()
  expect(await of('/merchant/v1/status_code/')).toBeUndefined()
})

test('no page has the token of another one, and each works', async () => {
  const tokenIn = (html: string) => /name="csrf" value="([^"]*)"/.exec(html)?.[1] ?? ''
  const tokens = [await alice.visit(page), await alice.visit(page)].map(({ html }) => tokenIn(html))
  expect(tokens[0]).not.toBe('')
  expect(tokens[0]?.slice(22)).not.toBe(tokens[1]?.slice(22))
  const send = (csrf: string) =>
    alice.visit('/portal/sandbox/messages', {
      ...{ method: 'POST', body: new URLSearchParams({ csrf, notice: 'none' }) },
    })
  for (const token of tokens) expect((await send(token)).status).not.toBe(403)
  expect((await send(`${tokens[0]?.slice(0, 22)}${tokens[1]?.slice(22)}`)).status).toBe(403)
})
