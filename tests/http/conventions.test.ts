import fc from 'fast-check'
import { pointsOfSale } from '../../domain/aggregates.ts'
import { within } from '../../domain/stream.ts'
import { once } from 'node:events'
import { connect } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  error,
  json,
  pathOf,
  paths,
  startService,
  wrongFields,
  type Service,
} from '../support/http-service.ts'

let service: Service
beforeAll(async () => {
  service = await startService()
})
afterAll(() => service.stop())

const till = (id: string) => ({ id, name: `Till ${id}`, type: 'store' as const })

describe('a resource', () => {
  test('is created with 201 and its full URL, where it can be read at once', async () => {
    const { pos1, address } = service
    const location = { latitude: 59.9, longitude: -10.7, accuracy: 12.5 }
    const created = await pos1('POST', paths.pointsOfSale, { ...till('bar'), location })
    expect(created).toMatchObject({ status: 201, body: { id: 'bar' } })
    expect(created.headers.location).toBe(`${address}${paths.pointsOfSale}bar/`)
    expect(await pos1('GET', pathOf(created.headers.location))).toMatchObject({
      status: 200,
      headers: { 'content-type': json },
      body: { id: 'bar', name: 'Till bar', type: 'store', location },
    })
  })

  test('takes degrees as any program writes them', async () => {
    const { pos1 } = service
    const body = JSON.stringify({ ...till('pier'), location: { latitude: 0.5, longitude: 1.5 } })
    const written = body.replace('0.5', '1e-05').replace('1.5', '59.9127394857239471')
    expect(await pos1('POST', paths.pointsOfSale, written)).toMatchObject({ status: 201 })
    const { location } = (await pos1('GET', `${paths.pointsOfSale}pier/`)).body
    expect(location).toMatchObject({ latitude: 0.00001, longitude: 59.91273948572395 })
  })

  test('that is created again with the same data is answered alike, with other data 409', async () => {
    const { pos1 } = service
    const first = await pos1('POST', paths.pointsOfSale, till('twice'))
    const again = await pos1('POST', paths.pointsOfSale, {
      ...till('twice'),
      location: null,
      more: 1,
    })
    expect([again.status, again.headers.location]).toEqual([201, first.headers.location])
    expect(
      await pos1('POST', paths.pointsOfSale, { ...till('twice'), name: 'Other' }),
    ).toMatchObject({
      status: 409,
      body: error('Conflict', /exists with other data/),
    })
    expect((await pos1('GET', `${paths.pointsOfSale}twice/`)).body.name).toBe('Till twice')
  })

  test('is changed with 204, and deleted with 204; then it is gone, and its id is free', async () => {
    const { pos1, admin } = service
    const path = `${paths.pointsOfSale}kiosk/`
    await pos1('POST', paths.pointsOfSale, till('kiosk'))
    const change = { name: 'Kiosk', type: 'mobile' }
    expect(await pos1('PUT', path, change)).toMatchObject({ status: 204, text: '' })
    expect((await pos1('GET', path)).body).toEqual({ id: 'kiosk', location: null, ...change })
    const place = { ...change, location: { latitude: 59.9, longitude: 10.7 } }
    expect(await pos1('PUT', path, place)).toMatchObject({ status: 204 })
    expect(await pos1('PUT', path, change)).toMatchObject({ status: 204 })
    expect((await pos1('GET', path)).body).toMatchObject(place)
    expect(await pos1('PUT', path, { ...change, location: '' })).toMatchObject({ status: 204 })
    expect((await pos1('GET', path)).body.location).toBeNull()
    expect(await admin('DELETE', path)).toMatchObject({ status: 204, text: '' })
    const gone = { status: 404, body: error('Not Found', /no such resource/) }
    expect(await pos1('GET', path)).toMatchObject(gone)
    expect(await pos1('PUT', path, change)).toMatchObject(gone)
    expect(await admin('DELETE', path)).toMatchObject(gone)
    expect((await pos1('GET', paths.pointsOfSale)).body.uris).not.toContain(path)
    expect(await pos1('POST', paths.pointsOfSale, till('kiosk'))).toMatchObject({ status: 201 })
    expect((await pos1('GET', path)).body.name).toBe('Till kiosk')
  })

  test('of another merchant is not there, and may have the same id', async () => {
    const { pos1 } = service
    const other = await service.addMerchant('other-shop')
    await pos1('POST', paths.pointsOfSale, till('mine'))
    expect(await other('GET', `${paths.pointsOfSale}mine/`)).toMatchObject({ status: 404 })
    const change = { name: 'Stolen', type: 'store' }
    expect(await other('PUT', `${paths.pointsOfSale}mine/`, change)).toMatchObject({ status: 404 })
    expect((await other('GET', paths.pointsOfSale)).body).toEqual({ uris: [], next: null })
    const own = { ...till('mine'), name: 'Other' }
    expect(await other('POST', paths.pointsOfSale, own)).toMatchObject({ status: 201 })
    expect((await pos1('GET', `${paths.pointsOfSale}mine/`)).body.name).toBe('Till mine')
    expect((await other('GET', `${paths.pointsOfSale}mine/`)).body.name).toBe('Other')
  })

  test(
    'may have got any text as its id earlier, and is found under its URL',
    { tags: 'long' },
    async () => {
      const { pos1, core } = service
      const id = fc
        .string({ unit: 'binary', minLength: 1, maxLength: 40 })
        .map((text) => text.trim())
        .filter((text) => text.length <= 100 && text !== '.' && text !== '..')
        .filter((text) => /[^\s\p{Cc}\p{Cf}]/u.test(text))
      const made = new Set<string>()
      const odd = [
        'a/b',
        '%2F',
        '%',
        '%41',
        '?x#y',
        'a b+c',
        '…',
        '\\',
        "'",
        'a\0b',
        'a\nb',
        '__proto__',
      ]
      await fc.assert(
        fc.asyncProperty(id, async (id) => {
          fc.pre(!made.has(id))
          made.add(id)
          const data = { merchant: 'sandbox', ...till('x'), id, location: null }
          const context = core.contextOf('operator', 'sandbox')
          const key = within('sandbox', id)
          await core.handle(pointsOfSale, key, { type: 'Register', data }, context)
          const path = `${paths.pointsOfSale}${encodeURIComponent(id)}/`
          expect((await pos1('GET', path)).body).toMatchObject({ id, name: 'Till x' })
          expect((await pos1('PUT', path, { name: 'Y', type: 'store' })).status).toBe(204)
          const { uris } = (await pos1('GET', paths.pointsOfSale)).body
          expect(uris).toContain(path)
          expect((await pos1('GET', path)).body).toMatchObject({ id, name: 'Y' })
        }),
        { examples: odd.map((id) => [id] as [string]), numRuns: 40 },
      )
    },
  )

  test.each(['.', '..', '', 'x'.repeat(101), 7, null, 'a b', 'a/b', 'å', '…', '\\ud83d'])(
    'cannot have the id %j: no URL would lead to it, or no payment could name it',
    async (id) => {
      const { pos1 } = service
      expect(await pos1('POST', paths.pointsOfSale, { ...till('x'), id })).toMatchObject(
        wrongFields('id'),
      )
    },
  )
})

