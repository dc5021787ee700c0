import jsqr from 'jsqr'
import { PNG } from 'pngjs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { stickers } from '../../domain/aggregates.ts'
import { startMerchantService, type MerchantService } from '../support/merchant-service.ts'

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

const list = '/merchant/v1/shortlink/'
const post = (body: object, by = merchant) =>
  service.call(list, { method: 'POST', headers: service.as(by), body })
const get = (path: string, by = merchant) => service.call(path, { headers: service.as(by) })
const newShortlink = async (body: object = {}, by = merchant): Promise<string> =>
  ((await (await post(body, by)).json()) as { id: string }).id
const scan = async (id: string, body: object = {}) => {
  const path = `/sandbox/v1/shortlink/${id}/scan/`
  return (await service.call(path, { method: 'POST', body })).json() as Promise<{ id: string }>
}
const addSticker = (serial: string) =>
  service.core.handle(stickers, serial, { type: 'AddSticker' }, service.core.contextOf('operator'))

// The package is a function, despite its types.
const decode = jsqr as unknown as typeof jsqr.default

/** What a phone would read, with a decoder independent of the encoder. */
const decoded = (png: ArrayBuffer): string | undefined => {
  const { data, width, height } = PNG.sync.read(Buffer.from(png))
  return decode(new Uint8ClampedArray(data), width, height)?.data
}

test('a shortlink that was registered is read back, changed, listed, and gone once deleted', async () => {
  const created = await post({ description: 'Table 5' })
  expect(created.status).toBe(201)
  const { id } = (await created.json()) as { id: string }
  const path = `${list}${id}/`
  expect(created.headers.get('location')).toBe(`https://pay.example${path}`)
  expect(await (await get(path)).json()).toEqual({
    id,
    callback_uri: null,
    description: 'Table 5',
    serial_number: null,
    shortlink_value: `https://pay.example/s/${id}/`,
  })
  const change = { callback_uri: 'https://shop.example/scans', description: 'Table 6' }
  const put = { method: 'PUT', headers: service.as(merchant), body: change }
  expect((await service.call(path, put)).status).toBe(204)
  expect(await (await get(path)).json()).toMatchObject(change)
  const rename = { ...put, body: { description: 'Table 7' } }
  expect((await service.call(path, rename)).status).toBe(204)
  expect(await (await get(path)).json()).toMatchObject({ ...change, description: 'Table 7' })
  expect((await service.call(path, { ...put, body: { callback_uri: '' } })).status).toBe(204)
  expect(await (await get(path)).json()).toMatchObject({
    callback_uri: null,
    description: 'Table 7',
  })
  expect(((await (await get(list)).json()) as { uris: string[] }).uris).toContain(path)
  const remove = { method: 'DELETE', headers: service.as(merchant) }
  expect((await service.call(path, remove)).status).toBe(204)
  for (const [method, body] of [['GET'], ['DELETE'], ['PUT', {}]] as const)
    expect((await service.call(path, { method, headers: service.as(merchant), body })).status).toBe(
      404,
    )
  expect((await service.call(`/shortlink/v1/qr_image/${id}/`)).status).toBe(404)
  expect((await service.call(`/s/${id}/`)).status).toBe(404)
  const scanned = await service.call(`/sandbox/v1/shortlink/${id}/scan/`, {
    method: 'POST',
    body: {},
  })
  expect(scanned.status).toBe(404)
})

test('a shortlink of another merchant is unknown to a merchant, whatever it tries', async () => {
  const path = `${list}${await newShortlink()}/`
  const other = service.as(await service.newMerchant())
  for (const [method, at, body] of [
    ['GET', path],
    ['PUT', path, { description: 'mine' }],
    ['DELETE', path],
    ['GET', `${path}last_scan/`],
  ] as const)
    expect((await service.call(at, { method, headers: other, body })).status).toBe(404)
  expect(await (await get(path)).json()).toMatchObject({ description: null })
})

test('the serial number of a sticker is claimed once, by one shortlink of one merchant', async () => {
  await addSticker('S-100')
  expect((await post({ serial_number: 'S-999' })).status).toBe(400)
  const id = await newShortlink({ serial_number: 'S-100' })
  expect(await (await get(`${list}${id}/`)).json()).toMatchObject({ serial_number: 'S-100' })
  // The same request again is a repeat, whose response may have been lost; another one is not.
  expect(await newShortlink({ serial_number: 'S-100' })).toBe(id)
  expect((await post({ serial_number: 'S-100', description: 'Other' })).status).toBe(409)
  expect((await post({ serial_number: 'S-100' }, await service.newMerchant())).status).toBe(409)
  const remove = { method: 'DELETE', headers: service.as(merchant) }
  await service.call(`${list}${id}/`, remove)
  expect((await post({ serial_number: 'S-100' })).status).toBe(409)
})

