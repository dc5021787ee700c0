// @module-tag long
import { afterAll, beforeAll, expect, test } from 'vitest'
import { codeSentTo, startPeopleService, type PeopleService } from '../support/people-service.ts'
import { newPin } from '../../infrastructure/people/one-time-codes.ts'
import { newcomerAt, now } from './newcomer.ts'
import { makeVisitor } from './visitor.ts'

let service: PeopleService
beforeAll(async () => {
  service = await startPeopleService()
})
afterAll(() => service.stop())

const api = (method: string, path: string, body: unknown, token = '') =>
  service.call(method, `/payer/v1${path}`, body, { Authorization: `Bearer ${token}` })

const easy = ['1111', '0000', '1234', '4321', '7890', '012345', '10987']
const tooEasy = 'no row such as 1234'

test('a PIN that is tried first is refused when an account is made', async () => {
  const phone = '4743000001'
  for (const pin of easy) {
    const visitor = makeVisitor(service)
    const form = await visitor.visit('/payer/sign-up')
    const { status, html } = await visitor.submit(form, { phone, name: 'Kari', pin })
    expect([pin, status, html.includes(tooEasy)]).toEqual([pin, 400, true])
    const { status: told, body } = await api('POST', '/sign_up/', { phone, name: 'Kari', pin })
    expect([pin, told, Object.keys(body.error_details)]).toEqual([pin, 400, ['pin']])
  }
})

test('nor can it be changed to one', async () => {
  const { visitor, phone, pin, secret } = await newcomerAt(service, '4743000002')
  const { token } = (await api('POST', '/session/', { phone, pin, code: now(secret) })).body
  for (const new_pin of easy) {
    const form = await visitor.visit('/payer/security?change=pin')
    const { status, html } = await visitor.submit(form, { new_pin, pin, code: now(secret) })
    expect([new_pin, status, html.includes(tooEasy)]).toEqual([new_pin, 400, true])
    const told = await api('PUT', '/pin/', { pin, code: now(secret), new_pin }, token)
    expect([told.status, Object.keys(told.body.error_details)]).toEqual([400, ['new_pin']])
  }
})

test('nor on the way back into an account', async () => {
  const { phone, secret } = await newcomerAt(service, '4743000003')
  const { proof } = (await api('POST', '/recovery/', { phone })).body
  const given = { proof, number_code: await codeSentTo(service, phone), code: now(secret) }
  const { recovered, needs_pin } = (await api('POST', '/recovery/proof/', given)).body
  expect(needs_pin).toBe(true)
  for (const new_pin of easy) {
    const told = await api('PUT', '/recovery/', { recovered, new_pin })
    expect([told.status, Object.keys(told.body.error_details)]).toEqual([400, ['new_pin']])
  }
  const visitor = makeVisitor(service)
  const page = await visitor.submit(await visitor.visit('/payer/recovery'), { phone })
  const proofs = { number_code: await codeSentTo(service, phone), code: now(secret) }
  const renewal = await visitor.submit(page, proofs)
  const [, sealed = ''] = /name="recovered" value="([^"]*)"/.exec(renewal.html) ?? []
  for (const new_pin of easy) {
    const { status, html } = await visitor.submit(renewal, { recovered: sealed, new_pin })
    expect([new_pin, status, html.includes(tooEasy)]).toEqual([new_pin, 400, true])
  }
})

test('one that the service makes is none either', () => {
  const drawn = [0, 123_456, 98_765, 890_123, 482_913]
  expect(newPin(() => drawn.shift() ?? 0)).toBe('482913')
})