describe('a list', () => {
  test('shows each entry that was there all the while exactly once, newest first, 100 a page', async () => {
    const shop = await service.addMerchant('chain')
    const key = service.adminKey
    const { core, withKey } = service
    const signer = withKey('chain', 'boss', key)
    const { users } = await import('../../domain/aggregates.ts')
    const { within } = await import('../../domain/stream.ts')
    const pem = (await service.pos1('GET', `${paths.users}admin/`)).body.pubkey
    const boss = { merchant: 'chain', id: 'boss', roles: ['superuser' as const] }
    const data = { ...boss, netmask: null, secretHash: null, publicKey: pem }
    const context = core.contextOf('test', 'chain')
    await core.handle(users, within('chain', 'boss'), { type: 'Register', data }, context)

    const names = Array.from({ length: 230 }, (_, index) => `t${index}`)
    for (const id of names) await shop('POST', paths.pointsOfSale, till(id))
    const removed = new Set(['t229', 't150', 't130', 't129', 't128', 't20', 't0'])
    const seen: string[] = []
    const sizes: number[] = []
    let next: string | null = paths.pointsOfSale
    for (let page = 0; next !== null; page++) {
      const { body } = await shop('GET', next)
      seen.push(...body.uris)
      sizes.push(body.uris.length)
      next = body.next
      await shop('POST', paths.pointsOfSale, till(`new${page}`))
      if (page === 0)
        for (const id of removed) await signer('DELETE', `${paths.pointsOfSale}${id}/`)
    }
    const staying = names.filter((id) => !removed.has(id)).reverse()
    const removedToo = (path: string) => removed.has(path.split('/').at(-2) ?? '')
    expect(seen.filter((path) => !removedToo(path))).toEqual(
      staying.map((id) => `${paths.pointsOfSale}${id}/`),
    )
    expect(new Set(seen).size).toBe(seen.length)
    expect(sizes.slice(0, 2)).toEqual([100, 100])
  })

  test('has a last page whose next is null, also when it is full', async () => {
    const shop = await service.addMerchant('hundred')
    for (let index = 0; index < 100; index++)
      await shop('POST', paths.pointsOfSale, till(`t${index}`))
    const { body } = await shop('GET', paths.pointsOfSale)
    expect(body.uris).toHaveLength(100)
    expect(body.next).toBeNull()
  })

  test.each(['x', 'MTIz%00', '-1', 'bnVsbA', '%F0%9F%92%A9'])(
    'refuses the cursor %j, which it never gave',
    async (cursor) => {
      const answer = await service.pos1('GET', `${paths.pointsOfSale}?next=${cursor}`)
      expect(answer).toMatchObject(wrongFields('next'))
    },
  )
})

