// @module-tag long
import { PNG } from 'pngjs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { codeOf, startPeopleService, type PeopleService } from '../support/people-service.ts'
import { wayOnIn, makeVisitor, type TestVisitor } from './visitor.ts'

let service: PeopleService
let alice: TestVisitor
let token: string

beforeAll(async () => {
  service = await startPeopleService()
  alice = makeVisitor(service)
  await alice.signIn('alice')
  const who = { phone: '4799999901', pin: '1234', code: codeOf('alice') }
  token = (await service.call('POST', '/payer/v1/session/', who, {})).body.token
})
afterAll(() => service.stop())

const api = (method: string, path: string, body?: unknown) =>
  service.call(method, `/payer/v1${path}`, body, { Authorization: `Bearer ${token}` })

const newShortlink = async (about = {}) => {
  const { body } = await service.call('POST', '/merchant/v1/shortlink/', about)
  return (await service.call('GET', `/merchant/v1/shortlink/${body.id}/`)).body as {
    readonly id: string
    readonly shortlink_value: string
  }
}

describe('a payer who scans the code of a shop', () => {
  test('before the till’s request is matched with it, and no other payer is', async () => {
    const { id, shortlink_value: value } = await newShortlink()
    expect((await api('POST', '/scan/', { text: `${value}table/5` })).body).toEqual({
      uri: '/payer/?scanned',
    })
    const scanned = await alice.visit('/payer/?scanned')
    expect(scanned.html).toContain('What the shop asks for will appear here.')
    const last = await service.call('GET', `/merchant/v1/shortlink/${id}/last_scan/`)
    expect(last.body).toMatchObject({ argstring: 'table/5' })
    const { id: tid } = await service.requestPayment({ customer: `shortlink_id:${id}` })
    expect((await api('GET', '/request/')).body.uris).toContain(`/payer/v1/payment_request/${tid}/`)
    expect((await alice.visit('/payer/')).html).toContain(tid)
    const bob = makeVisitor(service)
    await bob.signIn('bob')
    expect((await bob.visit(`/payer/payment/${tid}`)).status).toBe(404)
    await alice.submit(await alice.visit(`/payer/payment/${tid}`), { decision: 'accept' })
    expect(await service.outcome(tid)).toMatchObject({
      status: 'auth',
      customer: `shortlink_id:${id}`,
    })
  })

  test('after the till’s request leads directly to it, which nobody could see before', async () => {
    const { id, shortlink_value: value } = await newShortlink()
    const { id: tid } = await service.requestPayment({ customer: `shortlink_id:${id}` })
    expect((await alice.visit(`/payer/payment/${tid}`)).status).toBe(404)
    const scan = await alice.visit('/payer/scan')
    const { location } = await alice.submit(scan, { text: value })
    expect(location).toBe(`/payer/payment/${tid}`)
    expect((await alice.visit(location ?? '')).html).toContain('Sandbox Shop')
  })

  test('is understood with its scheme in capitals, as a keyboard begins what is typed', async () => {
    const { id, shortlink_value: value } = await newShortlink()
    const { id: tid } = await service.requestPayment({ customer: `shortlink_id:${id}` })
    const text = value.replace(/^http/, 'Http')
    expect((await api('POST', '/scan/', { text })).status).toBe(200)
    const page = await alice.visit('/payer/scan')
    expect((await alice.submit(page, { text })).location).toBe('/payer/?scanned')
    expect(await service.outcome(tid)).toMatchObject({ status: 'pending' })
    const elsewhere = await api('POST', '/scan/', { text: text.replace(/^Http/, 'Https') })
    expect(elsewhere.status).toBe(404)
  })

  test('with the camera of a phone is brought to the page where one tap scans it', async () => {
    const { id, shortlink_value: value } = await newShortlink({ description: 'The garden' })
    const stranger = makeVisitor(service)
    const found = await stranger.follow(await stranger.visit(`${value}bar`))
    const signIn = await stranger.visit(wayOnIn(found))
    const page = await stranger.follow(await stranger.signInAt(signIn, 'bob'))
    expect(page.html).toContain(`value="${value}bar"`)
    expect(page.html).toMatch(/<h1>Sandbox Shop<\/h1>[^]*<b>The garden · bar<\/b>/)
    expect(page.html).not.toContain('Point your phone')
    await stranger.submit(page, { text: `${value}bar` })
    const last = await service.call('GET', `/merchant/v1/shortlink/${id}/last_scan/`)
    expect(last.body).toMatchObject({ argstring: 'bar' })
  })

  test('that the service never made gets a page that says so, not a technical error', async () => {
    const visitor = makeVisitor(service)
    const signIn = await visitor.follow(await visitor.visit(`${service.address}/s/nobodys/`))
    const page = await visitor.follow(await visitor.signInAt(signIn, 'bob'))
    const text = `${service.address}/s/nobodys/`
    const told = await visitor.submit(page, { text })
    expect([told.status, told.html.includes('This is not a code of this service.')]).toEqual([
      404,
      true,
    ])
    expect((await api('POST', '/scan/', { text })).status).toBe(404)
  })

  test('is named by the token of the scan, in payments and in permission requests', async () => {
    const { id, shortlink_value: value } = await newShortlink()
    await api('POST', '/scan/', { text: value })
    const { id: customer } = (await service.call('GET', `/merchant/v1/shortlink/${id}/last_scan/`))
      .body
    const { id: tid } = await service.requestPayment({ customer })
    expect(await service.outcome(tid)).toMatchObject({ status: 'pending', customer })
    const request = { pos_id: 'till-1', pos_tid: 'scanned', customer, scope: 'openid' }
    const asked = await service.call('POST', '/merchant/v1/permission_request/', request)
    expect((await api('GET', '/request/')).body.uris).toEqual(
      expect.arrayContaining([
        `/payer/v1/payment_request/${tid}/`,
        `/payer/v1/permission_request/${asked.body.id}/`,
      ]),
    )
  })

  test.each([
    ['plain text', 'bar', 'bar'],
    ['an escape', 'a%20b', 'a b'],
    ['a percent sign', '50%', '50%'],
    ['an escape that is none', '%e6%20', '%e6%20'],
    ['a query, which is no part of it', 'bar?table=7', 'bar'],
    ['as many letters as there may be', '%F0%9F%98%80'.repeat(100), '😀'.repeat(100)],
  ])('means the same in the page as by camera: %s', async (_, suffix, argstring) => {
    const { id, shortlink_value: value } = await newShortlink()
    const path = value.slice(service.address.length) + suffix
    const seen = await service.call('GET', path, undefined, { Accept: 'application/json' })
    expect(seen.body).toMatchObject({ id, argstring })
    expect((await api('POST', '/scan/', { text: value + suffix })).status).toBe(200)
    const last = await service.call('GET', `/merchant/v1/shortlink/${id}/last_scan/`)
    expect(last.body).toMatchObject({ argstring })
  })

  test('of a shop that is none, or with too much behind it, is told so', async () => {
    const { shortlink_value: value } = await newShortlink()
    const tooMuch = [value + 'x'.repeat(101), value + '%F0%9F%98%80'.repeat(101)]
    for (const text of [`${service.address}/s/nosuchcode/`, ...tooMuch])
      expect((await api('POST', '/scan/', { text })).status).toBe(404)
  })
})

