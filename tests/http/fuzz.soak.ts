// @module-tag night
import fc from 'fast-check'
import { connect } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  authorizedPayment,
  paths,
  requestPayment,
  startService,
  type Service,
} from '../support/http-service.ts'

/**
 * Any input: never a 5xx, every error in the format of the interface, and no effect of a refused
 * request.
 */

let service: Service
let pending = ''
let authorized = ''
beforeAll(async () => {
  service = await startService()
  pending = await requestPayment(service.pos1)
  authorized = await authorizedPayment(service)
})
afterAll(async () => {
  expect(service.logged.join('')).not.toContain('a bug')
  await service.stop()
})

const runs = { numRuns: Number(process.env['FUZZ_RUNS'] ?? 200) }

type Raw = { readonly status: number; readonly head: string; readonly body: string }

/** Sends raw bytes, then nothing; returns the first response. */
const raw = (bytes: Buffer): Promise<Raw> =>
  new Promise((resolve, reject) => {
    const { hostname, port } = new URL(service.address)
    const socket = connect(Number(port), hostname, () => socket.end(bytes))
    const chunks: Buffer[] = []
    socket.on('data', (chunk: Buffer) => chunks.push(chunk))
    socket.on('error', (error: NodeJS.ErrnoException) => {
      // The server may close the connection on garbage before reading all of it.
      if (error.code !== 'ECONNRESET' && error.code !== 'EPIPE') reject(error)
    })
    socket.on('close', () => {
      const [head = '', ...body] = Buffer.concat(chunks).toString('latin1').split('\r\n\r\n')
      const status = Number(/^HTTP\/1\.1 (\d{3})/.exec(head)?.[1] ?? 0)
      resolve({ status, head, body: body.join('\r\n\r\n') })
    })
  })

/** What merchants, payers and the sandbox have done since a position. */
const doneSince = async (position: number): Promise<string[]> => {
  const done: string[] = []
  for await (const batch of service.core.store.readAll(position))
    for (const { type, metadata } of batch) if (metadata['actor'] !== 'daybook') done.push(type)
  return done
}

const threeMembers = (body: unknown) =>
  expect(body).toEqual({
    error_type: expect.any(String),
    error_description: expect.any(String),
    error_details:
      (body as { error_details: unknown }).error_details === null ? null : expect.any(Object),
  })

const methods = 'GET HEAD POST PUT DELETE PATCH OPTIONS TRACE PROPFIND get FOO CONNECT'.split(' ')
const odd = fc.constantFrom(
  ...[
    '..',
    '.',
    '%2e%2e',
    '%',
    '%zz',
    '%00',
    '\0',
    '%ED%A0%80',
    '%2F',
    '//',
    '\\',
    '?',
    '#',
    '&=',
    ':',
  ],
  ...[
    '%0d%0a',
    'é',
    '日本',
    '😀',
    ' ',
    '\t',
    '*',
    '__proto__',
    'x'.repeat(9000),
    '{',
    '|',
    '"',
    '<',
    '`',
  ],
)
const segment = fc.oneof(
  odd,
  fc.string({ unit: 'binary', maxLength: 8 }).map((text) => {
    try {
      return encodeURIComponent(text)
    } catch {
      return text
    }
  }),
  fc.constantFrom(
    'merchant',
    'v1',
    'pos',
    'till-1',
    'user',
    'payment_request',
    'sandbox',
    'outcome',
  ),
)
const knownPath = fc.constantFrom(
  ...[
    paths.pointsOfSale,
    `${paths.pointsOfSale}till-1/`,
    paths.users,
    paths.payments,
    paths.statusCodes,
  ],
  ...['/docs', '/openapi.json', '/metrics', '/health/ready', paths.clock, '/callback_keys.json'],
)
const target = fc.oneof(
  fc.array(segment, { maxLength: 6 }).map((parts) => `/${parts.join('/')}`),
  fc.tuple(knownPath, segment).map(([path, part]) => path + part),
  fc.tuple(knownPath, odd).map(([path, query]) => `${path}?next=${query}&${query}`),
  fc.constantFrom('*', '', 'http://x/', 'http://[/', 'https://a:b@c/merchant/v1/pos/', 'x:80'),
)
const headerName: fc.Arbitrary<string> = fc.oneof(
  fc.constantFrom(
    'Accept',
    'Content-Type',
    'Content-Length',
    'Transfer-Encoding',
    'Host',
    'Expect',
  ),
  fc.constantFrom('Authorization', 'X-Service-Merchant', 'X-Service-User', 'X-Service-Timestamp'),
  fc.constantFrom('X-Service-Content-Digest', 'X-Service-Integrator', 'Upgrade', 'Connection'),
  fc.constantFrom(
    '__proto__',
    'constructor',
    'Content-Encoding',
    'X Y',
    'é',
    '',
    'Cookie',
    'Range',
  ),
)
const headerValue = fc.oneof(
  fc.constantFrom(
    '',
    '*/*',
    'application/json',
    'text/html',
    '-1',
    '0',
    '5',
    '99999999999999999999',
  ),
  fc.constantFrom('chunked', 'gzip, chunked', 'x', '100-continue', 'websocket', 'close', 'sandbox'),
  fc.constantFrom('SECRET sandbox-secret', 'SECRET \u00ff\u0080', 'RSA-SHA256 ====', 'SECRET  x  '),
  fc.constantFrom(
    '2026-11-21 00:00:00',
    '9999-99-99 99:99:99',
    'pos1',
    '\0',
    'a\tb',
    ',,;q=',
    '[::1',
  ),
  fc.string({ unit: 'binary', maxLength: 20 }),
  fc.constantFrom('y'.repeat(9000), `${'a,'.repeat(3000)}`),
)
const body = fc.oneof(
  fc.constantFrom('', '{}', '[]', 'null', '{"id":', '5\r\nhello\r\n0\r\n\r\n', '\0', '{"a":1}x'),
  fc.json(),
  fc.string({ unit: 'binary' }),
)