test('many claims of one sticker at once make one shortlink', async () => {
  await addSticker('S-200')
  const others = [await service.newMerchant(), await service.newMerchant()]
  const claims = await Promise.all(
    [...others, merchant, ...others].map((by) => post({ serial_number: 'S-200' }, by)),
  )
  const ids = new Set<string>()
  for (const claim of claims) {
    expect([201, 409]).toContain(claim.status)
    if (claim.status === 201) ids.add(((await claim.json()) as { id: string }).id)
  }
  expect(ids.size).toBe(1)
})

test('a claim that a crash left without its shortlink can be taken up by the same merchant only', async () => {
  const { core } = service
  await addSticker('S-300')
  const claim = { type: 'ClaimSticker', merchant, shortlink: 'lostinthecrash' } as const
  await core.handle(stickers, 'S-300', claim, core.contextOf('user:pos1', merchant))
  expect((await post({ serial_number: 'S-300' }, await service.newMerchant())).status).toBe(409)
  expect(await newShortlink({ serial_number: 'S-300' })).toBe('lostinthecrash')
  expect((await post({ serial_number: 'S-300', description: 'Other' })).status).toBe(409)
})

test('a decoder of QR codes reads the value of the shortlink, with the argstring behind it', async () => {
  const id = await newShortlink()
  const read = (await (await get(`${list}${id}/`)).json()) as { shortlink_value: string }
  for (const [suffix, meant] of [
    ['', ''],
    ['table-5', 'table-5'],
    ['a/b', 'a/b'],
    ['bl%C3%A5b%C3%A6r%20%3F%23', 'bl%C3%A5b%C3%A6r%20%3F%23'],
    ['a%2F..%2Fb', 'a%2F..%2Fb'],
    ['.%2Fb', '.%2Fb'],
    ['%252E%252E', '%252E%252E'],
    ['...', '...'],
    [encodeURIComponent('熊'.repeat(100)), encodeURIComponent('熊'.repeat(100))],
  ]) {
    const image = await service.call(`/shortlink/v1/qr_image/${id}/${suffix}`)
    expect([image.status, image.headers.get('content-type')]).toEqual([200, 'image/png'])
    const text = decoded(await image.arrayBuffer())
    expect(text).toBe(read.shortlink_value + meant)
    // As a browser opens it.
    expect(new URL(text ?? '').href).toBe(text)
  }
})

test('the image of a shortlink is an SVG for those who like it better, and nothing else', async () => {
  const path = `/shortlink/v1/qr_image/${await newShortlink()}/x`
  const typeFor = async (accept: string) => {
    const { status, headers } = await service.call(path, { headers: { Accept: accept } })
    return status === 200 ? headers.get('content-type') : status
  }
  expect(await typeFor('image/svg+xml')).toBe('image/svg+xml')
  expect(await typeFor('image/png;q=0.5, image/svg+xml')).toBe('image/svg+xml')
  expect(await typeFor('image/svg+xml;q=0.1, image/*')).toBe('image/png')
  expect(await typeFor('*/*')).toBe('image/png')
  expect(await typeFor('text/html')).toBe(406)
  const svg = await service.call(path, { headers: { Accept: 'image/svg+xml' } })
  expect(await svg.text()).toMatch(/^<svg[^]*<\/svg>\s*$/)
})

test('the URL of a shortlink leads to a page that names the owner of the code', async () => {
  const id = await newShortlink()
  const plain = await service.call(`/s/${id}/`)
  expect(plain.headers.get('content-type')).toBe('text/plain; charset=utf-8')
  expect(await plain.text()).toContain(`Shop ${merchant}`)
  const headers = { Accept: 'application/json' }
  expect(await (await service.call(`/s/${id}/table/5`, { headers })).json()).toEqual({
    id,
    merchant: `Shop ${merchant}`,
    argstring: 'table/5',
  })
})

test('the last scan is returned while it is recent, with its payer’s token', async () => {
  const id = await newShortlink()
  const path = `${list}${id}/last_scan/`
  expect((await get(path)).status).toBe(204)
  await scan(id, { payer: 'bob', argstring: 'first' })
  const second = await scan(id, { argstring: 'second' })
  expect(second.id).toMatch(/^token:\d+$/)
  await scan(await newShortlink(), { payer: 'bob', argstring: 'of another code' })
  expect(await (await get(path)).json()).toEqual({ ...second, argstring: 'second' })
  await service.advance(61)
  expect((await get(path)).status).toBe(204)
  expect((await get(`${path}?ttl=60`)).status).toBe(204)
  expect(await (await get(`${path}?ttl=90`)).json()).toEqual({ ...second, argstring: 'second' })
  for (const ttl of ['-1', 'soon', '1.5', '9999999'])
    expect((await get(`${path}?ttl=${ttl}`)).status).toBe(400)
})
