import fc from 'fast-check'
import { createHash } from 'node:crypto'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PNG } from 'pngjs'
import { pngOf } from '../fuzz/hostile-bodies.ts'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { StoreUnavailable } from '../../application/event-store.ts'
import { parseEvent, type Recorded } from '../../domain/events.ts'
import { readPng } from '../../domain/merchant/attachment.ts'
import { partsOf } from '../../http/forms.ts'
import { openBlobDirectory } from '../../infrastructure/blobs/blob-directory.ts'
import { base, openPlace } from '../../harness/ledger-service.ts'
import {
  paymentRequest,
  startMerchantService,
  type MerchantService,
} from '../support/merchant-service.ts'

let service: MerchantService

let merchant: string

beforeAll(async () => {
  service = await startMerchantService()
  merchant = await service.newMerchant()
})

afterAll(async () => {
  expect(service.bugs).toEqual([])
  await service.stop()
})

/** 16 pixels, with a thousand times as many packed behind the header. */
const bomb = pngOf(4, 4, 190_000_000)

const png = (width: number, height: number, noise = 0): Uint8Array => {
  const image = new PNG({ width, height })
  for (let index = 0; index < image.data.length; index++)
    image.data[index] = (index * 2_654_435_761 * noise) >>> 24
  return new Uint8Array(PNG.sync.write(image, { deflateLevel: 0 }))
}

const itemListType = 'application/vnd.service.itemlist.v1+json'

const receiptType = 'application/vnd.service.receipt.v1+json'

const json = (value: unknown): Uint8Array => new TextEncoder().encode(JSON.stringify(value))

const items = [
  { item_name: 'Coffee', quantity: 2, measurement_unit: 'pcs', item_gross_total: '50.00' },
]

const receipt = {
  store: { name: 'Shop', organization_number: '987654321' },
  items,
  payments: [
    { payment_type: 'gift_card', amount: '20.00' },
    { payment_type: 'card', amount: '30.00', currency: 'NOK' },
  ],
  currency: 'NOK',
  gross: '50.00',
  discount: '0.00',
  net: '40.00',
}

type Sent = { readonly type: string | null; readonly content: Uint8Array }

const multipart = (parts: readonly Sent[], boundary = 'xYzZY') => {
  const pieces = parts.flatMap(({ type, content }, index) => [
    `--${boundary}\r\nContent-Disposition: form-data; name="part${index}"\r\n`,
    ...(type === null ? [] : [`Content-Type: ${type}\r\n`]),
    '\r\n',
    content,
    '\r\n',
  ])
  const body = Buffer.concat([...pieces, `--${boundary}--\r\n`].map((piece) => Buffer.from(piece)))
  return { body, contentType: `multipart/form-data; boundary=${boundary}` }
}

const as = () => service.as(merchant)

const pathOf = (tid: string): string => `/merchant/v1/payment_request/${tid}/`

const put = (tid: string, action: string) =>
  service.call(pathOf(tid), { method: 'PUT', headers: as(), body: { action } })

const outcome = async (tid: string) =>
  (await (await service.call(`${pathOf(tid)}outcome/`, { headers: as() })).json()) as {
    status: string
    attachment_uri?: string
  }

const request = async (): Promise<string> => {
  const body = paymentRequest({ customer: '+4799999901' })
  const sent = { method: 'POST', headers: as(), body }
  const answer = await service.call('/merchant/v1/payment_request/', sent)
  return ((await answer.json()) as { id: string }).id
}

const authorized = async (): Promise<string> => {
  const tid = await request()
  const accept = `/sandbox/v1/payment_request/${tid}/accept/`
  expect((await service.call(accept, { method: 'POST', body: {} })).status).toBe(204)
  return tid
}

const upload = async (uri: string, parts: readonly Sent[]) => {
  const { body, contentType } = multipart(parts)
  const headers = { 'Content-Type': contentType }
  const answer = await service.call(uri, { method: 'POST', headers, body })
  const text = await answer.text()
  return { status: answer.status, body: text === '' ? null : JSON.parse(text) }
}

const list = async (tid: string) =>
  (await (await service.call(`${pathOf(tid)}attachment/`, { headers: as() })).json()) as {
    uris: string[]
    next: null
    attachments: { id: string; uri: string; content_type: string; sha256: string; size: number }[]
  }

const linkOf = async (tid: string): Promise<string> => (await outcome(tid)).attachment_uri as string

