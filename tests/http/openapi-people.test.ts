import { createPrivateKey } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { PNG } from 'pngjs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { codeAt } from '../../infrastructure/people/one-time-codes.ts'
import { codeOf, startPeopleService, type PeopleService } from '../people/people-service.ts'
import { formIn, makeVisitor, type Shown } from '../people/visitor.ts'
import { isPeoples, makeAnswerCheck, openApiDocument, templateOf } from './openapi-document.ts'
import { sign } from './service.ts'

const redirectUri = 'https://shop.example/callback'

let service: PeopleService
let answers: ReturnType<typeof makeAnswerCheck>
let onAnswer: (method: string, shown: Shown) => void
beforeAll(async () => {
  service = await startPeopleService()
  const document = openApiDocument.parse((await service.call('GET', '/openapi.json')).body)
  answers = makeAnswerCheck(document)
  onAnswer = (method, { url, status, headers, html: text }) => {
    const type = headers.get('content-type') ?? ''
    const body: unknown = /json/.test(type) && text !== '' ? JSON.parse(text) : undefined
    const template = templateOf(document, new URL(url).pathname)
    const header = (name: string) => headers.get(name)
    answers.check(method, template, { status, type, header, text, body })
  }
})
afterAll(() => service.stop())

const visitor = () => makeVisitor(service, 'en', onAnswer)

/** A request with JSON, or a form, in it: what is answered is held to the document on its way. */
const ask = async (
  method: string,
  path: string,
  headers: Readonly<Record<string, string>>,
  given?: object,
): Promise<any> => {
  const body = given instanceof URLSearchParams ? given : given && JSON.stringify(given)
  const type = typeof body === 'string' ? { 'Content-Type': 'application/json' } : {}
  const all = { Accept: '*/*', ...headers, ...type }
  const { html } = await visitor().visit(path, { method, headers: all, ...(body && { body }) })
  return html === '' ? undefined : JSON.parse(html)
}

const bySecret = (method: string, path: string, body?: object) =>
  ask(method, path, service.merchantHeaders(), body)

const byKey = (method: string, path: string, body?: object) => {
  const key = createPrivateKey(readFileSync(join(service.folder, 'sandbox-admin-key.pem')))
  const url = service.address + path
  const signed = sign({ method, url, body, merchant: 'sandbox', user: 'admin', key })
  return ask(method, path, signed, body)
}

const applicationsPath = '/merchant/v1/application/'
const permissionsPath = '/merchant/v1/permission_request/'

const register = (name: string) =>
  byKey('POST', applicationsPath, { name, redirect_uris: [redirectUri] })

let made = 0
const askPermission = (customer: string): Promise<{ readonly id: string }> => {
  const [pos_id, pos_tid] = ['till-1', `permission-${made++}`]
  return bySecret('POST', permissionsPath, { pos_id, pos_tid, customer, scope: 'openid profile' })
}

/** Attaches a picture to a payment, if it takes one. */
const attachPicture = async (tid: string): Promise<boolean> => {
  const { attachment_uri: link } = await service.outcome(tid)
  if (link === undefined) return false
  const body = new FormData()
  const picture = new Uint8Array(PNG.sync.write(new PNG({ width: 1, height: 1 })))
  body.append('picture', new Blob([picture], { type: 'image/png' }))
  await fetch(service.address + link, { method: 'POST', body })
  return true
}

test('merchants register applications and ask for permissions as is documented', async () => {
  const { id } = await register('Documented')
  await bySecret('GET', applicationsPath)
  await bySecret('GET', `${applicationsPath}${id}/`)
  await byKey('DELETE', `${applicationsPath}${id}/`)
  for (const verb of ['accept', 'decline']) {
    const { id: rid } = await askPermission('4799999901')
    await bySecret('GET', `${permissionsPath}${rid}/`)
    await bySecret('GET', `${permissionsPath}${rid}/outcome/`)
    await ask('POST', `/sandbox/v1/permission_request/${rid}/${verb}/`, {}, {})
    await bySecret('GET', `${permissionsPath}${rid}/outcome/`)
  }
})