/** Some fixed examples, to validate the measurement itself. */
const plain = ['/health/live', paths.pointsOfSale, '/nothing', '/a\\b']
type Anything = {
  readonly method: string
  readonly target: string
  readonly version: string
  readonly host: string
  readonly headers: [string, string][]
  readonly body: string
  readonly hasLength: boolean
}
const nothingOdd: Omit<Anything, 'target'> = {
  method: 'GET',
  version: 'HTTP/1.1',
  host: 'Host: x\r\n',
  headers: [],
  body: '',
  hasLength: false,
}

test('of anything at all that comes through the socket', async () => {
  const anything: fc.Arbitrary<Anything> = fc.record({
    method: fc.constantFrom<string>(...methods),
    target,
    version: fc.constantFrom<string>('HTTP/1.1', 'HTTP/1.1', 'HTTP/1.1', 'HTTP/1.0', 'HTTP/9', ''),
    host: fc.constantFrom<string>(
      'Host: x\r\n',
      'Host: x\r\n',
      'Host: 127.0.0.1:80\r\n',
      'Host: a b\r\n',
      '',
    ),
    headers: fc.array(fc.tuple(headerName, headerValue), { maxLength: 5 }),
    body,
    hasLength: fc.boolean(),
  })
  const seen = new Set<number>()
  await fc.assert(
    fc.asyncProperty(
      anything,
      async ({ method, target, version, host, headers, body, hasLength }) => {
        const position = await service.core.store.head()
        const lines = headers.map(([name, value]) => `${name}: ${value}\r\n`).join('')
        const length = hasLength ? `Content-Length: ${Buffer.byteLength(body)}\r\n` : ''
        const begin = `${method} ${target} ${version}\r\n${host}${lines}${length}`
        const text = `${begin}Connection: close\r\n\r\n${body}`
        const { status, head, body: answer } = await raw(Buffer.from(text))
        seen.add(status)
        expect(status).toBeLessThan(500)
        if (status < 400) return
        expect(await doneSince(position)).toEqual([])
        expect(head).toMatch(/^x-request-id: [0-9a-f-]{36}$/im)
        // The method of an invalid or too long request is unknown.
        const isRequest = status !== 431 && !answer.includes('no request of HTTP')
        if (method === 'HEAD' && isRequest) expect(answer).not.toContain('{')
        else
          threeMembers(JSON.parse(answer.slice(answer.indexOf('{'), answer.lastIndexOf('}') + 1)))
      },
    ),
    { ...runs, examples: plain.map((target): [Anything] => [{ ...nothingOdd, target }]) },
  )
  for (const status of [200, 400, 401, 404]) expect(seen).toContain(status)
})

test('of bytes that are no HTTP', async () => {
  const bytes = fc.oneof(
    fc.uint8Array({ minLength: 1, maxLength: 200 }),
    fc.constantFrom(
      'GET / HTTP/1.1\r\n\r\n',
      'GET / HTTP/1.1\r\nHost: x\r\nHost: y\r\n\r\n',
      'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab',
      'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\n' +
        'Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
      'POST /merchant/v1/pos/ HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nZZ\r\n',
      `GET /${'a'.repeat(100_000)} HTTP/1.1\r\nHost: x\r\n\r\n`,
      `GET / HTTP/1.1\r\nHost: x\r\n${'A: b\r\n'.repeat(5000)}\r\n`,
      'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
      '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03',
      'GET / HTTP/1.1\nHost: x\n\n',
    ),
  )
  await fc.assert(
    fc.asyncProperty(bytes, async (bytes) => {
      const { status, head } = await raw(Buffer.from(bytes as Uint8Array))
      expect(status).toBeLessThan(500)
      if (status >= 400) expect(head).toMatch(/^x-request-id: [0-9a-f-]{36}$/im)
    }),
    { numRuns: Math.ceil(runs.numRuns / 3) },
  )
  expect(await service.call('GET', '/health/ready')).toMatchObject({ status: 200 })
})

