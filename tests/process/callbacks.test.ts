import { rmSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { problemsOf } from '../../harness/callback-check.ts'
import { startReceiver, type Receiver, type Reply } from '../../demo/receiver.ts'
import type { Recorded } from '../../domain/events.ts'
import { makeCertificates } from './certificates.ts'
import {
  advance,
  authorize,
  capture,
  outcomeOf,
  pathOf,
  requestPayment,
  runCommand,
  startShop,
  type TestShop,
} from '../support/shop-process.ts'
import { asNodes } from '../../harness/service-process.ts'
import { newFolder } from '../../harness/in-process.ts'
import { readLog } from '../support/event-log.ts'

const folder = newFolder()

const certificates = makeCertificates(folder)

const furtherFolder = newFolder()

const further = makeCertificates(furtherFolder)

const settings = {
  DATA_DIR: folder,
  NODE_EXTRA_CA_CERTS: certificates.authority,
  CALLBACK_CA_FILE: further.authority,
}

const receivers: Receiver[] = []

let shop: TestShop

beforeAll(async () => {
  shop = await startShop(settings)
})

afterAll(async () => {
  for (const receiver of receivers) await receiver.close()
  await shop.service.stop()
  for (const made of [folder, furtherFolder]) rmSync(made, { recursive: true })
})

const receive = async (options: Partial<Parameters<typeof startReceiver>[0]> = {}) => {
  const receiver = await startReceiver({ keys: shop.keys, ...options })
  receivers.push(receiver)
  return receiver
}

const authorizeRequested = (tid: string) =>
  shop.world('POST', `/sandbox/v1/payment_request/${tid}/accept/`, {})

const put = (tid: string, body: object) => shop.till('PUT', pathOf(tid), body)

type AttemptEvent = Extract<Recorded, { type: 'CallbackAttempted' }>

const attemptsAbout = async (tid: string): Promise<AttemptEvent[]> =>
  (await readLog(folder)).filter(
    (event): event is AttemptEvent =>
      event.type === 'CallbackAttempted' && event.data.subject === `payment-${tid}`,
  )

describe('a message', () => {
  test('is sent for each step, in order, numbered, signed, and with only metadata over http', async () => {
    const receiver = await receive()
    const tid = await authorize(shop, { callback_uri: receiver.url('/till?shop=1') })
    await capture(shop.till, tid, 'a')
    await put(tid, { action: 'reauth' })
    await put(tid, { action: 'release' })
    await advance(shop.world, 0)
    expect(receiver.arrivals.flatMap(({ problems }) => problems)).toEqual([])
    expect(receiver.messages().map(({ meta: { event, seqno } }) => [event, seqno])).toEqual([
      ['payment_authorized', 1],
      ['payment_captured', 2],
      ['payment_authorization_renewed', 3],
      ['payment_auth_released', 4],
    ])
    const log = (await readLog(folder)).filter(({ stream }) => stream === `payment-${tid}`)
    const ids = receiver.messages().map(({ meta }) => meta.id)
    expect(ids).toEqual(log.slice(1).map(({ id }) => id))
    for (const { object, path, meta, headers } of receiver.messages()) {
      expect(object).toBeUndefined()
      expect(path).toBe('/till?shop=1')
      expect(meta.uri).toBe(`${shop.service.address}${pathOf(tid)}outcome/`)
      expect(headers['content-type']).toBe('application/vnd.service.api.merchant.v1+json')
    }
  })

  test('for a display tells each step of the payer, over http too, beside the callbacks', async () => {
    const till = await receive()
    const display = await receive()
    const input = { display_message_uri: display.url('/show'), callback_uri: till.url('/') }
    const { body: code } = await shop.till('POST', '/merchant/v1/shortlink/', {})
    const scanned = await requestPayment(shop.till, {
      ...input,
      customer: `shortlink_id:${code.id}`,
    })
    await shop.world('POST', `/sandbox/v1/shortlink/${code.id}/scan/`, {})
    await shop.world('POST', `/sandbox/v1/payment_request/${scanned}/accept/`, {})
    await capture(shop.till, scanned, 'a')
    await advance(shop.world, 0)
    const told = display.messages().map(({ path, meta: { event, seqno }, object }) => {
      return [path, event, seqno, object.text]
    })
    expect(told).toEqual([
      ['/show', 'display_message', 1, 'The code has been scanned.'],
      ['/show', 'display_message', 2, 'The payment has been accepted.'],
    ])
    expect(display.arrivals.flatMap(({ problems }) => problems)).toEqual([])
    expect(display.arrivals[0]?.meta.uri).toBe(`${shop.service.address}${pathOf(scanned)}outcome/`)
    expect(till.messages().map(({ meta: { event, seqno } }) => [event, seqno])).toEqual([
      ['payment_authorized', 1],
      ['payment_captured', 2],
    ])
    const ids = [...display.messages(), ...till.messages()].map(({ meta }) => meta.id)
    expect(new Set(ids).size).toBe(4)
  })

  test('for a display goes where it was last said to go, and nowhere once that is taken back', async () => {
    const [first, second] = [await receive(), await receive()]
    const tid = await requestPayment(shop.till, { display_message_uri: first.url('/') })
    await put(tid, { display_message_uri: second.url('/') })
    await shop.world('POST', `/sandbox/v1/payment_request/${tid}/decline/`, {})
    const other = await requestPayment(shop.till, { display_message_uri: first.url('/') })
    await put(other, { display_message_uri: '' })
    await authorizeRequested(other)
    const late = await requestPayment(shop.till)
    await put(late, { display_message_uri: second.url('/') })
    await authorizeRequested(late)
    await advance(shop.world, 0)
    expect(first.arrivals).toEqual([])
    expect(
      second
        .messages()
        .map(({ object }) => object.text)
        .sort(),
    ).toEqual(['The payment has been accepted.', 'The payment has been declined.'])
  })

  test('that was changed on its way is not believed', async () => {
    const receiver = await receive()
    await put(await requestPayment(shop.till, { callback_uri: receiver.url('/') }), {
      action: 'abort',
    })
    await advance(shop.world, 0)
    const [arrival] = receiver.arrivals
    const { body, headers } = arrival!
    const posted = { url: receiver.url('/'), headers, body }
    const keys = shop.keys
    expect(problemsOf(posted, keys)).toEqual([])
    const changed = { ...posted, body: body.replace('"seqno":1', '"seqno":2') }
    expect(problemsOf(changed, keys)).toEqual([
      'the content digest does not match the body',
      'the webhook signature is bad',
    ])
    expect(problemsOf({ ...posted, url: receiver.url('/other') }, keys)).toEqual([
      'the RSA signature is bad',
    ])
  })

  test('over https carries the outcome as of its very event, the same byte for byte when sent again', async () => {
    const failing = new Set<string>()
    const receiver = await receive({
      tls: certificates.trusted,
      reply: ({ meta }): Reply => (failing.has(meta.id) ? 204 : (failing.add(meta.id), 503)),
    })
    const tid = await authorize(shop, { callback_uri: receiver.url('/') })
    await receiver.until((arrivals) => arrivals.length === 1)
    await capture(shop.till, tid, 'a', '40.00')
    await capture(shop.till, tid, 'b', '60.00')
    for (let round = 0; round < 3; round++) await advance(shop.world, 6)
    const all = receiver.arrivals
    expect(all.flatMap(({ problems }) => problems)).toEqual([])
    expect(all.map(({ meta }) => meta.seqno)).toEqual([1, 1, 2, 2, 3, 3])
    for (const index of [0, 2, 4]) expect(all[index + 1]?.body).toBe(all[index]?.body)
    const told = receiver.messages().map(({ object }) => object)
    expect(told.map(({ status, auth_amount }) => [status, auth_amount])).toEqual([
      ['auth', '100.00'],
      ['auth', '60.00'],
      ['ok', '0.00'],
    ])
    // Each read generates its own link.
    const attachment_uri = expect.stringMatching(/^\/attachment\/v1\//)
    expect(told[2]).toEqual({ ...(await outcomeOf(shop.till, tid)), attachment_uri })
  })

  test('is not sent to a server with a self-signed certificate', async () => {
    const receiver = await receive({ tls: certificates.selfSigned })
    const tid = await authorize(shop, { callback_uri: receiver.url('/') })
    await advance(shop.world, 0)
    expect(receiver.arrivals).toEqual([])
    const [attempt] = await attemptsAbout(tid)
    expect(attempt?.data).toMatchObject({
      result: 'failed',
      httpStatus: null,
      problem: 'self-signed certificate; CALLBACK_CA_FILE can name further certificate authorities',
    })
  })

  test('goes to a receiver whose certificate is of an authority that the operator has named', async () => {
    const receiver = await receive({ tls: further.trusted })
    await authorize(shop, { callback_uri: receiver.url('/') })
    await advance(shop.world, 0)
    expect(receiver.messages()).toHaveLength(1)
  })

  test('is not sent where a redirect points', async () => {
    const elsewhere = await receive()
    const receiver = await receive({
      reply: () => ({ status: 307, headers: { location: elsewhere.url('/') } }),
    })
    const tid = await authorize(shop, { callback_uri: receiver.url('/') })
    await advance(shop.world, 0)
    expect(receiver.arrivals).toHaveLength(1)
    expect(elsewhere.arrivals).toEqual([])
    const [attempt] = await attemptsAbout(tid)
    expect(attempt?.data).toMatchObject({ result: 'failed', httpStatus: 307 })
  })

  test('of the sandbox says hello, over http and over https, for there is nowhere to read it', async () => {
    const plain = await receive()
    const secure = await receive({ tls: certificates.trusted })
    for (const receiver of [plain, secure]) {
      const body = { callback_uri: receiver.url('/test') }
      expect((await shop.world('POST', '/sandbox/v1/callback/', body)).status).toBe(204)
    }
    await advance(shop.world, 0)
    const meta = { event: 'test_event', uri: null, seqno: 1, merchant_id: 'sandbox' }
    for (const receiver of [plain, secure])
      expect(receiver.messages()).toMatchObject([{ meta, object: { text: 'Hello World' } }])
  })

  test('of another merchant to our address names that merchant, and is not believed', async () => {
    const receiver = await receive()
    const named = ['--name', 'Harbour', '--currency', 'NOK']
    await runCommand(settings, 'merchant', 'add', 'harbour', ...named)
    const body = { callback_uri: receiver.url('/ours'), merchant: 'harbour' }
    await shop.world('POST', '/sandbox/v1/callback/', body)
    await advance(shop.world, 0)
    expect(receiver.arrivals[0]).toMatchObject({
      meta: { merchant_id: 'harbour' },
      problems: ['the message is of another merchant'],
    })
  })
})

describe('a delivery that fails', () => {
  test(
    'is tried again later and later for three days by the clock of the service, and then given up until the operator asks',
    { tags: 'night' },
    async () => {
      let status = 500
      const receiver = await receive({ reply: () => status })
      const tid = await requestPayment(shop.till, { callback_uri: receiver.url('/') })
      await put(tid, { action: 'abort' })
      await advance(shop.world, 0)
      // Due after five; a second may pass until two nodes have divided the work.
      await advance(shop.world, asNodes ? 3 : 4)
      expect(receiver.arrivals).toHaveLength(1)
      for (
        let last = (await attemptsAbout(tid)).at(-1);
        ;
        last = (await attemptsAbout(tid)).at(-1)
      ) {
        const next = last?.data.nextAttemptAt
        if (next == null) break
        // In whole seconds: the first one not before the attempt.
        const now = new Date(Math.ceil(next / 1000) * 1000).toISOString().slice(0, 19)
        await shop.world('POST', '/sandbox/v1/clock/', { now: now.replace('T', ' ') })
      }
      const attempts = await attemptsAbout(tid)
      const delays = attempts.flatMap(({ data: { attemptedAt, nextAttemptAt } }) =>
        nextAttemptAt === null ? [] : [(nextAttemptAt - attemptedAt) / 1000],
      )
      const hour = 3600
      const expected = [5, 30, 120, 600, 1800, hour, hour, hour, 2 * hour]
      delays.forEach((delay, index) => {
        const least = expected[index] ?? 4 * hour
        expect(delay).toBeGreaterThanOrEqual(least)
        expect(delay).toBeLessThanOrEqual(least * 1.2)
      })
      const [first, last] = [attempts[0]!, attempts.at(-1)!]
      expect(last.data.attemptedAt - first.data.attemptedAt).toBeLessThanOrEqual(72 * hour * 1000)
      expect(last.data.attemptedAt - first.data.attemptedAt).toBeGreaterThan(66 * hour * 1000)
      expect(receiver.arrivals).toHaveLength(attempts.length)
      expect(new Set(receiver.arrivals.map(({ body }) => body)).size).toBe(1)

      const { id } = receiver.arrivals[0]!.meta
      const abandoned = { id, status: 'abandoned', event: 'payment_aborted_by_merchant', seqno: 1 }
      const listed = await runCommand(settings, '--json', 'callbacks', 'list')
      expect(JSON.parse(listed.output)).toContainEqual(
        expect.objectContaining({
          ...abandoned,
          attempts: attempts.length,
          last_problem: expect.stringContaining(`answered with status ${status}`),
          next_attempt: null,
        }),
      )
      status = 204
      const retried = await runCommand(settings, 'callbacks', 'retry', id)
      expect(retried).toMatchObject({ code: 0, errors: '' })
      await receiver.until((arrivals) => arrivals.length > attempts.length)
      await advance(shop.world, 0)
      expect(receiver.arrivals.at(-1)?.meta.id).toBe(id)
      expect((await attemptsAbout(tid)).at(-1)?.data.result).toBe('delivered')
    },
  )

  test('that the operator asks for waits for an address where there is none', async () => {
    const receiver = await receive({ reply: () => 410 })
    const tid = await authorize(shop, { callback_uri: receiver.url('/') })
    await advance(shop.world, 0)
    await put(tid, { callback_uri: '' })
    const { id } = receiver.arrivals[0]!.meta
    const retry = async () =>
      JSON.parse((await runCommand(settings, '--json', 'callbacks', 'retry', id)).output)
    const note = 'there is no address: the message waits for one'
    expect(await retry()).toMatchObject({ id, attempts: 1, callback_uri: null, note })
    const next = await receive()
    await put(tid, { callback_uri: next.url('/') })
    await advance(shop.world, 0)
    expect(next.arrivals.map(({ meta }) => meta.id)).toEqual([id])
    const told = await retry()
    expect(told).toMatchObject({ attempts: 2, callback_uri: next.url('/') })
    expect(told).not.toHaveProperty('note')
  })

  test('is recorded as an event, with its result and the event it is about', async () => {
    const receiver = await receive({ reply: () => 418 })
    const uri = receiver.url('/teapot')
    const tid = await authorize(shop, { callback_uri: uri })
    await advance(shop.world, 0)
    const [attempt] = await attemptsAbout(tid)
    const { id, timestamp } = receiver.arrivals[0]!.meta
    expect(attempt).toMatchObject({
      stream: `callback-${id}`,
      data: { event: 'payment_authorized', revision: 1, seqno: 1, uri, httpStatus: 418 },
      metadata: { actor: 'daybook', merchant: 'sandbox', causationId: id },
    })
    const told = (await readLog(folder)).find((event) => event.id === id)
    expect(timestamp).toBe(new Date(told!.metadata.at).toISOString().slice(0, 19).replace('T', ' '))
  })

  test('is answered before the clock moves, when its answer is under way', async () => {
    let answer = (_: number): void => {}
    const held = new Promise<number>((resolve) => (answer = resolve))
    let count = 0
    const receiver = await receive({ reply: () => ((count += 1) === 1 ? held : 204) })
    const tid = await authorize(shop, { callback_uri: receiver.url('/') })
    await receiver.until((arrivals) => arrivals.length === 1)
    const moved = advance(shop.world, 6)
    // Another request and its response: by then the one that moves the clock has arrived.
    await outcomeOf(shop.till, tid)
    answer(503)
    await moved
    expect((await attemptsAbout(tid)).map(({ data }) => data.result)).toEqual([
      'failed',
      'delivered',
    ])
  })

  test('ends with 410, and the next message is still sent', async () => {
    const receiver = await receive({
      reply: ({ meta }) => (meta.event === 'payment_authorized' ? 410 : 204),
    })
    const tid = await authorize(shop, { callback_uri: receiver.url('/') })
    await advance(shop.world, 0)
    await advance(shop.world, 86_400)
    expect(receiver.arrivals).toHaveLength(1)
    await capture(shop.till, tid, 'a')
    await advance(shop.world, 0)
    expect(receiver.arrivals.map(({ meta }) => meta.seqno)).toEqual([1, 2])
    const [gone] = await attemptsAbout(tid)
    expect(gone?.data).toMatchObject({ result: 'gone', httpStatus: 410, nextAttemptAt: null })
  })

  test('holds up the later messages of its payment, so that they arrive in order', async () => {
    let isDown = true
    const receiver = await receive({ reply: () => (isDown ? 503 : 204) })
    const tid = await authorize(shop, { callback_uri: receiver.url('/') })
    for (const id of ['a', 'b', 'c']) await capture(shop.till, tid, id)
    await advance(shop.world, 0)
    isDown = false
    await advance(shop.world, 6)
    const seqnos = receiver.arrivals.map(({ meta }) => meta.seqno)
    expect(seqnos).toEqual([1, 1, 2, 3, 4])
  })

  test('of a scan delays no later scans of the same code, and is retried in order', async () => {
    let isDown = true
    const first = new Set<string>()
    const receiver = await receive({
      reply: ({ meta }) => {
        if (first.size === 0) first.add(meta.id)
        return first.has(meta.id) && isDown ? 500 : 204
      },
    })
    const { body: code } = await shop.till('POST', '/merchant/v1/shortlink/', {
      callback_uri: receiver.url('/'),
    })
    const scan = () => shop.world('POST', `/sandbox/v1/shortlink/${code.id}/scan/`, {})
    await scan()
    await receiver.until((arrivals) => arrivals.length === 1)
    for (let n = 0; n < 2; n++) await scan()
    await advance(shop.world, 0)
    const seqnos = () => receiver.arrivals.map(({ meta }) => meta.seqno)
    expect(seqnos()).toEqual([1, 2, 3])
    isDown = false
    await advance(shop.world, 6)
    expect(seqnos()).toEqual([1, 2, 3, 1])
  })

  test('one dead endpoint with many waiting messages delays no other', async () => {
    let answer = (_: number): void => {}
    const silence = new Promise<number>((resolve) => (answer = resolve))
    const dead = await receive({ reply: () => silence })
    const alive = await receive()
    for (let n = 0; n < 20; n++) {
      const tid = await requestPayment(shop.till, { callback_uri: dead.url('/') })
      await put(tid, { action: 'abort' })
    }
    await dead.until((arrivals) => arrivals.length === 16)
    await authorize(shop, { callback_uri: alive.url('/') })
    await alive.until((arrivals) => arrivals.length === 1)
    expect(dead.arrivals).toHaveLength(16)
    answer(204)
    await advance(shop.world, 0)
    expect(dead.messages()).toHaveLength(20)
  })

  test('goes to the new address at once when the merchant changes it', async () => {
    const old = await receive({ reply: () => 500 })
    const next = await receive()
    const tid = await authorize(shop, { callback_uri: old.url('/') })
    await capture(shop.till, tid, 'a')
    await advance(shop.world, 0)
    expect((await put(tid, { callback_uri: next.url('/new') })).status).toBe(204)
    await capture(shop.till, tid, 'b')
    await advance(shop.world, 0)
    expect(old.arrivals.map(({ meta }) => meta.seqno)).toEqual([1])
    expect(next.arrivals.map(({ meta }) => meta.seqno)).toEqual([1, 2, 3])
    expect(next.arrivals[0]?.meta.id).toBe(old.arrivals[0]?.meta.id)
  })
})