test('what is uploaded by the link of an outcome is listed and read by the merchant, byte for byte', async () => {
  const tid = await authorized()
  const parts = [
    { type: itemListType, content: json({ items }) },
    { type: `${receiptType}; charset=utf-8`, content: json(receipt) },
    { type: 'image/png', content: png(9, 5) },
  ]
  expect(await upload(await linkOf(tid), parts)).toEqual({
    status: 201,
    body: { id: '1', ids: ['1', '2', '3'] },
  })
  const { uris, next, attachments } = await list(tid)
  expect(next).toBeNull()
  expect(uris).toEqual([3, 2, 1].map((id) => `${pathOf(tid)}attachment/${id}/`))
  const asUploaded = attachments.toReversed()
  expect(asUploaded.map(({ content_type }) => content_type)).toEqual([
    itemListType,
    receiptType,
    'image/png',
  ])
  for (const [index, { uri, content_type, sha256, size }] of asUploaded.entries()) {
    const answer = await service.call(uri, { headers: as() })
    expect(answer.headers.get('content-type')).toBe(content_type)
    const name = ['item-list.json', 'receipt.json', 'image.png'][index]
    expect(answer.headers.get('content-disposition')).toBe(`attachment; filename="${name}"`)
    const content = new Uint8Array(await answer.arrayBuffer())
    expect(content).toEqual(new Uint8Array(parts[index]?.content ?? []))
    expect(createHash('sha256').update(content).digest('hex')).toBe(sha256)
    expect(content.byteLength).toBe(size)
  }
  const { uri } = attachments[0] ?? { uri: '' }
  const headers = { ...as(), Accept: receiptType }
  expect((await service.call(uri, { headers })).status).toBe(406)
})

test('the event of an upload holds the hashes under which the blobs are kept, not their contents', async () => {
  const tid = await authorized()
  const content = json({ items: [{ ...items[0], item_name: 'unmistakable' }] })
  await upload(await linkOf(tid), [{ type: itemListType, content }])
  const [event] = await service.core.store.readStream(`attachments-${tid}`)
  const hash = createHash('sha256').update(content).digest('hex')
  const data = event?.data as { attachments: [{ sealedHash: string }] }
  const [{ sealedHash }] = data.attachments
  expect(data).toEqual({
    attachments: [{ id: '1', kind: 'itemlist', hash, sealedHash, size: content.byteLength }],
  })
  const file = join(service.directory, 'blobs', sealedHash.slice(0, 2), sealedHash)
  expect(readFileSync(file, 'utf8')).toMatch(/^sealed:alice:[\w-]+$/)
})