test('a parameter with an empty value counts as absent, on each route that reads', async () => {
  type Parameter = { readonly in: string; readonly name: string; readonly required: boolean }
  const { body } = await service.call('GET', '/openapi.json')
  let asked = 0
  for (const [path, { get }] of Object.entries<any>(body.paths)) {
    const names = ((get?.parameters ?? []) as Parameter[])
      .filter((one) => one.in === 'query' && !one.required)
      .map(({ name }) => name)
    if (names.length === 0 || path.includes('{') || /^\/(portal|operator|audit)/.test(path))
      continue
    const query = names.map((name) => `${name}=`).join('&')
    const [plain, empty] = [
      await service.pos1('GET', path),
      await service.pos1('GET', `${path}?${query}`),
    ]
    expect([path, empty.status]).toEqual([path, plain.status])
    asked += 1
  }
  expect(asked).toBeGreaterThan(10)
  const feed = '/merchant/v1/callback/feed/'
  expect((await service.pos1('GET', `${feed}?after=&wait=&as_of=`)).status).toBe(200)
})

describe('the media type of an answer', () => {
  const vendor = 'application/vnd.service.api.merchant.v1+json'
  test.each([
    ['*/*', 200],
    ['application/*', 200],
    ['application/json', 200],
    [vendor, 200],
    [vendor.toUpperCase(), 200],
    ['text/html, application/json;q=0.1', 200],
    ['text/html;q=0.9, */*;q=0.1', 200],
    ['', 200],
    ['application/json;q=0, */*', 200],
    ['text/html', 406],
    ['text/*', 406],
    ['*/*;q=0', 406],
    ['application/*;q=0.000', 406],
    [`application/json; q=0, ${vendor};q=0, */*`, 406],
    ['application/*;q=0, */*', 406],
    ['application/vnd.other.api.merchant.v1+json', 406],
  ])('asked for as %j is answered with %i', async (accept, status) => {
    const answer = await service.pos1('GET', paths.pointsOfSale, undefined, { Accept: accept })
    expect([answer.status, answer.headers['content-type']]).toEqual([status, vendor])
    if (status === 406) expect(answer.body).toEqual(error('Not Acceptable', /vnd\.service/))
  })
})

