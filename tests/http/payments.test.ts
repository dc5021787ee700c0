import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { payments, pointsOfSale } from '../../domain/aggregates.ts'
import { makeHandler } from '../../application/handle.ts'
import { noFees } from '../../domain/accounting/fees.ts'
import { within } from '../../domain/stream.ts'
import { paymentRequestInput } from '../../http/merchant/payment-input.ts'
import { openSqliteEventStore } from '../../infrastructure/event-store/sqlite-event-store.ts'
import {
  authorizedPayment,
  error,
  json,
  pathOf,
  paths,
  requestPayment,
  startService,
  wrongFields,
  type Service,
} from '../support/http-service.ts'
import { dateTime } from '../../harness/signing.ts'
import { paymentInput } from '../../harness/register-merchant.ts'

let service: Service

beforeAll(async () => {
  service = await startService()
})

afterAll(() => service.stop())

type Changes = Readonly<Record<string, unknown>>

const post = (changes: Changes = {}) => service.pos1('POST', paths.payments, paymentInput(changes))

const put = (path: string, body: unknown) => service.pos1('PUT', path, body)

const outcome = async (path: string) => (await service.pos1('GET', `${path}outcome/`)).body

const tidOf = (path: string): string => path.split('/').at(-2) ?? ''

const answer = (path: string, verb: 'accept' | 'decline', body: Changes = {}) =>
  service.call('POST', `/sandbox/v1/payment_request/${tidOf(path)}/${verb}/`, { body })

const conflict = (description: RegExp) => ({ status: 409, body: error('Conflict', description) })

const part = (amount: string, more: Changes = {}) => ({
  action: 'capture',
  amount,
  currency: 'NOK',
  capture_id: randomUUID(),
  ...more,
})

