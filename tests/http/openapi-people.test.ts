// @module-tag long
import { createPrivateKey } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { PNG } from 'pngjs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { codeAt } from '../../infrastructure/people/one-time-codes.ts'
import {
  codeOf,
  codeSentTo,
  startPeopleService,
  type PeopleService,
} from '../support/people-service.ts'
import { formIn, makeVisitor, type Shown } from '../people/visitor.ts'
import {
  isPeoples,
  makeAnswerCheck,
  openApiDocument,
  operationsOf,
  templateOf,
  type OpenApiDocument,
} from './openapi-document.ts'
import { formsIn } from './openapi-fields.ts'
import { sign } from '../support/http-service.ts'
import { pkce } from '../people/pkce.ts'

const redirectUri = 'https://shop.example/callback'

let service: PeopleService
let document: OpenApiDocument
let answers: ReturnType<typeof makeAnswerCheck>
const isPage = (name: string): boolean => /^\w+ \/payer\/(?!v1)/.test(name)

const fieldsOf = (name: string): string[] => {
  const operation = operationsOf(document).get(name)
  return operation ? formsIn(operation).flatMap((form) => form.map((field) => field.name)) : []
}

/** Each field sent by a page, with its operation. */
const shownFields = new Set<string>()
const checkForms = (page: string): void => {
  for (const [, action = '', form = ''] of page.matchAll(
    /<form[^>]* action="([^"]*)"[^>]*>([^]*?)<\/form>/g,
  )) {
    const { pathname } = new URL(action, service.address)
    const name = `POST ${templateOf(document, pathname)}`
    for (const [, field = ''] of form.matchAll(/ name="(\w+)"/g)) {
      expect([name, fieldsOf(name)]).toEqual([name, expect.arrayContaining([field])])
      shownFields.add(`${name} ${field}`)
    }
  }
}

let onAnswer: (method: string, shown: Shown) => void
beforeAll(async () => {
  service = await startPeopleService({
    STEP_UP_AMOUNT: 'NOK 5000.00',
    SECURITY_CONTACT: 'mailto:security@pay.example',
  })
  document = openApiDocument.parse((await service.call('GET', '/openapi.json')).body)
  answers = makeAnswerCheck(document)
  onAnswer = (method, { url, status, headers, html: text }) => {
    const type = headers.get('content-type') ?? ''
    const body: unknown = /json/.test(type) && text !== '' ? JSON.parse(text) : undefined
    const template = templateOf(document, new URL(url).pathname)
    const header = (name: string) => headers.get(name)
    answers.check(method, template, { status, type, header, text, body })
    checkForms(text)
  }
})
afterAll(() => service.stop())

const visitor = () => makeVisitor(service, 'en', onAnswer)

