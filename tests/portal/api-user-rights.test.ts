// @module-tag long
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { codeOf, startPeopleService, type PeopleService } from '../support/people-service.ts'
import { signedHeaders } from '../../harness/signing.ts'
import { formIn, makeVisitor, type Shown, type TestVisitor } from '../people/visitor.ts'
import { act, textOf } from './acts.ts'
import { pairOf, pemOf, type RsaPair } from './signed-calls.ts'

let service: PeopleService
/** An owner, and a developer who may not refund. */
let alice: TestVisitor
let bob: TestVisitor
let tid = ''

beforeAll(async () => {
  service = await startPeopleService()
  await service.operator('staff', 'add', 'sandbox', '+4799999901', '--role', 'owner')
  await service.operator('staff', 'add', 'sandbox', '+4799999902', '--role', 'developer')
  ;[alice, bob] = [makeVisitor(service), makeVisitor(service)]
  await alice.signIn('alice')
  await bob.signIn('bob')
  tid = (await service.requestPayment({ customer: '4799999901' })).id
  await service.call('POST', `/sandbox/v1/payment_request/${tid}/accept/`, {})
  await service.call('PUT', `/merchant/v1/payment_request/${tid}/`, { action: 'capture' })
})
afterAll(() => service.stop())

const area = '/portal/sandbox/developers'
const pageOf = (visitor: TestVisitor, user: string) => visitor.visit(`${area}/users/${user}`)
const refund = { action: 'refund', amount: '1.00', currency: 'NOK' }
const isRefused = { status: 403, body: { error_description: expect.stringMatching(/owner/) } }

/** A signed request by an API user. */
const asUser = (user: string, { privateKey: key }: Pick<RsaPair, 'privateKey'>) => {
  const headers = { 'X-Service-Merchant': 'sandbox', 'X-Service-User': user }
  return (method: string, path: string, body: object) => {
    const url = `${service.address}/merchant/v1/${path}`
    const text = JSON.stringify(body)
    const signed = signedHeaders({ method, url, body: text, key, headers })
    return service.call(method, `/merchant/v1/${path}`, body, signed)
  }
}
const refundBy = (user: string, pair: RsaPair, id: string) =>
  asUser(user, pair)('PUT', `payment_request/${tid}/`, { ...refund, refund_id: id })

const typesOf = async (stream: string) =>
  (await service.events()).filter((one) => one.stream === stream).map(({ type }) => type)

const addUser = async (visitor: TestVisitor, fields: Readonly<Record<string, string>>) =>
  visitor.submit(await visitor.visit(`${area}?add`), { credential: 'key', ...fields })

const added = async (visitor: TestVisitor, id: string, more: object = {}): Promise<RsaPair> => {
  const pair = pairOf()
  const code = codeOf(visitor === alice ? 'alice' : 'bob')
  const made = await addUser(visitor, { id, pubkey: pemOf(pair), code, ...more })
  expect(made.location).toContain('?done=added')
  return pair
}

describe('given a developer, who may not refund,', () => {
  test('a superuser that they make refunds nothing, nor does one that it makes', async () => {
    const pair = await added(bob, 'helper', { manages: 'yes', refunds: 'yes' })
    expect(await refundBy('helper', pair, 'r1')).toMatchObject(isRefused)
    const by = asUser('helper', pair)
    const second = pairOf()
    const made = { id: 'second', roles: ['superuser'], pubkey: pemOf(second) }
    expect((await by('POST', 'user/', made)).status).toBe(201)
    expect(await refundBy('second', second, 'r2')).toMatchObject(isRefused)
    const taken = { pubkey: pemOf(second) }
    expect(await by('PUT', 'user/admin/', taken)).toMatchObject(isRefused)
    expect(await by('PUT', 'user/pos1/', taken)).toMatchObject(isRefused)
    expect(await refundBy('admin', second, 'r3')).toMatchObject({ status: 401 })
    expect(await typesOf('user-sandbox/admin')).toEqual(['UserRegistered'])
    expect((await by('PUT', 'user/second/', { roles: ['user'] })).status).toBe(204)
  })

  test('they take over no user that may refund, but can stop it', async () => {
    const page = await pageOf(bob, 'pos1')
    expect(page.html).toContain('only an owner changes its key')
    const own = await pageOf(bob, 'helper')
    const forged = { html: own.html.replaceAll('users/helper', 'users/pos1') }
    const code = codeOf('bob')
    const pair = pairOf()
    for (const [change, fields] of Object.entries({
      key: { pubkey: pemOf(pair) },
      secret: {},
      access: { manages: 'yes' },
    }))
      expect([change, (await act(bob, forged, change, { code, ...fields })).status]).toEqual([
        change,
        403,
      ])
    expect(await refundBy('pos1', pair, 'r4')).toMatchObject({ status: 401 })
    expect((await act(bob, page, 'disable', { code })).status).toBe(303)
    const stopped = await pageOf(bob, 'pos1')
    expect(stopped.html).not.toContain('value="enable"')
    const enabling = await act(bob, forged, 'disable', { code, change: 'enable' })
    expect(enabling.status).toBe(403)
    expect(enabling.html).toContain('only an owner can change it')
    expect(
      (await act(alice, await pageOf(alice, 'pos1'), 'enable', { code: codeOf('alice') })).status,
    ).toBe(303)
  })
})

