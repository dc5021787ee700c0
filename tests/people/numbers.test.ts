// @module-tag long
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { startInProcess } from '../../harness/in-process.ts'
import {
  codeSentTo,
  messagesTo,
  startPeopleService,
  type PeopleService,
} from '../support/people-service.ts'
import { payers } from '../../domain/aggregates.ts'
import { codeAt } from '../../infrastructure/people/one-time-codes.ts'
import { keyIn, makeVisitor, type Newcomer } from './visitor.ts'

let service: PeopleService
beforeAll(async () => {
  service = await startPeopleService()
})
afterAll(() => service.stop())

const signUp = async (who: Newcomer) => {
  const visitor = makeVisitor(service)
  const done = await visitor.signUpAt(await visitor.visit('/payer/sign-up'), who)
  expect(done.html).toContain('Keep your recovery codes')
  return visitor
}

const requestTo = async (customer: string) => (await service.requestPayment({ customer })).id
const sees = async (visitor: Awaited<ReturnType<typeof signUp>>, tid: string) =>
  (await visitor.visit(`/payer/payment/${tid}`)).status === 200

describe('given a number that its owner has not proved', () => {
  test('when a stranger without its messages signs up, then there is no account', async () => {
    const phone = '4741000001'
    const stranger = makeVisitor(service)
    const form = await stranger.visit('/payer/sign-up')
    const number = await stranger.submit(form, { phone, name: 'Stranger', pin: '8642' })
    expect(number.html).not.toContain('id="key"')
    const right = await codeSentTo(service, phone)
    const wrong = right === '000000' ? '000001' : '000000'
    const refused = await stranger.submit(number, { number_code: wrong })
    expect([refused.status, refused.html.includes('id="key"')]).toEqual([400, false])
    const skipped = await stranger.submit(number, { number_code: wrong, code: '123456' })
    expect(skipped.status).toBe(400)
    expect(await service.outcome(await requestTo(phone))).toMatchObject({ status_code: 4004 })
  })

  test('when its code is guessed, then five guesses are all', async () => {
    const phone = '4741000002'
    const stranger = makeVisitor(service)
    const form = await stranger.visit('/payer/sign-up')
    const number = await stranger.submit(form, { phone, name: 'Stranger', pin: '8642' })
    const right = await codeSentTo(service, phone)
    const wrong = right === '000000' ? '000001' : '000000'
    const statuses: number[] = []
    for (const number_code of [wrong, wrong, wrong, wrong, wrong, right])
      statuses.push((await stranger.submit(number, { number_code })).status)
    expect(statuses).toEqual([400, 400, 400, 400, 400, 429])
  })

  test('when messages to it are requested repeatedly, then it gets five an hour', async () => {
    const phone = '4741000003'
    const person = { phone, name: 'Impatient', pin: '8642' }
    const ask = async () => (await service.call('POST', '/payer/v1/sign_up/', person, {})).status
    const statuses: number[] = []
    for (let count = 0; count < 6; count += 1) statuses.push(await ask())
    expect(statuses).toEqual([200, 200, 200, 200, 200, 429])
    expect(await messagesTo(service, phone)).toHaveLength(5)
  })
})

test('a number moves to whoever proves it; its previous holder keeps the account', async () => {
  const phone = '4741000010'
  const first = await signUp({ phone, pin: '1357' })
  const earlier = await requestTo(phone)
  const second = await signUp({ phone, pin: '2468' })
  const later = await requestTo(phone)
  expect([await sees(first, earlier), await sees(first, later)]).toEqual([true, false])
  expect([await sees(second, earlier), await sees(second, later)]).toEqual([false, true])
  const pinOpens = async (pin: string) => {
    const visitor = makeVisitor(service)
    const shown = await visitor.submit(await visitor.visit('/payer/sign-in'), { phone, pin })
    return shown.html.includes('name="code"')
  }
  expect([await pinOpens('1357'), await pinOpens('2468')]).toEqual([false, true])
  await service.operator('payer', 'erase', phone)
  expect([await sees(first, earlier), await sees(second, later)]).toEqual([true, false])
})

test('given a number that is lost by the log, it reaches nobody', async () => {
  const phone = '4741000060'
  await signUp({ phone, pin: '1357' })
  const { id = '' } = await service.operator('payer', 'find', phone)
  const { handle, contextOf } = service.core
  // As after a crash, before the vault has released it.
  await handle(payers, id, { type: 'LoseNumber' }, contextOf('daybook'))
  expect(await service.outcome(await requestTo(phone))).toMatchObject({ status_code: 4004 })
})

