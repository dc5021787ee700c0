import { createPublicKey, generateKeyPairSync, randomBytes, type KeyObject } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { FoundUser } from '../../http/access-needs.ts'
import { makeAccess } from '../../http/access.ts'
import { namesOf } from '../../http/assets.ts'
import { hashSecret, makeSecretCheck } from '../../infrastructure/people/secrets.ts'
import { dateTime, stringToSign } from '../../harness/signing.ts'
import {
  error,
  paths,
  sign,
  startService,
  wrongFields,
  type Service,
} from '../support/http-service.ts'

let service: Service

beforeAll(async () => {
  service = await startService()
})

afterAll(() => service.stop())

const till = (id: string) => ({ id, name: 'Till', type: 'store' })

const unauthorized = (description: RegExp, details: unknown = null) => ({
  status: 401,
  body: error('Unauthorized', description, details),
})

/** Access to a service whose only user is `u` of merchant `m`, named in the request. */
const names = namesOf({ headerPrefix: 'X-Service', mediaVendor: 'service' })

const accessOfOne =
  (needs: Partial<Parameters<typeof makeAccess>[0]>) => (authorization: string) => {
    const authenticate = makeAccess({
      names,
      recallUser: () => undefined,
      findUser: async () => undefined,
      recallIntegrator: () => undefined,
      findIntegrator: async () => undefined,
      findMerchant: async () => undefined,
      verifySecret: () => true,
      isDigestOf: () => false,
      guardGuesses: (_, __, verify) => verify(),
      securityLog: { record: () => {} },
      admit: () => undefined,
      verifySignature: () => true,
      fingerprint: () => 'fingerprint',
      sealAddress: (address) => address,
      contentDigest: () => 'digest',
      isWithin: () => true,
      machineNow: () => Date.UTC(2026, 10, 21),
      clockToleranceMs: 1000,
      ...needs,
    })
    const headers: Record<string, string> = {
      authorization,
      [names.merchant]: 'm',
      [names.user]: 'u',
      [names.timestamp]: '2026-11-21 00:00:00',
      [names.contentDigest]: 'digest',
    }
    return authenticate('SECRET', {
      method: 'GET',
      url: () => 'http://x/',
      header: (name) => headers[name],
      headers: () => Object.entries(headers),
      remoteAddress: undefined,
      body: new Uint8Array(),
    })
  }

const userWith = (changes: Partial<NonNullable<FoundUser>['user']>): NonNullable<FoundUser> => ({
  user: {
    id: 'u',
    roles: [],
    netmask: null,
    secretHash: 'a hash',
    publicKey: 'a key',
    ...changes,
  },
  merchantNetmask: null,
  disabled: undefined,
})

const pem = (key: KeyObject) => key.export({ type: 'spki', format: 'pem' }).toString()

type Headers = Readonly<Record<string, string | undefined>>

/** The headers, with some changed or removed. */
const without = (headers: Headers, changes: Headers): Record<string, string> =>
  Object.fromEntries(
    Object.entries({ ...headers, ...changes }).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, value]],
    ),
  )

