// @module-tag long
import { createHash, createPublicKey, createVerify } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { connect, type AddressInfo, type Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { setImmediate as nextTurn } from 'node:timers/promises'
import {
  afterAll,
  afterEach,
  beforeAll,
  beforeEach,
  describe,
  expect,
  onTestFinished,
  test,
  vi,
} from 'vitest'
import { z } from 'zod'
import { makeApp, type AppNeeds } from '../../http/app.ts'
import { makeErrorPage } from '../../web/ui/problem.tsx'
import { asPages } from '../../web/ui/page.tsx'
import { namesOf } from '../../http/assets.ts'
import { route, type Route, type UploadForm } from '../../http/route.ts'
import { serviceRoutes, type ServiceNeeds } from '../../http/service.ts'
import {
  authorizedPayment,
  error,
  paths,
  requestPayment,
  sign,
  startService,
  wrongFields,
  type Service,
} from '../support/http-service.ts'
import { dateTime } from '../../harness/signing.ts'
import { paymentInput } from '../../harness/register-merchant.ts'

let service: Service

beforeAll(async () => {
  service = await startService({ LOG_LEVEL: 'trace' })
})

afterAll(() => service.stop())

/** The needs of an app with open routes. */
const bareApp: Omit<AppNeeds, 'routes'> = {
  names: namesOf({ headerPrefix: 'X-Service', mediaVendor: 'service' }),
  authenticate: () => Promise.reject(new Error('nobody is asked')),
  freshness: {
    known: () => 0,
    read: () => ({
      settle: async () => 'settled',
      run: (work) => work(),
      position: () => 0,
      age: () => undefined,
    }),
  },
  isSecure: false,
  publicUrl: undefined,
  clientAddress: (peer) => peer,
  networksOf: (address) => [address],
  now: Date.now,
  newId: () => 'the-request-id',
  observe: () => {},
  retryWhileHeld: (ask) => ask(),
  isOutage: () => false,
  onBug: () => {},
  errorPage: makeErrorPage({
    isSecure: false,
    footer: { help: 'https://pay.example/help', terms: undefined, privacy: undefined },
  }),
}

describe('the service says of itself', () => {
  test('that it lives and is ready, and how far it is', async () => {
    const { call, core } = service
    expect(await call('GET', '/health/live')).toMatchObject({
      status: 200,
      body: { status: 'live' },
    })
    // It has just started.
    await expect.poll(() => call('GET', '/health/ready')).toMatchObject({ status: 200 })
    const head = await core.store.head()
    expect(await call('GET', '/health/ready')).toMatchObject({
      status: 200,
      body: { status: 'ready', position: head, head },
    })
  })

  test('where its documentation is, by a redirect from / to /docs', async () => {
    const root = await fetch(`${service.address}/`, {
      redirect: 'manual',
      headers: { accept: 'text/html' },
    })
    expect([root.status, root.headers.get('location')]).toEqual([302, `${service.address}/docs`])
  })

  test('that it is not ready while its read models catch up, and how far they are', async () => {
    const needs = {
      readyDetails: () => ({}),
      ready: async () => ({
        isReady: false,
        isStoreUp: true,
        failing: [],
        isDamaged: false,
        position: 45_999,
        head: 100_000,
        behind: 54_001,
      }),
    }
    const routes = serviceRoutes(needs as unknown as ServiceNeeds)
    const answer = await makeApp({ ...bareApp, routes }).request('/health/ready')
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '1'])
    expect(await answer.json()).toEqual(
      error('Service Unavailable', /45 % done/, {
        ...{ position: ['45999'], head: ['100000'] },
        behind: ['54001'],
      }),
    )
  })

  test('what it has done, in the form of Prometheus', async () => {
    const { call, pos1 } = service
    await pos1('GET', `${paths.pointsOfSale}no-such-till/`)
    const { headers, text } = await call('GET', '/metrics', { headers: { Accept: 'text/plain' } })
    expect(headers['content-type']).toMatch(/^text\/plain; version=/)
    expect(text).toMatch(
      /daybook_http_request_seconds_count\{method="GET",path="\/merchant\/v1\/pos\/:pos_id\/",status="404"\} [1-9]/,
    )
    expect(text).toMatch(/^daybook_store_up 1$/m)
    const [, free] = /^daybook_disk_free_bytes (\S+)$/m.exec(text) ?? []
    expect(Number(free)).toBeGreaterThan(0)
    expect(text).toMatch(/^daybook_read_models_behind_events \d+$/m)
    expect(text).toMatch(/^daybook_callbacks_unfinished \d+$/m)
    expect(text).not.toContain('no-such-till')
  })

  test('what its status codes mean', async () => {
    const { call } = service
    const { body } = await call('GET', paths.statusCodes)
    const codes = (body as { code: number; name: string }[]).map(({ code, name }) => [code, name])
    expect(codes).toEqual([
      [1003, 'PENDING'],
      [2000, 'OK'],
      [3008, 'AUTH'],
      [4004, 'NOT_FOUND'],
      [4019, 'ABORTED'],
      [5006, 'REJECTED'],
      [5007, 'INSUFFICIENT_FUNDS'],
      [5008, 'AMOUNT_LIMIT_EXCEEDED'],
      [5011, 'REQUEST_EXPIRED'],
      [5012, 'AUTH_EXPIRED'],
    ])
    for (const status of body) {
      expect(status.description).toMatch(/^[A-Z].*\.$/)
      expect((await call('GET', `${paths.statusCodes}${status.code}/`)).body).toEqual(status)
    }
    expect((await call('GET', `${paths.statusCodes}1000/`)).status).toBe(404)
  })

  test('with which keys it signs its callbacks', async () => {
    const { call } = service
    const pem = await call('GET', '/callback_key.pem')
    expect(pem.headers['content-type']).toBe('application/x-pem-file')
    const { body } = await call('GET', '/callback_keys.json')
    const [key] = body.keys
    expect(body.keys).toHaveLength(1)
    expect(key.rsa_pem).toBe(pem.text)
    for (const shown of [key.rsa_pem, key.ed25519_pem])
      expect(shown).toMatch(/^-----BEGIN PUBLIC KEY-----\n/)
    const jwk = createPublicKey(pem.text).export({ format: 'jwk' })
    expect(key.rsa_jwk).toEqual({ ...jwk, alg: 'RS256', use: 'sig' })
    expect(key.ed25519).toMatch(/^whpk_[A-Za-z0-9+/]{43}=$/)
    const raw = Buffer.from(key.ed25519.slice('whpk_'.length), 'base64').toString('base64url')
    const okp = createPublicKey(key.ed25519_pem).export({ format: 'jwk' })
    expect(okp).toEqual({ kty: 'OKP', crv: 'Ed25519', x: raw })
    expect(key.ed25519_jwk).toEqual({ ...okp, alg: 'EdDSA', use: 'sig' })
    expect(key.valid_from).toMatch(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/)
    expect(Date.parse(`${key.valid_from}Z`)).toBeLessThanOrEqual(Date.now())
  })
})

