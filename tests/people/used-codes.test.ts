// @module-tag long
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest'
import {
  codeSentTo,
  messagesTo,
  startPeopleService,
  type PeopleService,
} from '../support/people-service.ts'
import { startInProcess } from '../../harness/in-process.ts'
import { newcomerAt, now } from './newcomer.ts'

let service: PeopleService
beforeAll(async () => {
  service = await startPeopleService()
})
afterAll(() => service.stop())

const api = (method: string, path: string, body?: unknown, token = '') =>
  service.call(method, `/payer/v1${path}`, body, { Authorization: `Bearer ${token}` })

/** Requests a code and waits for its message. */
const ask = async (path: string, who: { readonly phone: string }, token = '') => {
  const before = (await messagesTo(service, who.phone)).length
  const { body } = await api('POST', path, who, token)
  await vi.waitFor(async () => {
    expect(await messagesTo(service, who.phone)).toHaveLength(before + 1)
  })
  return { body, number_code: await codeSentTo(service, who.phone) }
}

const appOf = async (phone: string) => {
  const { pin, secret } = await newcomerAt(service, phone)
  const { token } = (await api('POST', '/session/', { phone, pin, code: now(secret) })).body
  const change = async (number: string) => {
    const { body, number_code } = await ask('/number/', { phone: number }, token)
    const proved = { proof: body.proof, number_code }
    return async (address = service.address) => {
      const response = await fetch(`${address}/payer/v1/number/`, {
        method: 'PUT',
        headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
        body: JSON.stringify({ pin, code: now(secret), ...proved }),
      })
      return response.status
    }
  }
  const sees = async (tid: string) =>
    (await api('GET', `/payment_request/${tid}/`, undefined, token)).status === 200
  return { change, sees }
}

const requestTo = async (customer: string) => (await service.requestPayment({ customer })).id

test('the code that changed a number does not take it back from who proved it later', async () => {
  const number = '4743000003'
  const [first, second] = [await appOf('4743000001'), await appOf('4743000002')]
  const take = await first.change(number)
  expect(await take()).toBe(204)
  const takeOver = await second.change(number)
  expect(await takeOver()).toBe(204)
  expect(await take()).toBe(400)
  expect(await second.sees(await requestTo(number))).toBe(true)
})

test('nor does it at another process, which did not see it used', async () => {
  const number = '4743000005'
  const [first, second] = [await appOf('4743000006'), await appOf('4743000007')]
  const take = await first.change(number)
  expect(await take()).toBe(204)
  const takeOver = await second.change(number)
  expect(await takeOver()).toBe(204)
  const other = await startInProcess({}, service.folder)
  onTestFinished(() => other.stop())
  expect(await take(other.address)).toBe(400)
})

test('a sign-up that is sent again does not take its number back either', async () => {
  const number = '4743000011'
  const who = { phone: number, name: 'Earlier', pin: '8642' }
  const { body, number_code } = await ask('/sign_up/', who)
  const { registration, totp_secret } = body
  const finish = async () => {
    const code = now(String(totp_secret))
    return (await api('POST', '/payer/', { registration, number_code, code })).status
  }
  expect([await finish(), await finish()]).toEqual([201, 201])
  const later = await appOf('4743000012')
  const takeOver = await later.change(number)
  expect(await takeOver()).toBe(204)
  expect(await finish()).toBe(409)
  expect(await later.sees(await requestTo(number))).toBe(true)
})

test('the code of a message opens the way back once', async () => {
  const { phone, pin } = await newcomerAt(service, '4743000021')
  const { body, number_code } = await ask('/recovery/', { phone })
  const { proof } = body
  const prove = () => api('POST', '/recovery/proof/', { proof, number_code, pin })
  const { recovered, totp_secret } = (await prove()).body
  const renewal = { recovered, new_code: now(String(totp_secret)) }
  expect((await api('PUT', '/recovery/', renewal)).status).toBe(200)
  expect((await prove()).status).toBe(400)
})

test('PINs that are guessed at the same time on the way back are ten a day, too', async () => {
  const { phone } = await newcomerAt(service, '4743000031')
  const { body, number_code } = await ask('/recovery/', { phone })
  const { proof } = body
  const pins = Array.from({ length: 30 }, (_, index) => String(1000 + index))
  const guess = async (pin: string) =>
    (await api('POST', '/recovery/proof/', { proof, number_code, pin })).status
  const statuses = await Promise.all(pins.map(guess))
  expect(statuses.filter((status) => status === 400)).toHaveLength(10)
})