describe('a payment request', () => {
  test('is answered with its id and full URL, and read with all defaults', async () => {
    const input = paymentInput({ customer: 'msisdn:4799999901', currency: 'nok', action: 'SALE' })
    const before = service.core.now()
    const created = await service.pos1('POST', paths.payments, input)
    const { id } = created.body
    expect(created).toMatchObject({
      status: 201,
      headers: { location: `${service.address}${paths.payments}${id}/`, 'content-type': json },
      body: { id: expect.stringMatching(/^[0-9a-f]{32}$/), uri: null },
    })
    const { body } = await service.pos1('GET', `${paths.payments}${id}/`)
    const expires = Date.parse(`${body.date_expires.replace(' ', 'T')}Z`)
    expect(expires - before).toBeGreaterThan(21_599_000)
    expect(expires - before).toBeLessThan(21_630_000)
    expect(body).toEqual({
      id,
      uri: null,
      pos_id: 'till-1',
      pos_tid: input.pos_tid,
      currency: 'NOK',
      amount: '100.00',
      additional_amount: '0.00',
      additional_edit: false,
      allow_credit: false,
      customer: 'msisdn:4799999901',
      max_scan_age: 60,
      date_expires: dateTime(expires),
      text: null,
      ledger: 'default',
      callback_uri: null,
      display_message_uri: null,
      success_return_uri: null,
      failure_return_uri: null,
      required_scope: null,
      required_scope_text: null,
      line_items: [],
      links: [],
    })
  })

  test('is read as it was made, with every field', async () => {
    const fields = {
      amount: '99.50',
      additional_amount: '10.00',
      additional_edit: true,
      allow_credit: true,
      customer: null,
      max_scan_age: 0,
      text: 'Æ 日本 😀',
      callback_uri: 'https://shop.example:8443/callback?a=b',
      display_message_uri: 'http://shop.example/%C3%A6',
      success_return_uri: 'https://shop.example/ok',
      failure_return_uri: 'https://shop.example/fail',
      required_scope: 'openid email',
      required_scope_text: 'x'.repeat(150),
      links: [{ uri: 'https://shop.example/', caption: 'Receipt', show_on: ['ok', 'fail'] }],
    }
    const line = {
      product_id: '1',
      quantity: 2,
      item_cost: 10,
      total: 20.5,
      vat: '4.1',
      vat_rate: 25,
    }
    const noVat = { product_id: '2', quantity: '0.5', item_cost: '158.00', total: '79' }
    const metadata = [{ key: 'colour', value: 'red' }]
    const line_items = [{ ...line, description: 'Soup', metadata }, noVat]
    const created = await post({ ...fields, line_items, expires_in: 0 })
    expect(created.body.uri).toBe(`${service.address}/payer/checkout/${created.body.id}`)
    const read = await service.pos1('GET', pathOf(created.headers.location))
    expect(read.body).toMatchObject({
      ...fields,
      uri: created.body.uri,
      line_items: [
        {
          product_id: '1',
          description: 'Soup',
          quantity: '2',
          item_cost: '10.00',
          total: '20.50',
          vat: '4.10',
          vat_rate: '25',
          metadata,
        },
        {
          product_id: '2',
          description: null,
          quantity: '0.5',
          item_cost: '158.00',
          total: '79.00',
          vat: null,
          vat_rate: null,
          metadata: [],
        },
      ],
    })
  })

  test('may have lines below zero, and unit prices finer than the currency', async () => {
    const lines = [
      { product_id: 'kWh', quantity: '80.5', item_cost: '1.23456', total: '99.38', vat: '19.88' },
      { product_id: 'litre', quantity: 1, item_cost: 10.625, total: '10.62' },
      { product_id: 'discount', quantity: 1, item_cost: '-10.0000', total: '-10', vat: '-2.00' },
    ]
    const input = paymentInput({ line_items: lines })
    const created = await service.pos1('POST', paths.payments, input)
    const { body } = await service.pos1('GET', pathOf(created.headers.location))
    expect(body.line_items).toMatchObject([
      { item_cost: '1.23456', total: '99.38', vat: '19.88' },
      { item_cost: '10.625', total: '10.62', vat: null },
      { item_cost: '-10.00', total: '-10.00', vat: '-2.00' },
    ])
    const [kWh, ...others] = lines
    const written = { ...input, line_items: [{ ...kWh, item_cost: '1.234560' }, ...others] }
    expect(await service.pos1('POST', paths.payments, written)).toMatchObject({ status: 201 })
    const changed = { ...input, line_items: [{ ...kWh, item_cost: '1.23457' }, ...others] }
    expect(await service.pos1('POST', paths.payments, changed)).toMatchObject({ status: 409 })
  })

  test('that is made again, in other words, is answered as the first was', async () => {
    const input = paymentInput({ additional_amount: '0.00', text: null })
    const first = await service.pos1('POST', paths.payments, input)
    const { text, additional_amount, ...less } = input as Changes & typeof input
    const again = { ...less, currency: 'nok', amount: 100, action: 'Auth', max_scan_age: 60 }
    const second = await service.pos1('POST', paths.payments, again)
    expect([second.status, second.text, second.headers.location]).toEqual([
      201,
      first.text,
      first.headers.location,
    ])
    for (const change of [{ amount: '100.01' }, { action: 'sale' }, { customer: '+4799999902' }])
      expect(await service.pos1('POST', paths.payments, { ...input, ...change })).toMatchObject(
        conflict(/pos_tid/),
      )
  })

  test('of another POS may have the same pos_tid', async () => {
    await service.pos1('POST', paths.pointsOfSale, { id: 'till-2', name: 'Till 2', type: 'store' })
    const pos_tid = randomUUID()
    const [one, two] = [await post({ pos_tid }), await post({ pos_tid, pos_id: 'till-2' })]
    expect([one.status, two.status]).toEqual([201, 201])
    expect(one.body.id).not.toBe(two.body.id)
  })

  test.each([
    ['NOK', '12.5', '12.50'],
    ['NOK', '12', '12.00'],
    ['NOK', 12.5, '12.50'],
    ['NOK', 0.01, '0.01'],
    ['NOK', '999999999999.99', '999999999999.99'],
    ['JPY', '1200', '1200'],
    ['JPY', 1200, '1200'],
    ['KWD', '1.234', '1.234'],
    ['KWD', 0.5, '0.500'],
    ['CLF', '7.0001', '7.0001'],
    ['clf', 7, '7.0000'],
  ])('of %s %j is of %s exactly', async (currency, amount, exact) => {
    const path = await requestPayment(service.pos1, { currency, amount })
    expect((await service.pos1('GET', path)).body.amount).toBe(exact)
    expect(await outcome(path)).toMatchObject({ amount: exact, currency: currency.toUpperCase() })
  })

  test.each([
    '1e2',
    '1E2',
    '0.1e3',
    '12.50000000000000001',
    '99999999999999999999.5',
    '-0',
    '-0.0',
  ])(
    'of an amount that is the JSON number %s is refused: it would be read as another',
    async (amount) => {
      const text = JSON.stringify(paymentInput({ amount: 0.5, text: '1e2' }))
      const body = text.replace('"amount":0.5', `"amount":${amount}`)
      expect(body).toContain(amount)
      expect(await service.pos1('POST', paths.payments, body)).toMatchObject(wrongFields('amount'))
    },
  )

  test('and so has a number its sign, also before nothing', async () => {
    const text = JSON.stringify(paymentInput({ pos_tid: 'signed', additional_amount: 0 }))
    expect((await service.pos1('POST', paths.payments, text)).status).toBe(201)
    const signed = text.replace('"additional_amount":0', '"additional_amount":-0')
    const answer = await service.pos1('POST', paths.payments, signed)
    expect(answer).toMatchObject(wrongFields('additional_amount'))
  })

  test('but a number that is not an amount may have any JSON notation', async () => {
    const given = JSON.stringify(paymentInput({ expires_in: 60, max_scan_age: 120 }))
    const body = given
      .replace('"expires_in":60', '"expires_in":6e1')
      .replace('"max_scan_age":120', '"max_scan_age":1.2E2')
    const created = await service.pos1('POST', paths.payments, body)
    expect(created.status).toBe(201)
    const path = `${paths.payments}${created.body.id}/`
    expect((await service.pos1('GET', path)).body.max_scan_age).toBe(120)
    for (const wrong of ['"60"', '"6e1"', '"6e1x"', '1e-1', '1e400'])
      expect(
        await service.pos1(
          'POST',
          paths.payments,
          given.replace('"expires_in":60', `"expires_in":${wrong}`),
        ),
      ).toMatchObject(wrongFields('expires_in'))
  })

  test.each([
    ['NOK', '12.505'],
    ['NOK', 12.505],
    ['NOK', 0.1 + 0.2],
    ['JPY', '12.0'],
    ['KWD', '1.2345'],
    ['CLF', '1.00001'],
    ['CLF', '999999999999.9999'],
    ['NOK', '1e2'],
    ['NOK', 1e21],
    ['NOK', 1e-7],
    ['NOK', '+1'],
    ['NOK', '-1'],
    ['NOK', -1],
    ['NOK', ' 1'],
    ['NOK', '1 '],
    ['NOK', '1\n'],
    ['NOK', '01'],
    ['NOK', '00.10'],
    ['NOK', '.5'],
    ['NOK', '5.'],
    ['NOK', '1,50'],
    ['NOK', '１'],
    ['NOK', '1000000000000'],
    ['NOK', ''],
    ['NOK', '0'],
    ['NOK', '0.00'],
    ['NOK', 0],
    ['NOK', null],
    ['NOK', true],
    ['NOK', ['1']],
    ['NOK', { amount: 1 }],
    ['NOK', undefined],
  ])('of %s %j is refused', async (currency, amount) => {
    expect(await post({ currency, amount })).toMatchObject(wrongFields('amount'))
  })

  test('that is neither text nor number gets the format of amounts, a missing one "required"', async () => {
    const toldOf = async (amount: unknown) => (await post({ amount })).body.error_details.amount
    expect(await toldOf(true)).toEqual([expect.stringContaining('such as "12.50"')])
    for (const amount of [undefined, null, ''])
      expect(await toldOf(amount)).toEqual(['Is required.'])
  })

  const item = { product_id: '1', quantity: 1, item_cost: '100', total: '100' }
  const link = { uri: 'https://shop.example/', caption: 'x', show_on: [] }
  test.each([
    ['pos_id', [undefined, '', 'a b', 'x'.repeat(65), 'æ', 7]],
    ['pos_tid', [undefined, '', 'a/b', 'x'.repeat(65)]],
    ['action', [undefined, 'capture', 'authorise', null, 1]],
    ['currency', [undefined, 'XXX', 'NOKK', 'NO', 'XAU', 'ﬀo', 'uſd', 'ıdr', 578]],
    ['additional_amount', ['0.001', '-1', 'x']],
    ['additional_edit', ['true', 1]],
    ['allow_credit', [undefined, 'false', null]],
    ['customer', ['x'.repeat(101), 4799999901]],
    ['max_scan_age', [-1, 2_592_001, 1.5, '60']],
    ['expires_in', [-1, 2_592_001, 0.5, '60']],
    ['text', ['x'.repeat(1001), 1]],
    ['ledger', ['unknown']],
    [
      'callback_uri',
      [
        'shop.example',
        'ftp://x/',
        'http:x',
        'http://',
        'http://a b/',
        'http://x/\ny',
        'http://x/#a',
        'http://a:b@x/',
      ],
    ],
    ['display_message_uri', ['javascript:alert(1)', `http://x/${'x'.repeat(2048)}`, 5]],
    ['success_return_uri', ['/relative']],
    ['failure_return_uri', ['//shop.example/']],
    ['required_scope_text', ['x'.repeat(151)]],
    ['line_items', [{}, 'x', [item, item], [{ ...item, total: '99.99' }]]],
    ['line_items.0', [[1], [null]]],
    ['line_items.0.total', [[{ ...item, total: 'x' }], [{ ...item, total: '100.001' }]]],
    ['line_items.1.item_cost', [[item, { ...item, item_cost: undefined }]]],
    [
      'line_items.0.item_cost',
      [
        [
          { ...item, item_cost: '1.1234567' },
          { ...item, total: '0' },
        ],
      ],
    ],
    ['line_items.0.vat', [[{ ...item, vat: '-0.001' }]]],
    ['line_items.0.quantity', [[{ ...item, quantity: 'many' }], [{ ...item, quantity: 1e21 }]]],
    ['line_items.0.vat_rate', [[{ ...item, vat_rate: 'x'.repeat(1000) }]]],
    ['line_items.0.metadata.0.key', [[{ ...item, metadata: [{ value: 'v' }] }]]],
    ['links', [[link, ...Array(32).fill(link)]]],
    ['links.0.uri', [[{ ...link, uri: 'x' }]]],
    ['links.0.show_on.1', [[{ ...link, show_on: ['ok', 'auth'] }]]],
    ['links.0.show_on', [[{ ...link, show_on: Array(15_000).fill('ok') }]]],
  ])('with a wrong %s is told so', async (field, values) => {
    const top = field.split('.')[0] ?? ''
    for (const value of values) {
      const refused = await post({ [top]: value })
      expect([value, refused]).toMatchObject([value, wrongFields(field)])
    }
  })

  test('may say null of whatever need not be given', async () => {
    const input = paymentInput()
    const first = await service.pos1('POST', paths.payments, input)
    const names = Object.keys(paymentRequestInput.in.shape)
    const needed = new Set(['customer', ...Object.keys(input)])
    const optional = names.filter((name) => !needed.has(name))
    expect(optional).toContain('expires_in')
    const nulls = Object.fromEntries(optional.map((name) => [name, null]))
    const again = await service.pos1('POST', paths.payments, { ...input, ...nulls })
    expect(again).toMatchObject({ status: 201, text: first.text })
    const { body } = await service.pos1('GET', pathOf(first.headers.location))
    expect(body).toMatchObject({
      additional_amount: '0.00',
      additional_edit: false,
      max_scan_age: 60,
      ledger: 'default',
      links: [],
      line_items: [],
    })
  })

  test('gets an overlong host refused before it is parsed', async () => {
    // Its length would take many seconds to parse.
    const host = Array.from({ length: 150_000 }, (_, n) =>
      String.fromCodePoint(0x4e00 + ((n * 7919) % 20_000)),
    )
    for (const slashes of ['//', '\\\\', '////'])
      expect(await post({ callback_uri: `https:${slashes}${host.join('')}` })).toMatchObject(
        wrongFields('callback_uri'),
      )
    const longName = `https://${'a.'.repeat(130)}example/`
    expect(await post({ callback_uri: longName })).toMatchObject(wrongFields('callback_uri'))
  })

  test('with several wrong fields is told of all of them', async () => {
    const wrong = {
      pos_id: '',
      currency: 'x',
      expires_in: -1,
      line_items: [{ ...item, total: [] }],
    }
    expect(await post(wrong)).toMatchObject(
      wrongFields('pos_id', 'currency', 'expires_in', 'line_items.0.total'),
    )
    expect(await post({ amount: '1.001', additional_amount: '1.001' })).toMatchObject(
      wrongFields('amount', 'additional_amount'),
    )
  })

  test('without a customer needs both addresses to return to', async () => {
    const both = wrongFields('success_return_uri', 'failure_return_uri')
    expect(await post({ customer: null })).toMatchObject(both)
    expect(await post({ customer: undefined })).toMatchObject(both)
    const success_return_uri = 'https://shop.example/'
    expect(await post({ customer: null, success_return_uri })).toMatchObject(
      wrongFields('failure_return_uri'),
    )
  })

  test('with as many line items as a body can hold is either kept whole or refused', async () => {
    const many = (count: number, size: number) =>
      Array.from({ length: count }, () => ({ ...item, total: 1, description: 'x'.repeat(size) }))
    const kept = await post({ amount: 500, line_items: many(500, 900) })
    expect(kept.status).toBe(201)
    const { body } = await service.pos1('GET', pathOf(kept.headers.location))
    expect(body.line_items).toHaveLength(500)
    for (const [count, size] of [
      [1000, 940],
      [600, 1000],
      [1001, 1],
    ] as const)
      expect(await post({ amount: count, line_items: many(count, size) })).toMatchObject(
        wrongFields('line_items'),
      )
    const large = { ...link, uri: `https://x/${'é'.repeat(2000)}`, caption: 'é'.repeat(255) }
    const amended = await put(pathOf(kept.headers.location), { links: Array(32).fill(large) })
    expect(amended.status).toBe(204)
  })

  test('for an unknown or deleted POS is refused; existing requests continue', async () => {
    const { pos1, admin } = service
    expect(await post({ pos_id: 'nowhere' })).toMatchObject(wrongFields('pos_id'))
    await pos1('POST', paths.pointsOfSale, { id: 'pop-up', name: 'Pop-up', type: 'mobile' })
    const input = paymentInput({ pos_id: 'pop-up' })
    const first = await pos1('POST', paths.payments, input)
    const path = pathOf(first.headers.location)
    await admin('DELETE', `${paths.pointsOfSale}pop-up/`)
    expect(await post({ pos_id: 'pop-up' })).toMatchObject(wrongFields('pos_id'))
    expect((await pos1('POST', paths.payments, input)).text).toBe(first.text)
    await answer(path, 'accept')
    expect(await put(path, { action: 'capture' })).toMatchObject({ status: 204 })
    expect(await outcome(path)).toMatchObject({ status: 'ok', pos_id: 'pop-up' })
  })

  test('for an unknown customer is created, and then fails', async () => {
    for (const customer of ['+4700000000', 'shortlink_id:none', 'token:123', '🙂', 'alice']) {
      const path = await requestPayment(service.pos1, { customer })
      expect(await outcome(path)).toMatchObject({ status: 'fail', status_code: 4004, customer })
    }
  })

  test('of another merchant is not there', async () => {
    const other = await service.addMerchant('stranger')
    const path = await authorizedPayment(service)
    const nowhere = { status: 404, body: error('Not Found', /no such resource/) }
    expect(await other('GET', path)).toMatchObject(nowhere)
    expect(await other('GET', `${path}outcome/`)).toMatchObject(nowhere)
    expect(await other('PUT', path, { action: 'capture' })).toMatchObject(nowhere)
    expect(await other('PUT', path, {})).toMatchObject(nowhere)
    expect(await outcome(path)).toMatchObject({ auth_amount: '100.00', captures: [] })
    expect(await other('POST', paths.payments, paymentInput())).toMatchObject(wrongFields('pos_id'))
  })

  test.each(['0', 'ABC', 'x'.repeat(65), '%2e', 'a%00', '😀', "'"])(
    'with the id %s is not there',
    async (tid) => {
      for (const [method, path, body] of [
        ['GET', `${paths.payments}${encodeURI(tid)}/`],
        ['GET', `${paths.payments}${encodeURI(tid)}/outcome/`],
        ['PUT', `${paths.payments}${encodeURI(tid)}/`, { action: 'capture' }],
      ] as const)
        expect((await service.pos1(method, path, body)).status).toBe(404)
    },
  )
})