describe('a body', () => {
  const post = (body: unknown, headers: Record<string, string> = {}) =>
    service.pos1('POST', paths.pointsOfSale, body, headers)

  test.each([
    'application/json',
    'application/json; charset=utf-8',
    'Application/JSON',
    'application/vnd.service.api.merchant.v1+json',
  ])('may be sent as %s', async (type) => {
    expect(await post({}, { 'Content-Type': type })).toMatchObject(
      wrongFields('id', 'name', 'type'),
    )
  })

  test.each(['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data', ''])(
    'in the type %j gets 415',
    async (type) => {
      const answer = await post(till('typed'), { 'Content-Type': type })
      expect(answer).toMatchObject({
        status: 415,
        body: error('Unsupported Media Type', /application\/json/),
      })
    },
  )

  test.each([
    ['no JSON', '{"id": '],
    ['two values', '{}{}'],
    ['single quotes', "{'id': 'x'}"],
    ['invalid UTF-8', Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d])],
    ['half of a surrogate pair', '{"id": "\\ud83d", "name": "x", "type": "store"}'],
    ['half of a surrogate pair after a backslash', '{"id": "\\\\\\uDC00"}'],
    ['the wrong halves of surrogate pairs', '{"id": "\\ud83d\\ud83d\\ude00"}'],
    ['the half of a surrogate pair that marks inexact numbers', '{"n": {"\\uD800": "1"}}'],
    ['an array', '[]'],
    ['a text', '"id"'],
    ['null', 'null'],
    ['a number', '1e999'],
    ['a deep nest', '['.repeat(500_000)],
    ['a deep nest that is closed', '['.repeat(200_000) + ']'.repeat(200_000)],
  ])('with %s gets 400', async (_, body) => {
    expect(await post(body)).toMatchObject({ status: 400, body: error('Bad Request', /JSON/) })
  })

  test('may have an escaped backslash before the letters of a surrogate, and whole pairs', async () => {
    const name = '\\\\ud83d \\ud83d\\ude00'
    const answer = await post(`{"id": "pair", "name": "${name}", "type": "store"}`)
    expect(answer.status).toBe(201)
    const { body } = await service.pos1('GET', pathOf(answer.headers.location))
    expect(body).toMatchObject({ name: '\\ud83d 😀' })
  })

  test('may have unknown fields, at any depth', async () => {
    const nest = `${'{"a":'.repeat(31)}1${'}'.repeat(31)}`
    const body = `{"id": "extra", "name": "x", "type": "store", "__proto__": {"id": "y"}, "n": ${nest}}`
    expect(await post(body)).toMatchObject({ status: 201 })
    expect((await service.pos1('GET', `${paths.pointsOfSale}extra/`)).body.name).toBe('x')
    const deep = '['.repeat(31) + '"\\ud83d\\ude00", 1e2' + ']'.repeat(31)
    const more = JSON.stringify(till('deep')).replace('{', `{"n": ${deep}, `)
    expect(await post(more)).toMatchObject({ status: 201 })
  })

  test('may hold 16,000 values, 5,000 inexact numbers, nested 32 deep, and no more', async () => {
    const within = (id: string, extra: string) =>
      post(JSON.stringify(till(id)).replace('{', `{"n": ${extra}, `))
    const numbers = (count: number, number = '7') => `[${Array(count).fill(number).join(',')}]`
    // The body, its list and its three fields count too, but not the list's first number.
    expect(await within('many', numbers(15_996))).toMatchObject({ status: 201 })
    expect(await within('more', numbers(15_997))).toMatchObject({
      status: 400,
      body: error('Bad Request', /JSON of more than 16000 values/),
    })
    expect(await within('inexact', numbers(5_000, '1e1'))).toMatchObject({ status: 201 })
    expect(await within('too-inexact', numbers(5_001, '1e1'))).toMatchObject({
      status: 400,
      body: error('Bad Request', /JSON of more than 5000 numbers that are inexact/),
    })
    const nest = (depth: number) => `${'['.repeat(depth)}${']'.repeat(depth)}`
    expect(await within('deepest', nest(31))).toMatchObject({ status: 201 })
    expect(await within('deeper', nest(32))).toMatchObject({
      status: 400,
      body: error('Bad Request', /JSON nested deeper than 32 levels/),
    })
    // In a string, brackets and commas are just text.
    const text = JSON.stringify('[{,"\\'.repeat(30_000))
    expect(await within('text', text)).toMatchObject({ status: 201 })
  })

  test('to a route that is open to all has at most 16 KiB', async () => {
    const open = ['/sandbox/v1/clock/', '/payer/v1/session/', '/oauth2/token', '/payer/sign-in']
    for (const path of open)
      for (const headers of [{}, { 'Transfer-Encoding': 'chunked' }]) {
        const sent = (size: number) =>
          service.call('POST', path, { headers, body: '{}'.padEnd(size) })
        expect([path, (await sent(16_385)).status]).toEqual([path, 413])
        expect([path, (await sent(16_384)).status]).not.toEqual([path, 413])
      }
  })

  test.each(['7', '1e2', '123456789012345678901', '0.30000000000000001'])(
    'that has the number %s where a text belongs is told so',
    async (number) => {
      const body = JSON.stringify(till('numbered')).replace('"numbered"', number)
      expect(body).toContain(`:${number}`)
      const answer = await post(body)
      expect(answer).toMatchObject(wrongFields('id'))
      const { id } = answer.body.error_details
      expect(id).toEqual(['Invalid input: expected string, received number'])
    },
  )

  test('may have long numbers, of 100,000 characters together', async () => {
    const more = (n: string) => JSON.stringify(till('long-number')).replace('{', `{"n": ${n}, `)
    const longest = `0.${'0'.repeat(99_997)}1`
    expect(await post(more(longest))).toMatchObject({ status: 201 })
    for (const number of [`${longest}1`, `0.${'0'.repeat(500_000)}1`])
      expect(await post(more(number))).toMatchObject({
        status: 400,
        body: error('Bad Request', /100000 characters of inexact numbers/),
      })
  })

  const padded = (size: number): string => {
    const text = JSON.stringify(till('large'))
    return text + ' '.repeat(size - text.length)
  }

  test('of exactly 1 MiB is read, one byte more gets 413, with and without its length', async () => {
    const chunked = { 'Transfer-Encoding': 'chunked' }
    for (const headers of [{}, chunked]) {
      expect(await post(padded(1_048_576), headers)).toMatchObject({ status: 201 })
      expect(await post(padded(1_048_577), headers)).toMatchObject({
        status: 413,
        body: error('Content Too Large', /1048576/),
      })
      // The connection can be used for the next request.
      expect(await service.pos1('GET', paths.pointsOfSale)).toMatchObject({ status: 200 })
    }
    expect(await post(padded(3_000_000), chunked)).toMatchObject({ status: 413 })
  })

  test('that does not end gets 413 once it is 64 times too large', async () => {
    const { hostname, port } = new URL(service.address)
    const socket = connect(Number(port), hostname).setEncoding('utf8')
    const chunk = ' '.repeat(1_048_576)
    socket.write(`POST ${paths.pointsOfSale} HTTP/1.1\r\nHost: ${hostname}:${port}\r\n`)
    socket.write('X-Service-Merchant: sandbox\r\nX-Service-User: pos1\r\n')
    socket.write('Authorization: SECRET sandbox-secret\r\nTransfer-Encoding: chunked\r\n')
    socket.write('Content-Type: application/json\r\n\r\n')
    for (let chunks = 0; chunks < 65; chunks++) socket.write(`100000\r\n${chunk}\r\n`)
    const [answer] = (await once(socket, 'data')) as [string]
    socket.destroy()
    expect(answer).toMatch(/^HTTP\/1.1 413 /)
  })

  test('in a coding gets 415, whatever is in it', async () => {
    for (const coding of ['gzip', 'br', 'identity, gzip'])
      expect(await post(till('coded'), { 'Content-Encoding': coding })).toMatchObject({
        status: 415,
        body: error('Unsupported Media Type', /coding/),
      })
    expect(await post(till('coded'), { 'Content-Encoding': 'identity' })).toMatchObject({
      status: 201,
    })
  })

  test('with many mistakes is answered with the first fifty, and how many more', async () => {
    const line_items = Array.from({ length: 1000 }, () => ({}))
    const { status, body } = await service.pos1('POST', paths.payments, { line_items })
    expect(status).toBe(400)
    const { '': more, ...told } = body.error_details as Record<string, string[]>
    expect(Object.values(told).flat()).toHaveLength(50)
    expect(more).toEqual(['There may be more problems.'])
    const few = Array.from({ length: 20 }, () => ({}))
    const other = await service.pos1('POST', paths.payments, { line_items: few })
    // Four of each line and eight fields of the request, without the fifty.
    expect(other.body.error_details['']).toEqual(['38 more problems are not listed.'])
  })

  test('that is a form has at most a thousand fields', async () => {
    const form = (fields: number) =>
      service.call('POST', '/oauth2/token', {
        headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
        body: Array.from({ length: fields }, (_, index) => `a${index}=b`).join('&'),
      })
    expect((await form(1001)).body.error_description).toMatch(/1000 fields/)
    expect((await form(1000)).body.error_description).not.toMatch(/fields/)
  })

  test('that is absent counts as an empty object', async () => {
    expect(await service.pos1('POST', paths.pointsOfSale)).toMatchObject(
      wrongFields('id', 'name', 'type'),
    )
  })
})