test('apps of payers are answered as is documented', async () => {
  const path = (rest: string) => `/payer/v1/${rest}/`
  const person = { phone: '4740000001', name: 'Ada App', pin: '2580' }
  const begun = await ask('POST', path('sign_up'), {}, person)
  const { registration, totp_secret: secret } = begun
  const code = codeAt(secret, Date.now())
  await ask('POST', path('payer'), {}, { registration, code: '1' })
  await ask('POST', path('payer'), {}, { registration, code })
  const { phone, pin } = person
  const wrong = { phone, pin: '0000', code }
  expect((await ask('POST', path('session'), {}, wrong)).error_type).toBe('Unauthorized')
  const { token } = await ask('POST', path('session'), {}, { phone, pin, code })
  const session = { Authorization: `Bearer ${token}` }
  const address = { street: 'Gata 1', postal_code: '0155', locality: 'Oslo', country: 'NO' }
  await ask('PUT', path('profile'), session, { address, shipping_address: null })
  await ask('GET', path('profile'), session)
  for (const verb of ['accept', 'decline']) {
    const { id: tid } = await service.requestPayment({ customer: phone })
    const { id: rid } = await askPermission(phone)
    for (const name of [`payment_request/${tid}`, `permission_request/${rid}`]) {
      await ask('GET', path(name), session)
      await ask('GET', path('request'), session)
      await ask('POST', path(`${name}/${verb}`), session, {})
      await ask('GET', path(name), session)
    }
    const attached = path(`payment_request/${tid}/attachment`)
    await attachPicture(tid)
    const { uris } = await ask('GET', attached, session)
    for (const uri of uris) await visitor().visit(uri, { headers: { Accept: '*/*', ...session } })
    await ask('GET', `${attached}none/`, session)
    await ask('POST', path('scan'), session, { text: `${service.address}/payer/payment/${tid}` })
    await ask('POST', path('scan'), session, { text: 'nothing of this service' })
  }
  await ask('GET', path('history'), session)
  const { permissions } = await ask('GET', path('permission'), session)
  await ask('DELETE', path(`permission/${permissions[0].id}`), session)
  await ask('DELETE', path('session'), session)
  expect((await ask('GET', path('profile'), session)).error_type).toBe('Unauthorized')
})

test('browsers of payers are answered as is documented', async () => {
  const newcomer = visitor()
  const who = await newcomer.visit('/payer/sign-up')
  const person = { phone: '4740000002', name: 'Nina Ny', pin: '2468' }
  const code = await newcomer.submit(who, person)
  await newcomer.submit(code, { code: 'wrong' })
  const secret = /<code>(\w+)<\/code>/.exec(code.html)?.[1] ?? ''
  await newcomer.submit(code, { code: codeAt(secret, Date.now()) })

  const alice = visitor()
  await alice.visit('/payer/')
  await alice.signIn('alice')
  const home = await alice.visit('/payer/')
  for (const decision of ['accept', 'decline']) {
    const { id: tid } = await service.requestPayment({ customer: '4799999901' })
    const page = await alice.visit(`/payer/payment/${tid}`)
    await alice.submit(page, { decision })
    await alice.visit(`/payer/payment/${tid}`)
    if (!(await attachPicture(tid))) continue
    await alice.visit(`/payer/payment/${tid}/attachment/1`, { headers: { Accept: 'image/*' } })
  }
  const returns = { success_return_uri: redirectUri, failure_return_uri: redirectUri }
  const { id: tid } = await service.requestPayment(returns)
  await alice.visit(`/payer/checkout/${tid}`)
  await alice.submit(await alice.visit(`/payer/payment/${tid}`), { decision: 'accept' })
  await alice.visit(`/payer/checkout/${tid}/events`, { headers: { Accept: 'text/event-stream' } })
  await alice.visit(`/payer/checkout/${tid}`)
  const { id: rid } = await askPermission('4799999901')
  const asked = await alice.visit(`/payer/permission/${rid}`)
  await alice.submit(asked, { decision: 'allow' })
  await alice.visit('/payer/history')
  const granted = await alice.visit('/payer/permissions')
  await alice.submit(granted, { grant: formIn(granted.html, 'grant').fields.at(-1)?.[1] ?? '' })
  const scan = await alice.visit('/payer/scan')
  await alice.submit(scan, { text: `${service.address}/payer/payment/${tid}` })
  await alice.submit(scan, { text: 'nothing of this service' })
  await alice.visit('/payer/permission/none')
  await alice.visit('/payer/sign-out', { method: 'POST', body: new URLSearchParams() })
  const csrf = formIn(home.html, 'csrf').fields[0]?.[1] ?? ''
  await alice.visit('/payer/sign-out', { method: 'POST', body: new URLSearchParams({ csrf }) })
  for (const asset of ['style.css', 'live.js'])
    await alice.visit(`/payer/${asset}`, { headers: { Accept: '*/*' } })
})

