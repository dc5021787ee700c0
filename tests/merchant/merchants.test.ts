// @module-tag long
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { PNG } from 'pngjs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { merchants } from '../../domain/aggregates.ts'
import { parseEvent } from '../../domain/events.ts'
import { operatorProgram } from '../../cli/operator.ts'
import { readSettings } from '../../infrastructure/settings.ts'
import {
  newKeys,
  paymentRequest,
  startMerchantService,
  type MerchantService,
} from '../support/merchant-service.ts'

let service: MerchantService

beforeAll(async () => {
  service = await startMerchantService()
})
afterAll(async () => {
  expect(service.bugs).toEqual([])
  await service.stop()
})

const profile = {
  addressLines: ['Storgata 1', 'Inngang B'],
  postalCode: '0155',
  country: 'NO',
  description: 'Coffee',
  phoneNumber: '+4722222222',
  email: 'post@shop.example',
  url: 'https://shop.example',
}

const get = async (path: string, headers: Record<string, string> = {}) => {
  const answer = await service.call(path, { headers })
  const text = await answer.text()
  return { status: answer.status, body: (text === '' ? null : JSON.parse(text)) as any }
}

test('a merchant reads itself with its address, and no other merchant', async () => {
  const location = { latitude: 59.91, longitude: 10.75, accuracy: 20 }
  const known = { organizationId: '987654321', jurisdiction: 'NO', mcc: '5814', location, profile }
  const id = await service.newMerchant(known)
  const other = await service.newMerchant()
  const address = {
    first_address_line: 'Storgata 1',
    second_address_line: 'Inngang B',
    postal_code: '0155',
    country: 'NO',
  }
  const { description, email, url } = profile
  expect(await get(`/merchant/v1/merchant/${id}/`, service.as(id))).toEqual({
    status: 200,
    body: {
      id,
      business_name: `Shop ${id}`,
      organization_id: '987654321',
      jurisdiction: 'NO',
      mcc: '5814',
      netmask: null,
      location,
      time_zone: 'UTC',
      settlement_account_id: 'default',
      address,
      profile: { ...address, description, phone_number: '+4722222222', email, url, logo_url: null },
    },
  })
  for (const unknown of [other, 'nobody'])
    for (const suffix of ['/', '/logo', '/logo/'])
      expect((await get(`/merchant/v1/merchant/${unknown}${suffix}`, service.as(id))).status).toBe(
        404,
      )
})

test('requests for a merchant come from its network or not at all, also those of its integrator', async () => {
  const near = await service.newMerchant({ netmask: '127.0.0.0/8' })
  const far = await service.newMerchant({ netmask: '192.0.2.0/24' })
  const integrator = await service.newIntegrator('netmasked', [near, far])
  for (const [id, status] of [
    [near, 200],
    [far, 401],
  ] as const) {
    const path = `/merchant/v1/merchant/${id}/`
    expect((await get(path, service.as(id))).status).toBe(status)
    expect((await integrator(path, id)).status).toBe(status)
  }
})

test('an integrator acts for the merchants that it serves, and the log names it', async () => {
  const id = await service.newMerchant()
  const integrator = await service.newIntegrator('acme', [id])
  const pos = { id: 'kiosk', name: 'Kiosk', type: 'vending' }
  const created = await integrator('/merchant/v1/pos/', id, { method: 'POST', body: pos })
  expect(created.status).toBe(201)
  const [event] = (await service.core.store.readStream(`pos-${id}/kiosk`)).map(parseEvent)
  expect(event?.metadata).toMatchObject({ merchant: id, actor: 'integrator:acme' })
  const body = paymentRequest({ pos_id: 'kiosk', customer: '+4799999901' })
  const request = { method: 'POST', body }
  expect((await integrator('/merchant/v1/payment_request/', id, request)).status).toBe(201)
})

