import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  authorizedPayment,
  pathOf,
  paths,
  requestPayment,
  startService,
  wrongFields,
  type Service,
} from '../support/http-service.ts'
import { paymentInput } from '../../harness/register-merchant.ts'

/**
 * Parsing of bodies (interface 2 and 4): empty values count as absent, and all faults are listed.
 */

let service: Service

beforeAll(async () => {
  service = await startService()
})

afterAll(() => service.stop())

const ledgers = '/merchant/v1/ledger/'

const shortlinks = '/merchant/v1/shortlink/'

const till = (id: string) => ({ id, name: `Till ${id}`, type: 'store' })

const lineItem = { product_id: 'bun', quantity: 1, item_cost: '100.00', total: '100.00' }

const details = async (answer: Promise<{ body: any }>) => (await answer).body.error_details

describe('a POST that makes something answers its id and its address', () => {
  test.each([
    ['a POS', paths.pointsOfSale, till('made'), 'made'],
    ['a ledger with an id of its own', ledgers, { id: 'bar', currency: 'NOK' }, 'bar'],
    ['a ledger', ledgers, { currency: 'NOK' }, expect.stringMatching(/./)],
    ['a shortlink', shortlinks, {}, expect.stringMatching(/./)],
    ['a payment request', paths.payments, paymentInput(), expect.stringMatching(/./)],
  ])('%s', async (_, path, body, id) => {
    const made = await service.pos1('POST', path, body)
    expect(made).toMatchObject({ status: 201, body: { id } })
    expect(pathOf(made.headers.location)).toBe(`${path}${made.body.id}/`)
    expect((await service.pos1('GET', pathOf(made.headers.location))).body.id).toBe(made.body.id)
  })

  test('a user, also when the request is repeated', async () => {
    const user = { id: 'made', secret: 'made-secret' }
    for (const _ of ['once', 'twice'])
      expect(await service.admin('POST', paths.users, user)).toMatchObject({
        status: 201,
        body: { id: 'made' },
      })
  })

  test('every such operation, with a type', { tags: 'long' }, async () => {
    const { paths: documented } = (await service.call('GET', '/openapi.json')).body
    const made = Object.entries<any>(documented).flatMap(([path, { post }]) =>
      post?.responses['201'] ? [[path, post.responses['201']] as const] : [],
    )
    expect(made.length).toBeGreaterThanOrEqual(9)
    const { schemas } = (await service.call('GET', '/openapi.json')).body.components
    for (const [path, { content = {} }] of made) {
      const [{ schema = {} } = {}] = Object.values<any>(content)
      const { properties } = schemas[schema.$ref?.split('/').at(-1)] ?? schema
      expect({ path, id: properties?.id }).toMatchObject({ path, id: { type: 'string' } })
    }
  })
})