describe('the sandbox', () => {
  const sandbox = (path: string, verb: string, body?: unknown) =>
    service.call('POST', `/sandbox/v1/payment_request/${path.split('/').at(-2)}/${verb}/`, {
      ...(body !== undefined && { body }),
    })
  const outcome = async (path: string) => (await service.pos1('GET', `${path}outcome/`)).body

  test('accepts for the payer who was asked, once, with credit and a tip where that is allowed', async () => {
    const tip = { additional_amount: '10', additional_edit: true, allow_credit: true }
    const path = await requestPayment(service.pos1, tip)
    const wish = { additional_amount: '12.5', credit: true }
    expect(await sandbox(path, 'accept', { payer: 'bob', ...wish })).toMatchObject({
      status: 409,
      body: error('Conflict', /another payer/),
    })
    for (let time = 0; time < 2; time++)
      expect(await sandbox(path, 'accept', wish)).toMatchObject({ status: 204, text: '' })
    expect(await sandbox(path, 'decline')).toMatchObject({ status: 409 })
    expect(await outcome(path)).toMatchObject({
      status: 'auth',
      additional_amount: '12.50',
      credit: true,
    })
  })

  test('takes a tip of ten times the amount as confirmed, and no more', async () => {
    const path = await requestPayment(service.pos1, { additional_edit: true })
    const accept = (additional_amount: string) => sandbox(path, 'accept', { additional_amount })
    expect(await accept('1000.01')).toMatchObject(wrongFields('additional_amount'))
    expect(await accept('1000.00')).toMatchObject({ status: 204 })
  })

  test('refuses what the merchant did not allow, and what makes no sense', async () => {
    const path = await requestPayment(service.pos1)
    for (const [wish, field] of [
      [{ additional_amount: '1' }, 'additional_amount'],
      [{ additional_amount: '0.001' }, 'additional_amount'],
      [{ credit: true }, 'credit'],
      [{ credit: 'yes' }, 'credit'],
      [{ payer: 'nobody' }, 'payer'],
      [{ payer: 5 }, 'payer'],
    ] as const)
      expect(await sandbox(path, 'accept', wish)).toMatchObject(wrongFields(field))
    expect(await sandbox(path, 'decline', { payer: 'nobody' })).toMatchObject(wrongFields('payer'))
    expect(await sandbox('x/0/', 'accept')).toMatchObject({ status: 404 })
    expect(await sandbox('x/0/', 'decline')).toMatchObject({ status: 404 })
    expect(await outcome(path)).toMatchObject({ status: 'pending', status_code: 1003 })
  })

  test('declines, and refuses funds by amount and by payer', async () => {
    const declined = await requestPayment(service.pos1)
    for (let time = 0; time < 2; time++)
      expect(await sandbox(declined, 'decline', {})).toMatchObject({ status: 204 })
    expect(await outcome(declined)).toMatchObject({ status: 'fail', status_code: 5006 })
    for (const [changes, code] of [
      [{ amount: '5007' }, 5007],
      [{ amount: '5008' }, 5008],
      [{ amount: '1000.01', customer: '4799999902' }, 5008],
    ] as const) {
      const path = await requestPayment(service.pos1, changes)
      expect(await sandbox(path, 'accept')).toMatchObject({ status: 204 })
      expect(await outcome(path)).toMatchObject({ status: 'fail', status_code: code })
    }
  })

  test('moves its clock forward and never back, and answers the new time', async () => {
    const { call, core } = service
    const move = (body: unknown) => call('POST', paths.clock, { body })
    const before = core.now()
    const { body } = await move({ advance_seconds: 3600 })
    const after = Date.parse(`${body.now.replace(' ', 'T')}Z`)
    expect(after - before).toBeGreaterThan(3_598_000)
    const later = dateTime(after + 60_000)
    expect((await move({ now: later })).body.now).toBe(later)
    for (const [wrong, field] of [
      [{ now: body.now }, 'now'],
      [{ now: '9999-12-31 23:59:59' }, 'now'],
      [{ now: '2027-02-29 00:00:00' }, 'now'],
      [{ now: '2027-02-28 24:00:00' }, 'now'],
      [{ now: 1 }, 'now'],
      [{ advance_seconds: -1 }, 'advance_seconds'],
      [{ advance_seconds: 1.5 }, 'advance_seconds'],
      [{ advance_seconds: '60' }, 'advance_seconds'],
      [{ advance_seconds: 1, now: later }, 'advance_seconds'],
      [{}, 'advance_seconds'],
    ] as const)
      expect([wrong, await move(wrong)]).toMatchObject([wrong, wrongFields(field)])
  })

  test('goes on to the end of its time, where payments can still be made and read', async () => {
    const last = await startService()
    const { call, pos1 } = last
    const moved = await call('POST', paths.clock, { body: { now: '9998-12-31 23:59:00' } })
    expect(moved.status).toBe(200)
    const path = await requestPayment(pos1, { expires_in: 2_592_000 })
    expect((await pos1('GET', path)).body.date_expires).toMatch(/^9999-01-30 23:59:\d\d$/)
    expect(await pos1('GET', `${path}outcome/`)).toMatchObject({ body: { status: 'pending' } })
    await last.stop()
  })

  test('sends a test message, signed as the interface says', async () => {
    const { call } = service
    const receiver = createServer()
    const received = once(receiver, 'request') as Promise<[IncomingMessage, ServerResponse]>
    await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve))
    const { port } = receiver.address() as AddressInfo
    const callback_uri = `HTTP://127.0.0.1:${port}/Hook?x=1`
    expect(await call('POST', '/sandbox/v1/callback/', { body: { callback_uri } })).toMatchObject({
      status: 204,
    })
    const [incoming, outgoing] = await received
    const body = await text(incoming)
    outgoing.end()
    const { headers } = incoming
    expect(JSON.parse(body)).toMatchObject({ meta: { event: 'test_event', uri: null, seqno: 1 } })
    const digest = `SHA256=${createHash('sha256').update(body).digest('base64')}`
    const url = `http://127.0.0.1:${port}/Hook?x=1`
    const signed = `POST|${url}|X-SERVICE-CONTENT-DIGEST=${digest}&X-SERVICE-TIMESTAMP=${headers['x-service-timestamp']}`
    const signature = String(headers['authorization']).replace('RSA-SHA256 ', '')
    const { text: key } = await call('GET', '/callback_key.pem')
    expect(createVerify('RSA-SHA256').update(signed).verify(key, signature, 'base64')).toBe(true)
    for (const wrong of ['x', 'ftp://127.0.0.1/', undefined])
      expect(
        await call('POST', '/sandbox/v1/callback/', { body: { callback_uri: wrong } }),
      ).toMatchObject(wrongFields('callback_uri'))
    receiver.closeAllConnections()
    receiver.close()
  })
})

