import { createHmac } from 'node:crypto'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { callbackKeys, InvalidCallback, seenInMemory, verifyCallback } from '../../client/index.ts'
import {
  startServiceWithCallback,
  type Message,
  type ServiceWithCallback,
} from './service-with-callback.ts'

let service: ServiceWithCallback
let secret: string
let genuine: Message
let trust: ServiceWithCallback['trust']
beforeAll(async () => {
  service = await startServiceWithCallback()
  ;({ secret, genuine, trust } = service)
})
afterAll(() => service.stop())

const seconds = (): number => Math.floor(Date.now() / 1000)

/** Any body, signed as the service does. */
const signed = (
  body: string,
  { at = seconds(), id = 'm-1', by = service.secret } = {},
): Message => {
  const key = Buffer.from(by.replace('whsec_', ''), 'base64')
  const signature = createHmac('sha256', key).update(`${id}.${at}.${body}`).digest('base64')
  return {
    headers: {
      'webhook-id': id,
      'webhook-timestamp': String(at),
      'webhook-signature': `v1a,AAAA v1,${signature}`,
    },
    body,
  }
}

const messageText = (meta: object = {}): string =>
  JSON.stringify({ meta: { id: 'm-1', event: 'test_event', merchant_id: 'sandbox', ...meta } })

describe('a message is refused', () => {
  const reasonOf = async (message: Message, options = service.trust()): Promise<unknown> => {
    const error = await verifyCallback(message, options).catch((error: unknown) => error)
    return error instanceof InvalidCallback ? error.reason : error
  }

  test('unless it is none of these', async () => {
    expect(await verifyCallback(signed(messageText()), trust())).toMatchObject({
      event: 'test_event',
      isRepeated: false,
    })
  })

  test.each([
    ['that is old', () => signed(messageText(), { at: seconds() - 302 }), 'timestamp'],
    ['of the future', () => signed(messageText(), { at: seconds() + 302 }), 'timestamp'],
    ['without a time', () => ({ ...signed(messageText()), headers: {} }), 'timestamp'],
    ['signed by somebody else', () => signed(messageText(), { by: 'whsec_b3RoZXI=' }), 'signature'],
    ['of another merchant', () => signed(messageText({ merchant_id: 'harbour' })), 'merchant'],
    ['of nobody', () => signed(messageText({ merchant_id: null })), 'merchant'],
    ['under the id of another', () => signed(messageText(), { id: 'm-2' }), 'message'],
    ['that is no message', () => signed('[]'), 'message'],
    ['that is no JSON', () => signed('meta'), 'message'],
  ])('%s', async (_, made, reason) => {
    expect(await reasonOf(made())).toBe(reason)
  })

  test('when any byte of it is changed, or of its headers', async () => {
    const headers = ['webhook-id', 'webhook-timestamp', 'webhook-signature']
    const keys = await callbackKeys(service.address)(false)
    const changed = fc.record({
      part: fc.constantFrom('body', ...headers),
      at: fc.nat(),
      by: fc.constantFrom('A', 'b', '7'),
    })
    await fc.assert(
      fc.asyncProperty(changed, async ({ part, at, by }) => {
        const text = part === 'body' ? genuine.body : (genuine.headers[part] ?? '')
        // One valid signature is enough, so all others are removed.
        const whole = part === 'webhook-signature' ? text.split(' ')[0]! : text
        const end = part === 'webhook-signature' ? whole.length - 2 : whole.length
        const place = at % end
        const other = whole.slice(0, place) + by + whole.slice(place + 1)
        fc.pre(other !== whole)
        const message =
          part === 'body'
            ? { ...genuine, body: other }
            : { ...genuine, headers: { ...genuine.headers, [part]: other } }
        expect(['signature', 'timestamp']).toContain(await reasonOf(message, trust({ keys })))
      }),
      { numRuns: 300 },
    )
  })
})

describe('while keys change', () => {
  test('then both secrets are taken', async () => {
    const both = trust({ secret: [secret, 'whsec_bmV3'] })
    for (const by of both.secret ?? [])
      expect(await verifyCallback(signed(messageText(), { by }), both)).toBeTruthy()
  })

  test('then keys that are not known yet are read, once a minute at most', async () => {
    let now = Date.now()
    const clock = { now: () => now }
    const read: boolean[] = []
    const published = callbackKeys(service.address, clock)
    const keys = (isOld: boolean) => (read.push(isOld), published(isOld))
    const options = trust({ secret: undefined, keys, clock })
    await verifyCallback(genuine, options)
    expect(read).toEqual([false])
    const first = await published(false)
    const forged = { ...genuine, body: genuine.body.replace('Hello', 'Hallo') }
    await expect(verifyCallback(forged, options)).rejects.toThrow(InvalidCallback)
    expect(await published(true)).toBe(first)
    now += 61_000
    const second = await published(true)
    expect(second).toEqual(first)
    expect(second).not.toBe(first)
  })

  test('then a message is accepted even if the service cannot be reached', async () => {
    const keys = callbackKeys('http://127.0.0.1:9')
    await expect(verifyCallback(genuine, trust({ secret: undefined, keys }))).rejects.toMatchObject(
      {
        name: 'NoAnswer',
      },
    )
  })
})

describe('a repeated message', () => {
  test('is reported as repeated once the work was done, and not if it failed', async () => {
    const seen = new Set<string>()
    const first = await verifyCallback(genuine, trust({ seen }))
    const again = await verifyCallback(genuine, trust({ seen }))
    expect([first.isRepeated, again.isRepeated]).toEqual([false, false])
    await again.done()
    expect((await verifyCallback(genuine, trust({ seen }))).isRepeated).toBe(true)
    expect([...seen]).toEqual([first.meta.id])
  })

  test('is known to this process, or to a store that answers later', async () => {
    const { seen: _, ...plain } = trust()
    await (await verifyCallback(genuine, plain)).done()
    expect((await verifyCallback(genuine, plain)).isRepeated).toBe(true)
    const ids: string[] = []
    const has = async (id: string) => ids.includes(id)
    const table = { has, add: async (id: string) => void ids.push(id) }
    await (await verifyCallback(genuine, trust({ seen: table }))).done()
    expect((await verifyCallback(genuine, trust({ seen: table }))).isRepeated).toBe(true)
  })

  test('is forgotten when very many have come since', () => {
    const seen = seenInMemory(2)
    for (const id of ['a', 'b', 'b', 'c']) seen.add(id)
    expect(['a', 'b', 'c'].map((id) => seen.has(id))).toEqual([false, true, true])
  })
})

test('a key or a secret is needed', async () => {
  const nothing = { merchant: 'sandbox' }
  await expect(verifyCallback(genuine, nothing)).rejects.toThrow('Give a secret or keys')
})

test('a body without end is not read to it', async () => {
  const endless = {
    headers: genuine.headers,
    async *[Symbol.asyncIterator]() {
      for (;;) yield Buffer.alloc(1_000_000)
    },
  }
  await expect(verifyCallback(endless, trust())).rejects.toThrow(RangeError)
})
