// @module-tag long
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import {
  authorizedPayment,
  paths,
  requestPayment,
  startService,
  type Caller,
  type Service,
} from '../support/http-service.ts'

type Arrival = { readonly host: string; readonly path: string; readonly seqno: number }

const numbers = (count: number): number[] => Array.from({ length: count }, (_, number) => number)

/** A receiver with very many host names, which answers messages to `/silent/…` only on command. */
const startReceiver = async () => {
  const arrivals: Arrival[] = []
  const silent = new Map<ServerResponse, Arrival>()
  const watchers = new Set<() => void>()
  let isSilent = true
  let mostSilent = 0
  let givenUp = 0

  const receive = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const { meta } = JSON.parse(Buffer.concat(chunks).toString())
    const { headers, url: path = '/' } = request
    const arrival = { host: headers.host ?? '', path, seqno: meta.seqno as number }
    arrivals.push(arrival)
    if (isSilent && path.startsWith('/silent')) {
      silent.set(response, arrival)
      response.once('close', () => (givenUp += silent.delete(response) ? 1 : 0))
      mostSilent = Math.max(mostSilent, silent.size)
    } else response.writeHead(204).end()
    for (const look of watchers) look()
  }
  const server = createServer((request, response) => void receive(request, response))
  await new Promise<void>((resolve) => server.listen(0, '0.0.0.0', resolve))
  const { port } = server.address() as AddressInfo

  return {
    /** The same server under a different address for each number. */
    url: (host: number, path: string): string =>
      `http://127.1.${Math.floor(host / 200)}.${1 + (host % 200)}:${port}${path}`,
    arrivals,
    /** Requests waiting for a response. */
    silent: () => [...silent.values()],
    mostSilent: () => mostSilent,
    /** Number of senders that disconnected. */
    givenUp: () => givenUp,
    until: (isSo: () => boolean): Promise<void> =>
      new Promise((resolve) => {
        const look = (): void => {
          if (!isSo()) return
          watchers.delete(look)
          resolve()
        }
        watchers.add(look)
        look()
      }),
    answerAll: (): void => {
      isSilent = false
      for (const response of silent.keys()) {
        silent.delete(response)
        response.writeHead(204).end()
      }
    },
    close: (): void => {
      server.closeAllConnections()
      server.close()
    },
  }
}

let service: Service
let receiver: Awaited<ReturnType<typeof startReceiver>>
const merchants: Caller[] = []

beforeAll(async () => {
  service = await startService()
  merchants.push(service.pos1)
  for (const id of ['second', 'third', 'fourth', 'fifth']) {
    const merchant = await service.addMerchant(id)
    const pos = { id: 'till-1', name: 'Till', type: 'store' }
    expect(await merchant('POST', paths.pointsOfSale, pos)).toMatchObject({ status: 201 })
    merchants.push(merchant)
  }
})
afterAll(() => service.stop())

beforeEach(async () => {
  receiver = await startReceiver()
  return receiver.close
})

const abort = async (merchant: Caller, path: string): Promise<void> =>
  expect(await merchant('PUT', path, { action: 'abort' })).toMatchObject({ status: 204 })

/** Sends a message to an address. */
const tell = async (merchant: Caller, callback_uri: string): Promise<void> =>
  abort(merchant, await requestPayment(merchant, { callback_uri }))

const tellAll = async (merchant: Caller, uris: readonly string[]): Promise<void> => {
  const requested = uris.map((callback_uri) => requestPayment(merchant, { callback_uri }))
  const payments = await Promise.all(requested)
  await Promise.all(payments.map((path) => abort(merchant, path)))
}

const hasArrived =
  (path: string, count = 1) =>
  (): boolean =>
    receiver.arrivals.filter((arrival) => arrival.path === path).length >= count

/** Waits until everything due has been attempted. */
const settle = () => service.call('POST', paths.clock, { body: { advance_seconds: 0 } })

const hostsAt = (path: string): number =>
  new Set(receiver.arrivals.filter((one) => one.path === path).map(({ host }) => host)).size

test(
  'very many hosts of one merchant that never answer delay no others',
  { tags: 'night' },
  async () => {
    const [shop, other] = merchants as [Caller, Caller]
    await tell(shop, receiver.url(0, '/known'))
    await receiver.until(hasArrived('/known'))
    const dead = numbers(150).map((host) => receiver.url(1 + host, '/silent'))
    await tellAll(shop, dead)
    await receiver.until(() => receiver.silent().length === 64)
    await tell(other, receiver.url(400, '/new'))
    await tell(shop, receiver.url(0, '/known'))
    await receiver.until(hasArrived('/new'))
    await receiver.until(hasArrived('/known', 2))
    expect([receiver.mostSilent(), receiver.givenUp()]).toEqual([64, 0])
    receiver.answerAll()
    await settle()
    expect(hostsAt('/silent')).toBe(150)
  },
)

test(
  'the limit of concurrent attempts holds in any order, and nothing is lost',
  { tags: 'night' },
  async () => {
    const dead = merchants.map((_, merchant) =>
      numbers(70).map((host) => receiver.url(100 * merchant + host, `/silent/${merchant}`)),
    )
    await Promise.all(dead.map((uris, merchant) => tellAll(merchants[merchant]!, uris)))
    await receiver.until(() => receiver.silent().length === 256)
    await tell(merchants[0]!, receiver.url(0, '/later'))
    expect([receiver.mostSilent(), receiver.givenUp()]).toEqual([256, 0])
    const shares = numbers(5).map(
      (merchant) => receiver.silent().filter(({ path }) => path === `/silent/${merchant}`).length,
    )
    expect(Math.max(...shares)).toBeLessThanOrEqual(64)
    receiver.answerAll()
    await settle()
    expect(numbers(5).map((merchant) => hostsAt(`/silent/${merchant}`))).toEqual(Array(5).fill(70))
    expect(hasArrived('/later')()).toBe(true)
  },
)

test('the messages of a payment are sent one at a time, even with free slots', async () => {
  const payments = numbers(30).map((host) =>
    authorizedPayment(service, { callback_uri: receiver.url(1 + host, `/silent/${host}`) }),
  )
  const captured = { action: 'capture', amount: '1.00', currency: 'NOK' }
  for (const path of await Promise.all(payments))
    for (const capture_id of ['a', 'b'])
      await service.pos1('PUT', path, { ...captured, capture_id })
  await tell(service.pos1, receiver.url(0, '/after'))
  await receiver.until(() => hasArrived('/after')() && receiver.silent().length === 30)
  expect([receiver.mostSilent(), receiver.arrivals.length]).toEqual([30, 31])
  receiver.answerAll()
  await settle()
  for (const host of numbers(30)) {
    const told = receiver.arrivals.filter(({ path }) => path === `/silent/${host}`)
    expect(told.map(({ seqno }) => seqno)).toEqual([1, 2, 3])
  }
})

test('a message arrives though many are under way to an address of before', async () => {
  const [shop] = merchants as [Caller]
  const requested = numbers(20).map((host) =>
    requestPayment(shop, { callback_uri: receiver.url(1 + host, '/silent') }),
  )
  const payments = await Promise.all(requested)
  for (const path of payments) await abort(shop, path)
  await receiver.until(() => receiver.silent().length === 20)
  const next = { callback_uri: receiver.url(0, '/next') }
  for (const path of payments) await shop('PUT', path, next)
  await tell(shop, receiver.url(0, '/other'))
  await receiver.until(hasArrived('/other'))
  expect([receiver.silent().length, receiver.givenUp()]).toEqual([20, 0])
  receiver.answerAll()
  await settle()
  expect(hostsAt('/next')).toBe(0)
})