describe('a request that fails a check gets the name of the check', () => {
  const headers = {
    'X-Service-Merchant': 'sandbox',
    'X-Service-User': 'pos1',
    Authorization: 'SECRET sandbox-secret',
  }
  test.each([
    ['no merchant', { 'X-Service-Merchant': undefined }, /X-Service-Merchant is missing/],
    ['no user', { 'X-Service-User': undefined }, /X-Service-User is missing/],
    ['no authorization', { Authorization: undefined }, /Authorization is missing/],
    ['another scheme', { Authorization: 'Basic c2FuZGJveA==' }, /SECRET <secret> or RSA-SHA256/],
    ['no secret', { Authorization: 'SECRET' }, /SECRET <secret> or RSA-SHA256/],
    ['a wrong secret', { Authorization: 'SECRET sandbox-secre' }, /wrong secret/],
    ['two secrets', { Authorization: 'SECRET sandbox-secret, SECRET x' }, /wrong secret/],
    ['an unknown user', { 'X-Service-User': 'pos2' }, /Unknown user pos2/],
    ['an unknown merchant', { 'X-Service-Merchant': 'nobody' }, /Unknown user pos1/],
    ['a user of others', { 'X-Service-Merchant': 'sandbox/pos1' }, /Unknown user pos1/],
    ['no timestamp', { Authorization: 'RSA-SHA256 AAAA' }, /X-Service-Timestamp is missing/],
  ])('%s', async (_, changes, description) => {
    const answer = await service.call('GET', paths.pointsOfSale, {
      headers: without(headers, changes),
    })
    expect(answer).toMatchObject(unauthorized(description))
    expect(answer.headers['www-authenticate']).toMatch(/^SECRET realm=.*, RSA-SHA256 realm=/)
  })

  const signed = (changes: Record<string, string | undefined>, body?: unknown) => {
    const { address, adminKey: key, call } = service
    const url = address + paths.pointsOfSale
    const made = sign({ method: 'GET', url, merchant: 'sandbox', user: 'admin', key })
    const headers = without(made, changes)
    return call('GET', paths.pointsOfSale, { headers, ...(body !== undefined && { body }) })
  }

  test.each([
    ['no digest', { 'X-Service-Content-Digest': undefined }, /Content-Digest is missing/],
    ['another digest', { 'X-Service-Content-Digest': 'SHA256=AAAA' }, /digest mismatch/],
    ['no time', { 'X-Service-Timestamp': '2026-02-30 10:00:00' }, /YYYY-MM-DD hh:mm:ss/],
    ['another form of time', { 'X-Service-Timestamp': '2026-02-20T10:00:00Z' }, /YYYY-MM-DD/],
    ['an old time', { 'X-Service-Timestamp': '2020-02-20 10:00:00' }, /stale/],
  ])('%s', async (_, changes, description) => {
    expect(await signed(changes)).toMatchObject(unauthorized(description))
  })

  test('a bad signature, with the string that the service expected', async () => {
    const { address, adminKey: key } = service
    const url = address + paths.pointsOfSale
    const made = sign({ method: 'GET', url, merchant: 'sandbox', user: 'admin', key })
    const more = { 'X-Service-Extra': 'a value' }
    const expected = stringToSign('GET', url, { ...made, ...more })
    expect(expected).toMatch(/&X-SERVICE-EXTRA=a value&X-SERVICE-MERCHANT=sandbox&/)
    const refused = unauthorized(/bad signature/, { string_to_sign: [expected] })
    const headers = { ...made, ...more }
    expect(await service.call('GET', paths.pointsOfSale, { headers })).toMatchObject(refused)
  })

  test.each(['!', ' ', '=', '%0A'])('a signature with %j behind it', async (junk) => {
    const { address, adminKey: key } = service
    const url = address + paths.pointsOfSale
    const headers = sign({ method: 'GET', url, merchant: 'sandbox', user: 'admin', key })
    const get = (Authorization: string) =>
      service.call('GET', paths.pointsOfSale, { headers: { ...headers, Authorization } })
    const { Authorization: right = '' } = headers
    expect(await get(right)).toMatchObject({ status: 200 })
    const refused = unauthorized(/bad signature/, expect.anything())
    expect(await get(`${right}${junk}A`)).toMatchObject(refused)
  })

  test('a body that is not the one that was signed', async () => {
    const { address, adminKey: key } = service
    const url = address + paths.pointsOfSale
    const headers = sign({
      method: 'POST',
      url,
      merchant: 'sandbox',
      user: 'admin',
      key,
      body: till('a'),
    })
    const answer = await service.call('POST', paths.pointsOfSale, { headers, body: till('b') })
    expect(answer).toMatchObject(unauthorized(/digest mismatch/))
    expect(await service.pos1('GET', `${paths.pointsOfSale}b/`)).toMatchObject({ status: 404 })
  })

  test('a level that is too low', async () => {
    const { pos1, admin } = service
    await admin('POST', paths.pointsOfSale, till('to-delete'))
    for (const answer of [
      await pos1('DELETE', `${paths.pointsOfSale}to-delete/`),
      await pos1('POST', paths.users, { id: 'x', secret: 'long enough' }),
      await pos1('PUT', `${paths.users}pos1/`, { secret: 'long enough' }),
      await pos1('PUT', `${paths.payments}unknown/`, { action: 'refund' }),
    ])
      expect(answer).toMatchObject(unauthorized(/Level too low.*key/))
    expect(await pos1('GET', `${paths.pointsOfSale}to-delete/`)).toMatchObject({ status: 200 })
  })
})