describe('null is the same as a field that is absent', () => {
  test('in a payment request, nested fields included', async () => {
    const fields = Object.fromEntries(
      ['additional_amount', 'text', 'ledger', 'links', 'expires_in', 'required_scope'].map(
        (name) => [name, null],
      ),
    )
    const items = [{ ...lineItem, metadata: null, vat: null, description: null }]
    const input = paymentInput({ line_items: [lineItem] })
    const first = await service.pos1('POST', paths.payments, input)
    const again = await service.pos1('POST', paths.payments, {
      ...input,
      ...fields,
      line_items: items,
    })
    expect(again).toMatchObject({ status: 201, text: first.text })
  })

  test.each(['pos_id', 'amount', 'currency', 'allow_credit', 'action'])(
    'where %s is required, it is missing',
    async (field) => {
      const answer = service.pos1('POST', paths.payments, paymentInput({ [field]: null }))
      expect(await details(answer)).toEqual({ [field]: ['Is required.'] })
    },
  )

  test('in an amendment of a payment, and only an empty text or list takes away', async () => {
    const links = [{ uri: 'https://shop.example/', caption: 'Shop', show_on: ['ok'] }]
    const kept = {
      callback_uri: 'https://shop.example/told',
      display_message_uri: 'https://shop.example/shown',
      links,
      line_items: [{ ...lineItem, quantity: '1' }],
    }
    const path = await requestPayment(service.pos1, kept)
    const nothing = Object.fromEntries(Object.keys(kept).map((name) => [name, null]))
    const put = (body: object) => service.pos1('PUT', path, body)
    const read = async () => (await service.pos1('GET', path)).body
    expect(await put({ ...nothing, ledger: null, action: null })).toMatchObject({ status: 204 })
    expect(await read()).toMatchObject(kept)
    const emptied = { callback_uri: '', display_message_uri: '  ', links: [], line_items: [] }
    expect(await put(emptied)).toMatchObject({ status: 204 })
    expect(await read()).toMatchObject({
      callback_uri: null,
      display_message_uri: null,
      links: [],
      line_items: [],
    })
  })

  test('in a capture of all that is left', async () => {
    const path = await authorizedPayment(service)
    const body = { action: 'capture', amount: null, additional_amount: '', capture_id: null }
    expect(await service.pos1('PUT', path, body)).toMatchObject({ status: 204 })
    expect((await service.pos1('GET', `${path}outcome/`)).body.status).toBe('ok')
  })

  test('in a change of a user, whose key stays', async () => {
    const { pubkey } = (await service.pos1('GET', `${paths.users}admin/`)).body
    const path = `${paths.users}keyed/`
    const user = { id: 'keyed', secret: 'first-secret', pubkey, netmask: '127.0.0.0/8' }
    await service.admin('POST', paths.users, user)
    const put = (body: object) => service.admin('PUT', path, body)
    const read = async () => (await service.pos1('GET', path)).body
    const whole = { roles: ['user'], netmask: '127.0.0.0/8', has_secret: true, pubkey }
    const change = { roles: ['user'], secret: 'other-secret', pubkey: null, netmask: null }
    expect(await put(change)).toMatchObject({ status: 204 })
    expect(await read()).toMatchObject(whole)
    expect(await put({ secret: null })).toMatchObject({ status: 204 })
    expect(await read()).toMatchObject(whole)
    expect(await put({ pubkey: '', netmask: '' })).toMatchObject({ status: 204 })
    expect(await read()).toMatchObject({ has_secret: true, pubkey: null, netmask: null })
    expect(await put({ pubkey, secret: '' })).toMatchObject({ status: 204 })
    expect(await read()).toMatchObject({ has_secret: false, pubkey })
  })

  test('in a change of a shortlink, a ledger and a POS', async () => {
    const callback_uri = 'https://shop.example/scanned'
    const made = await service.pos1('POST', shortlinks, { callback_uri, description: 'Door' })
    await service.pos1('POST', ledgers, { id: 'kept', currency: 'NOK', description: 'Kept' })
    const location = { latitude: 59.9, longitude: 10.7, accuracy: 5 }
    await service.pos1('POST', paths.pointsOfSale, { ...till('kept'), location })
    const named = { name: 'Till kept', type: 'store' }
    const cases = [
      [pathOf(made.headers.location), ['callback_uri', 'description'], {}],
      [`${ledgers}kept/`, ['description'], {}],
      [`${paths.pointsOfSale}kept/`, ['location'], named],
    ] as const
    for (const [path, fields, others] of cases) {
      const read = async () => (await service.pos1('GET', path)).body
      const all = (value: unknown) => Object.fromEntries(fields.map((name) => [name, value]))
      const before = await read()
      const put = (value: unknown) => service.pos1('PUT', path, { ...others, ...all(value) })
      expect(await put(null)).toMatchObject({ status: 204 })
      expect(await read()).toEqual(before)
      expect(await put('')).toMatchObject({ status: 204 })
      expect(await read()).toEqual({ ...before, ...all(null) })
    }
  })
})