const deep = (depth: number): unknown => {
  let value: unknown = 1
  for (let level = 0; level < depth; level++) value = level % 2 ? [value] : { a: value }
  return value
}

const value = fc.oneof(
  fc.jsonValue({ maxDepth: 3 }),
  fc.constantFrom<unknown>(
    null,
    true,
    '',
    '0',
    0,
    -0,
    -1,
    1.5,
    1e21,
    1e308,
    5e-324,
    2 ** 53,
    -(2 ** 63),
  ),
  fc.constantFrom<unknown>(
    '\0',
    '\ud800',
    '😀',
    'ﷺ',
    '1e400',
    '-0',
    '+1',
    'NaN',
    'x'.repeat(5000),
    '.',
  ),
  fc.constantFrom<unknown>([], {}, [[]], [null], { length: 1e9 }, deep(2000), Array(2000).fill({})),
  fc.constantFrom<unknown>({ __proto__: null }, { constructor: { prototype: 1 } }, ['__proto__']),
  fc.constantFrom<unknown>('NOK', 'JPY', 'capture', 'refund', 'release', 'abort', 'reauth', 'sale'),
  fc.constantFrom<unknown>(
    'default',
    'till-1',
    '2026-11-21 09:30:00',
    'https://x/',
    'store',
    'alice',
  ),
  fc.integer({ min: 0, max: 300 }),
)

const fields: Readonly<Record<string, readonly string[]>> = {
  payment: [
    ...['pos_id', 'pos_tid', 'action', 'currency', 'amount', 'additional_amount', 'allow_credit'],
    ...[
      'additional_edit',
      'customer',
      'max_scan_age',
      'expires_in',
      'text',
      'ledger',
      'callback_uri',
    ],
    ...['success_return_uri', 'failure_return_uri', 'required_scope', 'line_items', 'links'],
  ],
  update: [
    ...['action', 'amount', 'additional_amount', 'currency', 'capture_id', 'refund_id', 'text'],
    ...['ledger', 'callback_uri', 'line_items', 'links'],
  ],
  pos: ['id', 'name', 'type', 'location'],
  user: ['id', 'roles', 'netmask', 'secret', 'pubkey'],
  sandbox: ['payer', 'additional_amount', 'credit', 'advance_seconds', 'now'],
}

const valid: Readonly<Record<string, object>> = {
  payment: {
    pos_id: 'till-1',
    pos_tid: 'fuzz',
    action: 'auth',
    currency: 'NOK',
    amount: '100.00',
    allow_credit: false,
    customer: '4799999901',
    line_items: [{ product_id: '1', quantity: 1, item_cost: '100', total: '100' }],
  },
  update: { action: 'capture', amount: '0.01', currency: 'NOK', capture_id: 'fuzz' },
  pos: { id: 'fuzz', name: 'Fuzz', type: 'store', location: { latitude: 1 } },
  user: { id: 'fuzz', secret: 'a secret for it' },
  sandbox: {},
}

const lineItem = fc.record(
  {
    product_id: value,
    quantity: value,
    item_cost: value,
    total: value,
    vat: value,
    metadata: value,
  },
  { requiredKeys: ['total'] },
)

/** A valid body of some kind, with a few fields changed or added. */
const bodyOf = (kind: string) =>
  fc
    .array(
      fc.oneof(
        fc.tuple(fc.constantFrom(...(fields[kind] ?? [])), value),
        fc.tuple(fc.constantFrom('line_items', 'links', 'location'), fc.array(lineItem)),
        fc.tuple(fc.constantFrom('__proto__', 'constructor', 'toString', '', 'a.b'), value),
      ),
      { maxLength: 4 },
    )
    .map((changes) => ({ ...valid[kind], ...Object.fromEntries(changes) }))

const tids = () => [pending, authorized]

const request = fc.oneof(
  fc.record({ kind: fc.constant('payment'), method: fc.constant('POST'), body: bodyOf('payment') }),
  fc.record({ kind: fc.constant('update'), method: fc.constant('PUT'), body: bodyOf('update') }),
  fc.record({
    kind: fc.constant('pos'),
    method: fc.constantFrom('POST', 'PUT'),
    body: bodyOf('pos'),
  }),
  fc.record({
    kind: fc.constant('user'),
    method: fc.constantFrom('POST', 'PUT'),
    body: bodyOf('user'),
  }),
  fc.record({ kind: fc.constant('sandbox'), method: fc.constant('POST'), body: bodyOf('sandbox') }),
)