test('in production there is no sandbox, and nothing of it in the document', async () => {
  const production = await startService({ MODE: 'production' })
  const { call } = production
  expect(await call('POST', paths.clock, { body: { advance_seconds: 1 } })).toMatchObject({
    status: 404,
    body: error('Not Found', /nothing at this URL/),
  })
  const document = await call('GET', '/openapi.json')
  expect(document.text).not.toContain('/sandbox/')
  expect(document.text).toContain('/merchant/v1/pos/')
  const secret = production.withSecret('sandbox', 'pos1', 'sandbox-secret')
  expect(await secret('GET', paths.pointsOfSale)).toMatchObject({ status: 401 })
  await production.stop()
})

test('in production every answer says TLS only, nosniff and no frames', async () => {
  const production = await startService({ MODE: 'production' })
  const ofAll = {
    'strict-transport-security': 'max-age=31536000',
    'x-content-type-options': 'nosniff',
  }
  for (const path of ['/health/live', '/nothing', paths.pointsOfSale, '/payer/sign-in', '/docs'])
    expect((await production.call('GET', path)).headers).toMatchObject({
      ...ofAll,
      'content-security-policy': expect.stringMatching(
        /default-src 'none'.*frame-ancestors 'none'/,
      ),
    })
  const { hostname, port } = new URL(production.address)
  const connecting = 'CONNECT a:1 HTTP/1.1\r\nHost: a:1\r\n\r\n'
  for (const bytes of ['nonsense\r\n\r\n', connecting]) {
    const socket = connect(Number(port), hostname).setEncoding('utf8')
    socket.write(bytes)
    const [answer] = (await once(socket, 'data')) as [string]
    socket.destroy()
    for (const [name, value] of Object.entries(ofAll))
      expect(answer.toLowerCase()).toContain(`${name}: ${value}`)
  }
  await production.stop()
})