describe('unknown users and wrong credentials', () => {
  test('are answered with the same words', async () => {
    const { withSecret, call, address, adminKey: key } = service
    const body = async (answer: Promise<{ readonly text: string }>) => (await answer).text
    const wrong = await body(
      withSecret('sandbox', 'pos1', 'a wrong secret')('GET', paths.pointsOfSale),
    )
    const unknown = await body(
      withSecret('nobody', 'pos1', 'a wrong secret')('GET', paths.pointsOfSale),
    )
    expect(unknown).toBe(wrong)
    const noSecret = withSecret('sandbox', 'admin', 'a wrong secret')('GET', paths.pointsOfSale)
    expect(await body(noSecret)).toBe(wrong.replace('pos1', 'admin'))

    const signed = async (user: string) => {
      const url = address + paths.pointsOfSale
      const headers = sign({ method: 'GET', url, merchant: 'sandbox', user, key })
      const wrongUser = { ...headers, Authorization: `RSA-SHA256 ${'A'.repeat(342)}==` }
      const answer = await call('GET', paths.pointsOfSale, { headers: wrongUser })
      return answer.text.replaceAll(user, '…').replace(/\d\d:\d\d:\d\d/, '…')
    }
    expect(await signed('nobody')).toBe(await signed('admin'))
    expect(await signed('pos1')).toBe(await signed('admin'))
  })

  test('are checked as slowly for an unknown name as for any other, at first and again', async () => {
    const check = makeSecretCheck(() => 0)
    await check('a guess', null, 'nobody')
    const first: string[] = []
    const checked = (claimed: string) =>
      Promise.resolve(check('a guess', null, claimed)).then(() => first.push(claimed))
    // A cached result is returned at once, before earlier uncached requests.
    await Promise.all([checked('nobody else'), checked('nobody')])
    expect(first).toEqual(['nobody', 'nobody else'])
  })

  test('that are right are cached for a minute after each use, whatever wrong ones arrive', async () => {
    let now = 0
    const check = makeSecretCheck(() => now)
    const slowHash = await hashSecret('right')
    expect(await check('right', slowHash)).toBe(true)
    now += 59_999
    expect(check('right', slowHash)).toBe(true)
    now += 59_999
    const guess = (_: unknown, n: number) => check(`guess ${n}`, 'no hash', '', `from ${n}`)
    const others = Promise.allSettled(Array.from({ length: 10_001 }, guess))
    expect(check('right', slowHash)).toBe(true)
    now += 60_000
    expect(check('right', slowHash)).toBeInstanceOf(Promise)
    await others
    expect(await check('wrong', slowHash)).toBe(false)
    expect(check('wrong', slowHash)).toBe(false)
  })

  test(
    'that are guessed by the hundred are checked in rotation with those of others',
    { tags: 'long' },
    async () => {
      const check = makeSecretCheck(() => 0)
      const slowHash = await hashSecret('right')
      let guessed = 0
      const guesses = Array.from({ length: 100 }, async (_, n) => {
        await check(`guess ${n}`, slowHash, '', '203.0.113.1')
        guessed += 1
      })
      expect(await check('right', slowHash, '', '203.0.113.2')).toBe(true)
      expect(guessed).toBeLessThan(50)
      await Promise.all(guesses)
      expect(guessed).toBe(100)
    },
  )

  test('are checked for each address in its own turn, also when another has asked the same', async () => {
    const check = makeSecretCheck(() => 0)
    const slowHash = await hashSecret('right')
    let checked = 0
    const guess = async (secret: string, from: string) => {
      await check(secret, slowHash, '', from)
      checked += 1
    }
    // All in one network: an IPv6 client owns many addresses.
    const guesses = Array.from({ length: 100 }, (_, n) => guess(`guess ${n}`, `2001:db8::${n}`))
    const same = guess('right', '2001:db8::1')
    expect(await check('right', slowHash, '', '203.0.113.2')).toBe(true)
    expect(checked).toBeLessThan(50)
    expect(check('right', slowHash, '', '2001:db8::1')).toBe(true)
    await Promise.all([...guesses, same])
  })

  test('count for a minute from when they were checked, however long that took', async () => {
    let now = 0
    const check = makeSecretCheck(() => now)
    const slowHash = await hashSecret('right')
    const [right, wrong] = [check('right', slowHash), check('wrong', slowHash)]
    now += 120_000
    expect([await right, await wrong]).toEqual([true, false])
    now += 59_999
    expect([check('right', slowHash), check('wrong', slowHash)]).toEqual([true, false])
  })

  test('make the service read the log and check once, whoever is named', async () => {
    const known = userWith({})
    const changed = userWith({ secretHash: 'another' })
    const stepsFor = async (remembered: FoundUser, found: FoundUser, authorization: string) => {
      const steps: string[] = []
      const ask = accessOfOne({
        recallUser: () => remembered,
        findUser: async () => (steps.push('find'), found),
        verifySecret: async () => (steps.push('verify secret'), false),
        verifySignature: () => (steps.push('verify signature'), false),
      })
      const refused = ask(authorization)
      await expect(refused).rejects.toThrow('Unknown user')
      return steps
    }
    for (const [scheme, verify] of [
      ['SECRET x', 'verify secret'],
      ['RSA-SHA256 x', 'verify signature'],
    ] as const) {
      expect(await stepsFor(known, known, scheme)).toEqual([verify, 'find'])
      expect(await stepsFor(undefined, known, scheme)).toEqual(['find', verify])
      expect(await stepsFor(undefined, undefined, scheme)).toEqual(['find', verify])
      // The cached verdict is outdated.
      expect(await stepsFor(known, changed, scheme)).toEqual([verify, 'find', verify])
    }
  })
})