test('a number is taken as it is written in the country of the service', async () => {
  const visitor = makeVisitor(service)
  const form = await visitor.visit('/payer/sign-in')
  const wrong = await visitor.submit(form, { phone: '9999 9901', pin: '1111' })
  expect(wrong.html).toContain('value="+4799999901"')
  const right = await visitor.submit(wrong, { phone: '9999 9901', pin: '1234' })
  expect(right.html).toContain('name="challenge"')
  const again = makeVisitor(service)
  const signUpForm = await again.visit('/payer/sign-up')
  const newcomer = { phone: '412 50 077', name: 'New', pin: '8642' }
  expect((await again.submit(signUpForm, newcomer)).html).toContain('<b>+4741250077</b>')
})

test('sign-up answers the same whether a number has an account or not', async () => {
  const shown = async (phone: string) => {
    const visitor = makeVisitor(service)
    const form = await visitor.visit('/payer/sign-up')
    const { status, html } = await visitor.submit(form, { phone, name: 'Curious', pin: '8642' })
    const same = html.replaceAll(phone, '').replaceAll(/value="[^"]*"/g, '')
    const json = await service.call(
      ...(['POST', '/payer/v1/sign_up/', { phone, name: 'Curious', pin: '8642' }, {}] as const),
    )
    return [status, same, json.status, Object.keys(json.body)]
  }
  const [taken, free] = ['4799999902', '4741000020']
  expect(await shown(taken)).toEqual(await shown(free))
  const told = async (phone: string) => (await messagesTo(service, phone))[0]?.text ?? ''
  expect(await told(taken)).toContain('This number has an account already')
  expect(await told(free)).not.toContain('has an account')
})

test('a number that the operator names counts at once, without any message', async () => {
  const phone = '4741000030'
  await service.operator('payer', 'add', phone, '--name', 'By Word', '--pin', '1793')
  expect(await service.outcome(await requestTo(phone))).toMatchObject({ status: 'pending' })
  expect(await messagesTo(service, phone)).toEqual([])
})

test('given an account, when its last step is sent twice, then it is made once', async () => {
  const phone = '4741000040'
  const countLost = async () =>
    (await service.events()).filter(({ type }) => type === 'PayerNumberLost').length
  const lostBefore = await countLost()
  const visitor = makeVisitor(service)
  const step = await visitor.proveNumberAt(await visitor.visit('/payer/sign-up'), { phone })
  const code = () => codeAt(keyIn(step), Date.now())
  for (const _ of ['once', 'twice'])
    expect((await visitor.submit(step, { code: code() })).status).toBe(200)
  const made = (await service.events()).filter(({ type }) => type === 'PayerRegistered')
  expect(new Set(made.map(({ stream }) => stream)).size).toBe(made.length)
  expect((await countLost()) - lostBefore).toBe(0)
})

describe('given production', () => {
  const production = { MODE: 'production', PUBLIC_URL: 'https://pay.example' }
  const person = { phone: '+4741000050', name: 'Prod', pin: '8642' }
  const askIn = async (address: string) =>
    fetch(`${address}/payer/v1/sign_up/`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(person),
    })

  test('when there is a gateway, then it gets signed codes, which are in no log', async () => {
    let arrived: (message: { headers: object; body: string }) => void = () => {}
    const message = new Promise<{ headers: object; body: string }>((resolve) => (arrived = resolve))
    const tries: string[] = []
    // It fails once, so the message comes with its second try.
    const gateway = createServer((request, response) => {
      void text(request).then((body) => {
        tries.push(body)
        response.writeHead(tries.length === 1 ? 503 : 200).end()
        if (tries.length === 2) arrived({ headers: request.headers, body })
      })
    })
    await once(gateway.listen(0, '127.0.0.1'), 'listening')
    const url = `http://127.0.0.1:${(gateway.address() as AddressInfo).port}`
    onTestFinished(() => void gateway.close())
    const { address, stop, logged } = await startInProcess({ ...production, MESSAGE_URL: url })
    onTestFinished(stop)
    expect((await askIn(address)).status).toBe(200)
    const { headers, body } = await message
    expect(tries).toEqual([body, body])
    const sent = JSON.parse(body) as { to: string; text: string }
    expect(sent).toEqual({
      to: '+4741000050',
      text: expect.stringMatching(/^\d{6} is your code .* pay\.example/),
    })
    expect(headers).toMatchObject({
      authorization: expect.stringMatching(/^RSA-SHA256 /),
      'x-service-timestamp': expect.any(String),
      'x-service-content-digest': expect.any(String),
      'webhook-signature': expect.stringMatching(/^v1a,/),
    })
    expect(logged.join('')).not.toContain(sent.text.slice(0, 6))
  })

  test('when there is no gateway, then payers and operator get a message', async () => {
    const { address, stop, logged } = await startInProcess(production)
    onTestFinished(stop)
    expect((await askIn(address)).status).toBe(503)
    expect(logged.join('')).toContain('set MESSAGE_URL')
  })
})
