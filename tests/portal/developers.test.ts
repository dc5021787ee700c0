// @module-tag long
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { codeOf, startPeopleService, type PeopleService } from '../support/people-service.ts'
import { makeVisitor, type TestVisitor } from '../people/visitor.ts'
import { act as acted, textOf } from './acts.ts'
import { clientIs, pairOf, pemOf, signedBy, statusOfCall, type RsaPair } from './signed-calls.ts'

let service: PeopleService
/** A developer of the merchant `sandbox`. */
let bob: TestVisitor
/** An accountant there, and owner of another merchant. */
let alice: TestVisitor

beforeAll(async () => {
  service = await startPeopleService()
  await service.operator('merchant', 'add', 'other', '--name', 'Other', '--currency', 'NOK')
  await service.operator('staff', 'add', 'sandbox', '+4799999902', '--role', 'developer')
  await service.operator('staff', 'add', 'sandbox', '+4799999901', '--role', 'accountant')
  await service.operator('staff', 'add', 'other', '+4799999901', '--role', 'owner')
  ;[bob, alice] = [makeVisitor(service), makeVisitor(service)]
  await bob.signIn('bob')
  await alice.signIn('alice')
})
afterAll(() => service.stop())

const area = '/portal/sandbox/developers'
/** With a one-time code. */
const act: typeof acted = (visitor, page, change, values = {}) =>
  acted(visitor, page, change, { code: codeOf('bob'), ...values })
const addUser = async (fields: Readonly<Record<string, string>>) =>
  bob.submit(await bob.visit(`${area}?add`), { ...fields, code: codeOf('bob') })

const askedWith = (user: string, secret: string) =>
  statusOfCall(service, service.merchantHeaders('sandbox', user, secret))
const askedSigned = (user: string, { privateKey: key }: RsaPair) =>
  statusOfCall(service, signedBy(service, user, key))

const eventsOf = async (stream: string) =>
  (await service.events()).filter((event) => event.stream === stream)

describe('given a developer,', () => {
  test('when they paste a public key, its user signs, and the log names the person', async () => {
    const pair = pairOf()
    const made = await addUser({ id: 'server', credential: 'key', pubkey: pemOf(pair) })
    expect([made.status, made.location]).toEqual([303, `${area}/users/server?done=added`])
    expect(await askedSigned('server', pair)).toBe(200)
    const page = await bob.visit(made.location ?? '')
    expect(page.html).toContain('It can sign requests from now on.')
    expect(textOf(page, 'try-key')).toContain('X-SERVICE-MERCHANT=sandbox')
    const [event] = await eventsOf('user-sandbox/server')
    expect(event?.metadata['actor']).toMatch(/^staff:/)
  })

  test('when a key, a name or a network is wrong, the form says so', async () => {
    const secretPem = pairOf().privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
    for (const pubkey of [secretPem, pemOf(pairOf(1024)), 'none']) {
      const says = pubkey === secretPem ? 'This is a private key.' : 'Paste an RSA public key'
      const page = await bob.visit(`${area}/users/server`)
      const changed = await bob.submit(page, { pubkey, change: 'key' })
      for (const answer of [await addUser({ id: 'wrong', credential: 'key', pubkey }), changed]) {
        expect([answer.status, answer.html.includes(says)]).toEqual([400, true])
        expect(answer.html).toMatch(/name="pubkey"[^>]*>\s*<\/textarea>/)
      }
    }
    const other = await addUser({ id: 'å/', credential: 'secret', netmask: 'here' })
    expect(other).toMatchObject({ status: 400, html: expect.stringContaining('Use letters, ') })
    expect(other.html).toContain('Write a network such as 192.0.2.0/24.')
    const taken = await addUser({ id: 'pos1', credential: 'secret' })
    const told = 'already a user with this name'
    expect(taken).toMatchObject({ status: 400, html: expect.stringContaining(told) })
    expect(await eventsOf('user-sandbox/wrong')).toEqual([])
  })

  test('when they ask for a secret, it is shown once; sent twice, it is the same', async () => {
    const form = await bob.visit(`${area}?add`)
    const code = codeOf('bob')
    const given = { id: 'till-9', credential: 'secret', manages: 'yes', code }
    const made = await bob.submit(form, given)
    const secret = textOf(made, 'secret')
    expect([made.status, secret.length]).toEqual([200, 43])
    const twice = await bob.submit(form, given)
    expect(textOf(twice, 'secret')).toBe(secret)
    expect(await askedWith('till-9', secret)).toBe(200)
    const page = await bob.visit(`${area}/users/till-9`)
    expect(page.html).not.toContain(secret)
    expect(page.html).toContain('Superuser')
    expect(JSON.stringify(await service.events())).not.toContain(secret)

    const replaced = textOf(await act(bob, page, 'secret'), 'secret')
    expect(await askedWith('till-9', secret)).toBe(401)
    expect(await askedWith('till-9', replaced)).toBe(200)
    await act(bob, page, 'access', { netmask: '192.0.2.0/24', manages: '' })
    expect(await askedWith('till-9', replaced)).toBe(401)
    await act(bob, page, 'access', { netmask: '' })
    await act(bob, page, 'disable')
    expect(await askedWith('till-9', replaced)).toBe(401)
    await act(bob, await bob.visit(`${area}/users/till-9`), 'enable')
    expect(await askedWith('till-9', replaced)).toBe(200)
    expect((await act(bob, page, 'remove')).location).toBe(`${area}?done=removed`)
    expect((await bob.visit(`${area}/users/till-9`)).status).toBe(404)
  })

  test('when a key takes the place of a secret, the secret can go, but never both', async () => {
    await addUser({ id: 'both', credential: 'secret' })
    const [page, pair] = [await bob.visit(`${area}/users/both`), pairOf()]
    expect(page.html).not.toMatch(/value="drop_secret"|Replace the key/)
    expect((await act(bob, page, 'key', { pubkey: pemOf(pair) })).location).toContain('?done=saved')
    const withBoth = await bob.visit(`${area}/users/both`)
    expect(withBoth.html).toMatch(/secret keeps working[^]*"danger">Replace the key/)
    await act(bob, withBoth, 'drop_secret')
    expect(await askedSigned('both', pair)).toBe(200)
    expect((await act(bob, withBoth, 'drop_key')).status).toBe(400)
    const replaced = await act(bob, withBoth, 'key', { pubkey: pemOf(pairOf()) })
    expect((await bob.follow(replaced)).html).toContain('The old key no longer works')
    expect(await askedSigned('both', pair)).toBe(401)
  })
})