describe('in production', () => {
  let production: Service
  beforeEach(async () => {
    production = await startService({ MODE: 'production' })
  })
  afterEach(() => production.stop())

  test('metrics are at an address of their own, and none on the public port', async () => {
    expect((await production.call('GET', '/metrics')).status).toBe(404)
    expect((await production.call('GET', '/openapi.json')).text).not.toContain('/metrics')
    const own = production.metricsAddress
    const metrics = await fetch(`${own}/metrics`)
    expect(metrics.headers.get('content-type')).toMatch(/^text\/plain; version=/)
    expect(await metrics.text()).toMatch(/^daybook_store_up 1$/m)
    expect((await fetch(`${own}/health/live`)).status).toBe(404)
    expect((await fetch(`${own}/metrics`, { method: 'POST' })).status).toBe(405)
  })

  test.each(['X-Forwarded-For', 'Forwarded'])(
    '%s from an unknown proxy is told once, loudly, and in /health/ready',
    async (name) => {
      const ready = () => production.call('GET', '/health/ready')
      await expect.poll(ready).toMatchObject({ status: 200 })
      expect((await ready()).body.details).toBeUndefined()
      const told = () =>
        production.logged.filter((line) => /"level":50.*TRUSTED_PROXIES/.test(line))
      expect(told()).toEqual([])
      const headers = { [name]: name === 'Forwarded' ? 'for=192.0.2.7' : '192.0.2.7' }
      for (let n = 0; n < 2; n++) await production.call('GET', '/health/live', { headers })
      expect(told()).toEqual([expect.stringContaining('"peer":"127.0.0.1"')])
      expect((await ready()).body.details).toEqual({
        TRUSTED_PROXIES: [expect.stringMatching(/proxy that is not trusted/)],
      })
    },
  )
})

test('given a trusted proxy, then no warning is logged', async () => {
  const production = await startService({ MODE: 'production', TRUSTED_PROXIES: '127.0.0.1' })
  await production.call('GET', '/health/live', { headers: { 'X-Forwarded-For': '192.0.2.7' } })
  expect(production.logged.join('')).not.toContain('TRUSTED_PROXIES')
  await production.stop()
})

test('given a trusted proxy that sends conflicting headers, then it is reported once', async () => {
  const production = await startService({ MODE: 'production', TRUSTED_PROXIES: '127.0.0.1' })
  const headers = { 'X-Forwarded-For': '192.0.2.7', Forwarded: 'for=203.0.113.5' }
  for (let n = 0; n < 2; n++) await production.call('GET', '/health/live', { headers })
  const told = production.logged.filter((line) => /"level":50.*Forwarded/.test(line))
  expect(told).toEqual([expect.stringContaining('different senders')])
  await production.stop()
})

describe('under another name and behind a proxy', () => {
  let branded: Service
  beforeAll(async () => {
    branded = await startService({
      HEADER_PREFIX: 'X-Acme',
      MEDIA_VENDOR: 'Acme',
      ABSOLUTE_URIS: 'true',
      PUBLIC_URL: 'https://Pay.Example/',
    })
  })
  afterAll(() => branded.stop())
  const publicUrl = 'https://Pay.Example'
  const type = 'application/vnd.Acme.api.merchant.v1+json'

  test('the service speaks that name, and full URLs everywhere', async () => {
    const { pos1, address } = branded
    const created = await pos1(
      'POST',
      paths.pointsOfSale,
      { id: 'a.b', name: 'x', type: 'store' },
      { 'Content-Type': type.toLowerCase() },
    )
    expect([created.status, created.headers.location]).toEqual([
      201,
      `${publicUrl}${paths.pointsOfSale}a.b/`,
    ])
    const list = await pos1('GET', paths.pointsOfSale, undefined, { Accept: type })
    expect(list).toMatchObject({
      status: 200,
      headers: { 'content-type': type },
      body: {
        uris: [`${publicUrl}${paths.pointsOfSale}a.b/`, `${publicUrl}${paths.pointsOfSale}till-1/`],
        next: null,
      },
    })
    const old = { 'Content-Type': 'application/vnd.service.api.merchant.v1+json' }
    expect(await pos1('POST', paths.pointsOfSale, {}, old)).toMatchObject({ status: 415 })
    const plain = await branded.call('GET', paths.pointsOfSale, {
      headers: {
        'X-Service-Merchant': 'sandbox',
        'X-Service-User': 'pos1',
        Authorization: 'SECRET sandbox-secret',
      },
    })
    expect(plain.body).toEqual(error('Unauthorized', /X-Acme-Merchant is missing/))
    const payment = paymentInput({
      customer: null,
      success_return_uri: 'https://x/',
      failure_return_uri: 'https://x/',
    })
    const { body } = await pos1('POST', paths.payments, payment)
    expect(body.uri).toBe(`${publicUrl}/payer/checkout/${body.id}`)
    expect(address).not.toContain('Example')
  })

  test('signatures are over the public URL and the headers of that name', async () => {
    const { admin, adminKey: key, call, address } = branded
    expect(await admin('GET', `${paths.pointsOfSale}?x=Y`)).toMatchObject({ status: 200 })
    expect(await admin('DELETE', `${paths.pointsOfSale}none/`)).toMatchObject({ status: 404 })
    const signing = { method: 'GET', merchant: 'sandbox', user: 'admin', key }
    const inner = sign({ ...signing, url: address + paths.pointsOfSale, prefix: 'X-Acme' })
    const refused = await call('GET', paths.pointsOfSale, { headers: inner })
    expect(refused.status).toBe(401)
    expect(refused.body.error_details.string_to_sign).toEqual([
      expect.stringMatching(
        /^GET\|https:\/\/pay\.example\/merchant\/v1\/pos\/\|X-ACME-CONTENT-DIGEST=.*&X-ACME-USER=admin$/,
      ),
    ])
  })

  test('the document names where the service is found, and its headers', async () => {
    const { body } = await branded.call('GET', '/openapi.json')
    expect(body.servers).toEqual([{ url: publicUrl }])
    expect(body.components.securitySchemes.user.name).toBe('X-Acme-User')
  })
})