describe('an update without an action', () => {
  test('changes the details that it names, and no others', async () => {
    const path = await requestPayment(service.pos1, { text: 'stays' })
    const links = [{ uri: 'https://shop.example/', caption: 'x', show_on: ['pending'] }]
    const line = { product_id: '1', quantity: 1, item_cost: '100', total: '100' }
    const changes = { callback_uri: 'https://shop.example/cb', display_message_uri: null, links }
    expect(await put(path, { ...changes, line_items: [line] })).toMatchObject({ status: 204 })
    expect(await put(path, { ledger: 'default', amount: '1', text: 'ignored' })).toMatchObject({
      status: 204,
    })
    const { body } = await service.pos1('GET', path)
    expect(body).toMatchObject({ ...changes, text: 'stays', amount: '100.00' })
    expect(body.line_items).toMatchObject([{ total: '100.00' }])
    expect(await put(path, { callback_uri: '' })).toMatchObject({ status: 204 })
    expect((await service.pos1('GET', path)).body).toMatchObject({ callback_uri: null, links })
  })

  test('leaves line items and links as they are once the payer has answered', async () => {
    const line = { product_id: '1', quantity: 1, item_cost: '100', total: '100' }
    const links = [{ uri: 'https://shop.example/', caption: 'x', show_on: ['pending'] }]
    const path = await authorizedPayment(service, { line_items: [line] })
    const other = { ...line, product_id: '2' }
    for (const change of [{ line_items: [other] }, { line_items: [] }, { links }])
      expect(await put(path, change)).toMatchObject(conflict(/line_items and links/))
    const callback_uri = 'https://shop.example/cb'
    expect(await put(path, { callback_uri, line_items: [line] })).toMatchObject({ status: 204 })
    const { body } = await service.pos1('GET', path)
    expect(body).toMatchObject({ callback_uri, links: [], line_items: [{ product_id: '1' }] })
  })

  test('is refused when it does not fit', async () => {
    const path = await requestPayment(service.pos1)
    const line = { product_id: '1', quantity: 1, item_cost: '1', total: '1.001' }
    const { wrong } = { wrong: wrongFields }
    expect(await put(path, { ledger: 'unknown' })).toMatchObject(wrong('ledger'))
    expect(await put(path, { callback_uri: 'x' })).toMatchObject(wrong('callback_uri'))
    expect(await put(path, { line_items: [line] })).toMatchObject(wrong('line_items.0.total'))
    const other = { ...line, total: '1.00' }
    expect(await put(path, { line_items: [other] })).toMatchObject(wrong('line_items'))
    expect((await service.pos1('GET', path)).body.line_items).toEqual([])
  })
})