const pathFor = (
  kind: string,
  method: string,
  id: string,
  pick: number,
): readonly [string, string] => {
  const tid = pick % 5 === 4 ? id : tids()[pick % 2]?.split('/').at(-2)
  switch (kind) {
    case 'payment':
      return [paths.payments, paths.payments]
    case 'update':
      return [`${paths.payments}${tid}/`, `${paths.payments}{tid}/`]
    case 'pos':
      return method === 'POST'
        ? [paths.pointsOfSale, paths.pointsOfSale]
        : [`${paths.pointsOfSale}${pick % 2 ? id : 'till-1'}/`, `${paths.pointsOfSale}{pos_id}/`]
    case 'user':
      return method === 'POST'
        ? [paths.users, paths.users]
        : [`${paths.users}${pick % 2 ? id : 'pos1'}/`, `${paths.users}{user_id}/`]
    default: {
      const prefix = '/sandbox/v1/payment_request'
      const verb = pick % 3 === 0 ? 'decline' : 'accept'
      return pick % 4 === 0
        ? [paths.clock, paths.clock]
        : [`${prefix}/${tid}/${verb}/`, `${prefix}/{tid}/${verb}/`]
    }
  }
}

const valids = [
  ['payment', 'POST'],
  ['update', 'PUT'],
  ['pos', 'POST'],
  ['user', 'POST'],
  ['sandbox', 'POST'],
] as const

test('of wrong and odd JSON to each route; every answer is one that is documented', async () => {
  const { paths: documented } = (await service.call('GET', '/openapi.json')).body
  const id = fc.string({ unit: 'binary', minLength: 1, maxLength: 12 }).map(encodeURIComponent)
  const seen = new Map<string, Set<number>>()
  await fc.assert(
    fc.asyncProperty(request, id, fc.nat(), async ({ kind, method, body }, id, pick) => {
      const [path, template] = pathFor(kind, method, id, pick)
      // A path such as /pos/./ is normalised before it reaches the service.
      fc.pre(!path.includes('/./') && !path.includes('/../'))
      const position = await service.core.store.head()
      const answer = await service.admin(method, path, body)
      expect(Object.keys(documented[template][method.toLowerCase()].responses)).toContain(
        String(answer.status),
      )
      expect(answer.status).toBeLessThan(500)
      seen.set(kind, (seen.get(kind) ?? new Set()).add(answer.status))
      if (answer.status < 400) return
      threeMembers(answer.body)
      expect(await doneSince(position)).toEqual([])
    }),
    {
      ...runs,
      examples: valids.map(([kind, method]) => [{ kind, method, body: valid[kind] ?? {} }, 'x', 1]),
    },
  )
  for (const kind of Object.keys(valid)) {
    const statuses = [...(seen.get(kind) ?? [])]
    expect([kind, statuses.some((status) => status < 300), statuses.includes(400)]).toEqual([
      kind,
      true,
      true,
    ])
  }
  // Everything created can be read.
  for (const path of [...tids(), ...tids().map((path) => `${path}outcome/`)])
    expect((await service.admin('GET', path)).status).toBe(200)
  for (let next: string | null = paths.pointsOfSale; next !== null;) {
    const { body }: { body: { uris: string[]; next: string | null } } = await service.admin(
      'GET',
      next,
    )
    for (const uri of body.uris) expect((await service.admin('GET', uri)).status).toBe(200)
    next = body.next
  }
})

/** The test client sends only ASCII in paths. */
const inAscii = (text: string): string =>
  text.replaceAll(/[^!-~]+/g, (odd) => Buffer.from(odd).toString('hex').replaceAll(/../g, '%$&'))

test('of unknown ids in URLs', async () => {
  const parts = fc.array(segment, { minLength: 1, maxLength: 2 }).map((parts) => parts.join(''))
  const detail = fc.constantFrom(paths.payments, paths.pointsOfSale, paths.users, paths.statusCodes)
  await fc.assert(
    fc.asyncProperty(
      detail,
      parts,
      fc.constantFrom('GET', 'PUT', 'DELETE'),
      async (list, id, method) => {
        const path = `${list}${inAscii(id)}/`
        const { status, body, text } = await service.admin(
          method,
          path,
          method === 'PUT' ? {} : undefined,
        )
        expect(status).toBeLessThan(500)
        if (status >= 400 && text !== '') threeMembers(body)
      },
    ),
    runs,
  )
})