describe('a signature', () => {
  const get = (path: string, changes: { url?: string; path?: string; at?: number } = {}) => {
    const { address, adminKey: key, call } = service
    const { url = address + path, at = Date.now() } = changes
    const headers = sign({ method: 'GET', url, merchant: 'sandbox', user: 'admin', key, at })
    return call('GET', changes.path ?? path, { headers })
  }

  test('is of scheme and host in lower case, and of the rest as sent', async () => {
    const { address } = service
    const capital = address.replace('http', 'HTTP').replace('127.0.0.1', 'LocalHost')
    const host = new URL(capital).host
    const { adminKey: key, call } = service
    const named = (url: string) =>
      sign({ method: 'GET', url, merchant: 'sandbox', user: 'admin', key })
    for (const path of [
      `${paths.pointsOfSale}?next=`,
      `${paths.pointsOfSale}none%2Fsuch/?A=b&a=%c3%A6+%20&&=`,
      `${paths.pointsOfSale}a'b(c)|d^e/`,
      `${paths.pointsOfSale}x/../none/`,
      `${paths.pointsOfSale}%2e%2E/pos/`,
    ]) {
      const headers = { ...named(capital + path), Host: host.replace('localhost', 'LOCALHOST') }
      const answer = await call('GET', path, { headers })
      expect([path, answer.status, answer.text]).toEqual([
        path,
        expect.not.stringMatching('401'),
        expect.not.stringContaining('bad signature'),
      ])
    }
    const other = { ...named(`${address}${paths.pointsOfSale.toUpperCase()}`) }
    expect(await call('GET', paths.pointsOfSale, { headers: other })).toMatchObject({ status: 401 })
  })

  test('covers the query', async () => {
    const { address } = service
    expect(await get(`${paths.pointsOfSale}?x=1`)).toMatchObject({ status: 200 })
    const other = { url: `${address}${paths.pointsOfSale}?x=1`, path: `${paths.pointsOfSale}?x=2` }
    expect(await get(paths.pointsOfSale, other)).toMatchObject({ status: 401 })
    const none = { url: address + paths.pointsOfSale, path: `${paths.pointsOfSale}?x=2` }
    expect(await get(paths.pointsOfSale, none)).toMatchObject({ status: 401 })
  })

  test('covers the method: what is signed as GET does not DELETE, HEAD is signed as HEAD', async () => {
    const { address, adminKey: key, call } = service
    const url = `${address}${paths.pointsOfSale}till-1/`
    const headers = sign({ method: 'GET', url, merchant: 'sandbox', user: 'admin', key })
    const path = `${paths.pointsOfSale}till-1/`
    expect(await call('DELETE', path, { headers })).toMatchObject({ status: 401 })
    expect(await call('HEAD', path, { headers })).toMatchObject({ status: 401 })
    expect(await call('GET', path, { headers })).toMatchObject({ status: 200 })
  })

  test('does not depend on the order or the case of the headers', async () => {
    const { address, adminKey: key, call } = service
    const url = address + paths.pointsOfSale
    const made = sign({ method: 'GET', url, merchant: 'sandbox', user: 'admin', key })
    const odd = Object.entries(made).reverse()
    for (const name of [
      (text: string) => text.toLowerCase(),
      (text: string) => text.toUpperCase(),
    ]) {
      const headers = Object.fromEntries(odd.map(([key, value]) => [name(key), value]))
      expect(await call('GET', paths.pointsOfSale, { headers })).toMatchObject({ status: 200 })
    }
    const scheme = made['Authorization']?.replace('RSA-SHA256', 'rsa-sha256') ?? ''
    const headers = { ...made, Authorization: scheme }
    expect(await call('GET', paths.pointsOfSale, { headers })).toMatchObject({ status: 200 })
  })

  test('is of all headers with the prefix, those that the service does not know among them', async () => {
    const { admin } = service
    const more = { 'X-Service-Version': '7', 'X-Serviceman': 'not signed' }
    expect(await admin('GET', paths.pointsOfSale, undefined, more)).toMatchObject({ status: 200 })
  })

  test('is good for five minutes before and after its time, by the clock of the machine', async () => {
    const minute = 60_000
    for (const minutes of [-4.9, 0, 4.9])
      expect(await get(paths.pointsOfSale, { at: Date.now() + minutes * minute })).toMatchObject({
        status: 200,
      })
    for (const minutes of [-5.1, 5.1])
      expect(await get(paths.pointsOfSale, { at: Date.now() + minutes * minute })).toMatchObject(
        unauthorized(/stale/),
      )
  })

  test('does not follow the clock of the sandbox', async () => {
    const ahead = await startService()
    const { call, admin, address, adminKey: key } = ahead
    const before = ahead.core.now()
    const moved = await call('POST', paths.clock, { body: { advance_seconds: 86_400 } })
    // A second may pass between the response and this reading of the clock.
    expect(moved.body.now >= dateTime(before + 86_400_000)).toBe(true)
    expect(moved.body.now <= dateTime(ahead.core.now())).toBe(true)
    expect(await admin('GET', paths.pointsOfSale)).toMatchObject({ status: 200 })
    const url = address + paths.pointsOfSale
    const at = ahead.core.now()
    const headers = sign({ method: 'GET', url, merchant: 'sandbox', user: 'admin', key, at })
    expect(await call('GET', paths.pointsOfSale, { headers })).toMatchObject(unauthorized(/stale/))
    await ahead.stop()
  })
})