describe('capture', () => {
  test('of everything that is left makes the payment ok, and again has no second effect', async () => {
    const path = await authorizedPayment(service, { additional_amount: '10.00' })
    const authorized = await outcome(path)
    expect(authorized).toMatchObject({
      status: 'auth',
      status_code: 3008,
      amount: '100.00',
      auth_amount: '100.00',
      auth_additional_amount: '10.00',
    })
    for (const action of ['capture', 'CAPTURE', 'Capture'])
      expect(await put(path, { action })).toMatchObject({ status: 204, text: '' })
    expect(await outcome(path)).toMatchObject({
      status: 'ok',
      status_code: 2000,
      auth_amount: '0.00',
      auth_additional_amount: '0.00',
      released_amount: '0.00',
      captures: [
        { id: null, amount: '100.00', additional_amount: '10.00', transaction_fee: '1.80' },
      ],
    })
  })

  test('in parts takes from each pot apart, and never more than is left', async () => {
    const path = await authorizedPayment(service, { additional_amount: '10.00' })
    const first = part('60.00', { additional_amount: '10' })
    expect(await put(path, first)).toMatchObject({ status: 204 })
    expect(await put(path, part('40.01'))).toMatchObject(wrongFields('amount'))
    expect(await put(path, part('1', { additional_amount: '0.01' }))).toMatchObject(
      wrongFields('additional_amount'),
    )
    expect(await outcome(path)).toMatchObject({ auth_amount: '40.00', status: 'auth' })
    expect(await put(path, part('40.00'))).toMatchObject({ status: 204 })
    expect(await put(path, first)).toMatchObject({ status: 204 })
    expect(await put(path, part('0.01'))).toMatchObject(conflict(/Nothing is left to capture/))
    const { captures, status } = await outcome(path)
    expect([status, captures.length]).toEqual(['ok', 2])
  })

  test('needs an authorisation that has not ended', async () => {
    const pending = await requestPayment(service.pos1)
    const refused = conflict(/not authorised/)
    expect(await put(pending, { action: 'capture' })).toMatchObject(refused)
    await answer(pending, 'decline')
    expect(await put(pending, part('1'))).toMatchObject(refused)
    const released = await authorizedPayment(service)
    await put(released, { action: 'release' })
    expect(await put(released, part('1'))).toMatchObject(refused)
  })

  test('a hundred at once of 1.00 out of 50.00: fifty succeed', async () => {
    const path = await authorizedPayment(service, { amount: '50.00' })
    const answers = await Promise.all(Array.from({ length: 100 }, () => put(path, part('1.00'))))
    const statuses = answers.map(({ status }) => status)
    expect(statuses.filter((status) => status === 204)).toHaveLength(50)
    expect(statuses.every((status) => [204, 400, 409].includes(status))).toBe(true)
    const { captures, auth_amount, status } = await outcome(path)
    expect([captures.length, auth_amount, status]).toEqual([50, '0.00', 'ok'])
  })

  test('a hundred at once under one id: one capture, and all get a success', async () => {
    const path = await authorizedPayment(service, { amount: '50.00' })
    const one = part('1.00')
    const answers = await Promise.all(Array.from({ length: 100 }, () => put(path, one)))
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([204]))
    expect(await outcome(path)).toMatchObject({ auth_amount: '49.00', captures: [{}] })
  })
})