/** A request with JSON or a form; the response is checked against the document. */
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
const askPermission = (
  customer: string,
  scope = 'openid profile',
): Promise<{ readonly id: string }> => {
  const [pos_id, pos_tid] = ['till-1', `permission-${made++}`]
  return bySecret('POST', permissionsPath, { pos_id, pos_tid, customer, scope })
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
  const number_code = await codeSentTo(service, person.phone)
  await ask('POST', path('payer'), {}, { registration, code: '1' })
  await ask('POST', path('payer'), {}, { registration, number_code, code })
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

test('given a payer of the sandbox, they sign in with the one-time code asked for', async () => {
  for (const payer of ['alice', '4799999901', '+4799999901']) {
    const { code } = await ask('GET', `/sandbox/v1/payer/${payer}/code/`, {})
    const person = { phone: '+4799999901', pin: '1234' }
    const session = await ask('POST', '/payer/v1/session/', {}, { ...person, code })
    expect(session).toHaveProperty('token')
  }
  const nobody = await ask('GET', '/sandbox/v1/payer/nobody/code/', {})
  expect(nobody.error_type).toBe('Not Found')
})

const signUpInBrowser = async () => {
  const newcomer = visitor()
  const who = await newcomer.visit('/payer/sign-up')
  const person = { phone: '4740000002', name: 'Nina Ny', pin: '2468' }
  await newcomer.submit(who, { ...person, phone: 'none' })
  const number = await newcomer.submit(who, person)
  await newcomer.submit(number, { number_code: 'wrong' })
  await newcomer.submit(number, { again: '1', number_code: '' })
  const code = await newcomer.proveNumberAt(who, person)
  await newcomer.submit(code, { code: 'wrong' })
  const secret = /<code id="key">(\w+)</.exec(code.html)?.[1] ?? ''
  await newcomer.submit(code, { code: codeAt(secret, Date.now()) })
  return { newcomer, person }
}

test('browsers of payers are answered as is documented', async () => {
  const { newcomer, person } = await signUpInBrowser()
  const { id: unknown } = await askPermission(person.phone, 'openid email address shipping_address')
  const missing = await newcomer.visit(`/payer/permission/${unknown}`)
  await newcomer.submit(missing, { email: 'nobody', decision: 'allow' })

  const alice = visitor()
  await alice.visit('/payer/')
  await alice.signIn('alice')
  const elsewhere = visitor()
  await elsewhere.signIn('alice')
  const home = await alice.visit('/payer/')
  await alice.submit(home, { session: formIn(home.html, 'session').fields.at(-1)?.[1] ?? '' })
  const details = await alice.visit('/payer/profile')
  await alice.submit(details, { name: '' })
  await alice.submit(details, { name: 'Alice Andersen', country: 'NO', shipping_country: 'NO' })
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
  await alice.withdraw(/\?withdraw=([\w-]+)/.exec(granted.html)?.[1] ?? '')
  const scan = await alice.visit('/payer/scan')
  await alice.submit(scan, { text: `${service.address}/payer/payment/${tid}` })
  await alice.submit(scan, { text: 'nothing of this service' })
  await alice.visit('/payer/permission/none')
  await alice.visit('/payer/sign-out', { method: 'POST', body: new URLSearchParams() })
  const csrf = formIn(home.html, 'csrf').fields[0]?.[1] ?? ''
  await alice.visit('/payer/sign-out', { method: 'POST', body: new URLSearchParams({ csrf }) })
  const bob = visitor()
  await bob.signIn('bob')
  for (const path of [`payment/${tid}`, `checkout/${tid}`, `payment/${tid}/attachment/1`])
    expect((await bob.visit(`/payer/${path}`, { headers: { Accept: '*/*' } })).status).toBe(409)
  const logo = join(service.folder, 'logo.png')
  writeFileSync(logo, PNG.sync.write(new PNG({ width: 1, height: 1 })))
  const { logo: hash } = await service.operator('merchant', 'logo', 'sandbox', logo)
  for (const asset of ['style.css', 'live.js', `logo/${hash}`])
    await alice.visit(`/payer/${asset}`, { headers: { Accept: '*/*' } })
})

test('what browsers of payers ask wrongly is answered as is documented', async () => {
  const [alice, stranger] = [visitor(), visitor()]
  await alice.signIn('alice')
  await alice.visit('/payer/sign-in')
  const { id: tid } = await service.requestPayment({
    customer: '4799999901',
    additional_amount: '1.00',
    additional_edit: true,
  })
  const { id: rid } = await askPermission('4799999901')
  const paths = [
    `payment/${tid}`,
    `permission/${rid}`,
    'permissions',
    'scan',
    'profile',
    'devices',
    'sign-out',
  ]
  const ofOthers = ['payment/none', 'permission/none', 'checkout/none', 'checkout/none/events']
  const images = `payment/${tid}/attachment/none`
  for (const path of [...ofOthers, images])
    await alice.visit(`/payer/${path}`, { headers: { Accept: '*/*' } })
  for (const path of ['', 'history', ...paths.slice(0, 5), images])
    await stranger.visit(`/payer/${path}`, { headers: { Accept: '*/*' } })
  for (const path of ['language/nb', 'language/xx']) await stranger.visit(`/payer/${path}`)
  for (const path of [...paths, 'sign-in', 'sign-up'])
    await alice.visit(`/payer/${path}`, { method: 'POST', body: new URLSearchParams() })
  for (const [path, values] of [
    [`payment/${tid}`, { additional_amount: 'much', decision: 'accept' }],
    [`permission/${rid}`, { decision: 'perhaps' }],
  ] as const) {
    const page = await alice.visit(`/payer/${path}`)
    await alice.submit(page, values)
    if ('additional_amount' in values)
      await alice.submit(page, { ...values, additional_amount: '100.01' })
    const csrf = formIn(page.html, 'csrf').fields.find(([name]) => name === 'csrf')?.[1] ?? ''
    for (const of of ['payment/none', 'permission/none', 'permissions', 'devices'])
      await alice.visit(`/payer/${of}`, { method: 'POST', body: new URLSearchParams({ csrf }) })
    const [no, yes] = path === `payment/${tid}` ? ['decline', 'accept'] : ['deny', 'allow']
    await alice.submit(page, { decision: no })
    await alice.submit(page, { decision: yes })
  }
  const newcomer = visitor()
  const form = await newcomer.visit('/payer/sign-up')
  await newcomer.submit(form, { phone: '4799999901', name: 'Not Alice', pin: '2468' })
})

test('clients and browsers are answered by the authorization server as is documented', async () => {
  const { id, client_secret: secret } = await register('Shop')
  const query = new URLSearchParams({
    response_type: 'code',
    client_id: id,
    redirect_uri: redirectUri,
    scope: ['openid', 'profile', 'shipping_address', 'fodselsnummer', 'bankid'].join(' '),
    ...pkce.challenge,
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
  const scope = (query.get('scope') ?? '').split(' ')
  const back = await computer.submit(consent, { decision: 'allow', scope })
  await computer.visit(source('data-live'), { headers: { Accept: 'text/event-stream' } })
  const code = new URL(back.location ?? '').searchParams.get('code') ?? ''

  const basic = { Authorization: `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}` }
  const client = (path: string, fields: Record<string, string>, headers: object = basic) =>
    ask('POST', path, { ...headers }, new URLSearchParams(fields))
  const redemption = {
    ...{ grant_type: 'authorization_code', code, redirect_uri: redirectUri },
    ...pkce.verifier,
  }
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

test('a payment link that is sold out, or has ended, is answered as is documented', async () => {
  await service.operator('staff', 'add', 'sandbox', '+4799999901', '--role', 'owner')
  const [alice, bob] = [makeVisitor(service), visitor()]
  await alice.signIn('alice')
  await bob.signIn('bob')
  const form = await alice.visit('/portal/sandbox/new-link')
  const made = await alice.submit(form, { amount: '10', text: 'Soup', stock: '1' })
  const [path = ''] = made.location?.split('?') ?? []
  const text = `${service.address}/s/${path.split('/').at(-1)}/`
  const page = await bob.visit(`/payer/scan?text=${encodeURIComponent(text)}`)
  const who = { phone: '4799999902', pin: '5678', code: codeOf('bob') }
  const { token } = await ask('POST', '/payer/v1/session/', {}, who)
  const inApp = () => ask('POST', '/payer/v1/scan/', { Authorization: `Bearer ${token}` }, { text })
  await alice.submit(await alice.visit('/payer/scan'), { text })
  expect((await bob.visit(`/payer/scan?text=${encodeURIComponent(text)}`)).status).toBe(409)
  expect((await bob.submit(page, { text })).status).toBe(409)
  expect((await inApp()).error_description).toMatch(/sold out/)
  const { csrf = '' } = Object.fromEntries(formIn((await alice.visit(path)).html, 'stock').fields)
  const body = new URLSearchParams({ csrf, change: 'end' })
  expect((await alice.visit(path, { method: 'POST', body })).status).toBe(303)
  expect((await bob.visit(`/payer/scan?text=${encodeURIComponent(text)}`)).status).toBe(410)
  expect((await bob.submit(page, { text })).status).toBe(410)
  expect((await inApp()).error_description).toMatch(/has ended/)
})

test('a form that is sent after its session has ended goes on as is documented', async () => {
  const alice = visitor()
  await alice.signIn('alice')
  const page = await alice.visit('/payer/profile')
  alice.cookies.delete('daybook-session')
  const late = await alice.submit(page, { email: '' })
  const done = await alice.signInAt(await alice.follow(late), 'alice')
  expect((await alice.follow(done)).html).toContain('Your form is kept')
  expect((await alice.visit('/payer/resume')).location).toBe('/payer/')
})

test('pages and apps of accounts are answered as is documented', async () => {
  const [alice, nobody] = [visitor(), visitor()]
  await nobody.visit('/payer/security')
  await alice.signIn('alice')
  const { id: high } = await service.requestPayment({ customer: '4799999901', amount: '6000.00' })
  await alice.visit(`/payer/payment/${high}`)
  for (const change of ['pin', 'authenticator', 'recovery_codes', 'close'])
    await alice.visit(`/payer/security?change=${change}`)
  const number = await alice.visit('/payer/security?change=number')
  await alice.submit(number, { phone: 'none' })
  await alice.submit(number, { phone: '4740000090' })
  const overview = await alice.visit('/payer/security')
  await alice.submit(overview, { change: 'everywhere' })
  const forged = { method: 'POST', body: new URLSearchParams({ csrf: 'forged' }) }
  for (const page of ['security', 'recovery']) await alice.visit(`/payer/${page}`, forged)
  const begin = await nobody.visit('/payer/recovery')
  await nobody.submit(begin, { phone: 'none' })
  const proofs = await nobody.submit(begin, { phone: '4799999902' })
  const number_code = await codeSentTo(service, '4799999902')
  for (const code of ['', codeOf('bob')]) {
    const renewal = await nobody.submit(proofs, { number_code, code })
    if (code === '') continue
    const values = { new_pin: '7306' }
    for (const _ of ['once', 'again']) await nobody.submit(renewal, values)
  }
  const again = await nobody.submit(begin, { phone: '4799999902' })
  const other = { number_code: await codeSentTo(service, '4799999902'), pin: '7306' }
  await nobody.submit(again, other)
})

test('apps of accounts are answered as is documented', async () => {
  await visitor().visit('/.well-known/security.txt', { headers: { Accept: '*/*' } })
  const path = (rest: string) => `/payer/v1/${rest}/`
  const who = { phone: '4799999902', pin: '7306', code: codeOf('bob') }
  const { token, id } = await ask('POST', path('session'), {}, who)
  const session = { Authorization: `Bearer ${token}` }
  const factors = { pin: '7306', code: codeOf('bob') }
  await ask('GET', path('session'), session)
  await ask('PUT', path('pin'), session, { ...factors, new_pin: '8417' })
  const { authenticator, totp_secret: key } = await ask('POST', path('authenticator'), session)
  const new_code = codeAt(key, Date.now())
  await ask('PUT', path('authenticator'), session, {
    pin: '8417',
    code: codeOf('bob'),
    authenticator,
    new_code,
  })
  const fresh = { pin: '8417', code: codeAt(key, Date.now()) }
  const { recovery_codes: codes } = await ask('POST', path('recovery_codes'), session, fresh)
  const { proof } = await ask('POST', path('number'), session, { phone: '4740000091' })
  const number_code = await codeSentTo(service, '4740000091')
  await ask('PUT', path('number'), session, { ...fresh, proof, number_code })
  await ask('DELETE', path('session/others'), session)
  await ask('DELETE', path('session/none'), session)
  await ask('DELETE', path(`session/${id}`), session)
  const begun = await ask('POST', path('recovery'), {}, { phone: '4740000091' })
  const given = { proof: begun.proof, pin: '8417', recovery_code: codes[0] }
  const { recovered, totp_secret } = await ask('POST', path('recovery/proof'), {}, given)
  const renewed = { recovered, new_code: codeAt(totp_secret, Date.now()) }
  await ask('PUT', path('recovery'), {}, renewed)
  const last = { pin: '8417', code: codeAt(totp_secret, Date.now()) }
  const opened = await ask('POST', path('session'), {}, { phone: '4740000091', ...last })
  const own = { Authorization: `Bearer ${opened.token}` }
  expect((await ask('POST', path('payer/close'), own, last)) ?? null).toBe(null)
})

test('there is nothing in the document about people that was not seen here', () => {
  expect(answers.unseen().filter(isPeoples)).toEqual([])
})

test('given a page of payers, then each answer that is documented was seen here', () => {
  const documented = [...operationsOf(document)].flatMap(([name, { responses }]) =>
    Object.entries(responses).flatMap(([status, { description, content }]) => {
      // Every route can answer with these.
      const isUsual =
        /^(406|408|413|415|503|default)$/.test(status) ||
        /^The request does not fit/.test(description)
      const isHtml = content !== undefined && 'text/html' in content
      const isOwn = /^3/.test(status) || (isHtml && !isUsual)
      // A concurrent change cannot be produced at will, and a lock keeps out all other requests.
      const isRare = status === '429' || description === 'Conflict with what is there.'
      return isPage(name) && isOwn && !isRare ? `${name} ${status}` : []
    }),
  )
  expect(documented.length).toBeGreaterThan(30)
  expect(documented.filter((name) => !answers.seen.has(name))).toEqual([])
})

test('given a form of payers, then each field that is documented is on a page', () => {
  const documented = [...operationsOf(document).keys()].flatMap((name) =>
    isPage(name) ? fieldsOf(name).map((field) => `${name} ${field}`) : [],
  )
  expect(documented.length).toBeGreaterThan(15)
  expect([...new Set(documented)].sort()).toEqual([...shownFields].filter(isPage).sort())
})