test('an integrator may manage users, and what it made can sign in', async () => {
  const id = await service.newMerchant()
  const integrator = await service.newIntegrator('users', [id])
  const { publicKey: pubkey, privateKey } = newKeys()
  const body = { id: 'pos2', roles: ['user'], pubkey }
  const path = '/merchant/v1/user/'
  expect((await integrator(path, id, { method: 'POST', body })).status).toBe(201)
  const who = { 'X-Service-Merchant': id, 'X-Service-User': 'pos2' }
  const own = { path: `${path}pos2/` }
  expect(await get(own.path, service.signedHeaders(who, privateKey, own))).toEqual({
    status: 200,
    body: { id: 'pos2', roles: ['user'], netmask: null, has_secret: false, pubkey },
  })
  const put = { method: 'PUT', body: { roles: ['superuser'], pubkey } }
  expect((await integrator(own.path, id, put)).status).toBe(204)
  expect((await get(own.path, service.as(id))).body.roles).toEqual(['superuser'])
  const refused = { path, method: 'POST', body: { id: 'pos3', pubkey } }
  // An action must be allowed by both the key and the role.
  const plain = { id: 'pos4', roles: ['user'], pubkey }
  expect((await integrator(path, id, { method: 'POST', body: plain })).status).toBe(201)
  const as4 = service.signedHeaders({ ...who, 'X-Service-User': 'pos4' }, privateKey, refused)
  expect((await service.call(path, { ...refused, headers: as4 })).status).toBe(403)
})

test(
  'an integrator is refused for merchants that it does not serve, without its key, and beside a user',
  { tags: 'long' },
  async () => {
    const [id, other] = [await service.newMerchant(), await service.newMerchant()]
    const integrator = await service.newIntegrator('strict', [id])
    const refusal = async (answer: Response) => ({
      status: answer.status,
      text: ((await answer.json()) as { error_description: string }).error_description,
    })
    const path = '/merchant/v1/pos/'
    expect((await integrator(path, id)).status).toBe(200)
    for (const merchant of [other, 'nobody'])
      expect(await refusal(await integrator(path, merchant))).toEqual({
        status: 401,
        text: 'The integrator does not serve this merchant.',
      })
    expect(await refusal(await integrator(path, null))).toMatchObject({
      status: 401,
      text: expect.stringContaining('X-Service-Merchant'),
    })
    const both = { headers: { 'X-Service-User': 'pos1' } }
    expect((await refusal(await integrator(path, id, both))).status).toBe(401)
    const who = { 'X-Service-Merchant': id, 'X-Service-Integrator': 'strict' }
    const withSecret = { headers: { ...who, Authorization: 'SECRET whatever' } }
    expect(await refusal(await service.call(path, withSecret))).toMatchObject({
      status: 401,
      text: expect.stringContaining('Level too low'),
    })
    const forged = service.signedHeaders(who, newKeys().privateKey, { path })
    const unknown = service.signedHeaders(
      { ...who, 'X-Service-Integrator': 'unknown' },
      newKeys().privateKey,
      { path },
    )
    for (const headers of [forged, unknown])
      expect(await refusal(await service.call(path, { headers }))).toEqual({
        status: 401,
        text: 'Unknown integrator, or bad signature.',
      })
  },
)

test(
  'only integrators find a merchant by its organisation number or a secondary id',
  { tags: 'long' },
  async () => {
    const id = await service.newMerchant({ organizationId: '111', lookupIds: ['A-1', 'A/2'] })
    const integrator = await service.newIntegrator('finder', [])
    for (const lookupId of ['111', 'A-1', 'A%2F2']) {
      const answer = await integrator(`/merchant/v1/merchant_lookup/${lookupId}/`, null)
      expect([answer.status, ((await answer.json()) as { id: string }).id]).toEqual([200, id])
    }
    expect((await integrator('/merchant/v1/merchant_lookup/B-1/', null)).status).toBe(404)
    // If two match, the one registered first, whatever matched.
    const second = await service.newMerchant({ organizationId: 'A-1', lookupIds: ['B-2'] })
    await service.newMerchant({ organizationId: 'B-2', lookupIds: [] })
    const found = async (lookupId: string) =>
      await (await integrator(`/merchant/v1/merchant_lookup/${lookupId}/`, null)).json()
    expect(await found('A-1')).toMatchObject({ id })
    expect(await found('B-2')).toMatchObject({ id: second })
    const path = '/merchant/v1/merchant_lookup/A-1/'
    expect((await get(path)).status).toBe(401)
    expect((await get(path, service.as(id))).status).toBe(401)
    expect((await get(path, { 'X-Service-Integrator': 'finder' })).status).toBe(401)
  },
)

/** Runs an operator command beside the service; returns its output and exit code. */
const operate = async (...words: string[]) => {
  const settings = readSettings({ DATA_DIR: service.directory, LOG_LEVEL: 'silent' })
  const program = operatorProgram({
    settings,
    version: 'test',
  })
  const { write } = process.stdout
  const { write: writeError } = process.stderr
  let out = ''
  let error = ''
  process.stdout.write = (text) => Boolean((out += String(text)))
  process.stderr.write = (text) => Boolean((error += String(text)))
  try {
    await program.parseAsync(['--json', ...words], { from: 'user' })
    return { code: process.exitCode ?? 0, out: out === '' ? null : JSON.parse(out), error }
  } finally {
    process.stdout.write = write
    process.stderr.write = writeError
    process.exitCode = 0
  }
}