describe.each(['release', 'abort'])('%s', (action) => {
  test('of a pending request aborts it; again it is answered alike', async () => {
    const path = await requestPayment(service.pos1)
    for (const again of [action, action.toUpperCase()])
      expect(await put(path, { action: again, amount: '7.00' })).toMatchObject({ status: 204 })
    expect(await outcome(path)).toMatchObject({
      status: 'fail',
      status_code: 4019,
      auth_amount: '0.00',
      released_amount: '0.00',
    })
    expect(await answer(path, 'accept')).toMatchObject(conflict(/answered already/))
  })

  test('of an authorisation drops what is left of it', async () => {
    const whole = await authorizedPayment(service, { additional_amount: '10' })
    expect(await put(whole, { action })).toMatchObject({ status: 204 })
    const released = { released_amount: '100.00', released_additional_amount: '10.00' }
    expect(await outcome(whole)).toMatchObject({ status: 'fail', status_code: 4019, ...released })
    const partly = await authorizedPayment(service)
    await put(partly, part('30.00'))
    for (let time = 0; time < 2; time++)
      expect(await put(partly, { action })).toMatchObject({ status: 204 })
    expect(await outcome(partly)).toMatchObject({
      status: 'ok',
      status_code: 2000,
      released_amount: '70.00',
      auth_amount: '0.00',
    })
  })

  test('of what has ended otherwise is refused', async () => {
    const captured = await authorizedPayment(service)
    await put(captured, { action: 'capture' })
    expect(await put(captured, { action })).toMatchObject(conflict(/Nothing is left/))
    const declined = await requestPayment(service.pos1)
    await answer(declined, 'decline')
    expect(await put(declined, { action })).toMatchObject(conflict(/Nothing is left/))
  })
})