/** `ssh-rsa …` of a public key (RFC 4253, 6.6). */
const openSsh = (key: KeyObject): string => {
  const { e = '', n = '' } = key.export({ format: 'jwk' })
  const field = (bytes: Buffer) => {
    const length = Buffer.alloc(4)
    length.writeUInt32BE(bytes.length)
    return Buffer.concat([length, bytes])
  }
  const number = (text: string) => {
    const bytes = Buffer.from(text, 'base64url')
    return (bytes[0] ?? 0) >= 0x80 ? Buffer.concat([Buffer.from([0]), bytes]) : bytes
  }
  const parts = [field(Buffer.from('ssh-rsa')), field(number(e)), field(number(n))]
  return `ssh-rsa ${Buffer.concat(parts).toString('base64')} somebody@somewhere`
}

/** A public key of this many bits; nobody has the private key. */
const publicKeyOf = (bits: number, e = 'AQAB'): KeyObject => {
  const n = randomBytes(Math.ceil(bits / 8))
  n[0] = 1 << ((bits - 1) % 8)
  n[n.length - 1]! |= 1
  const jwk = { kty: 'RSA', n: n.toString('base64url'), e }
  return createPublicKey({ key: jwk, format: 'jwk' })
}

describe('an API user', () => {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const path = (id: string) => `${paths.users}${id}/`

  test('is made by a superuser, signs in at once, and is shown without its secret', async () => {
    const { admin, withSecret } = service
    const input = { id: 'cashier', secret: 'of the cashier', netmask: '127.0.0.0/8' }
    const created = await admin('POST', paths.users, input)
    expect(created).toMatchObject({ status: 201, body: { id: 'cashier' } })
    expect(created.headers.location).toBe(`${service.address}${path('cashier')}`)
    const cashier = withSecret('sandbox', 'cashier', 'of the cashier')
    const shown = await cashier('GET', path('cashier'))
    expect(shown).toMatchObject({ status: 200 })
    expect(shown.body).toEqual({
      id: 'cashier',
      roles: ['user'],
      netmask: '127.0.0.0/8',
      has_secret: true,
      pubkey: null,
    })
  })

  test('hears only that roles are to be a list, when they are none', async () => {
    const input = { id: 'no-list', roles: 'user', secret: 'of nobody' }
    const answer = await service.admin('POST', paths.users, input)
    expect(answer).toMatchObject({ status: 400, body: { error_type: 'validation_error' } })
    expect(answer.body.error_details).toEqual({
      roles: ['Invalid input: expected array, received string'],
    })
  })

  test('that is made again alike is answered alike, and otherwise 409', async () => {
    const { admin } = service
    const input = { id: 'again', secret: 'of the cashier', pubkey: pem(publicKey) }
    const first = await admin('POST', paths.users, input)
    const sameKey = { ...input, pubkey: openSsh(publicKey) }
    const again = await admin('POST', paths.users, sameKey)
    expect([again.status, again.headers.location]).toEqual([201, first.headers.location])
    for (const other of [{ secret: 'another one' }, { roles: ['superuser'] }, { pubkey: null }])
      expect(await admin('POST', paths.users, { ...input, ...other })).toMatchObject({
        status: 409,
        body: error('Conflict', /other data/),
      })
  })

  test('that is made several times at once with one secret is answered alike', async () => {
    const input = { id: 'hurried', secret: 'of the cashier', netmask: '127.0.0.0/8' }
    const answers = await Promise.all(
      Array.from({ length: 4 }, () => service.admin('POST', paths.users, input)),
    )
    expect(answers.map(({ status }) => status)).toEqual([201, 201, 201, 201])
    expect(await service.admin('POST', paths.users, { ...input, secret: 'other' })).toMatchObject({
      status: 400,
    })
    const other = { ...input, secret: 'another one' }
    expect(await service.admin('POST', paths.users, other)).toMatchObject({ status: 409 })
  })

  test('keeps its roles and its netmask when only the secret is changed', async () => {
    const { admin } = service
    const input = { id: 'rotating', secret: 'of the boss', roles: ['superuser'], netmask: '::1' }
    await admin('POST', paths.users, input)
    expect(await admin('PUT', path('rotating'), { secret: 'a newer one' })).toMatchObject({
      status: 204,
    })
    const shown = async () => (await admin('GET', path('rotating'))).body
    expect(await shown()).toMatchObject({ roles: ['superuser'], netmask: '::1' })
    await admin('PUT', path('rotating'), { netmask: '' })
    expect(await shown()).toMatchObject({ roles: ['superuser'], netmask: null })
    const many = { roles: Array.from({ length: 1000 }, () => 'user') }
    expect(await admin('PUT', path('rotating'), many)).toMatchObject(wrongFields('roles'))
  })

  test('is changed at once: the new secret counts from the answer on, the old one no longer', async () => {
    const { admin, withSecret } = service
    const secrets = Array.from({ length: 8 }, (_, index) => `secret number ${index}`)
    await admin('POST', paths.users, { id: 'changing', secret: secrets[0] })
    for (const [index, secret] of secrets.entries()) {
      const statusWith = async (secret: string) =>
        (await withSecret('sandbox', 'changing', secret)('GET', paths.pointsOfSale)).status
      expect(await admin('PUT', path('changing'), { secret })).toMatchObject({ status: 204 })
      const old = await statusWith(secrets[index - 1] ?? 'never a secret')
      expect([await statusWith(secret), old]).toEqual([200, 401])
    }
  })

  test('keeps secret and key that a change does not name, and loses what it empties', async () => {
    const { admin } = service
    await admin('POST', paths.users, { id: 'both', secret: 'a long one', pubkey: pem(publicKey) })
    const shown = async () => (await admin('GET', path('both'))).body
    await admin('PUT', path('both'), { roles: ['superuser'] })
    expect(await shown()).toMatchObject({ has_secret: true, roles: ['superuser'] })
    await admin('PUT', path('both'), { secret: '' })
    expect(await shown()).toMatchObject({ has_secret: false, pubkey: pem(publicKey) })
    const nothing = await admin('PUT', path('both'), { pubkey: '' })
    expect(nothing).toMatchObject(wrongFields('secret'))
    expect(await shown()).toMatchObject({ pubkey: pem(publicKey) })
  })

  test.each([
    ['PEM', pem],
    ['PKCS #1 PEM', (key: KeyObject) => key.export({ type: 'pkcs1', format: 'pem' })],
    ['OpenSSH', openSsh],
  ])('may give its key in the form of %s, and signs with it', async (name, form) => {
    const { admin, withKey } = service
    const id = name.replaceAll(/[^A-Za-z]/g, '')
    expect(await admin('POST', paths.users, { id, pubkey: form(publicKey) })).toMatchObject({
      status: 201,
    })
    const signer = withKey('sandbox', id, privateKey)
    expect(await signer('GET', path(id))).toMatchObject({ body: { pubkey: pem(publicKey) } })
    expect(await signer('POST', paths.users, { id: 'x', secret: 'long enough' })).toMatchObject({
      status: 403,
      body: error('Forbidden', /superuser/),
    })
    expect(await signer('PUT', path(id), { secret: 'long enough' })).toMatchObject({ status: 403 })
  })

  test.each([2048, 3000, 4096])('may have a key of %i bits', async (bits) => {
    const input = { id: `bits-${bits}`, pubkey: openSsh(publicKeyOf(bits)) }
    expect(await service.admin('POST', paths.users, input)).toMatchObject({ status: 201 })
  })

  const elliptic = generateKeyPairSync('ed25519')
  test.each([
    ['of 2047 bits', pem(publicKeyOf(2047))],
    ['of 4097 bits', openSsh(publicKeyOf(4097))],
    ['with which anybody can sign', pem(publicKeyOf(2048, 'AQ'))],
    ['of an even exponent', pem(publicKeyOf(2048, 'BA'))],
    ['that takes long to verify', openSsh(publicKeyOf(3072, '_'.repeat(508)))],
    ['that is private', privateKey.export({ type: 'pkcs8', format: 'pem' })],
    ['that is private, in PKCS #1', privateKey.export({ type: 'pkcs1', format: 'pem' })],
    ['that is of another kind', pem(elliptic.publicKey)],
    ['that is cut off', pem(publicKey).slice(0, 200)],
    ['in OpenSSH form that is cut off', openSsh(publicKey).slice(0, 60)],
    ['of another kind in OpenSSH form', 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIA=='],
    ['with nothing in it', 'ssh-rsa AAAA'],
    ['that is none', 'key'],
  ])('may not have a key %s', async (_, pubkey) => {
    const answer = await service.admin('POST', paths.users, { id: 'bad-key', pubkey })
    expect(answer).toMatchObject(wrongFields('pubkey'))
    expect(await service.admin('GET', path('bad-key'))).toMatchObject({ status: 404 })
  })

  test.each([
    [{ id: undefined }, 'id'],
    [{ id: 'a b' }, 'id'],
    [{ id: '..' }, 'id'],
    [{ id: 'x'.repeat(101) }, 'id'],
    [{ roles: [] }, 'roles'],
    [{ roles: ['root'] }, 'roles.0'],
    [{ secret: 'seven..' }, 'secret'],
    [{ secret: 'x'.repeat(65) }, 'secret'],
    [{ secret: ' blank first' }, 'secret'],
    [{ secret: 'not ASCII: æøå' }, 'secret'],
    [{ secret: null }, 'secret'],
    [{ netmask: '10.0.0.0/33' }, 'netmask'],
    [{ netmask: '10/8' }, 'netmask'],
    [{ netmask: '::1/129' }, 'netmask'],
    [{ netmask: 'localhost' }, 'netmask'],
  ])('cannot be made with %j', async (change, field) => {
    const input = { id: 'wrong', secret: 'long enough', ...change }
    expect(await service.admin('POST', paths.users, input)).toMatchObject(wrongFields(field))
  })

  test('that does not exist cannot be read, changed or removed', async () => {
    const { admin } = service
    expect(await admin('GET', path('ghost'))).toMatchObject({ status: 404 })
    expect(await admin('PUT', path('ghost'), { secret: 'long enough' })).toMatchObject({
      status: 404,
    })
    expect(await admin('DELETE', path('ghost'))).toMatchObject({ status: 404 })
  })

  test('of another merchant is not there', async () => {
    const other = await service.addMerchant('neighbour')
    expect(await other('GET', path('admin'))).toMatchObject({ status: 404 })
    expect(await other('GET', path('till'))).toMatchObject({ status: 200 })
  })
})

describe('a netmask', () => {
  const from = async (remoteAddress: string, merchant: string, user: string, secret: string) => {
    const headers = {
      'X-Service-Merchant': merchant,
      'X-Service-User': user,
      Authorization: `SECRET ${secret}`,
    }
    const incoming = { url: paths.pointsOfSale, socket: { remoteAddress } }
    const { status } = await service.app.request(paths.pointsOfSale, { headers }, { incoming })
    return status
  }

  test.each(['SECRET x', 'RSA-SHA256 x'])(
    'that was lifted a moment ago, by another process too, keeps nobody out: %s',
    async (authorization) => {
      const [bound, free] = [userWith({ netmask: '192.0.2.7' }), userWith({})]
      const ask = (found: FoundUser) =>
        accessOfOne({ recallUser: () => bound, findUser: async () => found, isWithin: () => false })
      expect(await ask(free)(authorization)).toMatchObject({ merchant: 'm', actor: 'user:u' })
      await expect(ask(bound)(authorization)).rejects.toThrow('of this user may not come from')
    },
  )

  test.each([
    [
      '192.0.2.0/24',
      ['192.0.2.0', '192.0.2.255', '::ffff:192.0.2.7'],
      ['192.0.3.1', '2001:db8::1'],
    ],
    ['192.0.2.7', ['192.0.2.7'], ['192.0.2.8']],
    ['2001:db8::/32', ['2001:db8::1', '2001:db8:ffff::'], ['2001:db9::1', '192.0.2.1', '::1']],
    ['::1', ['::1'], ['127.0.0.1', '::2']],
    ['0.0.0.0/0', ['8.8.8.8'], ['2001:db8::1']],
  ])('%s of a user lets in %j, and not %j', async (netmask, inside, outside) => {
    const id = netmask.replaceAll(/[^0-9a-f]/g, '-')
    await service.admin('POST', paths.users, { id, netmask, secret: 'within the net' })
    for (const address of inside)
      expect([address, await from(address, 'sandbox', id, 'within the net')]).toEqual([
        address,
        200,
      ])
    for (const address of outside)
      expect([address, await from(address, 'sandbox', id, 'within the net')]).toEqual([
        address,
        401,
      ])
  })

  test.each([
    'fe80::1%eth0/64',
    '::1%lo',
    '::ffff:127.0.0.1',
    '::ffff:127.0.0.1/128',
    '10.0.0.0/08',
  ])('%s, in which no address would ever be, is refused', async (netmask) => {
    const input = { id: 'locked-out', netmask, secret: 'within the net' }
    expect(await service.admin('POST', paths.users, input)).toMatchObject(wrongFields('netmask'))
  })

  test('of a merchant holds for all its users, and says so', async () => {
    const elsewhere = await service.addMerchant('far-away', '198.51.100.0/24')
    expect(await elsewhere('GET', paths.pointsOfSale)).toMatchObject(
      unauthorized(/^Requests for this merchant may not come from this address/),
    )
    expect(await from('198.51.100.9', 'far-away', 'till', 'open sesame')).toBe(200)
    await service.addMerchant('near-by', '127.0.0.1/32')
    expect(await from('127.0.0.1', 'near-by', 'till', 'open sesame')).toBe(200)
    expect(await from('198.51.100.9', 'near-by', 'till', 'open sesame')).toBe(401)
  })
})

test('behind a proxy that is trusted, a netmask is held against whom the proxy names', async () => {
  const behind = await startService({ TRUSTED_PROXIES: '127.0.0.1' })
  const input = { id: 'till', netmask: '192.0.2.0/24', secret: 'within the net' }
  for (const { admin } of [behind, service])
    expect(await admin('POST', paths.users, input)).toMatchObject({ status: 201 })
  const from = async ({ withSecret }: Service, client: string) => {
    const till = withSecret('sandbox', 'till', input.secret)
    return (await till('GET', paths.pointsOfSale, undefined, { 'X-Forwarded-For': client })).status
  }
  expect(await from(behind, '192.0.2.7')).toBe(200)
  expect(await from(behind, '192.0.2.7, 198.51.100.9')).toBe(401)
  expect(await from(service, '192.0.2.7')).toBe(401)
  await behind.stop()
})

describe('two processes on one data directory', () => {
  test('know a user at once whom the other has made or changed', { tags: 'long' }, async () => {
    const here = service
    const there = await startService({}, here.folder)
    for (let round = 0; round < 5; round++) {
      const id = `round-${round}`
      const statusThere = async (secret: string) =>
        (await there.withSecret('sandbox', id, secret)('GET', paths.pointsOfSale)).status
      await here.admin('POST', paths.users, { id, secret: 'the first secret' })
      expect(await statusThere('the first secret')).toBe(200)
      await here.admin('PUT', `${paths.users}${id}/`, { secret: 'the second one' })
      expect(await statusThere('the second one')).toBe(200)
      expect(await statusThere('the first secret')).toBe(401)
    }
    await there.stop(false)
  })
})
