// @module-tag long
import { afterAll, beforeAll, expect, test } from 'vitest'
import { codeAt } from '../../infrastructure/people/one-time-codes.ts'
import { startPeopleService, type PeopleService } from '../support/people-service.ts'
import { keyIn, makeVisitor } from './visitor.ts'

let service: PeopleService

beforeAll(async () => {
  service = await startPeopleService()
})
afterAll(() => service.stop())

const personal = [
  'Kari Traa Nordmann',
  '4741234567',
  'kari.nordmann@',
  'Elgveien 77',
  '01017000027',
]

/**
 * What does not change: everything except the customer's name and the upload link, which each read
 * generates.
 */
const figuresOf = ({ customer: _, attachment_uri: __, ...figures }: any) => figures

const filesWith = (words: readonly string[]) =>
  service
    .files()
    .filter(({ bytes }) => words.some((word) => bytes.includes(word)))
    .map(({ name }) => name)

test('given a payer with payments, when the payer is erased, then no personal data is left and all figures stand', async () => {
  await service.operator(
    ...['payer', 'add', '+4741234567', '--name', 'Kari Traa Nordmann', '--pin', '4711'],
    ...['--email', 'kari.nordmann@example.com', '--street', 'Elgveien 77', '--postal-code', '0150'],
    ...['--locality', 'Oslo', '--national-id', '01017000027'],
  )
  const { id: tid } = await service.requestPayment({ customer: '+4741234567' })
  const { status } = await service.call('POST', `/sandbox/v1/payment_request/${tid}/accept/`, {})
  expect(status).toBe(204)
  await service.call('PUT', `/merchant/v1/payment_request/${tid}/`, { action: 'capture' })
  const before = await service.outcome(tid)
  expect(before).toMatchObject({ customer: '+4741234567', status: 'ok' })
  const request = `/merchant/v1/payment_request/${tid}/`
  const named = { customer: '+4741234567', uri: null }
  expect((await service.call('GET', request)).body).toMatchObject(named)
  // It was never stored in the clear anywhere.
  expect(filesWith(personal)).toEqual([])

  const found = await service.operator('payer', 'find', '+4741234567')
  expect(found).toEqual({ id: expect.stringMatching(/^[0-9a-f-]+$/), is_payer: true })
  expect(await service.operator('audit', 'consents', found['id'] ?? '')).toBeNull()

  await service.operator('payer', 'erase', '4741234567')

  const forgotten = await service.outcome(tid)
  expect([forgotten.customer, figuresOf(forgotten)]).toEqual([null, figuresOf(before)])
  // It had a customer, so there was never a page on which anybody could answer it.
  expect((await service.call('GET', request)).body).toMatchObject({ customer: null, uri: null })
  expect(filesWith(personal)).toEqual([])
  expect(service.log()).not.toMatch(/Nordmann|41234567/)
  await service.restart()
  expect(figuresOf(await service.outcome(tid))).toEqual(figuresOf(before))
})

test('given a payer who used every page, when the payer is erased, then the log is the same event for event and says nothing of them', async () => {
  const [phone, name, pin] = ['4748888777', 'Sigrid Sletta', '8642']
  const words = ['4748888777', 'Sletta', 'Glemselveien', 'Annetsteds', 'sigrid@']
  const visitor = makeVisitor(service)
  const form = await visitor.visit('/payer/sign-up')
  const lastStep = await visitor.proveNumberAt(form, { phone: `+47 488 88 777`, name, pin })
  const code = () => codeAt(keyIn(lastStep), Date.now())
  await visitor.submit(lastStep, { code: code() })
  const api = async (method: string, path: string, body?: object, token = '') =>
    service.call(method, `/payer/v1${path}`, body, { Authorization: `Bearer ${token}` })
  expect((await api('POST', '/session/', { phone, pin: '0000', code: code() })).status).toBe(401)
  const { token } = (await api('POST', '/session/', { phone, pin, code: code() })).body
  const address = { street: 'Glemselveien 4', postal_code: '0150', locality: 'Oslo', country: 'NO' }
  const shipping_address = { ...address, name: `${name}, c/o Annetsteds` }
  const email = 'sigrid@example.com'
  const told = await api('PUT', '/profile/', { address, shipping_address, email }, token)
  expect(told.status).toBe(204)
  const asked = await service.call('POST', '/merchant/v1/permission_request/', {
    pos_id: 'till-1',
    pos_tid: 'erasure',
    customer: phone,
    scope: 'openid profile address phone email shipping_address',
  })
  const permission = `/permission_request/${asked.body.id}/`
  expect((await api('POST', `${permission}accept/`, {}, token)).status).toBe(204)
  const outcomePath = `/merchant/v1${permission}outcome/`
  const granted = (await service.call('GET', outcomePath)).body
  expect(granted.user_info).toMatchObject({ name, phone_number: `+${phone}` })
  const userInfo = () =>
    service.call('GET', '/oauth2/v1/userinfo', undefined, {
      Authorization: `Bearer ${granted.access_token}`,
    })
  expect((await userInfo()).body.address.street_address).toBe('Glemselveien 4')
  const payments: string[] = []
  for (const customer of [phone, `msisdn:${phone}`, granted.access_token]) {
    const { id } = await service.requestPayment({ customer, text: 'Order 1' })
    await api('POST', `/payment_request/${id}/accept/`, {}, token)
    await service.call('PUT', `/merchant/v1/payment_request/${id}/`, { action: 'capture' })
    payments.push(id)
  }
  const outcomes = () => Promise.all(payments.map(service.outcome))
  const allFigures = async () => (await outcomes()).map(figuresOf)
  const before = await outcomes()
  expect(before.map(({ status }) => status)).toEqual(['ok', 'ok', 'ok'])
  const logBefore = await service.events()

  await service.operator('payer', 'erase', phone)

  const logAfter = await service.events()
  expect(logAfter.slice(0, logBefore.length)).toEqual(logBefore)
  expect(await allFigures()).toEqual(before.map(figuresOf))
  const searched = () => {
    expect(filesWith(words)).toEqual([])
    // The sandbox shows messages in its log; in production they are sent.
    const told = service
      .log()
      .split('\n')
      .filter((line) => !line.includes('"a message"'))
    expect(told.join('\n')).not.toMatch(new RegExp(words.join('|')))
    expect(JSON.stringify(logAfter)).not.toMatch(new RegExp(words.join('|')))
  }
  searched()
  expect((await userInfo()).status).toBe(401)
  expect((await service.call('GET', outcomePath)).body).toMatchObject({
    access_token: null,
    user_info: null,
  })
  expect((await api('GET', '/profile/', undefined, token)).status).toBe(401)
  expect((await api('POST', '/session/', { phone, pin, code: code() })).status).toBe(401)
  await service.restart()
  expect(await allFigures()).toEqual(before.map(figuresOf))
  searched()
})