describe('a callback address', () => {
  test.each([
    'https://shop.example',
    'https://Shop.Example:8443/Callback/?A=b%20c&d=ü'.replace('ü', '%C3%BC'),
    'HTTP://127.0.0.1:1/a//b',
    'https://[2001:db8::1]/cb',
  ])('may be %s', async (callback_uri) => {
    const path = await requestPayment(service.pos1, { callback_uri })
    expect((await service.pos1('GET', path)).body).toMatchObject({ callback_uri })
  })

  test.each([
    ['https://shop.example/a/../b', 'https://shop.example/b'],
    ['https://shop.example/ü', 'https://shop.example/%C3%BC'],
    ['https://shop.example/"q"', 'https://shop.example/%22q%22'],
    ['https://shop.example/a\\b', 'https://shop.example/a/b'],
    ['https://shop.example?a=b', 'https://shop.example/?a=b'],
    ['https://shop.example/cb?', 'https://shop.example/cb'],
    ['https://shop.example:443/cb', 'https://shop.example/cb'],
    ['https://bücher.example/cb', 'https://xn--bcher-kva.example/cb'],
    ['http://127.1/cb', 'http://127.0.0.1/cb'],
  ])('that would arrive otherwise, as %s, is refused with how it is written', async (uri, as) => {
    const path = await requestPayment(service.pos1)
    const { status, body } = await put(path, { callback_uri: uri })
    expect(status).toBe(400)
    expect(body.error_details).toEqual({
      callback_uri: [`Must be written as it is requested: ${as}`],
    })
  })
})

describe('an action', () => {
  test('ignores what does not belong to it, however it looks', async () => {
    const path = await authorizedPayment(service)
    const odd = {
      amount: 'abc',
      additional_amount: -1,
      currency: 'zzz',
      refund_id: 'q q',
      callback_uri: 'nonsense',
      links: 'none',
    }
    expect(await put(path, { ...odd, action: 'reauth' })).toMatchObject({ status: 204 })
    const { amount: _, additional_amount: __, currency: ___, ...oddOfOthers } = odd
    expect(await put(path, { ...oddOfOthers, ...part('1.00') })).toMatchObject({ status: 204 })
    expect(await put(path, { ...odd, ...part('1.00') })).toMatchObject(
      wrongFields('additional_amount'),
    )
    expect(await put(path, { ...odd, action: 'RELEASE' })).toMatchObject({ status: 204 })
    for (const action of ['steal', 'constructor', '__proto__', 7])
      expect(await put(path, { action })).toMatchObject(wrongFields('action'))
    expect(await put(path, { ...odd })).toMatchObject(wrongFields('callback_uri', 'links'))
  })
})

describe('reauth', () => {
  test('of anything but an authorisation is refused', async () => {
    const path = await requestPayment(service.pos1)
    const refused = conflict(/not authorised/)
    expect(await put(path, { action: 'reauth' })).toMatchObject(refused)
    await answer(path, 'accept')
    expect(await put(path, { action: 'REAUTH', amount: '1' })).toMatchObject({ status: 204 })
    await put(path, { action: 'capture' })
    expect(await put(path, { action: 'reauth' })).toMatchObject(refused)
  })
})