describe('a request', () => {
  test.each([
    '/nothing',
    '/merchant/v1/pos',
    '/merchant/v2/pos/',
    '/merchant/v1/pos/till-1',
    '/merchant/v1/pos/till-1/x/',
    '//merchant/v1/pos/',
    '/merchant/v1/status_code/9999/',
    '/merchant/v1/status_code/2000.0/',
    '/%2e%2e/nothing',
    '/%',
  ])('for %s, where nothing is, gets 404', async (path) => {
    for (const method of ['GET', 'POST', 'PATCH'])
      if (!path.includes('status_code') || method === 'GET')
        expect(await service.call(method, path)).toMatchObject({
          status: 404,
          headers: { 'content-type': json },
          body: error('Not Found', /nothing at this URL|no such resource/),
        })
  })

  test.each(['/a\\b', '*', 'http://[/'])(
    'with the target %s, which is none, gets 400',
    async (path) => {
      const answer = await service.call('OPTIONS', path)
      expect(answer).toMatchObject({ status: 400, body: error('Bad Request', /target/) })
      expect(answer.headers['x-request-id']).toMatch(/./)
    },
  )

  test('with a method that its URL does not have gets 405 and those that it has', async () => {
    for (const method of ['PUT', 'PATCH', 'OPTIONS', 'DELETE', 'PROPFIND', 'TRACE']) {
      const answer = await service.call(method, paths.pointsOfSale)
      expect(answer).toMatchObject({
        status: 405,
        headers: { allow: 'GET, POST, HEAD' },
        body: error('Method Not Allowed', /GET, POST, HEAD/),
      })
    }
  })

  test('with HEAD is answered as with GET, without the body', async () => {
    const { admin, adminKey } = service
    expect(adminKey.type).toBe('private')
    const get = ['/health/live', '/health/ready', '/metrics', '/openapi.json', '/docs']
    const keys = ['/callback_key.pem', '/callback_keys.json']
    const merchant = [
      paths.pointsOfSale,
      `${paths.pointsOfSale}till-1/`,
      `${paths.users}admin/`,
      '/nothing',
    ]
    for (const path of [
      ...get,
      ...keys,
      ...merchant,
      paths.statusCodes,
      `${paths.pointsOfSale}none/`,
    ]) {
      const [full, head] = [await admin('GET', path), await admin('HEAD', path)]
      expect([path, head.status, head.text]).toEqual([path, full.status, ''])
      expect(head.headers['content-type']).toBe(full.headers['content-type'])
    }
  })

  test('is answered with an id of its own, whatever the answer', async () => {
    const { pos1, call } = service
    const answers = [
      await pos1('GET', paths.pointsOfSale),
      await pos1('GET', paths.pointsOfSale),
      await pos1('POST', paths.pointsOfSale, till('till-9')),
      await pos1('POST', paths.pointsOfSale, {}),
      await call('GET', paths.pointsOfSale),
      await call('GET', '/nothing'),
      await call('PATCH', paths.pointsOfSale),
    ]
    const ids = answers.map(({ headers }) => headers['x-request-id'])
    for (const id of ids) expect(id).toMatch(/^[0-9a-f-]{36}$/)
    expect(new Set(ids).size).toBe(ids.length)
  })
})