describe('the log', () => {
  test('has the request id of every answer, and nothing that is secret or personal', async () => {
    const { admin, adminKey, pos1, call, logged, withSecret } = service
    const phone = '+4799999901'
    const path = await authorizedPayment(service, { customer: phone, text: 'for her birthday' })
    const answers = [
      await pos1('GET', `${path}outcome/?token=query-token`),
      await withSecret('sandbox', 'pos1', 'wrong-secret')('GET', paths.pointsOfSale),
      await admin('POST', paths.users, { id: 'logged', secret: 'a fresh secret' }),
      await admin('PUT', `${paths.users}logged/`, { secret: 'a newer secret' }),
      await call('GET', '/nothing/at-all'),
      await pos1('POST', paths.payments, { pos_id: 'x', customer: phone }),
    ]
    const text = logged.join('')
    for (const { headers, status } of answers)
      expect(text).toMatch(
        new RegExp(`"requestId":"${headers['x-request-id']}".*"status":${status}`),
      )
    const signature = sign({
      method: 'GET',
      url: service.address + paths.pointsOfSale,
      merchant: 'sandbox',
      user: 'admin',
      key: adminKey,
    })['Authorization']
    expect(signature).toBeDefined()
    for (const secret of [
      'sandbox-secret',
      'wrong-secret',
      'a fresh secret',
      'a newer secret',
      'query-token',
      'at-all',
      'for her birthday',
      phone.slice(1),
      'RSA-SHA256',
      'PRIVATE KEY',
    ])
      expect(text).not.toContain(secret)
  })

  test('knows a request by its own id, if that is short and safe', async () => {
    const seen: string[] = []
    const quiet = route({
      ...{ method: 'GET', path: '/quiet/', access: 'OPEN', group: 'Service', summary: 'Quiet' },
      success: 'nothing',
      handle: ({ requestId }) => void seen.push(requestId),
    })
    const app = makeApp({ ...bareApp, routes: [quiet] })
    const longest = 'a'.repeat(128)
    const own = ['7f3c', 'Root=1', 'a.b_c:d-9', '--all', 'a b', '', longest, `${longest}a`, 'æ']
    for (const id of own) {
      const answer = await app.request('/quiet/', { headers: { 'X-Request-Id': id } })
      expect(answer.headers.get('x-request-id')).toBe(seen.at(-1))
    }
    const fresh = 'the-request-id'
    const known = ['7f3c', fresh, 'a.b_c:d-9', fresh, fresh, fresh, longest, fresh, fresh]
    expect(seen).toEqual(known)
  })

  test('has the error behind a 500, of which the answer gives only the id', async () => {
    const bugs: unknown[][] = []
    const broken = route({
      method: 'GET',
      path: '/broken/',
      access: 'OPEN',
      group: 'Service',
      summary: 'A bug',
      success: 'nothing',
      handle: () => {
        throw new TypeError('the inside of it')
      },
    })
    const app = makeApp({ ...bareApp, routes: [broken], onBug: (...bug) => bugs.push(bug) })
    const answer = await app.request('/broken/')
    expect(answer.status).toBe(500)
    expect(await answer.json()).toEqual(error('Internal Server Error', /: the-request-id\.$/))
    expect(answer.headers.get('x-request-id')).toBe('the-request-id')
    expect(bugs).toEqual([[new TypeError('the inside of it'), 'the-request-id']])

    const isOutage = (error: unknown) => error instanceof TypeError
    const away = await makeApp({ ...bareApp, routes: [broken], isOutage }).request('/broken/')
    expect([away.status, away.headers.get('retry-after')]).toEqual([503, '1'])
    const toTell = /file of the service .*: the-request-id\.$/
    expect(await away.json()).toEqual(error('Service Unavailable', toTell))

    const page = makeApp({ ...bareApp, routes: asPages([broken]), isOutage })
    const shown = await page.request('/broken/', { headers: { accept: 'text/html,*/*;q=0.8' } })
    expect([shown.status, shown.headers.get('retry-after')]).toEqual([503, '1'])
    const text = await shown.text()
    expect(text).toContain('We cannot answer just now.')
    expect(text).toContain('<code>the-request-id</code>')
    expect(text).toContain('https://pay.example/help')
    expect(text).not.toContain('the inside of it')
  })
})

const authenticate: AppNeeds['authenticate'] = async (_, { header }) => ({
  merchant: header('X-Service-Merchant') ?? '',
  actor: 'user:till',
  mayManageUsers: async () => false,
  mayRefund: async () => false,
  isSigned: false,
  asked: undefined,
  signed: undefined,
  sealedAddress: () => undefined,
})