test.each(['accept', 'decline'])(
  'a request without a customer is for whoever comes, until somebody answers: %s',
  async (decision) => {
    const back = 'https://shop.example/back'
    const uris = { success_return_uri: back, failure_return_uri: back }
    const { id: tid } = await service.requestPayment({ customer: null, ...uris })
    const bob = makeVisitor(service)
    await bob.signIn('bob')
    const path = `/payer/payment/${tid}`
    expect((await bob.visit(path)).status).toBe(200)
    await alice.submit(await alice.visit(path), { decision })
    expect([(await alice.visit(path)).status, (await bob.visit(path)).status]).toEqual([200, 409])
  },
)

test('a code names no payer for a permission request, so it fails with 4004', async () => {
  const { id } = await newShortlink()
  const request = {
    pos_id: 'till-1',
    pos_tid: 'code',
    customer: `shortlink_id:${id}`,
    scope: 'openid',
  }
  const { body } = await service.call('POST', '/merchant/v1/permission_request/', request)
  const path = `/merchant/v1/permission_request/${body.id}/outcome/`
  expect((await service.call('GET', path)).body).toMatchObject({ status_code: 4004 })
})

test('what the shop attaches to a payment is shown to its payer, and to nobody else', async () => {
  const { id: tid } = await service.requestPayment({ customer: '4799999901' })
  await api('POST', `/payment_request/${tid}/accept/`, {})
  const { attachment_uri: link } = await service.outcome(tid)
  const form = new FormData()
  const attach = (type: string, content: string | Uint8Array<ArrayBuffer>) =>
    form.append('part', new Blob([content], { type }), 'part')
  const receipt = {
    store: { name: 'Kaffe <b>&</b> Kake' },
    items: [
      { description: 'Kaffe', quantity: '2', unit: 'pcs', total: '80.00' },
      { product_id: 'rebate', quantity: 1, total: '-5.00' },
    ],
    payments: [{ type: 'card', amount: '75.00' }],
    total: '75.00',
  }
  attach('application/vnd.service.receipt.v1+json', JSON.stringify(receipt))
  const fromTill = {
    store: { name: 'Bensin AS', organization_number: '987654321' },
    items: [{ item_name: 'Diesel', quantity: 40, measurement_unit: 'l', item_gross_total: 700 }],
    payments: [{ payment_type: 'voucher', amount: '60.00', currency: 'EUR' }],
    currency: 'NOK',
    gross: '700.00',
    net: '560.00',
  }
  attach('application/vnd.service.receipt.v1+json', JSON.stringify(fromTill))
  const listed = { store_name: 'Kiosk', items: [{ item_id: 'ice', item_gross_total: '31.00' }] }
  attach('application/vnd.service.itemlist.v1+json', JSON.stringify(listed))
  const picture = new Uint8Array(PNG.sync.write(new PNG({ width: 2, height: 3 })))
  attach('image/png', picture)
  const uploaded = await fetch(service.address + link, { method: 'POST', body: form })
  expect(uploaded.status).toBe(201)
  const { html } = await alice.visit(`/payer/payment/${tid}`)
  expect(html).toContain('Kaffe &lt;b&gt;&amp;&lt;/b&gt; Kake')
  expect(html).toMatch(/2 pcs × Kaffe[^]*NOK\s80\.00[^]*rebate[^]*−NOK\s5\.00[^]*card/)
  expect(html).toMatch(/Bensin AS[^]*987654321[^]*40 l × Diesel[^]*NOK\s700\.00[^]*voucher/)
  expect(html).toMatch(/NOK\s560\.00[^]*€60\.00[^]*Kiosk[^]*ice[^]*NOK\s31\.00/)
  const source = /<img class="attached" src="([^"]+)"/.exec(html)?.[1] ?? ''
  const image = await alice.visit(source, { headers: { Accept: 'image/*' } })
  expect([image.status, image.headers.get('content-type')]).toEqual([200, 'image/png'])
  // Apps get the same as JSON.
  const list = await api('GET', `/payment_request/${tid}/attachment/`)
  expect(list.body.attachments).toMatchObject([
    { kind: 'png' },
    { kind: 'itemlist' },
    { kind: 'receipt' },
    { kind: 'receipt' },
  ])
  const read = (uri: string, as = token) =>
    fetch(service.address + uri, { headers: { Authorization: `Bearer ${as}` } })
  const [second, first] = [list.body.uris[0], list.body.uris.at(-1)]
  expect(await (await read(first)).json()).toEqual(receipt)
  expect(new Uint8Array(await (await read(second)).arrayBuffer())).toEqual(picture)
  const bob = makeVisitor(service)
  await bob.signIn('bob')
  const who = { phone: '4799999902', pin: '5678', code: codeOf('bob') }
  const { token: ofBob } = (await service.call('POST', '/payer/v1/session/', who, {})).body
  for (const path of [first, `/payer/v1/payment_request/${tid}/attachment/`]) {
    expect((await read(path, ofBob)).status).toBe(404)
    expect((await read(path, 'nobody')).status).toBe(401)
  }
  for (const visitor of [bob, alice]) {
    const path = visitor === bob ? source : source.replace(/\d+$/, '1')
    expect((await visitor.visit(path, { headers: { Accept: '*/*' } })).status).toBe(404)
  }
})