test('clients and browsers are answered by the authorization server as is documented', async () => {
  const { id, client_secret: secret } = await register('Shop')
  const query = new URLSearchParams({
    response_type: 'code',
    client_id: id,
    redirect_uri: redirectUri,
    scope: ['openid', 'profile', 'shipping_address', 'fodselsnummer', 'bankid'].join(' '),
  })
  const computer = visitor()
  await computer.visit('/oauth2/auth?client_id=nobody')
  await computer.visit('/oauth2/error')
  const page = await computer.visit(`/oauth2/auth?${query}`)
  const source = (name: string) =>
    new RegExp(`\\s${name}="(/oauth2[^"]*)"`).exec(page.html)?.[1]?.replaceAll('&amp;', '&') ?? ''
  const image = await computer.visit(source('src'), { headers: { Accept: 'image/*' } })
  expect(image.status).toBe(200)
  const second = await computer.submit(page, { phone: '4799999901', pin: '1234' })
  const signedIn = await computer.submit(second, { code: codeOf('alice') })
  const consent = await computer.follow(signedIn)
  const back = await computer.submit(consent, { decision: 'allow' })
  await computer.visit(source('data-live'), { headers: { Accept: 'text/event-stream' } })
  const code = new URL(back.location ?? '').searchParams.get('code') ?? ''

  const basic = { Authorization: `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}` }
  const client = (path: string, fields: Record<string, string>, headers: object = basic) =>
    ask('POST', path, { ...headers }, new URLSearchParams(fields))
  const redemption = { grant_type: 'authorization_code', code, redirect_uri: redirectUri }
  expect((await client('/oauth2/token', redemption, {})).error).toBe('invalid_client')
  const tokens = await client('/oauth2/token', redemption)
  const { access_token: token, refresh_token } = tokens
  await client('/oauth2/token', { grant_type: 'refresh_token', refresh_token })
  await client('/oauth2/token', { grant_type: 'password' })
  await client('/oauth2/introspect', { token })
  const bearer = { Authorization: `Bearer ${token}` }
  const claims = ['userinfo', ...['shipping_address', 'personal_id/no/id', 'personal_id/no/bankid']]
  for (const name of claims) {
    const path = name === 'userinfo' ? '/oauth2/v1/userinfo' : `/oauth2/v1/scope/${name}`
    expect(await ask('GET', path, bearer)).not.toHaveProperty('error')
    expect(await ask('GET', path, {})).toHaveProperty('error')
  }
  expect(await ask('POST', '/oauth2/v1/userinfo', bearer)).not.toHaveProperty('error')
  await client('/oauth2/revoke', { token })
  await client('/oauth2/introspect', { token })
  for (const path of ['openid-configuration', 'oauth-authorization-server'])
    await ask('GET', `/.well-known/${path}`, {})
  await ask('GET', '/oauth2/jwks', {})
})

test('there is nothing in the document about people that was not seen here', () => {
  const unseen = answers.unseen().filter(isPeoples)
  // The page for errors is an error.
  expect(unseen).toEqual(['GET /oauth2/error'])
})