test('an API user whom an owner lets refund does, until the owner says otherwise', async () => {
  const pair = await added(alice, 'office')
  expect(await refundBy('office', pair, 'r5')).toMatchObject(isRefused)
  const code = codeOf('alice')
  await act(alice, await pageOf(alice, 'office'), 'access', { refunds: 'yes', code })
  expect((await refundBy('office', pair, 'r6')).status).toBe(204)
  const page = await pageOf(alice, 'office')
  expect(page.html).toMatch(/value="yes"[^>]*checked[^>]*>\s*<span>May refund/)
  await act(alice, page, 'access', { refunds: '', code })
  expect(await refundBy('office', pair, 'r7')).toMatchObject(isRefused)
})

test('what the operator and superusers with the right have made refunds as before', async () => {
  const key = readFileSync(join(service.folder, 'sandbox-admin-key.pem'), 'utf8')
  const admin = asUser('admin', { privateKey: key as unknown as RsaPair['privateKey'] })
  const pair = pairOf()
  const made = { id: 'till-7', pubkey: pemOf(pair) }
  expect((await admin('POST', 'user/', made)).status).toBe(201)
  expect((await refundBy('till-7', pair, 'r8')).status).toBe(204)
})

describe('given somebody’s open session, but not their authenticator,', () => {
  const changesOf = async (page: Shown): Promise<string[]> =>
    [...page.html.matchAll(/name="change" value="(\w+)"/g)].map(([, name = '']) => name)

  const isAsked = (shown: Shown) => {
    expect([shown.status, shown.html.includes('Confirm with a one-time code')]).toEqual([200, true])
    expect(textOf(shown, 'secret')).toBe('')
  }

  test('no API user is made or changed, in whatever way', async () => {
    const pair = pairOf()
    isAsked(await addUser(bob, { id: 'sneaked', pubkey: pemOf(pair) }))
    expect(await typesOf('user-sandbox/sneaked')).toEqual([])
    const before = await typesOf('user-sandbox/helper')
    const page = await pageOf(bob, 'helper')
    const ways = await changesOf(page)
    expect(ways.sort()).toEqual(['access', 'disable', 'key', 'remove', 'secret'])
    for (const change of ways) isAsked(await act(bob, page, change, { pubkey: pemOf(pair) }))
    expect(await typesOf('user-sandbox/helper')).toEqual(before)
  })

  test('no application is made or changed, and no secret of callbacks is replaced', async () => {
    const form = await bob.visit(`${area}/applications?add`)
    const given = { name: 'Shop', redirect_uris: 'https://shop.example/', kind: 'confidential' }
    isAsked(await bob.submit(form, given))
    const made = await bob.submit(form, { ...given, code: codeOf('bob') })
    const client = textOf(made, 'client')
    const page = await bob.visit(`${area}/applications/${client}`)
    const ways = await changesOf(page)
    expect(ways.sort()).toEqual(['disable', 'remove', 'secret', 'told'])
    const told = { name: 'Theirs', redirect_uris: 'https://theirs.example/' }
    for (const change of ways) isAsked(await act(bob, page, change, told))
    expect(await typesOf(`application-${client}`)).toEqual(['ApplicationRegistered'])
    isAsked(await act(bob, await bob.visit(`${area}/callbacks`), 'rotate'))
    expect(await typesOf('callback_secret-sandbox')).toEqual([])
  })

  test('a wrong code does nothing, and the right one does what the form said', async () => {
    const pair = pairOf()
    const asked = await addUser(bob, { id: 'asked', pubkey: pemOf(pair) })
    const wrong = await bob.submit(asked, { code: '000000' })
    expect([wrong.status, wrong.html.includes('The code is wrong')]).toEqual([400, true])
    expect(new Map(formIn(wrong.html, 'code').fields).get('id')).toBe('asked')
    const done = await bob.submit(wrong, { code: codeOf('bob') })
    expect(done.location).toBe(`${area}/users/asked?done=added`)
    expect((await asUser('asked', pair)('PUT', `payment_request/${tid}/`, {})).status).toBe(204)
  })
})