test('logs name customers as the shop did, and no longer once they are erased', async () => {
  const phone = '4741112222'
  await service.operator('payer', 'add', phone, '--name', 'Ole Log', '--pin', '1793')
  const { id: tid } = await service.requestPayment({ customer: `+${phone}` })
  const report = '/merchant/v1/ledger/default/report/1/'
  await service.call('PUT', report, {})
  await service.advance(0)
  const log = async () => {
    const { body } = await service.call('GET', report)
    const [uri] = body.transaction_log_uris as string[]
    const { body: text } = await service.call('GET', uri ?? '', undefined, {})
    const lines = String(text).split('\n')
    return lines.filter((line) => line.startsWith(tid)).map((line) => line.split(',')[5])
  }
  // What a spreadsheet would run as a formula is neutralised.
  expect(await log()).toEqual([`'+${phone}`])
  await service.operator('payer', 'erase', phone)
  expect(await log()).toEqual([''])
  expect(service.files().filter(({ bytes }) => bytes.includes(phone))).toEqual([])
})

test('a customer who is named like a token or a code but is none, is sealed as all others are', async () => {
  await service.operator('merchant', 'add', 'other', '--name', 'Other AS', '--currency', 'NOK')
  await service.operator('user', 'add', 'other', 'u', '--secret', 'other-secret')
  const headers = service.merchantHeaders('other', 'u', 'other-secret')
  const asOther = (method: string, path: string, body?: object) =>
    service.call(method, `/merchant/v1${path}`, body, headers)
  await asOther('POST', '/pos/', { id: 'till', name: 'Till', type: 'store' })
  const request = { pos_id: 'till-1', pos_tid: 'grant', customer: '4799999901', scope: 'openid' }
  const { id } = (await service.call('POST', '/merchant/v1/permission_request/', request)).body
  await api('POST', `/permission_request/${id}/accept/`, {})
  const { body } = await service.call('GET', `/merchant/v1/permission_request/${id}/outcome/`)
  // A log shows a value stored as `granted:…` as the grant's access token.
  const stored = `,granted:0:permission-${id},`
  const names = [`token:1${stored}`, `shortlink_sn:1${stored}`, `shortlink_id:1${stored}`]
  for (const [index, customer] of [...names, 'token:Ola Klartekst'].entries()) {
    const asked = { pos_id: 'till', pos_tid: `${index}`, customer, currency: 'NOK', amount: '1.00' }
    const { body } = await asOther('POST', '/payment_request/', {
      ...{ ...asked, action: 'auth', allow_credit: false },
    })
    const outcome = (await asOther('GET', `/payment_request/${body.id}/outcome/`)).body
    expect(outcome).toMatchObject({ status_code: 4004, customer })
  }
  await asOther('PUT', '/ledger/default/report/1/', {})
  await service.advance(0)
  const [uri] = (await asOther('GET', '/ledger/default/report/1/')).body.transaction_log_uris
  const log = (await service.call('GET', uri, undefined, {})).body
  expect(log).toContain(`"${names[0]}"`)
  expect(log).not.toContain(body.access_token)
  expect(service.files().filter(({ bytes }) => bytes.includes('Ola Klartekst'))).toEqual([])
})