test('the operator adds a merchant with its ids and address, changes it, and its logo is shown', async () => {
  const { directory } = service
  const added = await operate(
    ...'merchant add cafe --name Café --currency nok --lookup-id L-1 --lookup-id L-2'.split(' '),
    ...'--organization-id 999 --postal-code 0155 --country no --mcc 5814'.split(' '),
    '--address-line',
    'Storgata 2',
  )
  expect(added).toMatchObject({
    code: 0,
    out: { id: 'cafe', lookup_ids: ['L-1', 'L-2'], currency: 'NOK' },
  })
  expect(
    await operate(...'merchant add thief --name T --currency NOK --lookup-id 999'.split(' ')),
  ).toMatchObject({ code: 1, error: '999 is an id of merchant cafe\n' })
  expect(await operate(...'merchant change cafe --phone +4722000000'.split(' '))).toMatchObject({
    code: 0,
    out: { jurisdiction: 'NO', address: ['Storgata 2', '0155', 'NO'] },
  })
  expect(await operate('merchant', 'change', 'cafe', '--lookup-id', '..')).toMatchObject({
    code: 1,
    error: expect.stringContaining('must not be . or ..'),
  })
  const secret = 'a long secret'
  expect(await operate('user', 'add', 'cafe', 'pos1', '--secret', secret)).toMatchObject({
    code: 0,
  })
  const headers = {
    'X-Service-Merchant': 'cafe',
    'X-Service-User': 'pos1',
    Authorization: `SECRET ${secret}`,
  }
  const path = '/merchant/v1/merchant/cafe/'
  expect((await get(`${path}logo`, headers)).status).toBe(404)
  const logo = PNG.sync.write(new PNG({ width: 8, height: 8 }))
  const file = join(directory, 'logo.png')
  writeFileSync(file, logo)
  expect(await operate('merchant', 'logo', 'cafe', file)).toMatchObject({ code: 0 })
  const { body } = await get(path, headers)
  expect(body).toMatchObject({
    business_name: 'Café',
    organization_id: '999',
    mcc: '5814',
    address: { first_address_line: 'Storgata 2', second_address_line: null, country: 'NO' },
    profile: { phone_number: '+4722000000', logo_url: `${path}logo` },
  })
  for (const address of [body.profile.logo_url, `${body.profile.logo_url}/`]) {
    const image = await service.call(address, { headers })
    expect(image.headers.get('content-type')).toBe('image/png')
    expect(Buffer.from(await image.arrayBuffer()).equals(logo)).toBe(true)
  }
  writeFileSync(file, 'no image')
  expect(await operate('merchant', 'logo', 'cafe', file)).toMatchObject({
    code: 1,
    error: expect.stringContaining('Is no PNG image'),
  })
})

test('the operator adds an integrator and gives it other merchants, and both count', async () => {
  const [first, second] = [await service.newMerchant(), await service.newMerchant()]
  const { publicKey, privateKey } = newKeys()
  const file = join(service.directory, 'integrator.pem')
  writeFileSync(file, publicKey)
  const add = ['integrator', 'add', 'partner', '--name', 'Partner', '--pubkey', file]
  expect(await operate(...add, '--merchant', 'nobody')).toMatchObject({ code: 1 })
  expect(await operate(...add, '--merchant', first)).toMatchObject({
    code: 0,
    out: { id: 'partner', merchants: [first] },
  })
  const path = '/merchant/v1/pos/'
  const call = async (merchant: string): Promise<number> => {
    const who = { 'X-Service-Integrator': 'partner', 'X-Service-Merchant': merchant }
    const headers = service.signedHeaders(who, privateKey, { path })
    return (await service.call(path, { headers })).status
  }
  expect([await call(first), await call(second)]).toEqual([200, 401])
  const change = ['integrator', 'change', 'partner', '--merchant', second]
  expect(await operate(...change)).toMatchObject({ code: 0 })
  // A service observes a removal by another process within a moment.
  await expect.poll(() => call(first)).toBe(401)
  expect(await call(second)).toBe(200)
  expect((await operate('integrator', 'list')).out).toContainEqual({
    id: 'partner',
    name: 'Partner',
    merchants: [second],
    enabled: true,
  })
})