describe.each(['capture', 'refund'] as const)('a part of a %s', (action) => {
  const idField = `${action}_id`
  const ask = (path: string, body: unknown) =>
    (action === 'capture' ? service.pos1 : service.admin)('PUT', path, body)
  const take = (amount: string, more: Changes = {}) => ({
    action,
    amount,
    currency: 'NOK',
    [idField]: randomUUID(),
    ...more,
  })
  const taken = async (path: string) => (await outcome(path))[`${action}s`]
  /** A payment of which 100.00 can be captured, or refunded. */
  const takable = async (changes: Changes = {}) => {
    const path = await authorizedPayment(service, changes)
    if (action === 'refund') await put(path, { action: 'capture' })
    return path
  }

  test('without an id, with the figures of all that is left, is everything', async () => {
    const path = await takable({ additional_amount: '10.00' })
    expect(await ask(path, take('60.00'))).toMatchObject({ status: 204 })
    const rest = { action, amount: '40.00', currency: 'NOK', additional_amount: '10' }
    const less = await ask(path, { ...rest, amount: '39.99' })
    expect(less).toMatchObject(wrongFields(idField))
    for (const again of [rest, rest, { action }, { ...rest, [idField]: null }])
      expect(await ask(path, again)).toMatchObject({ status: 204 })
    const all = await taken(path)
    expect(all).toMatchObject([{}, { id: null, amount: '40.00', additional_amount: '10.00' }])
    expect(all).toHaveLength(2)
    expect((await outcome(path)).status).toBe('ok')
  })

  test('under an id that was used is the same with the same figures, else 409', async () => {
    const path = await takable()
    const first = take('10.00', { [idField]: 'A-1_b.c' })
    expect(await ask(path, first)).toMatchObject({ status: 204 })
    expect(await ask(path, { ...first, amount: 10 })).toMatchObject({ status: 204 })
    for (const change of [{ amount: '10.01' }, { additional_amount: '1' }, { amount: '200' }])
      expect(await ask(path, { ...first, ...change })).toMatchObject(conflict(new RegExp(idField)))
    expect(await taken(path)).toHaveLength(1)
    const refused = take('100.00', { [idField]: 'next' })
    expect(await ask(path, refused)).toMatchObject(wrongFields('amount'))
    expect(await ask(path, { ...refused, amount: '90' })).toMatchObject({ status: 204 })
  })

  test.each([
    [{ amount: '1' }, ['currency', idField]],
    [{ amount: '99.99', currency: 'NOK' }, [idField]],
    [{ amount: '100.01', currency: 'NOK' }, ['amount']],
    [{ currency: 'NOK' }, ['amount', idField]],
    [{ [idField]: 'x' }, ['amount', 'currency']],
    [{ additional_amount: '1' }, ['amount', 'currency', idField]],
    [take('1', { currency: 'SEK' }), ['currency']],
    [take('1', { currency: 'xyz' }), ['currency']],
    [take('0'), ['amount']],
    [take('0.001'), ['amount']],
    [take('-1'), ['amount']],
    [take('1', { additional_amount: '0.001' }), ['additional_amount']],
    [take('1', { [idField]: 'a b' }), [idField]],
    [take('1', { [idField]: '' }), [idField]],
    [take('1', { [idField]: 'é' }), [idField]],
    [take('1', { [idField]: 'x'.repeat(256) }), [idField]],
    [{ action: 'settle' }, ['action']],
    [{ action: [action] }, ['action']],
  ])('of %j is refused', async (changes, fields) => {
    const path = await takable()
    expect(await ask(path, { action, ...changes })).toMatchObject(wrongFields(...fields))
    const left = { auth_amount: action === 'capture' ? '100.00' : '0.00', [`${action}s`]: [] }
    expect(await outcome(path)).toMatchObject(left)
  })
})

describe('refund', () => {
  const refund = (amount: string, more: Changes = {}) => ({
    action: 'refund',
    amount,
    currency: 'NOK',
    refund_id: randomUUID(),
    ...more,
  })

  test('must be signed, with a right level and a right body', async () => {
    const path = await authorizedPayment(service)
    await put(path, { action: 'capture' })
    for (const body of [{ action: 'refund' }, { action: 'REFUND' }, refund('x')])
      expect([400, 401]).toContain((await put(path, body)).status)
    expect(await put(path, { action: 'refund' })).toMatchObject({
      status: 401,
      body: error('Unauthorized', /Level too low/),
    })
    expect((await outcome(path)).refunds).toEqual([])
  })

  test('gives back in parts what was captured, and never more', async () => {
    const { admin } = service
    const path = await authorizedPayment(service, { additional_amount: '10' })
    await put(path, part('60', { additional_amount: '5' }))
    const first = refund('20', { additional_amount: 5, text: 'cold soup' })
    for (const answer of [await admin('PUT', path, first), await admin('PUT', path, first)])
      expect(answer).toMatchObject({ status: 204 })
    expect(await admin('PUT', path, { ...first, amount: '21' })).toMatchObject(
      conflict(/refund_id/),
    )
    expect(await admin('PUT', path, refund('40.01'))).toMatchObject(wrongFields('amount'))
    expect(await admin('PUT', path, refund('1', { additional_amount: '0.01' }))).toMatchObject(
      wrongFields('additional_amount'),
    )
    expect(await admin('PUT', path, refund('1', { currency: 'SEK' }))).toMatchObject(
      wrongFields('currency'),
    )
    expect(await admin('PUT', path, { action: 'refund', amount: '1' })).toMatchObject(
      wrongFields('currency', 'refund_id'),
    )
    for (let time = 0; time < 2; time++)
      expect(await admin('PUT', path, { action: 'refund' })).toMatchObject({ status: 204 })
    expect(await outcome(path)).toMatchObject({
      status: 'auth',
      auth_amount: '40.00',
      refunds: [
        { id: first.refund_id, amount: '20.00', additional_amount: '5.00', text: 'cold soup' },
        { id: null, amount: '40.00', additional_amount: '0.00', text: null },
      ],
    })
  })

  test('of nothing is refused', async () => {
    const path = await authorizedPayment(service)
    expect(await service.admin('PUT', path, { action: 'refund' })).toMatchObject(
      wrongFields('action'),
    )
    expect(await service.admin('PUT', path, refund('1'))).toMatchObject(wrongFields('action'))
    await put(path, { action: 'capture' })
    expect(await service.admin('PUT', path, refund('0'))).toMatchObject(wrongFields('amount'))
  })
})

