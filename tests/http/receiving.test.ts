import { HonoRequest } from 'hono/request'
import { beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import { makeReceiving } from '../../http/request-queue.ts'
import { networksOf } from '../../infrastructure/networks.ts'

type Receiving = ReturnType<typeof makeReceiving>
type Route = Parameters<Receiving['read']>[0]

const part = new Uint8Array(70_000)
const whole = 140_000

/** A sender of a large body, of which a half has come. */
const sender = (length: number | null = whole) => {
  let pulls = 0
  let end = (): void => {}
  const body = new ReadableStream<Uint8Array>({
    start: (controller) => {
      controller.enqueue(part)
      end = () => {
        controller.enqueue(part)
        controller.close()
      }
    },
    pull: () => void (pulls += 1),
  })
  const headers = length === null ? {} : { 'Content-Length': `${length}` }
  const init = { method: 'POST', body, headers, duplex: 'half' }
  const request = new HonoRequest(new Request('http://shop.test/', init as RequestInit))
  return { request, end: () => end(), pulls: () => pulls }
}

const routeOf = (given: object): Route => ({ upload: undefined, ...given }) as Route
const upload = { of: () => 'payment', largest: 10_485_760 }
const ofCaller = routeOf({ access: 'SECRET' })
const ofUpload = routeOf({ access: 'OPEN', upload })

let receiving: Receiving
beforeEach(() => {
  receiving = makeReceiving(networksOf)
})

const read = (
  route: Route,
  { request }: ReturnType<typeof sender>,
  { merchant = 'shop', address = '192.0.2.1' } = {},
): Promise<number> => {
  const caller = { merchant, actor: '' }
  const mayAsk = () => caller as Awaited<ReturnType<Parameters<Receiving['read']>[4]>>
  const incoming = { complete: false }
  const body = receiving.read(route, request, incoming, address, mayAsk)
  return Promise.resolve(body).then(({ byteLength }) => byteLength)
}

const many = (count: number, length?: number | null) =>
  Array.from({ length: count }, () => sender(length))

test.each([
  ['bodies of a caller', ofCaller, 16],
  ['uploads', ofUpload, 4],
])(
  'given %s that come slowly, when their time is over, then they are a 408 and the next is read',
  async (_, route, count) => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    onTestFinished(() => void vi.useRealTimers())
    const senders = many(count)
    const slow = senders.map((one) => read(route, one).catch(({ status }) => Number(status)))
    const next = sender()
    next.end()
    let isNextRead = false
    const answer = read(route, next).finally(() => (isNextRead = true))
    // Timers of whatever else runs in this process count too, so they do not say who is read.
    await expect.poll(() => senders.every(({ pulls }) => pulls() > 1)).toBe(true)
    expect(isNextRead).toBe(false)
    vi.advanceTimersByTime(120_000)
    expect(await Promise.all(slow)).toEqual(Array(count).fill(408))
    expect(await answer).toBe(whole)
  },
)

test('given a merchant that sends slowly, then others are read meanwhile', async () => {
  for (const one of many(100)) read(ofCaller, one).catch(() => {})
  const other = sender()
  other.end()
  expect(await read(ofCaller, other, { merchant: 'other' })).toBe(whole)
})

test('given a network that sends slowly, then others are read meanwhile', async () => {
  const open = routeOf({ access: 'OPEN' })
  for (const one of many(100, null)) read(open, one, { address: '2001:db8::1' }).catch(() => {})
  const other = sender(null)
  other.end()
  // More than an open route takes.
  const answer = read(open, other, { address: '2001:db9::1' })
  await expect(answer).rejects.toMatchObject({ status: 413 })
})

test('given large bodies that wait, then they take no room before their turn', async () => {
  const length = 1_048_576
  const before = process.memoryUsage().arrayBuffers
  const waiting = many(400, length)
  for (const one of waiting) read(ofCaller, one).catch(() => {})
  await expect.poll(() => waiting.every(({ pulls }) => pulls() > 0)).toBe(true)
  const taken = process.memoryUsage().arrayBuffers - before
  expect(taken).toBeLessThan(40 * length)
})