const application = {
  name: 'Bookshop',
  redirect_uris: 'https://shop.example/back',
  kind: 'confidential',
}
const addApplication = async (given: object) =>
  bob.submit(await bob.visit(`${area}/applications?add`), {
    ...{ ...application, code: codeOf('bob') },
    ...given,
  })

describe('given an application,', () => {
  test('when it is public, or wrong, it has no secret, or is not there', async () => {
    const open = await addApplication({
      name: 'App',
      kind: 'public',
      redirect_uris: 'com.example.app:/back',
    })
    expect(open.html).toContain('Registered.')
    expect(textOf(open, 'secret')).toBe('')
    const wrong = await addApplication({ redirect_uris: 'https://ok.example/ javascript:alert(1)' })
    expect(wrong.html).toContain('<code>javascript:alert(1)</code>')
    const turned = await addApplication({ name: '\u202epohskooB' })
    expect([wrong.status, turned.status]).toEqual([400, 400])
  })

  test('when it is changed, disabled and removed, it is so at once', async () => {
    const made = await addApplication({ name: 'Café' })
    const client = textOf(made, 'client')
    const page = await bob.visit(`${area}/applications/${client}`)
    await act(bob, page, 'told', { name: 'Kafé', redirect_uris: 'http://localhost:1/back' })
    await act(bob, page, 'disable')
    const after = await bob.visit(`${area}/applications/${client}`)
    expect(after.html).toContain('Kafé')
    expect(after.html).toContain('Disabled')
    expect((await alice.visit(`/portal/other/developers/applications/${client}`)).status).toBe(404)
    expect((await act(bob, after, 'remove')).location).toBe(`${area}/applications?done=removed`)
    expect((await bob.visit(`${area}/applications/${client}`)).status).toBe(404)
  })
})

describe('given somebody who may only look,', () => {
  test('when they open the pages, there is nothing to press, and a form is refused', async () => {
    const list = await alice.visit(area)
    expect(list.html).toContain('pos1')
    expect(list.html).not.toContain('?add')
    expect((await alice.visit(`${area}/users/pos1`)).html).not.toContain('name="change"')
    expect((await alice.visit(`${area}?add`)).status).toBe(403)
    expect((await alice.visit(`${area}/applications?add`)).status).toBe(403)
    const forged = await act(alice, await bob.visit(`${area}/users/pos1`), 'disable')
    expect(forged.status).toBe(403)
    expect(await askedWith('pos1', 'sandbox-secret')).toBe(200)
  })
})

test('when a link to the documentation is followed, its examples name the merchant', async () => {
  expect((await bob.visit(area)).html).toContain('/docs/client?merchant=sandbox&amp;user=')
  const page = await bob.visit('/docs/client?merchant=my-shop&user=till-9')
  for (const given of ['my-shop', 'till-9']) expect(page.html).toContain(given)
  expect(page.html).not.toContain('sandbox-secret')
})

test('when a Norwegian reads, the pages are Norwegian', async () => {
  const { html } = await bob.visit(area, { headers: { 'Accept-Language': 'nb' } })
  expect(html).toContain('Begynn her')
  expect(html).toContain('Ny API-bruker')
})

test('given an application, when its secret is replaced, both work for a while', async () => {
  const made = await addApplication({})
  const [client, first] = [textOf(made, 'client'), textOf(made, 'secret')]
  expect(await clientIs(service, client, first)).toBe('invalid_grant')
  expect(await clientIs(service, client, 'wrong')).toBe('invalid_client')
  const page = await bob.visit(`${area}/applications/${client}`)
  expect(page.html).not.toContain(first)
  const rotated = await act(bob, page, 'secret', { overlap: '1' })
  const second = textOf(rotated, 'secret')
  expect(rotated.html).toContain('The old secret is accepted until')
  expect(textOf(await act(bob, page, 'secret', { overlap: '1' }), 'secret')).toBe(second)
  expect(await clientIs(service, client, first)).toBe('invalid_grant')
  expect(await clientIs(service, client, second)).toBe('invalid_grant')
  // It also ends everybody's portal session.
  await service.advance(3601)
  expect(await clientIs(service, client, first)).toBe('invalid_client')
  expect(await clientIs(service, client, second)).toBe('invalid_grant')
  const events = await eventsOf(`application-${client}`)
  const kinds = events.map(({ metadata }) => String(metadata['actor']).split(':')[0])
  expect(kinds).toEqual(['staff', 'staff'])
})
