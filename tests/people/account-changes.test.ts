// @module-tag long
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  codeOf,
  codeSentTo,
  startPeopleService,
  type PeopleService,
} from '../support/people-service.ts'
import { isIn, newcomerAt, now, signIn } from './newcomer.ts'
import { keyIn, makeVisitor } from './visitor.ts'

let service: PeopleService
beforeAll(async () => {
  service = await startPeopleService({ STEP_UP_AMOUNT: 'NOK 1000.00, EUR 100' })
})
afterAll(() => service.stop())

const newcomer = (phone: string) => newcomerAt(service, phone)

const api = (method: string, path: string, body?: unknown, token = '') =>
  service.call(method, `/payer/v1${path}`, body, { Authorization: `Bearer ${token}` })

test('a session ends half an hour after it was used last, in a browser and in an app', async () => {
  const { visitor, phone, pin, secret } = await newcomer('4742000040')
  const { token } = (await api('POST', '/session/', { phone, pin, code: now(secret) })).body
  const reads = async () => [
    await isIn(visitor),
    (await api('GET', '/profile/', undefined, token)).status,
  ]
  await service.advance(1770)
  expect(await reads()).toEqual([true, 200])
  await service.restart()
  await service.advance(1500)
  expect(await reads()).toEqual([true, 200])
  await service.advance(1500)
  await visitor.visit('/payer/', { headers: { 'Sec-Fetch-Dest': 'empty' } })
  await service.advance(300)
  expect(await reads()).toEqual([false, 401])
})

test('sessions are listed with their devices, ended one by one, and all at once', async () => {
  const { visitor, phone, pin, secret } = await newcomer('4742000050')
  const begin = async () =>
    (await api('POST', '/session/', { phone, pin, code: now(secret) })).body as {
      id: string
      token: string
    }
  const [one, two, three] = [await begin(), await begin(), await begin()]
  const list = async (token: string) =>
    (await api('GET', '/session/', undefined, token)).body.sessions as { is_this: boolean }[]
  expect(await list(one.token)).toHaveLength(4)
  expect((await api('DELETE', `/session/${two.id}/`, undefined, one.token)).status).toBe(204)
  expect((await api('GET', '/profile/', undefined, two.token)).status).toBe(401)
  const page = await visitor.visit('/payer/security')
  expect(await visitor.submit(page, { change: 'everywhere' })).toMatchObject({ status: 303 })
  const answers = [one, three].map(({ token }) => api('GET', '/profile/', undefined, token))
  expect((await Promise.all(answers)).map(({ status }) => status)).toEqual([401, 401])
  expect(await isIn(visitor)).toBe(true)
  expect(page.html).toContain('value="everywhere"')
  expect((await visitor.visit('/payer/security')).html).not.toContain('value="everywhere"')
})

test('PIN, app, codes and number are changed with both factors, and others end', async () => {
  const person = await newcomer('4742000060')
  const { visitor, phone, pin, secret } = person
  const { token } = (await api('POST', '/session/', { phone, pin, code: now(secret) })).body
  const change = async (what: string, values: Readonly<Record<string, string>>) =>
    visitor.submit(await visitor.visit(`/payer/security?change=${what}`), values)
  const wrong = await change('pin', { new_pin: '13579', pin: '0000', code: now(secret) })
  expect([wrong.status, wrong.html.includes('The PIN or the code is wrong.')]).toEqual([400, true])
  const factors = { pin, code: now(secret) }
  expect((await change('pin', { new_pin: '13579', ...factors })).status).toBe(303)
  expect((await api('GET', '/profile/', undefined, token)).status).toBe(401)
  const form = await visitor.visit('/payer/security?change=authenticator')
  const key = keyIn(form)
  const connect = { new_code: now(key), pin: '13579', code: person.codes[0] ?? '' }
  expect((await visitor.submit(form, connect)).status).toBe(303)
  const fresh = { pin: '13579', code: now(key) }
  const codes = await change('recovery_codes', fresh)
  expect(codes.html).toContain('Keep your recovery codes')
  const asked = await change('number', { phone: '4742000061' })
  const number_code = await codeSentTo(service, '4742000061')
  expect((await visitor.submit(asked, { number_code, ...fresh })).status).toBe(303)
  expect((await signIn(visitor, '4742000061', '13579', now(key))).status).toBe(303)
  const { id: tid } = await service.requestPayment({ customer: '4742000061' })
  expect((await visitor.visit(`/payer/payment/${tid}`)).status).toBe(200)
  const old = await service.requestPayment({ customer: phone })
  expect(await service.outcome(old.id)).toMatchObject({ status_code: 4004 })
})

