import { generateKeyPairSync } from 'node:crypto'
import { rmSync } from 'node:fs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { merchantClient } from '../../harness/merchant-client.ts'
import { codeOf } from '../support/people-service.ts'
import {
  accept,
  capture,
  outcomeOf,
  requestPayment,
  startShop,
  type TestShop,
} from '../support/shop-process.ts'
import { newFolder } from '../../harness/in-process.ts'

const folder = newFolder()

let shops: readonly [TestShop, TestShop]

beforeAll(async () => {
  const first = await startShop({ DATA_DIR: folder })
  shops = [first, await startShop({ DATA_DIR: folder })]
})

afterAll(async () => {
  for (const { service } of shops) await service.stop()
  rmSync(folder, { recursive: true })
})

test('what one of two services on one log has acknowledged, the other shows at once, however much both write', async () => {
  const shown: { readonly captures: number; readonly expected: number }[] = []
  const payments = Array.from({ length: 100 }, (_, n) => n)
  const captures = [1, 2, 3, 4]
  const follow = async (n: number): Promise<void> => {
    const [one, other] = n % 2 === 0 ? shops : [shops[1], shops[0]]
    const tid = await requestPayment(one.till)
    expect((await accept(other.world, tid)).status).toBe(204)
    for (const expected of captures) {
      const [writer, reader] = (n + expected) % 3 === 0 ? [other, one] : [one, other]
      expect((await capture(writer.till, tid, `c-${expected}`)).status).toBe(204)
      const outcome = await outcomeOf(reader.till, tid)
      shown.push({ captures: outcome.captures.length, expected })
    }
  }
  await Promise.all(payments.map(follow))
  expect(shown).toHaveLength(payments.length * captures.length)
  expect(shown.filter(({ captures, expected }) => captures !== expected)).toEqual([])
})

/** Reads from one service right after a change through the other, alternating. */
const rounds = Array.from({ length: 10 }, (_, n) => n)

const inTurns = (n: number) => (n % 2 === 0 ? shops : ([shops[1], shops[0]] as const))

const kioskPath = '/merchant/v1/pos/kiosk/'

const own = { 'X-Service-Merchant': 'sandbox', 'X-Service-User': 'pos1' }

const bySecret = { ...own, Authorization: 'SECRET sandbox-secret' }

test('a POS removed by one service and registered again by the other takes payments at both', async () => {
  const kiosk = { id: 'kiosk', name: 'Kiosk', type: 'store' }
  for (const n of rounds) {
    const [one, other] = inTurns(n)
    expect((await one.till('POST', '/merchant/v1/pos/', kiosk)).status).toBe(201)
    await requestPayment(one.till, { pos_id: 'kiosk', pos_tid: `before-${n}` })
    expect((await one.owner('DELETE', kioskPath)).status).toBe(204)
    expect((await other.till('POST', '/merchant/v1/pos/', kiosk)).status).toBe(201)
    const request = { pos_id: 'kiosk', pos_tid: `after-${n}`, customer: '4799999901' }
    await requestPayment(one.till, request)
    const asked = { ...request, pos_tid: `asked-${n}`, scope: 'openid' }
    const permission = await one.till('POST', '/merchant/v1/permission_request/', asked)
    expect(permission.status, JSON.stringify(permission.body)).toBe(201)
  }
})

test('a refresh token that one has shown is good at the other, which asked before the payer answered', async () => {
  for (const n of rounds) {
    const [one, other] = inTurns(n)
    const tid = await requestPayment(one.till, { required_scope: 'openid' })
    expect((await accept(other.world, tid)).status).toBe(204)
    const { permissions } = await outcomeOf(other.till, tid)
    const form = { grant_type: 'refresh_token', refresh_token: permissions.refresh_token }
    const answer = await fetch(`${one.service.address}/oauth2/token`, {
      method: 'POST',
      headers: bySecret,
      body: new URLSearchParams(form),
    })
    expect(answer.status, await answer.text()).toBe(200)
  }
})

test('an attachment can be uploaded at the one that asked, once the other has heard the payer', async () => {
  for (const n of rounds) {
    const [one, other] = inTurns(n)
    const tid = await requestPayment(one.till)
    expect((await accept(other.world, tid)).status).toBe(204)
    const { attachment_uri } = await outcomeOf(one.till, tid)
    const form = new FormData()
    const png = Buffer.from(
      'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGNgAAAAAgABSK+kcQAAAABJRU5ErkJggg==',
      'base64',
    )
    form.append('logo', new Blob([png], { type: 'image/png' }), 'logo.png')
    const url = new URL(attachment_uri, one.service.address)
    const answer = await fetch(url, { method: 'POST', body: form })
    expect(answer.status, await answer.text()).toBe(201)
  }
})

test('a payer reads at one what they have changed at the other', async () => {
  const who = { phone: '4799999901', pin: '1234', code: codeOf('alice') }
  const { token } = (await shops[0].world('POST', '/payer/v1/session/', who)).body
  const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' }
  const profileAt = ({ service }: TestShop, body?: object) =>
    fetch(`${service.address}/payer/v1/profile/`, {
      method: body ? 'PUT' : 'GET',
      headers,
      ...(body && { body: JSON.stringify(body) }),
    })
  for (const n of rounds) {
    const [one, other] = inTurns(n)
    expect((await profileAt(one, { name: `Alice ${n}` })).status).toBe(204)
    expect(await (await profileAt(other)).json()).toMatchObject({ name: `Alice ${n}` })
  }
})

test('a user whom one has made a superuser may manage users at the other', async () => {
  const { privateKey: key, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const pubkey = publicKey.export({ type: 'spki', format: 'pem' })
  const user = { id: 'chief', roles: ['user'], pubkey }
  expect((await shops[0].owner('POST', '/merchant/v1/user/', user)).status).toBe(201)
  const manageAt = ({ service }: TestShop) => {
    const chief = { merchant: 'sandbox', user: 'chief', key }
    return merchantClient(service.address, chief)('PUT', '/merchant/v1/user/chief/', {})
  }
  for (const n of rounds) {
    const [one, other] = inTurns(n)
    // The same signature again would count as a repeat (interface 3).
    const change = (by: TestShop, roles: string[]) =>
      by.owner('PUT', '/merchant/v1/user/chief/', { roles, round: n })
    expect((await change(one, ['user'])).status).toBe(204)
    expect((await manageAt(one)).status).toBe(403)
    expect((await change(other, ['user', 'superuser'])).status).toBe(204)
    expect((await manageAt(one)).status).toBe(204)
  }
})

test('a user whom one has let in from everywhere is let in by the other', async () => {
  const shut = { netmask: '192.0.2.0/24' }
  const secret = 'a secret of some length'
  const user = { id: 'guest', roles: ['user'], secret, ...shut }
  expect((await shops[0].owner('POST', '/merchant/v1/user/', user)).status).toBe(201)
  const guestAt = ({ service }: TestShop) => {
    const guest = { merchant: 'sandbox', user: 'guest', secret }
    return merchantClient(service.address, guest)('GET', '/merchant/v1/pos/')
  }
  for (const n of rounds) {
    const [one, other] = inTurns(n)
    // The same signature again would count as a repeat (interface 3).
    const change = (by: TestShop, netmask: string) =>
      by.owner('PUT', '/merchant/v1/user/guest/', { netmask, round: n })
    expect((await change(one, shut.netmask)).status).toBe(204)
    expect((await guestAt(one)).status).toBe(401)
    expect((await change(other, '')).status).toBe(204)
    expect((await guestAt(one)).status).toBe(200)
  }
})