test('there is a link while a payment is authorised or captured, and none while it is pending or after it failed', async () => {
  const pending = await request()
  expect(await outcome(pending)).not.toHaveProperty('attachment_uri')
  const tid = await authorized()
  const link = await linkOf(tid)
  expect(link).toMatch(/^\/attachment\/v1\//)
  await put(tid, 'capture')
  expect(await linkOf(tid)).toMatch(/^\/attachment\/v1\//)
  const released = await authorized()
  const before = await linkOf(released)
  await put(released, 'release')
  expect(await outcome(released)).not.toHaveProperty('attachment_uri')
  expect((await upload(before, [{ type: 'image/png', content: png(1, 1) }])).status).toBe(404)
})

test('a link lasts an hour, is made anew by each retrieval, and cannot be made by anybody else', async () => {
  const tid = await authorized()
  const part = { type: 'image/png', content: png(2, 2) }
  const link = await linkOf(tid)
  await service.advance(3590)
  const later = await linkOf(tid)
  expect(later).not.toBe(link)
  expect((await upload(link, [part])).status).toBe(201)
  await service.advance(20)
  expect((await upload(link, [part])).status).toBe(404)
  expect((await upload(later, [part])).status).toBe(201)
  const [, , , ofTid, expires, signature] = later.split('/') as string[]
  const other = await authorized()
  for (const forged of [
    `/attachment/v1/${other}/${expires}/${signature}/`,
    `/attachment/v1/${ofTid}/${Number(expires) + 1}/${signature}/`,
    `/attachment/v1/${ofTid}/${expires}/${signature?.slice(1)}/`,
    `/attachment/v1/${ofTid}/${expires}/${'0'.repeat(32)}/`,
    `/attachment/v1/${ofTid}/${expires}/ø/`,
    `/attachment/v1/${ofTid}/soon/${signature}/`,
  ])
    expect((await upload(forged, [part])).status).toBe(404)
})

test('given an authorisation whose time is over, when the link is used before that is recorded, then nothing is taken any more', async () => {
  // A service that records nothing that is due.
  const place = await openPlace()
  onTestFinished(async () => {
    await place.stop()
    place.remove()
  })
  const pass = async (seconds: number) => {
    await place.core.advanceClock({ by: seconds * 1000 }, place.core.contextOf('test'))
    await place.core.readModels.caughtUp()
  }
  const tid = await place.authorize({ amount: '10.00' })
  await pass(3 * 86_400 - 600)
  const { attachment_uri: link } = await place.outcome(tid)
  const send = async (content: Uint8Array) => {
    const { body, contentType } = multipart([{ type: 'image/png', content }])
    const headers = { 'Content-Type': contentType }
    return (await place.app.request(base + link, { method: 'POST', headers, body }, {})).status
  }
  const kept = async () => (await place.get(`${pathOf(tid)}attachment/`)).uris.length
  expect([await send(png(1, 1)), await kept()]).toEqual([201, 1])
  await pass(600)
  expect([await send(png(2, 2)), await kept()]).toEqual([404, 1])
  const history = await place.core.store.readStream(`payment-${tid}`)
  expect(history.map(({ type }) => type)).toEqual(['PaymentRequested', 'PaymentAuthorized'])
})

test('a callback carries a link for an hour from its event, the same however late it is made', async () => {
  const tid = await authorized()
  await put(tid, 'capture')
  const stream = `payment-${tid}`
  const history = (await service.core.store.readStream(stream)).map(parseEvent)
  const told = async (type: string, event: string) => {
    const { revision, metadata } = history.find((event) => event.type === type) as Recorded
    const message = { subject: stream, revision, event, seqno: 1 }
    const text = await service.wordCallback(message, 'https://shop.example/')
    const { object } = JSON.parse(text) as { object: { attachment_uri: string } }
    const expires = Number(object.attachment_uri.split('/')[4])
    return { link: object.attachment_uri, age: expires - Math.floor(metadata.at / 1000) }
  }
  const first = await told('PaymentAuthorized', 'payment_authorized')
  expect(first.age).toBe(3600)
  await service.advance(600)
  expect(await told('PaymentAuthorized', 'payment_authorized')).toEqual(first)
  const { link } = await told('PaymentCaptured', 'payment_captured')
  expect((await upload(link, [{ type: 'image/png', content: png(1, 2) }])).status).toBe(201)
})

test('item lists and receipts are taken with all fields that tills send, and with none but the required ones', async () => {
  const tid = await authorized()
  const full = {
    cashier: 'Kari',
    register: '7',
    store: {
      ...{ store_id: '12', name: 'Shop', address: 'Storgata 1', postal_code: '0155' },
      ...{ postal_place: 'Oslo', country: 'NO', phone_number: '+4722222222' },
      ...{ organization_number: '987654321', chain_name: 'Shops' },
      ...{ longitude: 10.73874, latitude: '59.91273949' },
    },
    items: [
      {
        ...{ item_name: 'Petrol', item_group: 'Fuel', quantity: 40.25, measurement_unit: 'l' },
        ...{ item_net_price: '14.3923', item_gross_price: 17.9904, item_net_total: '579.29' },
        ...{ item_gross_total: '724.11', discount: '-10.00', taxes: '144.82', tax_percent: 25 },
        ...{ commodity_code: '2710', ean: '7038010000010', serial_number: 'S-1' },
      },
      { item_name: 'Deposit', item_gross_total: '-3.00', tax_percent: null, ean: '' },
    ],
    payments: [{ payment_type: 'card', amount: '721.11', currency: 'NOK' }],
    ...{ currency: 'NOK', gross: '721.11', discount: '10.00', net: '576.89' },
  }
  const least = {
    store: { name: 'Shop' },
    items: [{ item_name: 'Coffee', item_gross_total: 25 }],
    payments: [{ payment_type: 'cash', amount: 25 }],
    currency: 'nok',
    gross: 25,
  }
  const fullList = {
    store_name: 'Shop',
    organization_number: '987654321',
    items: [
      { ...items[0], tax_percent: '15' },
      { item_id: 'bag', item_gross_total: '2.00' },
    ],
  }
  const { status } = await upload(await linkOf(tid), [
    { type: receiptType, content: json(full) },
    { type: receiptType, content: json(least) },
    { type: itemListType, content: json(fullList) },
    { type: itemListType, content: json({ items: [{ item_name: 'x', item_gross_total: '1' }] }) },
  ])
  expect([status, (await list(tid)).uris.length]).toEqual([201, 4])
})

test('item lists and receipts are still taken with the fields of earlier versions', async () => {
  const tid = await authorized()
  const earlier = [{ description: 'Tea', quantity: 1, unit: 'pcs', item_cost: 5, total: '5.00' }]
  const payments = [{ type: 'card', amount: '5.00' }]
  const { status } = await upload(await linkOf(tid), [
    { type: itemListType, content: json({ items: earlier, total: '5.00' }) },
    { type: receiptType, content: json({ store: 'Shop', items: earlier, payments }) },
  ])
  expect([status, (await list(tid)).uris.length]).toEqual([201, 2])
})

test('all faults of an item list and a receipt are listed at once', async () => {
  const faultsOf = async (type: string, value: object) => {
    const sent = [{ type, content: json(value) }]
    const { status, body } = await upload(await linkOf(await authorized()), sent)
    expect(status).toBe(400)
    return Object.keys(body.error_details).map((field) => field.replace('parts.0.', ''))
  }
  const unnamed = [{ quantity: 1 }, 7, { item_name: 8, item_gross_total: '1.001' }]
  expect(await faultsOf(itemListType, { items: unnamed })).toEqual([
    'items.0.item_gross_total',
    'items.1',
    'items.2.item_name',
    'items.0.item_name',
    'items.2.item_gross_total',
  ])
  const wrong = { ...receipt, store: {}, gross: '50.001', net: 'much' }
  expect(await faultsOf(receiptType, wrong)).toEqual(['store.name', 'net', 'gross'])
  // In an unreadable currency no amount has too many decimals.
  const foreign = { ...wrong, currency: 'kroner', gross: '50.0001' }
  expect(await faultsOf(receiptType, foreign)).toEqual(['store.name', 'currency', 'net'])
})

test('the same upload again adds nothing', async () => {
  const tid = await authorized()
  const parts = [{ type: itemListType, content: json({ items }) }]
  const link = await linkOf(tid)
  for (let time = 0; time < 3; time++) expect((await upload(link, parts)).status).toBe(201)
  expect((await list(tid)).uris).toHaveLength(1)
})

const broken: readonly (readonly [string, Sent, RegExp])[] = [
  ['an unknown type', { type: 'text/html', content: json({}) }, /^parts\.1$/],
  ['no type', { type: null, content: json({ items }) }, /^parts\.1$/],
  ['no JSON', { type: itemListType, content: new TextEncoder().encode('{') }, /^parts\.1$/],
  ['no UTF-8', { type: itemListType, content: Uint8Array.of(0x22, 0xff, 0x22) }, /^parts\.1$/],
  ['no items', { type: itemListType, content: json({ items: [] }) }, /^parts\.1\.items$/],
  [
    'an item without a total',
    { type: itemListType, content: json({ items: [{ item_name: 'x', quantity: 1 }] }) },
    /^parts\.1\.items\.0\.item_gross_total$/,
  ],
  [
    'more decimals than the currency has',
    { type: itemListType, content: json({ items: [{ ...items[0], item_gross_total: '1.001' }] }) },
    /^parts\.1\.items\.0\.item_gross_total$/,
  ],
  [
    'a number that is not exact',
    {
      type: itemListType,
      content: new TextEncoder().encode(
        '{"items":[{"item_name":"x","item_gross_total":10.0000000000000000000000001}]}',
      ),
    },
    /^parts\.1\.items\.0\.item_gross_total$/,
  ],
  [
    'half of a surrogate pair',
    { type: itemListType, content: json({ items: [{ ...items[0], item_name: '\ud800' }] }) },
    /^parts\.1$/,
  ],
  [
    'a receipt without payments',
    { type: receiptType, content: json({ ...receipt, payments: undefined }) },
    /^parts\.1\.payments$/,
  ],
  [
    'a payment without a type',
    { type: receiptType, content: json({ ...receipt, payments: [{ amount: '1.00' }] }) },
    /^parts\.1\.payments\.0\.payment_type$/,
  ],
  [
    'an item without a name',
    { type: itemListType, content: json({ items: [{ item_gross_total: '1.00' }] }) },
    /^parts\.1\.items\.0\.item_name$/,
  ],
  [
    'a receipt without a store',
    { type: receiptType, content: json({ ...receipt, store: { address: 'x' } }) },
    /^parts\.1\.store\.name$/,
  ],
  [
    'a receipt without a currency',
    { type: receiptType, content: json({ ...receipt, currency: '' }) },
    /^parts\.1\.currency$/,
  ],
  [
    'a payment that is not exact in its own currency',
    {
      type: receiptType,
      content: json({
        ...receipt,
        payments: [{ payment_type: 'card', amount: '1.50', currency: 'JPY' }],
      }),
    },
    /^parts\.1\.payments\.0\.amount$/,
  ],
  ['a PNG only by name', { type: 'image/png', content: json('PNG') }, /^parts\.1$/],
  ['a PNG cut short', { type: 'image/png', content: png(9, 9).slice(0, -1) }, /^parts\.1$/],
  ['a PNG of more than 4096 pixels', { type: 'image/png', content: pngOf(4097, 1) }, /^parts\.1$/],
  ['a PNG that unpacks to a gigabyte', { type: 'image/png', content: bomb }, /^parts\.1$/],
  ['a PNG of too few pixels', { type: 'image/png', content: pngOf(64, 64, 60) }, /^parts\.1$/],
  ['a PNG above 1 MB', { type: 'image/png', content: png(600, 600, 1) }, /^parts\.1$/],
]

test.each(broken)(
  'an upload with %s is refused and nothing of it is kept',
  async (_, part, field) => {
    const tid = await authorized()
    const good = { type: 'image/png', content: png(3, 3) }
    const { status, body } = await upload(await linkOf(tid), [good, part])
    expect(status).toBe(400)
    expect(body).toMatchObject({ error_type: 'validation_error' })
    expect(Object.keys(body.error_details)).toEqual([expect.stringMatching(field)])
    expect((await list(tid)).uris).toEqual([])
  },
)

test('the first fifty of many mistakes in an upload are listed', async () => {
  const wrong = { type: itemListType, content: json({ items: Array(60).fill({}) }) }
  const { status, body } = await upload(await linkOf(await authorized()), Array(20).fill(wrong))
  expect(status).toBe(400)
  const { '': _, ...told } = body.error_details
  const fields = Object.keys(told)
  expect(fields).toHaveLength(50)
  expect(fields.filter((field) => !field.startsWith('parts.0.'))).toEqual([])
})

test('a body that is not multipart is refused', async () => {
  const link = await linkOf(await authorized())
  const type = 'multipart/form-data; boundary=b'
  const part = '--b\r\nContent-Type: image/png\r\n\r\n'
  for (const [contentType, body, status] of [
    ['application/json', '{}', 415],
    ['multipart/form-data', 'x', 400],
    ['multipart/form-data; boundary=', 'x', 400],
    [type, '', 400],
    [type, '--b', 400],
    [type, '--b--', 400],
    [type, '--b\r\n--b--', 400],
    [type, `${part}x`, 400],
    [type, `${part}x\r\n--bx`, 400],
    [type, '--b\r\nnothing\r\n\r\nx\r\n--b--', 400],
    [type, '--b\r\nContent-Transfer-Encoding: base64\r\n\r\nx\r\n--b--', 400],
    [type, `${`${part}x\r\n`.repeat(21)}--b--`, 400],
  ] as const) {
    const headers = { 'Content-Type': contentType }
    expect((await service.call(link, { method: 'POST', headers, body })).status).toBe(status)
  }
  const tooLarge = new Uint8Array(10 * 1_048_576 + 1)
  const headers = { 'Content-Type': type }
  const answer = await service.call(link, { method: 'POST', headers, body: tooLarge })
  expect(answer.status).toBe(413)
})

test('a payment takes a hundred attachments and no more, all of an upload or none', async () => {
  const tid = await authorized()
  const link = await linkOf(tid)
  const lists = (from: number, count: number) =>
    Array.from({ length: count }, (_, index) => ({
      type: itemListType,
      content: json({ items: [{ ...items[0], description: `number ${from + index}` }] }),
    }))
  for (let from = 0; from < 80; from += 20)
    expect((await upload(link, lists(from, 20))).status).toBe(201)
  expect((await upload(link, lists(80, 19))).status).toBe(201)
  const kept = readdirSync(join(service.directory, 'blobs'), { recursive: true })
  expect((await upload(link, lists(99, 2))).status).toBe(409)
  expect((await list(tid)).uris).toHaveLength(99)
  // Nothing of the refused upload remains.
  expect(readdirSync(join(service.directory, 'blobs'), { recursive: true })).toEqual(kept)
  expect((await upload(link, lists(99, 1))).status).toBe(201)
})

test('attachments of another merchant’s payment, or of none, are unknown', async () => {
  const tid = await authorized()
  await upload(await linkOf(tid), [{ type: 'image/png', content: png(1, 1) }])
  const other = service.as(await service.newMerchant())
  for (const path of [`${pathOf(tid)}attachment/`, `${pathOf(tid)}attachment/1/`])
    expect((await service.call(path, { headers: other })).status).toBe(404)
  expect((await service.call(`${pathOf(tid)}attachment/2/`, { headers: as() })).status).toBe(404)
  expect((await service.call(`${pathOf('none')}attachment/`, { headers: as() })).status).toBe(404)
})

test('whatever parts are put into a multipart body come out of it again', () => {
  const part = fc.record({
    type: fc.option(fc.constantFrom('image/png', 'text/plain; charset=utf-8')),
    content: fc.oneof(
      fc.uint8Array(),
      fc.constantFrom('\r\n', '\r\n\r\n', '--', '\r\n--', '--x').map((text) => Buffer.from(text)),
    ),
  })
  fc.assert(
    fc.property(fc.array(part, { minLength: 1, maxLength: 20 }), (sent) => {
      const { body, contentType } = multipart(sent, 'a-boundary-not-in-there')
      expect(
        partsOf(body, contentType).map(({ contentType, content }) => ({
          type: contentType,
          content: [...content],
        })),
      ).toEqual(
        sent.map(({ type, content }) => ({ type: type ?? 'text/plain', content: [...content] })),
      )
    }),
  )
})

test('a part without any header is text, and what stands before the first boundary is nothing', () => {
  const body = Buffer.from('preamble\r\n--b  \r\n\r\nplain\r\n--b--\r\nepilogue')
  const [part] = partsOf(body, 'multipart/form-data; charset=x; boundary="b"')
  expect(part?.contentType).toBe('text/plain')
  expect(Buffer.from(part?.content ?? []).toString()).toBe('plain')
})

test('an image is a PNG, and no longer once any byte of it has changed or is missing', () => {
  const image = png(13, 7, 3)
  expect(readPng(image)?.header).toEqual({ width: 13, height: 7, bitsPerPixel: 32 })
  fc.assert(
    fc.property(fc.nat(image.length - 1), fc.integer({ min: 1, max: 255 }), (at, flip) => {
      const changed = image.slice()
      changed[at] = (changed[at] ?? 0) ^ flip
      expect(readPng(changed)).toBeUndefined()
      expect(readPng(image.slice(0, at))).toBeUndefined()
    }),
    { numRuns: 300 },
  )
  expect(readPng(Buffer.concat([image, Buffer.from('x')]))).toBeUndefined()
})

test('a blob is kept once under its hash, and a damaged one is not handed out', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'daybook-blobs-'))
  try {
    const blobs = openBlobDirectory(directory)
    const content = new TextEncoder().encode('content')
    const hash = createHash('sha256').update(content).digest('hex')
    const puts = Array.from({ length: 8 }, () => blobs.put(content))
    expect(await Promise.all(puts)).toEqual(puts.map(() => hash))
    expect(readdirSync(directory)).toEqual([hash.slice(0, 2)])
    expect(readdirSync(join(directory, hash.slice(0, 2)))).toEqual([hash])
    expect(await blobs.get(hash)).toEqual(content)
    expect(await blobs.get('0'.repeat(64))).toBeUndefined()
    expect(await blobs.get('../../etc/passwd')).toBeUndefined()
    writeFileSync(join(directory, hash.slice(0, 2), hash), 'c0ntent')
    await expect(blobs.get(hash)).rejects.toThrow('damaged')
    rmSync(directory, { recursive: true })
    await expect(blobs.put(content)).rejects.toThrow(StoreUnavailable)
    await expect(blobs.get(hash)).rejects.toThrow(StoreUnavailable)
    expect(existsSync(directory)).toBe(false)
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
})
