// @module-tag long
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { codeOf, startPeopleService, type PeopleService } from '../support/people-service.ts'
import { makeVisitor, type TestVisitor } from '../people/visitor.ts'
import { act, textOf } from './acts.ts'
import { pairOf, signedBy } from './signed-calls.ts'

let service: PeopleService
let shop: Server
let shopUrl = ''
/** What the shop has received, and its next response. */
const received: { readonly body: string; readonly signature: string }[] = []
let answers = 500
/** A developer of the merchant `sandbox`. */
let bob: TestVisitor
/** An accountant there, and owner of another merchant. */
let alice: TestVisitor

beforeAll(async () => {
  service = await startPeopleService()
  shop = createServer(async (request, response) => {
    let body = ''
    for await (const part of request) body += String(part)
    received.push({ body, signature: String(request.headers['webhook-signature']) })
    response.writeHead(answers).end(answers === 204 ? undefined : 'No order of Kari Nordmann')
  })
  await new Promise<void>((resolve) => shop.listen(0, '127.0.0.1', resolve))
  shopUrl = `http://127.0.0.1:${(shop.address() as AddressInfo).port}`
  await service.operator('merchant', 'add', 'other', '--name', 'Other', '--currency', 'NOK')
  await service.operator('staff', 'add', 'sandbox', '+4799999902', '--role', 'developer')
  await service.operator('staff', 'add', 'sandbox', '+4799999901', '--role', 'accountant')
  await service.operator('staff', 'add', 'other', '+4799999901', '--role', 'owner')
  ;[bob, alice] = [makeVisitor(service), makeVisitor(service)]
  await bob.signIn('bob')
  await alice.signIn('alice')
})
afterAll(async () => {
  shop.close()
  await service.stop()
})

const area = '/portal/sandbox/developers'
const path = '/merchant/v1/pos/'
const textsIn = (html: string): string => html.replaceAll(/<[^>]*>/g, ' ').replaceAll(/\s+/g, ' ')
const unescaped = (html: string): string => html.replaceAll('&amp;', '&')

describe('given requests that were refused,', () => {
  test('when a signature is wrong, the page shows what was to be signed', async () => {
    const headers = signedBy(service, 'admin', pairOf().privateKey)
    const { status, body } = await service.call('GET', path, undefined, headers)
    expect(status).toBe(401)
    const [expected] = body.error_details.string_to_sign as readonly string[]
    const { html } = await bob.visit(`${area}/requests`)
    expect(unescaped(html)).toContain(`tabindex="0">${expected}</pre>`)
    expect(html).toContain('anybody may have sent it')
    expect(service.log()).not.toContain(expected)
    const norwegian = { headers: { 'Accept-Language': 'nb' } }
    const page = await bob.visit(`${area}/requests`, norwegian)
    expect(page.html).toContain(
      'Ukjent bruker eller feil signatur. <code>Unknown user, or bad signature.</code>',
    )
    expect(unescaped(page.html)).toContain(`tabindex="0">${expected}</pre>`)
  })

  test('when it was signed for another time, it is shown as well', async () => {
    const headers = signedBy(service, 'admin', pairOf().privateKey)
    const old = { ...headers, 'X-Service-Timestamp': '2001-02-03 04:05:06' }
    const { body } = await service.call('GET', path, undefined, old)
    expect(body.error_details).toBeNull()
    const { html } = await bob.visit(`${area}/requests`)
    expect(unescaped(html)).toContain(
      'X-SERVICE-TIMESTAMP=2001-02-03 04:05:06&X-SERVICE-USER=admin',
    )
  })

  test('when a rule refused it, the page gives the reason, and only to its merchant', async () => {
    const missing = `${path}missing/`
    await service.call('GET', missing)
    const { html } = await bob.visit(`${area}/requests`)
    expect(html).toContain(missing)
    expect(html).toContain('There is no such resource. <code>resource_is_unknown</code>')
    const norwegian = { headers: { 'Accept-Language': 'nb' } }
    expect((await bob.visit(`${area}/requests`, norwegian)).html).toContain(
      'Det finnes ingen slik ressurs. <code>resource_is_unknown</code>',
    )
    const others = await alice.visit('/portal/other/developers/requests')
    expect([others.status, others.html.includes(missing)]).toEqual([200, false])
  })
})