test('few requests with large bodies are at work at the same time, however many come; the others wait', async () => {
  let [atWork, most] = [0, 0]
  let isEnough = Promise.resolve()
  const slow = route({
    method: 'POST',
    path: '/slow/',
    access: 'SECRET',
    group: 'Service',
    summary: 'Takes a while',
    body: z.object({ text: z.string() }),
    success: 'nothing',
    handle: async () => {
      most = Math.max(most, ++atWork)
      await isEnough
      atWork -= 1
    },
  })
  const app = makeApp({ ...bareApp, authenticate, routes: [slow] })
  const post = (length: number) =>
    app.request('/slow/', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ text: 'x'.repeat(length) }),
    })
  const expectAtWork = async (length: number, expected: number): Promise<void> => {
    most = 0
    let end = (): void => {}
    isEnough = new Promise((resolve) => (end = resolve))
    const posted = Array.from({ length: 20 }, () => post(length))
    await expect.poll(() => atWork, { timeout: 10_000 }).toBe(expected)
    end()
    const answers = await Promise.all(posted)
    expect(answers.map(({ status }) => status)).toEqual(Array(20).fill(204))
    expect(most).toBe(expected)
  }
  await expectAtWork(100, 20)
  await expectAtWork(100_000, 4)
})

test('an unauthorised upload is answered before its body has arrived', async () => {
  const socket = connected().setEncoding('utf8')
  const head = [
    `POST /attachment/v1/${'0'.repeat(32)}/1/made-up/ HTTP/1.1`,
    'Host: x',
    'Content-Type: multipart/form-data; boundary=b',
    'Content-Length: 10000000',
  ]
  socket.write(`${head.join('\r\n')}\r\n\r\n--b\r\n`)
  const [answer] = (await once(socket, 'data')) as [string]
  expect(answer).toMatch(/^HTTP\/1\.1 404 /)
  socket.destroy()
})

/**
 * Sends incomplete bodies until their `ends` are called; counts how many are read beyond the first
 * piece.
 */
const sendingTo = (more: Pick<Route, 'access'> & { readonly upload?: UploadForm }) => {
  const reads = route({
    ...more,
    method: 'POST',
    path: '/reads/:whose/',
    group: 'Service',
    summary: 'Reads what is sent',
    params: z.object({ whose: z.string() }),
    success: 'nothing',
    handle: async () => {},
  })
  const app = makeApp({ ...bareApp, authenticate, routes: [reads] })
  let begun = 0
  const ends: (() => void)[] = []
  const post = (first: string, whose: string) => {
    const rest = async (controller: ReadableStreamDefaultController<Uint8Array>) => {
      begun += 1
      await new Promise<void>((resolve) => ends.push(resolve))
      controller.enqueue(Buffer.from('{}'))
      controller.close()
    }
    let isBegun = false
    const pull = async (controller: ReadableStreamDefaultController<Uint8Array>) => {
      if (isBegun) return rest(controller)
      isBegun = true
      controller.enqueue(Buffer.from(first))
      if (first === '{}') controller.close()
    }
    const body = new ReadableStream<Uint8Array>({ pull }, { highWaterMark: 0 })
    const headers = {
      'Content-Type': 'application/json',
      'Transfer-Encoding': 'chunked',
      'X-Service-Merchant': whose,
    }
    const init = { method: 'POST', headers, body, duplex: 'half' } as const
    return app.request(`/reads/${whose}/`, init, { incoming: { complete: false } })
  }
  return { post, ends, begun: () => begun }
}

test.each([
  { access: 'OPEN', who: 'anybody', ofTwo: 16, status: 413 },
  { access: 'SECRET', who: 'one merchant', ofTwo: 32, status: 204 },
] as const)(
  'of what $who may send few large bodies are read to their end at the same time; the others wait',
  async ({ access, ofTwo, status: all }) => {
    const { post, ends, begun } = sendingTo({ access })
    const turns = async () => {
      for (let turn = 0; turn < 300; turn++) await nextTurn()
    }
    const large = (merchant: string) =>
      Array.from({ length: 100 }, () => post(' '.repeat(70_000), merchant))
    const posted = large('one')
    await turns()
    expect(begun()).toBe(16)
    expect((await post('{}', 'one')).status).toBe(204)
    posted.push(...large('other'))
    await turns()
    expect(begun()).toBe(ofTwo)
    for (let end = 0; end < 200; end++) {
      ends[end]?.()
      await turns()
    }
    const answers = await Promise.all(posted)
    expect(answers.map(({ status }) => status)).toEqual(Array(200).fill(all))
  },
)

test('of large uploads few of one payment, and few of all, are read to their end at the same time; the others wait', async () => {
  const upload = {
    admits: () => true,
    of: ({ whose = '' }) => whose,
    largest: 1_000_000,
    parts: [],
  }
  const { post, ends, begun } = sendingTo({ access: 'OPEN', upload })
  const turns = async () => {
    for (let turn = 0; turn < 100; turn++) await nextTurn()
  }
  const large = (payment: string) => post(' '.repeat(70_000), payment)
  const posted = Array.from({ length: 10 }, () => large('one'))
  await turns()
  expect(begun()).toBe(4)
  expect((await post('{}', 'one')).status).toBe(204)
  for (let payment = 0; payment < 40; payment++) posted.push(large(`another-${payment}`))
  await turns()
  expect(begun()).toBe(16)
  for (let end = 0; end < 50; end++) {
    ends[end]?.()
    await turns()
  }
  const answers = await Promise.all(posted)
  expect(answers.map(({ status }) => status)).toEqual(Array(50).fill(204))
})