test('an unauthenticated app gets the required scheme', async () => {
  const who = { phone: '4799999901', pin: '0000', code: codeOf('alice') }
  const wrong = await service.call('POST', '/payer/v1/session/', who, {})
  const nobody = await service.call('GET', '/payer/v1/profile/', undefined, {})
  for (const { status, headers } of [wrong, nobody])
    expect([status, headers.get('www-authenticate')]).toEqual([401, 'Bearer realm="payer"'])
})

test('an answer to a permission request that is none is refused, and changes nothing', async () => {
  const asked = { pos_id: 'till-1', pos_tid: 'no-answer', scope: 'profile', customer: '4799999901' }
  const { id } = (await service.call('POST', '/merchant/v1/permission_request/', asked)).body
  const page = await alice.visit(`/payer/permission/${id}`)
  expect((await alice.submit(page, { decision: 'maybe' })).status).toBe(400)
  const outcome = `/merchant/v1/permission_request/${id}/outcome/`
  expect((await service.call('GET', outcome)).body.status).toBe('pending')
})

test('given a permission, when another payer withdraws it by its id, then there is none, and it stays', async () => {
  const asked = { pos_id: 'till-1', pos_tid: 'kept', scope: 'openid', customer: '4799999901' }
  const { id } = (await service.call('POST', '/merchant/v1/permission_request/', asked)).body
  await api('POST', `/permission_request/${id}/accept/`, {})
  const grant = 'sandbox'
  const who = { phone: '4799999902', pin: '5678', code: codeOf('bob') }
  const { token: ofBob } = (await service.call('POST', '/payer/v1/session/', who, {})).body
  const withdraw = (as: string) =>
    service.call('DELETE', `/payer/v1/permission/${grant}/`, undefined, {
      Authorization: `Bearer ${as}`,
    })
  const granted = async () =>
    (await api('GET', '/permission/')).body.permissions.map(({ id }: { id: string }) => id)
  expect((await withdraw(ofBob)).status).toBe(404)
  expect(await granted()).toContain(grant)
  expect((await withdraw(token)).status).toBe(204)
  expect(await granted()).not.toContain(grant)
})