test('when the store cannot be reached, everything that needs it gets 503 and when to come back', async () => {
  const lonely = await startService()
  const { pos1, core, call } = lonely
  expect((await pos1('GET', paths.pointsOfSale)).status).toBe(200)
  await core.store.close()
  const unavailable = {
    status: 503,
    headers: { 'retry-after': '1' },
    body: error('Service Unavailable', /try again/),
  }
  expect(await pos1('GET', paths.pointsOfSale)).toMatchObject(unavailable)
  expect(await pos1('POST', paths.pointsOfSale, till('new'))).toMatchObject(unavailable)
  expect(await call('GET', paths.statusCodes)).toMatchObject({ status: 200 })
  expect(await call('GET', '/health/live')).toMatchObject({ status: 200 })
  const place = [expect.stringMatching(/^[1-9]\d*$/)]
  expect(await call('GET', '/health/ready')).toMatchObject({
    status: 503,
    body: error('Service Unavailable', /^The log of events cannot be used just now\.$/, {
      position: place,
      head: place,
    }),
  })
  const metrics = await call('GET', '/metrics')
  expect(metrics.status).toBe(200)
  expect(metrics.text).toMatch(/^daybook_store_up 0$/m)
  expect(metrics.text).not.toMatch(/^daybook_read_models_behind_events /m)
  // Requests get no details; the log has the reason, once.
  for (const what of ['read', 'written'])
    expect(lonely.logged.filter((line) => line.includes(`cannot be ${what}`))).toEqual([
      expect.stringContaining('"type":"StoreUnavailable"'),
    ])
  await lonely.stop()
})
