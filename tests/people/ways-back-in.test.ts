// @module-tag long
import { afterAll, beforeAll, expect, test } from 'vitest'
import { codeSentTo, startPeopleService, type PeopleService } from '../support/people-service.ts'
import { isIn, newcomerAt, now, signIn } from './newcomer.ts'
import { keyIn, makeVisitor, type Shown } from './visitor.ts'

let service: PeopleService
beforeAll(async () => {
  service = await startPeopleService({ TRUSTED_PROXIES: '127.0.0.1' })
})
afterAll(() => service.stop())

const newcomer = (phone: string) => newcomerAt(service, phone)

const api = (method: string, path: string, body?: unknown, token = '') =>
  service.call(method, `/payer/v1${path}`, body, { Authorization: `Bearer ${token}` })

const guess = async (phone: string, count: number): Promise<Shown> => {
  const stranger = makeVisitor(service)
  let last = await stranger.visit('/payer/sign-in')
  for (let tries = 0; tries < count; tries += 1)
    last = await stranger.submit(last, { phone, pin: '0000' })
  return last
}

test('strangers who guess PINs lock out new devices, never one that has signed in', async () => {
  const { visitor, phone, pin, secret } = await newcomer('4742000001')
  expect((await guess(phone, 4)).status).toBe(429)
  expect((await signIn(makeVisitor(service), phone, pin, now(secret))).status).toBe(429)
  expect((await signIn(visitor, phone, pin, now(secret))).status).toBe(303)
  const own = await visitor.visit('/payer/sign-in?again')
  const statuses: number[] = []
  for (let tries = 0; tries < 4; tries += 1)
    statuses.push((await visitor.submit(own, { phone, pin: '0000' })).status)
  expect(statuses).toEqual([200, 200, 200, 429])
})

test('a device that has signed in goes before a queue of strangers', { tags: 'long' }, async () => {
  const { phone, pin, secret } = await newcomer('4742000012')
  const who = { phone, pin, code: now(secret) }
  const from = (address: string, body: unknown) =>
    service.call('POST', '/payer/v1/session/', body, { 'X-Forwarded-For': address })
  const { device_token } = (await from('198.51.100.1', who)).body
  let answered = 0
  const strangers = Array.from({ length: 60 }, async (_, n) => {
    const guess = { phone: `47430000${String(n).padStart(2, '0')}`, pin: '8642', code: '123456' }
    const { status } = await from(`2001:db8:${n}::1`, guess)
    answered += 1
    return status
  })
  const known = from('198.51.100.1', { ...who, code: now(secret), device_token })
  expect((await known).status).toBe(201)
  expect(answered).toBeLessThan(30)
  expect(new Set(await Promise.all(strangers))).toEqual(new Set([401]))
})

test('an app that sends the token of its device is not locked out either', async () => {
  const { phone, pin, secret } = await newcomer('4742000002')
  const who = { phone, pin, code: now(secret) }
  const { body } = await api('POST', '/session/', who)
  await guess(phone, 4)
  expect((await api('POST', '/session/', who)).status).toBe(429)
  const { device_token } = body
  expect((await api('POST', '/session/', { ...who, device_token })).status).toBe(201)
})

test('a recovery code signs in once, instead of a one-time code', async () => {
  const { phone, pin, codes } = await newcomer('4742000003')
  expect(codes).toHaveLength(10)
  const enter = async () => {
    const other = makeVisitor(service)
    const first = await other.visit('/payer/sign-in')
    const second = await other.submit(first, { phone, pin })
    return (await other.submit(second, { recovery_code: codes[0]?.toUpperCase() ?? '' })).status
  }
  expect([await enter(), await enter()]).toEqual([303, 200])
})