test('given a number without a payer, when a merchant names it, then the request fails with 4004 and the number can be erased', async () => {
  const { id: tid } = await service.requestPayment({ customer: 'msisdn:4747474747' })
  expect(await service.outcome(tid)).toMatchObject({
    customer: 'msisdn:4747474747',
    status: 'fail',
    status_code: 4004,
  })
  expect(filesWith(['4747474747'])).toEqual([])
  await service.operator('payer', 'erase', '4747474747')
  expect(await service.outcome(tid)).toMatchObject({ customer: null, status_code: 4004 })
})

test('given a request, when it is repeated, then it is the same although the customer is stored sealed', async () => {
  const request = { customer: '4799999901', pos_tid: 'repeated' }
  const first = await service.requestPayment(request)
  expect(await service.requestPayment(request)).toEqual(first)
  await expect(service.requestPayment({ ...request, customer: '4799999902' })).rejects.toThrow(
    'Conflict',
  )
})

test('given what a merchant attached to a payment, when its payer is erased, then it is gone, nothing more is taken, and no link offers to', async () => {
  const phone = '4745556666'
  await service.operator('payer', 'add', phone, '--name', 'Kari Kjole', '--pin', '4711')
  const { id: tid } = await service.requestPayment({ customer: phone })
  await service.call('POST', `/sandbox/v1/payment_request/${tid}/accept/`, {})
  const { attachment_uri: link } = await service.outcome(tid)
  const items = [{ description: 'A dress for Kari Kjole', quantity: 1, total: '100.00' }]
  const upload = async () => {
    const body = new FormData()
    const type = 'application/vnd.service.itemlist.v1+json'
    body.append('part', new Blob([JSON.stringify({ items })], { type }))
    return (await fetch(service.address + link, { method: 'POST', body })).status
  }
  expect(await upload()).toBe(201)
  const attachments = `/merchant/v1/payment_request/${tid}/attachment/`
  const attached = () => service.call('GET', `${attachments}1/`)
  expect((await attached()).body).toEqual({ items })
  expect(filesWith(['Kari Kjole'])).toEqual([])

  await service.operator('payer', 'erase', phone)

  expect((await attached()).status).toBe(404)
  expect((await service.call('GET', attachments)).body.uris).toHaveLength(1)
  expect(await upload()).toBe(404)
  expect(await service.outcome(tid)).not.toHaveProperty('attachment_uri')
})

test('given a payer who has scanned a code and is erased, when the shop names the scan, then it names nobody', async () => {
  const phone = '4741112223'
  const { id: payer } = await service.operator(
    ...['payer', 'add', phone, '--name', 'Siri Skanner', '--pin', '4711'],
  )
  const { body: shortlink } = await service.call('POST', '/merchant/v1/shortlink/', {})
  const scan = { payer, argstring: '' }
  const path = `/sandbox/v1/shortlink/${shortlink.id}/scan/`
  const scanned = await service.call('POST', path, scan)
  expect(scanned.status).toBeLessThan(300)
  const last = await service.call('GET', `/merchant/v1/shortlink/${shortlink.id}/last_scan/`)
  const named = await service.requestPayment({ customer: last.body.id })
  const pending = { status: 'pending', customer: last.body.id }
  expect(await service.outcome(named.id)).toMatchObject(pending)
  await service.operator('payer', 'erase', phone)
  expect(await service.outcome(named.id)).toMatchObject({ ...pending, customer: null })
  const after = await service.requestPayment({ customer: last.body.id })
  expect(await service.outcome(after.id)).toMatchObject({ status: 'fail', status_code: 4004 })
})