describe('in time', () => {
  test('a request expires unanswered, an authorisation after three days, a renewed one later', async () => {
    const late = await startService()
    const { pos1, call } = late
    const read = async (path: string) => (await pos1('GET', `${path}outcome/`)).body
    const ahead = (seconds: number) =>
      call('POST', paths.clock, { body: { advance_seconds: seconds } })
    const request = await requestPayment(pos1, { expires_in: 100 })
    const held = await authorizedPayment(late)
    const partly = await authorizedPayment(late)
    const renewed = await authorizedPayment(late)
    const capture = part('10')
    await pos1('PUT', partly, capture)

    await ahead(100)
    expect(await read(request)).toMatchObject({ status: 'fail', status_code: 5011 })
    await ahead(200_000)
    expect(await pos1('PUT', renewed, { action: 'reauth' })).toMatchObject({ status: 204 })
    await ahead(59_200)
    const expired = { status: 'fail', status_code: 5012, auth_amount: '0.00' }
    expect(await read(held)).toMatchObject({ ...expired, released_amount: '100.00' })
    expect(await read(partly)).toMatchObject({ ...expired, released_amount: '90.00' })
    expect(await read(renewed)).toMatchObject({ status: 'auth', auth_amount: '100.00' })
    expect(await pos1('PUT', partly, capture)).toMatchObject({ status: 204 })
    expect(await pos1('PUT', partly, part('1'))).toMatchObject(conflict(/not authorised/))
    expect(await pos1('PUT', held, { action: 'reauth' })).toMatchObject(conflict(/not authorised/))
    expect(await pos1('PUT', held, { action: 'release' })).toMatchObject(
      conflict(/Nothing is left/),
    )
    expect(await late.admin('PUT', partly, { action: 'refund' })).toMatchObject({ status: 204 })
    await late.stop()
  })
})

test('sixty-four lifecycles at once: every read sees every write that was answered before it', async () => {
  const { pos1 } = service
  const lifecycle = async () => {
    const path = await requestPayment(pos1)
    expect((await pos1('GET', path)).status).toBe(200)
    expect((await outcome(path)).status).toBe('pending')
    await answer(path, 'accept')
    expect((await outcome(path)).status).toBe('auth')
    for (const left of ['75.00', '50.00', '25.00']) {
      await put(path, part('25.00'))
      expect((await outcome(path)).auth_amount).toBe(left)
    }
    await put(path, { action: 'capture' })
    expect(await outcome(path)).toMatchObject({ status: 'ok', auth_amount: '0.00' })
  }
  await Promise.all(Array.from({ length: 64 }, lifecycle))
})

test('what another process has just appended to the log is in the next answer', async () => {
  const { pos1, folder, core } = service
  const store = openSqliteEventStore(join(folder, 'events.sqlite'))
  const { handle } = makeHandler({
    store,
    eventId: () => randomUUID(),
    commandId: randomUUID,
  })
  const path = await authorizedPayment(service)
  for (let round = 1; round <= 20; round++) {
    const wanted = { id: `round-${round}`, currency: 'NOK', amount: 100, additionalAmount: 0 }
    const command = { type: 'CapturePayment', at: core.now(), wanted, terms: noFees } as const
    await handle(payments, tidOf(path), command, core.contextOf('test', 'sandbox'))
    if (round % 2) expect((await outcome(path)).captures).toHaveLength(round)
    // A short lag is no reason to report not ready.
    else expect(await service.call('GET', '/health/ready')).toMatchObject({ status: 200 })
  }
  await pos1('POST', paths.pointsOfSale, { id: 'till-3', name: '0', type: 'store' })
  for (let round = 1; round <= 20; round++) {
    const changes = { name: String(round) }
    const id = within('sandbox', 'till-3')
    await handle(pointsOfSale, id, { type: 'Change', changes }, core.contextOf('test', 'sandbox'))
    expect((await pos1('GET', `${paths.pointsOfSale}till-3/`)).body.name).toBe(String(round))
  }
  const { body: code } = await pos1('POST', '/merchant/v1/shortlink/', {})
  for (let round = 1; round <= 5; round++) {
    const customer = `shortlink_id:${code.id}`
    const scanned = await requestPayment(pos1, { customer, max_scan_age: 0 })
    const by = { type: 'PickUpPayment', at: core.now(), payer: 'bob', scan: `s${round}` } as const
    await handle(payments, tidOf(scanned), by, core.contextOf('test', 'sandbox'))
    const accept = `/sandbox/v1/payment_request/${tidOf(scanned)}/accept/`
    expect(await service.call('POST', accept, { body: {} })).toMatchObject({ status: 204 })
  }
  await store.close()
})