test('a large body that anybody may send has half a minute to come', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  const socket = connected().setEncoding('utf8')
  onTestFinished(() => void socket.destroy())
  const head = ['POST /oauth2/token HTTP/1.1', 'Host: x', 'Transfer-Encoding: chunked']
  socket.write(
    `${head.join('\r\n')}\r\nContent-Type: application/x-www-form-urlencoded\r\n\r\n186a0\r\n${'x'.repeat(100_000)}`,
  )
  // Arrives and waits while others are answered, which need no turn: a turn may need the clock.
  for (let n = 0; n < 20; n++) await service.call('GET', '/health/live')
  const heard = once(socket, 'data')
  vi.advanceTimersByTime(30_000)
  expect(String(await heard)).toMatch(/^HTTP\/1\.1 408 /)
})

const headOfPos = [
  `POST ${paths.pointsOfSale} HTTP/1.1`,
  'Host: x',
  'Content-Type: application/json',
  'X-Service-Merchant: sandbox',
  'X-Service-User: pos1',
  'Authorization: SECRET sandbox-secret',
].join('\r\n')

const connected = (): Socket => {
  const { hostname, port } = new URL(service.address)
  return connect(Number(port), hostname)
}

describe('a large body', () => {
  const bodyOf = (id: string) => JSON.stringify({ id, name: 'x', type: 'store' }).padEnd(100_000)
  const signedHead = (body: string): string => {
    const { address, adminKey: key } = service
    const url = address + paths.pointsOfSale
    const headers = sign({ method: 'POST', url, merchant: 'sandbox', user: 'admin', key, body })
    const lines = Object.entries({ Host: new URL(address).host, ...headers })
    return [`POST ${paths.pointsOfSale} HTTP/1.1`, 'Content-Type: application/json']
      .concat(lines.map(([name, value]) => `${name}: ${value}`))
      .join('\r\n')
  }
  const begin = (head: string): Socket => {
    const socket = connected().setNoDelay(true).setEncoding('utf8')
    socket.write(`${head}\r\nContent-Length: 100000\r\n\r\n`)
    return socket
  }
  const answerOn = async (socket: Socket): Promise<string> => {
    const [answer] = (await once(socket, 'data')) as [string]
    socket.destroy()
    return answer
  }

  test('is not awaited if its sender lacks permission', async () => {
    const wrongSecret = headOfPos.replace('sandbox-secret', 'another-secret')
    expect(await answerOn(begin(wrongSecret))).toMatch(/^HTTP\/1\.1 401 .*or wrong secret/s)
    const wrongSignature = signedHead(bodyOf('large')).replace('RSA-SHA256 ', 'RSA-SHA256 AAAA')
    expect(await answerOn(begin(wrongSignature))).toMatch(/^HTTP\/1\.1 401 .*bad signature/s)
  })

  test('is read if its sender has permission, and must be the signed one', async () => {
    const heads = [headOfPos, signedHead(bodyOf('signed')), signedHead(bodyOf('another'))]
    const sockets = heads.map(begin)
    // Arrives while another request is answered.
    await service.pos1('GET', paths.pointsOfSale)
    const ids = ['secret', 'signed', 'forged']
    sockets.forEach((socket, n) => socket.write(bodyOf(ids[n] ?? '')))
    const [secret, signed, forged] = await Promise.all(sockets.map(answerOn))
    expect(secret).toMatch(/^HTTP\/1\.1 201 /)
    expect(signed).toMatch(/^HTTP\/1\.1 201 /)
    expect(forged).toMatch(/^HTTP\/1\.1 401 .*digest mismatch/s)
    expect(await service.pos1('GET', `${paths.pointsOfSale}forged/`)).toMatchObject({ status: 404 })
  })
})

type Writes = (head: Buffer, body: Buffer) => Buffer[]

test.each<[string, Writes]>([
  ['with its head', (head, body) => [Buffer.concat([head, body])]],
  ['after its head', (head, body) => [head, body]],
  // In the middle of a character.
  ['in pieces', (head, body) => [head, body.subarray(0, -41), body.subarray(-41)]],
])('a body that comes %s is read whole', async (when, writes) => {
  const id = `body-${when.replaceAll(' ', '-')}`
  const body = Buffer.from(JSON.stringify({ id, type: 'store', name: 'å'.repeat(50) }))
  const head = Buffer.from(`${headOfPos}\r\nContent-Length: ${body.length}\r\n\r\n`)
  const socket = connected().setNoDelay(true).setEncoding('utf8')
  for (const bytes of writes(head, body)) {
    socket.write(bytes)
    // Arrives while another request is answered.
    await service.pos1('GET', paths.pointsOfSale)
  }
  const [answer] = (await once(socket, 'data')) as [string]
  expect(answer).toMatch(/^HTTP\/1\.1 201 /)
  socket.destroy()
  expect(await service.pos1('GET', `${paths.pointsOfSale}${id}/`)).toMatchObject({ status: 200 })
})