test('options that were pasted are read without their blanks', async () => {
  await operate(...'merchant add copy --name C --currency NOK --organization-id 9-9-8'.split(' '))
  // As pasted from a page: with blanks of any width, and characters that nobody sees.
  const pasted = [
    '--organization-id',
    '9\u00a09\u200b\t8',
    '--mcc',
    '58\u202f14',
    '--country',
    'no\u00a0',
  ]
  expect(await operate('merchant', 'change', 'copy', ...pasted)).toMatchObject({
    ...{ code: 0, out: { organization_id: '998', mcc: '5814' } },
  })
  expect(
    await operate(
      ...'merchant add other --name T --currency NOK --organization-id 9-9-8'.split(' '),
    ),
  ).toMatchObject({ code: 1, error: '998 is an id of merchant copy\n' })
})

test('stickers that the operator adds can be claimed; adding them again changes nothing', async () => {
  const id = await service.newMerchant()
  const post = async (serial_number: string) => {
    const body = { serial_number }
    const sent = { method: 'POST', headers: service.as(id), body }
    return (await service.call('/merchant/v1/shortlink/', sent)).status
  }
  expect(await operate('sticker', 'add', 'T-1', 'T-2')).toMatchObject({
    code: 0,
    out: [
      { serial_number: 'T-1', status: 'free' },
      { serial_number: 'T-2', status: 'free' },
    ],
  })
  expect(await post('T-1')).toBe(201)
  expect((await operate('sticker', 'add', 'T-1')).out).toEqual([
    { serial_number: 'T-1', status: 'claimed' },
  ])
  expect([await post('T-1'), await post('T-2'), await post('T-3')]).toEqual([201, 201, 400])
  expect(await operate('sticker', 'add', 'T-4', 'ø')).toMatchObject({ code: 1 })
  expect(await post('T-4')).toBe(400)
})

test('a merchant that was written before merchants had addresses is read with empty ones', async () => {
  const { core } = service
  const data = { id: 'old', businessName: 'Old', currency: 'NOK', lookupIds: [], netmask: null }
  const context = core.contextOf('operator', 'old')
  await core.handle(merchants, 'old', { type: 'Register', data: data as never }, context)
  const integrator = await service.newIntegrator('archive', ['old'])
  const answer = await integrator('/merchant/v1/merchant/old/', 'old')
  expect(await answer.json()).toMatchObject({ mcc: null, address: { first_address_line: null } })
})

test('the operator adds, lists and removes points of sale, and payments can use them', async () => {
  const shop = await service.newMerchant()
  const till = { id: 'till-9', name: 'Till 9', type: 'store' }
  const add = ['pos', 'add', shop, 'till-9', '--name', 'Till 9']
  for (const words of [add, add])
    expect(await operate(...words)).toMatchObject({ code: 0, out: { merchant: shop, ...till } })
  const other = ['pos', 'add', shop, 'kiosk', '--name', 'Kiosk', '--type', 'vending']
  expect(await operate(...other)).toMatchObject({ code: 0 })
  expect((await operate('pos', 'list', shop)).out).toEqual(
    expect.arrayContaining([till, { id: 'kiosk', name: 'Kiosk', type: 'vending' }]),
  )
  expect((await service.ask(shop, 'GET', '/merchant/v1/pos/till-9/')).body).toMatchObject(till)

  expect(await operate('pos', 'remove', shop, 'till-9')).toMatchObject({ code: 0 })
  expect((await service.ask(shop, 'GET', '/merchant/v1/pos/till-9/')).status).toBe(404)
  expect((await operate('pos', 'list', shop)).out).not.toContainEqual(till)
  for (const [words, error] of [
    [['pos', 'remove', shop, 'till-9'], `${shop} has no POS till-9\n`],
    [['pos', 'list', 'nobody'], 'no merchant nobody\n'],
    [['pos', 'add', shop, '..', '--name', 'x'], expect.stringContaining('a POS id has')],
    [['pos', 'add', shop, 'a b', '--name', 'x'], expect.stringContaining('letters, digits')],
    [['pos', 'add', shop, 'x', '--name', ' '], 'a name has 1 to 100 characters\n'],
    [[...other.slice(0, 5), 'Another'], 'id used with other data\n'],
  ] as const)
    expect(await operate(...words)).toMatchObject({ code: 1, error })
})