describe('a text is trimmed', () => {
  test('and one that is empty or blank is absent where it is optional', async () => {
    const path = await requestPayment(service.pos1, {
      pos_id: ' till-1 ',
      text: '  Two buns \n',
      callback_uri: ' ',
      required_scope: ' \u200b',
      required_scope_text: '',
      ledger: '\t',
      line_items: [{ ...lineItem, product_id: ' bun', description: ' ', vat: '', vat_rate: '' }],
    })
    expect((await service.pos1('GET', path)).body).toMatchObject({
      pos_id: 'till-1',
      text: 'Two buns',
      callback_uri: null,
      required_scope: null,
      required_scope_text: null,
      ledger: 'default',
      line_items: [{ product_id: 'bun', description: null, vat: null, vat_rate: null }],
    })
    const accepted = path.replace('/merchant/v1', '/sandbox/v1') + 'accept/'
    expect(await service.call('POST', accepted, { body: { payer: '' } })).toMatchObject({
      status: 204,
    })
    const outcome = await service.pos1('GET', `${path}outcome/`)
    expect(outcome.body).toMatchObject({ status: 'auth', permissions: null })
  })

  test.each([
    ['a POS', paths.pointsOfSale, { ...till('blank'), name: ' ' }, 'name'],
    ['a payment request', paths.payments, paymentInput({ action: ' ' }), 'action'],
    [
      'a line item',
      paths.payments,
      paymentInput({ line_items: [{ ...lineItem, product_id: '\u00a0' }] }),
      'line_items.0.product_id',
    ],
    [
      'a link',
      paths.payments,
      paymentInput({ links: [{ uri: 'https://a.example/', caption: '', show_on: ['ok'] }] }),
      'links.0.caption',
    ],
    [
      'a permission request',
      '/merchant/v1/permission_request/',
      { pos_id: 'till-1', pos_tid: 'blank', customer: '4799999901', scope: ' ' },
      'scope',
    ],
  ])(
    'and one that is blank in %s is missing where it is required',
    async (_, path, body, field) => {
      expect(await details(service.pos1('POST', path, body))).toEqual({ [field]: ['Is required.'] })
    },
  )

  test.each([' 12.50', '12.50 ', '  '])('but %j is not an amount', async (amount) => {
    expect(await service.pos1('POST', paths.payments, paymentInput({ amount }))).toMatchObject(
      wrongFields('amount'),
    )
  })

  test.each([' padded-secret', '          '])('nor is %j a secret', async (secret) => {
    const answer = await service.admin('POST', paths.users, { id: 'padded', secret })
    expect(answer).toMatchObject(wrongFields('secret'))
  })
})