describe('given requests that were answered,', () => {
  const phone = '+4799999901'
  const shown = async (search = '', visitor = bob, merchant = 'sandbox') => {
    const { html } = await visitor.visit(`/portal/${merchant}/developers/requests${search}`)
    const [, ...entries] = html.split('<details class="refused">')
    return entries.map((entry) => entry.replaceAll('&quot;', '"').replaceAll(/<[^>]*>/g, ' '))
  }

  test('they are listed with user, status and fields, and with nothing that was sent', async () => {
    const nested = { purchase: { items: [{ name: 'A cup', x4799999901: 1 }] } }
    await service.call('POST', '/merchant/v1/payment_request/', {
      ...{ pos_id: 'till-1', pos_tid: 'order-of-kari', currency: 'NOK', amount: '99.00' },
      ...{ action: 'auth', allow_credit: false, customer: phone, ...nested },
    })
    await service.call('GET', `/merchant/v1/pos/4799999902/?name=Kari&4799999903=1`)
    const [looked = '', asked = ''] = await shown()
    expect(looked).toMatch(/404\s+GET \/merchant\/v1\/pos\/…\/\?name=…&amp;…=…\s/)
    expect(looked).toContain('There is no such resource.')
    expect(asked).toMatch(/POST \/merchant\/v1\/payment_request\/\s+user:pos1\s/)
    expect(asked).toMatch(/\d ms/)
    expect(asked).toContain('"customer": "string"')
    expect(asked).toContain('"allow_credit": "boolean"')
    expect(asked).toMatch(/"items": \[\s+\{\s+"name": "string",\s+"…": "number"/)
    for (const entry of [looked, asked])
      for (const value of ['479999990', 'order-of-kari', 'Kari', 'A cup', '99.00'])
        expect(entry).not.toContain(value)
    const kept = service.files().filter(({ name }) => name.startsWith('requests-'))
    expect(kept.length).toBeGreaterThan(0)
    expect(kept.map(({ bytes }) => bytes.toString()).join('')).not.toContain('479999990')
  })

  test('status, method and text filter them, and other merchants do not see them', async () => {
    const named = ({ headers }: { headers: Headers }) => headers.get('x-request-id') ?? ''
    const found = named(await service.call('GET', '/merchant/v1/pos/till-1/'))
    const missing = named(await service.call('GET', `${path}missing-too/`))
    const has = async (search: string) => {
      const all = (await shown(search)).join('')
      return [found, missing].map((id) => all.includes(id))
    }
    expect(await has('')).toEqual([true, true])
    expect(await has('?status=2')).toEqual([true, false])
    expect(await has('?status=4&method=GET')).toEqual([false, true])
    expect(await has('?method=PUT')).toEqual([false, false])
    expect(await has('?q=Missing-Too')).toEqual([false, true])
    expect(await has(`?q=${found}`)).toEqual([true, false])
    expect((await shown('', alice, 'other')).join('')).not.toContain(found)
  })
})

describe('given callbacks,', () => {
  test('when a test fails, it is shown with its body, and can be sent again', async () => {
    const sent = await act(bob, await bob.visit(`${area}/callbacks`), 'test', { uri: shopUrl })
    expect(sent.location).toBe(`${area}/callbacks?done=test`)
    await expect.poll(() => received.length).toBe(1)
    const { id } = (JSON.parse(received[0]?.body ?? '') as { meta: { id: string } }).meta
    const one = `${area}/callbacks/${id}`
    await expect.poll(async () => (await bob.visit(one)).html).toContain('>500</b>')
    const page = await bob.visit(one)
    expect(page.html).toMatch(/<h2>Test message .*<code>test_event<\/code>/s)
    const list = await bob.visit(`${area}/callbacks`, { headers: { 'Accept-Language': 'nb' } })
    expect(list.html).toMatch(/>Testmelding<\/a>\s*<code class="value">test_event</)
    expect(textOf(page, 'bytes').replaceAll('&quot;', '"')).toBe(received[0]?.body)
    expect(textsIn(page.html)).toContain('Answer: No order of Kari Nordmann')
    expect(JSON.stringify(await service.events())).not.toContain('No order of')
    for (const { bytes } of service.files()) expect(bytes.includes('No order of')).toBe(false)
    for (const status of ['', 'failed', 'waiting', 'abandoned']) {
      const { html } = await bob.visit(`${area}/callbacks?status=${status}`)
      const isThere = status === '' || status === 'failed'
      expect([status, html.includes(one)]).toEqual([status, isThere])
      if (isThere) expect(html).toMatch(/>Failed<\/b>\s*<span class="value">Status 500</)
    }
    expect(list.html).toMatch(/>Feilet<\/b>/)
    answers = 204
    expect((await act(bob, page, 'retry')).location).toBe(`${one}?done=retried`)
    await expect.poll(async () => (await bob.visit(one)).html).toContain('>Delivered</b>')
    expect((await bob.visit(`${area}/callbacks?status=delivered`)).html).toContain(one)
    expect((await bob.visit(`${area}/callbacks?status=abandoned`)).html).not.toContain(one)
    expect((await bob.visit(`${area}/callbacks?status=&before=`)).html).toContain(one)
    expect((await alice.visit(`/portal/other/developers/callbacks/${id}`)).status).toBe(404)
    const events = (await service.events()).filter(({ type }) => type.startsWith('Callback'))
    const asked = events.filter(({ type }) => /Requested$/.test(type))
    expect(asked.map(({ metadata }) => String(metadata['actor']).slice(0, 6))).toEqual([
      ...['staff:', 'staff:'],
    ])
  })

  test('when many failed in an hour, all of them are sent again in one step', async () => {
    answers = 500
    const before = received.length
    const page = await bob.visit(`${area}/callbacks`)
    for (let sent = 0; sent < 3; sent += 1) await act(bob, page, 'test', { uri: shopUrl })
    await expect.poll(() => received.length).toBe(before + 3)
    const failed = () => bob.visit(`${area}/callbacks?status=failed`)
    await expect.poll(async () => (await failed()).html.match(/>Failed<\/b>/g)?.length).toBe(3)
    // An hour may have ended meanwhile.
    const hours = [...(await failed()).html.matchAll(/<option value="(\d+)"/g)]
    const empty = { hour: String(Number(hours.at(-1)?.[1]) - 1) }
    const retries = async () =>
      (await service.events()).filter(({ type }) => type === 'CallbackRetryRequested').length
    const earlier = await retries()
    expect((await act(bob, await failed(), 'retry_hour', empty)).status).toBe(303)
    expect(await retries()).toBe(earlier)
    answers = 204
    const listed = await failed()
    for (const [, hour = ''] of hours) {
      const { location } = await act(bob, listed, 'retry_hour', { hour })
      expect(location).toBe(`${area}/callbacks?status=failed&done=replayed`)
    }
    expect(await retries()).toBe(earlier + 3)
    await expect.poll(() => received.length).toBe(before + 6)
    await expect.poll(async () => (await failed()).html).not.toContain('name="hour"')
    expect(new Set(received.slice(before).map(({ body }) => body)).size).toBe(3)
    expect((await alice.visit(`${area}/callbacks?status=failed`)).html).not.toContain('retry_hour')
  })

  test('when a message has no address, it is listed where such are asked for', async () => {
    const { id } = await service.requestPayment({
      ...{ pos_tid: 'no-address', customer: '4799999901' },
    })
    await service.call('PUT', `/merchant/v1/payment_request/${id}/`, { action: 'abort' })
    const told = 'payment_aborted_by_merchant'
    expect((await bob.visit(`${area}/callbacks`)).html).not.toContain(told)
    expect((await bob.visit(`${area}/callbacks?status=unaddressed`)).html).toContain(told)
  })

  test('when an address is none, the form says so, and nothing is sent', async () => {
    const page = await bob.visit(`${area}/callbacks`)
    const answer = await act(bob, page, 'test', { uri: 'javascript:alert(1)' })
    expect([answer.status, answer.html.includes('Write a full address')]).toEqual([400, true])
  })

  test('when the merchant’s address is set, it gets the callback of a closed report', async () => {
    const page = await bob.visit(`${area}/callbacks`)
    const wrong = await act(bob, page, 'address', { own_uri: 'nowhere' })
    expect([wrong.status, wrong.html.includes('value="nowhere"')]).toEqual([400, true])
    const own_uri = `${shopUrl}/own`
    const set = await act(bob, page, 'address', { own_uri })
    expect((await bob.follow(set)).html).toContain(`value="${own_uri}"`)
    const report = '/portal/sandbox/money/ledgers/default/reports/1'
    await alice.submit(await alice.visit(`${report}?close`), { decision: 'close' })
    const told = () => received.filter(({ body }) => body.includes('"report_closed"'))
    // After its logs are written.
    await expect.poll(() => told().length, { timeout: 20_000 }).toBe(1)
    const taken = await act(bob, page, 'address', { own_uri: '' })
    expect((await bob.follow(taken)).html).not.toContain(`value="${own_uri}"`)
  })

  test('when the secret is replaced, both are shown, to whoever may change it', async () => {
    const before = textOf(await bob.visit(`${area}/callbacks?secret`), 'callback-secret')
    const rotated = await act(bob, await bob.visit(`${area}/callbacks`), 'rotate', {
      code: codeOf('bob'),
    })
    const page = await bob.follow(rotated)
    expect(before).toMatch(/^whsec_/)
    expect(textOf(page, 'callback-secret')).not.toBe(before)
    expect(textOf(page, 'earlier-0')).toBe(before)
    expect((await bob.visit(`${area}/callbacks`)).html).not.toContain('whsec_')
    expect((await alice.visit(`${area}/callbacks?secret`)).status).toBe(403)
    const looked = await alice.visit(`${area}/callbacks`)
    expect([looked.status, looked.html.includes('name="change"')]).toEqual([200, false])
  })
})

test('given a message with a payer’s data, when it is read, then that is recorded', async () => {
  const granted = { customer: '+4799999901', scope: 'openid profile', expires_in: 600 }
  const asked = { pos_id: 'till-1', pos_tid: 'told', ...granted }
  const { id } = (await service.call('POST', '/merchant/v1/permission_request/', asked)).body
  await service.call('POST', `/sandbox/v1/permission_request/${id}/accept/`)
  const list = await service.call('GET', `/merchant/v1/callback/?resource=${id}`)
  const [message = ''] = /[^/]+(?=\/$)/.exec(list.body.uris[0]) ?? []
  expect((await bob.visit(`${area}/callbacks/${message}`)).html).toContain('Alice Andersen')
  // One line, because it was read once.
  const read = await service.operator('audit', 'security', '--type', 'personal_data_read')
  expect(read).toMatchObject({ merchant: 'sandbox', about: `permission-${id}` })
  expect(read['actor']).toMatch(/^staff:/)
})

test('given a merchant that is disabled, then it sends no test messages', async () => {
  const page = await bob.visit(`${area}/callbacks`)
  await service.operator('merchant', 'disable', 'sandbox')
  const before = received.length
  expect((await act(bob, page, 'test', { uri: shopUrl })).status).toBe(409)
  expect(received.length).toBe(before)
})