test('given a wrong proof, then the codes that were typed stay, and the PIN does not', async () => {
  const { phone, codes } = await newcomer('4742000009')
  const other = makeVisitor(service)
  const proofs = await other.submit(await other.visit('/payer/recovery'), { phone })
  const [number_code, recovery_code] = [await codeSentTo(service, phone), `${codes[2]}"><b>`]
  const typed = { number_code, recovery_code, pin: '97531', code: '000000' }
  const { status, html } = await other.submit(proofs, typed)
  expect(status).toBe(400)
  const valueOf = (name: string) =>
    new RegExp(`name="${name}"[^>]*? value="([^"]*)"`).exec(html)?.[1]
  expect(valueOf('number_code')).toBe(number_code)
  expect(valueOf('recovery_code')).toBe(`${codes[2]}&quot;&gt;&lt;b&gt;`)
  expect(html).not.toContain('97531')
  expect(html).not.toContain('000000')
})

test.each([
  { with: 'the number and the PIN', phone: '4742000010', gives: ['number_code', 'pin'] },
  { with: 'the number and the app', phone: '4742000011', gives: ['number_code', 'code'] },
  { with: 'a recovery code and the PIN', phone: '4742000012', gives: ['recovery_code', 'pin'] },
  {
    with: 'a recovery code and the number',
    phone: '4742000013',
    gives: ['recovery_code', 'number_code'],
  },
])('the way back with $with works during a lock, ends sessions, and lets in', async (given) => {
  const { phone } = given
  const { visitor, pin, secret, codes } = await newcomer(phone)
  await guess(phone, 4)
  const other = makeVisitor(service)
  const proofs = await other.submit(await other.visit('/payer/recovery'), { phone })
  const all: Readonly<Record<string, string>> = {
    number_code: await codeSentTo(service, phone),
    recovery_code: codes[1] ?? '',
    pin,
    code: now(secret),
  }
  const one = await other.submit(proofs, {
    [given.gives[0] ?? '']: all[given.gives[0] ?? ''] ?? '',
  })
  expect(one.status).toBe(400)
  const enough = Object.fromEntries(given.gives.map((name) => [name, all[name] ?? '']))
  const renewal = await other.submit(proofs, enough)
  expect([renewal.html.includes('name="new_pin"'), keyIn(renewal) !== '']).toEqual([
    !given.gives.includes('pin'),
    !given.gives.includes('code'),
  ])
  const key = keyIn(renewal) || secret
  const isNew = keyIn(renewal) !== ''
  const done = await other.submit(renewal, {
    recovered: /name="recovered" value="([^"]*)"/.exec(renewal.html)?.[1] ?? '',
    ...(!given.gives.includes('pin') && { new_pin: '97531' }),
    ...(isNew && { new_code: now(key) }),
  })
  expect(done.location).toBe('/payer/sign-in?recovered')
  expect(await isIn(visitor)).toBe(false)
  const newPin = given.gives.includes('pin') ? pin : '97531'
  expect((await signIn(other, phone, newPin, now(key))).status).toBe(303)
})

test('the way back needs a strong proof: PIN and app alone open nothing', async () => {
  const { phone, pin, secret } = await newcomer('4742000020')
  const { proof } = (await api('POST', '/recovery/', { phone })).body
  const weak = { proof, pin, code: now(secret) }
  expect((await api('POST', '/recovery/proof/', weak)).status).toBe(400)
  const none = (await api('POST', '/recovery/', { phone: '4742000021' })).body
  expect(Object.keys(none)).toEqual(['proof'])
  const number_code = await codeSentTo(service, '4742000021')
  const empty = { proof: none.proof, number_code, pin }
  expect((await api('POST', '/recovery/proof/', empty)).status).toBe(400)
})

test('the operator lets a payer back in, by number or with a new one', async () => {
  const { phone, visitor } = await newcomer('4742000030')
  const told = await service.operator('payer', 'reset', phone, '--phone', '4742000031')
  expect(await isIn(visitor)).toBe(false)
  const other = makeVisitor(service)
  const { pin = '', totp_secret: secret = '' } = told
  expect((await signIn(other, '4742000031', pin, now(secret))).status).toBe(303)
})