test('an account that its owner closes is erased, with all numbers that were its', async () => {
  const { visitor, pin, secret } = await newcomer('4742000070')
  const { id: earlier } = await service.requestPayment({ customer: '4742000071' })
  const asked = await visitor.submit(await visitor.visit('/payer/security?change=number'), {
    phone: '4742000071',
  })
  const number_code = await codeSentTo(service, '4742000071')
  await visitor.submit(asked, { number_code, pin, code: now(secret) })
  const { id: tid } = await service.requestPayment({ customer: '4742000071', pos_tid: 'closed' })
  const form = await visitor.visit('/payer/security?change=close')
  const closed = await visitor.submit(form, { pin, code: now(secret) })
  expect(closed.location).toBe('/payer/sign-in?closed')
  expect(await isIn(visitor)).toBe(false)
  for (const asked of [earlier, tid]) expect((await service.outcome(asked)).customer).toBe(null)
  expect((await signIn(makeVisitor(service), '4742000071', pin, now(secret))).location).toBe(null)
})

test('a payment above what the operator has set asks for the second factor again', async () => {
  const alice = makeVisitor(service)
  await alice.signIn('alice')
  const { id } = await service.requestPayment({ customer: '4799999901', amount: '1000.01' })
  const page = await alice.visit(`/payer/payment/${id}`)
  const without = await alice.submit(page, { decision: 'accept' })
  expect([without.status, (await service.outcome(id)).status]).toEqual([400, 'pending'])
  const wrong = await alice.submit(page, { decision: 'accept', code: '000000' })
  expect([wrong.status, (await service.outcome(id)).status]).toEqual([400, 'pending'])
  const right = await alice.submit(page, { decision: 'accept', code: codeOf('alice') })
  expect([right.status, (await service.outcome(id)).status]).toEqual([303, 'auth'])
  const who = { phone: '4799999901', pin: '1234', code: codeOf('alice') }
  const { token } = (await api('POST', '/session/', who)).body
  const big = await service.requestPayment({ customer: '4799999901', amount: '2000.00' })
  const path = `/payment_request/${big.id}/accept/`
  const refused = await api('POST', path, {}, token)
  expect([refused.status, Object.keys(refused.body.error_details)]).toEqual([400, ['code']])
  expect((await api('POST', path, { code: codeOf('alice') }, token)).status).toBe(204)
})

test('a tip that is refused costs no code: what is accepted after it needs none', async () => {
  const { visitor, phone } = await newcomer('4742000090')
  const asked = { customer: phone, amount: '100.00', additional_edit: true }
  const { id } = await service.requestPayment(asked)
  const page = await visitor.visit(`/payer/payment/${id}`)
  const tip = (amount: string) =>
    visitor.submit(page, { decision: 'accept', additional_amount: amount })
  expect([(await tip('300')).status, (await tip('10')).status]).toEqual([400, 303])
  expect((await service.outcome(id)).status).toBe('auth')
})

test('what a payer accepts within a day counts together, on pages and in apps', async () => {
  const { visitor, phone, pin, secret } = await newcomer('4742000080')
  const signedIn = async (): Promise<string> =>
    (await api('POST', '/session/', { phone, pin, code: now(secret) })).body.token
  const requested = async (amount: string, currency = 'NOK') =>
    (await service.requestPayment({ customer: phone, amount, currency })).id
  const accept = async (tid: string, token: string) =>
    (await api('POST', `/payment_request/${tid}/accept/`, {}, token)).status
  const token = await signedIn()
  const tids = [await requested('600.00'), await requested('600.00'), await requested('600.00')]
  const pages = await Promise.all(tids.map((tid) => visitor.visit(`/payer/payment/${tid}`)))
  for (const { html } of pages) expect(html).not.toContain('name="code"')
  const [one, other] = pages as [(typeof pages)[0], (typeof pages)[0]]
  const sent = await Promise.all([
    ...[one, other].map(
      async (page) => (await visitor.submit(page, { decision: 'accept' })).status,
    ),
    accept(tids[2] ?? '', token),
  ])
  expect(sent.map((status) => status < 400).sort()).toEqual([false, false, true])
  const more = await requested('400.01')
  expect((await visitor.visit(`/payer/payment/${more}`)).html).toContain('name="code"')
  expect(await accept(more, token)).toBe(400)
  expect(await accept(await requested('400.00'), token)).toBe(204)
  expect(await accept(await requested('100.00', 'EUR'), token)).toBe(204)
  await service.advance(86_400)
  const [next, later] = [await requested('1000.00'), await signedIn()]
  expect(await Promise.all([accept(next, later), accept(next, later)])).toEqual([204, 204])
})