describe('one response lists all faults of a body', () => {
  const told = async (body: object) =>
    Object.keys((await details(service.pos1('POST', paths.payments, body))) ?? {}).sort()

  test('an amount of nothing beside what is missing', async () => {
    const missing = ['action', 'allow_credit', 'currency', 'pos_id', 'pos_tid']
    expect(await told({ amount: '0.00' })).toEqual(
      ['amount', ...missing, 'failure_return_uri', 'success_return_uri'].sort(),
    )
    const { pos_id: _, ...input } = paymentInput({ amount: '0.00' })
    expect(await told(input)).toEqual(['amount', 'pos_id'])
  })

  test('amounts that do not fit their currency, beside fields of another shape', async () => {
    const input = paymentInput({
      currency: 'nok',
      amount: '100.001',
      additional_amount: '1.001',
      expires_in: -1,
      customer: null,
      line_items: [
        { ...lineItem, total: '1.001', quantity: 'many' },
        { ...lineItem, vat: '1.00001', product_id: null },
      ],
    })
    expect(await told(input)).toEqual([
      'additional_amount',
      'amount',
      'expires_in',
      'failure_return_uri',
      'line_items.0.quantity',
      'line_items.0.total',
      'line_items.1.product_id',
      'line_items.1.vat',
      'success_return_uri',
    ])
  })

  test('a faulty field gets no further faults', async () => {
    const answer = details(
      service.pos1('POST', paths.payments, paymentInput({ amount: 'much', pos_id: '' })),
    )
    expect(await answer).toEqual({
      amount: [expect.stringMatching(/^Must be an amount/)],
      pos_id: ['Is required.'],
    })
  })

  test('an amount of nothing beside an id of another shape, when a part is captured', async () => {
    const path = await authorizedPayment(service)
    const body = { action: 'capture', amount: '0', capture_id: 'a b' }
    expect(Object.keys(await details(service.pos1('PUT', path, body))).sort()).toEqual([
      'amount',
      'capture_id',
      'currency',
    ])
  })

  test('every field of a user', async () => {
    const user = { id: 'a b', secret: 'short', netmask: 'nowhere', pubkey: 'none', roles: ['king'] }
    expect(Object.keys(await details(service.admin('POST', paths.users, user))).sort()).toEqual([
      'id',
      'netmask',
      'pubkey',
      'roles.0',
      'secret',
    ])
  })

  test('a POS and a ledger that are not there', async () => {
    expect(await told(paymentInput({ pos_id: 'nowhere', ledger: 'nowhere' }))).toEqual([
      'ledger',
      'pos_id',
    ])
  })
})

describe('a phone number names its payer however it is written', () => {
  test.each([
    '4799999901',
    '+4799999901',
    '004799999901',
    '+47 999 99 901',
    '+47 (999) 99-901',
    '(+47) 999-99-901',
    '0047\u00a0999\u00a099\u00a0901',
    'msisdn:4799999901',
    'MSISDN:4799999901',
    'Msisdn: +47 99999901',
  ])('%j', async (customer) => {
    const input = paymentInput({ customer })
    const created = await service.pos1('POST', paths.payments, input)
    expect(created.status).toBe(201)
    const path = pathOf(created.headers.location)
    const outcome = (await service.pos1('GET', `${path}outcome/`)).body
    expect(outcome).toMatchObject({ status: 'pending', customer })
    for (const other of ['4799999901', '+47 999 99 901'])
      expect(
        await service.pos1('POST', paths.payments, { ...input, customer: other }),
      ).toMatchObject({ status: 201, text: created.text })
    const another = { ...input, customer: '4799999902' }
    expect((await service.pos1('POST', paths.payments, another)).status).toBe(409)
    expect((await service.pos1('GET', path)).body.customer).toBe(customer)
  })

  test('and a permission request in another spelling is the same', async () => {
    const path = '/merchant/v1/permission_request/'
    const asked = { pos_id: 'till-1', pos_tid: 'spelt', customer: '+4799999901', scope: 'openid' }
    const first = await service.pos1('POST', path, asked)
    const again = await service.pos1('POST', path, { ...asked, customer: '0047 99999901' })
    expect([first.status, again.status, again.text]).toEqual([201, 201, first.text])
  })
})

test('given a payer who grants nothing, nothing is granted; without a scope all is', async () => {
  const grantedFor = async (pos_tid: string, body: object) => {
    const asked = { pos_id: 'till-1', pos_tid, customer: '4799999901', scope: 'openid email' }
    const { id } = (await service.pos1('POST', '/merchant/v1/permission_request/', asked)).body
    const accept = `/sandbox/v1/permission_request/${id}/accept/`
    expect(await service.call('POST', accept, { body })).toMatchObject({ status: 204 })
    const outcome = `/merchant/v1/permission_request/${id}/outcome/`
    return (await service.pos1('GET', outcome)).body.scope
  }
  expect(await grantedFor('nothing', { scope: '' })).toBeNull()
  expect(await grantedFor('part', { scope: ' email ' })).toBe('email')
  expect(await grantedFor('all', { scope: null })).toBe('openid email')
})