test('accepting without an additional amount accepts the shop’s proposal', async () => {
  const proposed = { additional_amount: '3.00', additional_edit: true, customer: '+4799999901' }
  const silent = await service.requestPayment(proposed)
  const page = await alice.visit(`/payer/payment/${silent.id}`)
  await alice.submit(page, { decision: 'accept' }, ['additional_amount'])
  expect(await service.outcome(silent.id)).toMatchObject({ auth_additional_amount: '3.00' })
  const emptied = await service.requestPayment(proposed)
  const other = await alice.visit(`/payer/payment/${emptied.id}`)
  await alice.submit(other, { decision: 'accept', additional_amount: '' })
  expect(await service.outcome(emptied.id)).toMatchObject({ auth_additional_amount: '0.00' })
})

test('given more waiting requests than a page holds, then the others are on the next ones, in app and browser', async () => {
  const bob = makeVisitor(service)
  await bob.signIn('bob')
  const who = { phone: '4799999902', pin: '5678', code: codeOf('bob') }
  const { token: ofBob } = (await service.call('POST', '/payer/v1/session/', who, {})).body
  const made: string[] = []
  for (let n = 0; n < 103; n++)
    made.unshift((await service.requestPayment({ customer: '+4799999902' })).id)
  const read = async (path: string) =>
    (await service.call('GET', path, undefined, { Authorization: `Bearer ${ofBob}` })).body
  const first = await read('/payer/v1/request/')
  const second = await read(first.next)
  const pathOf = (tid: string) => `/payer/v1/payment_request/${tid}/`
  expect([...first.uris, ...second.uris]).toEqual(made.map(pathOf))
  expect([first.uris.length, second.next]).toEqual([100, null])
  const seen: string[] = []
  for (let path: string | undefined = '/payer/'; path !== undefined;) {
    const { html } = await bob.visit(path)
    seen.push(...[...html.matchAll(/href="\/payer\/payment\/(\w+)"/g)].map(([, tid]) => tid ?? ''))
    path = /href="(\/payer\/\?before=\d+)"/.exec(html)?.[1]
  }
  expect(seen).toEqual(made)
})