test.each([
  ['no request', 'nonsense\r\n\r\n', 400],
  ['a line that is too long', `${'x'.repeat(9000)} / HTTP/1.1\r\n\r\n`, 400],
  ['no host', 'GET /health/live HTTP/1.1\r\n\r\n', 400],
  ['two hosts', 'GET /health/live HTTP/1.1\r\nHost: x\r\nhost: y\r\n\r\n', 400],
  [
    'two credentials',
    `GET /health/live HTTP/1.1\r\nHost: x\r\nAuthorization: SECRET x\r\nauthorization: SECRET y\r\n\r\n`,
    400,
  ],
  [
    'two media types',
    `GET /health/live HTTP/1.1\r\nHost: x\r\nContent-Type: a/b\r\ncontent-type: a/b\r\n\r\n`,
    400,
  ],
  ['a host that is none', 'GET / HTTP/1.1\r\nHost: a b\r\nConnection: close\r\n\r\n', 400],
  [
    'two lengths',
    'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n',
    400,
  ],
  ['a header that is too large', `GET / HTTP/1.1\r\nHost: x\r\nA: ${'b'.repeat(20_000)}`, 431],
  ['an expectation', 'GET / HTTP/1.1\r\nHost: x\r\nExpect: the best\r\n\r\n', 417],
  ['a chunk that is none', `${headOfPos}\r\nTransfer-Encoding: chunked\r\n\r\nZZ\r\n`, 400],
  [
    'a chunk that is none after one that is',
    `${headOfPos}\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\nZZ\r\n`,
    400,
  ],
  [
    'a body in a coding besides its chunks',
    `${headOfPos}\r\nTransfer-Encoding: gzip, chunked\r\nConnection: close\r\n\r\n0\r\n\r\n`,
    400,
  ],
])('what is %s is told so in the words of all errors', async (_, text, status) => {
  const socket = connected().setEncoding('utf8')
  socket.write(text)
  let answer = ''
  for await (const piece of socket) answer += piece
  expect(answer).toMatch(new RegExp(`^HTTP/1.1 ${status} `))
  expect(answer).toMatch(/^x-request-id: [0-9a-f-]{36}\r$/im)
  expect(JSON.parse(answer.slice(answer.indexOf('{'), answer.lastIndexOf('}') + 1))).toEqual({
    error_type: expect.any(String),
    error_description: expect.stringMatching(/\w/),
    error_details: null,
  })
})

test.each(['FETCH', 'get', 'CONNECT'])('the method %s is allowed nowhere', async (method) => {
  const socket = connected().setEncoding('utf8')
  socket.write(`${method} a:1 HTTP/1.1\r\nHost: x\r\n\r\n`)
  let answer = ''
  for await (const piece of socket) answer += piece
  expect(answer).toMatch(/^HTTP\/1.1 405 /)
  expect(answer).toMatch(/^allow: DELETE, GET, HEAD, POST, PUT\r$/im)
  expect(answer).toContain('"Method Not Allowed"')
})

test.each(['Content-Length: 9\r\n\r\n{}', 'Transfer-Encoding: chunked\r\n\r\n9\r\n{}'])(
  'a body that ends too early, %j, is told so by whoever still listens',
  async (rest) => {
    const socket = connected().setEncoding('utf8')
    socket.end(`${headOfPos}\r\n${rest}`)
    let answer = ''
    for await (const piece of socket) answer += piece
    expect(answer).toMatch(/^HTTP\/1.1 400 /)
    expect(answer).toContain('"Bad Request"')
  },
)

test('a service that stops answers what is under way, and what comes after it is the last of its connection', async () => {
  const stopping = await startService()
  const { hostname, port } = new URL(stopping.address)
  const body = JSON.stringify({ id: 'last', name: 'x', type: 'store' })
  const next = `GET /health/live HTTP/1.1\r\nHost: x\r\n\r\n`
  const socket = connect(Number(port), hostname).setEncoding('utf8')
  socket.write(`${headOfPos}\r\nContent-Length: ${body.length}\r\n\r\n${body.slice(0, 9)}`)
  // Once this is answered, that has arrived.
  await stopping.pos1('GET', paths.pointsOfSale)
  const stopped = stopping.stop()
  socket.write(body.slice(9) + next)
  let answers = ''
  for await (const piece of socket) answers += piece
  const [first = '', second = ''] = answers.split(/(?=HTTP\/1\.1 200)/)
  expect(first).toMatch(/^HTTP\/1\.1 201 /)
  expect(second).toMatch(/^connection: close\r$/im)
  await stopped
})

describe('a client that breaks off', () => {
  const raw = (text: string): Promise<void> =>
    new Promise((resolve, reject) => {
      const socket = connected()
      socket.write(text, () => socket.destroy())
      socket.on('close', () => resolve())
      socket.on('error', reject)
    })

  test('in the middle of its body changes nothing, and the service goes on', async () => {
    const input = JSON.stringify({ id: 'broken-off', name: 'x', type: 'store' })
    const size = input.length
    const chunk = `${size.toString(16)}\r\n${input}\r\n`
    await raw(`${headOfPos}\r\nContent-Length: ${size + 1}\r\n\r\n${input}`)
    await raw(`${headOfPos}\r\nTransfer-Encoding: chunked\r\n\r\n${chunk}`)
    await raw(`${headOfPos}\r\nContent-Length: ${size}\r\n`)
    expect(await service.pos1('GET', `${paths.pointsOfSale}broken-off/`)).toMatchObject({
      status: 404,
    })
    expect(service.logged.join('')).not.toContain('a bug')
  })
})
