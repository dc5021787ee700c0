// @module-tag long
import { rmSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Reply } from '../../demo/receiver.ts'
import { startCallbackService, type CallbackService } from '../support/callback-service.ts'
import { newFolder } from '../../harness/in-process.ts'
import { advance, authorize, capture, outcomeOf } from '../support/shop-process.ts'
import { makeCertificates } from '../process/certificates.ts'

const folder = newFolder()

const certificates = makeCertificates(folder)

let service: CallbackService

beforeAll(async () => {
  const CALLBACK_CA_FILE = certificates.authority
  service = await startCallbackService({ CALLBACK_CA_FILE, LOG_LEVEL: 'warn' }, folder)
})

afterAll(async () => {
  await service.stop()
  rmSync(folder, { recursive: true })
})

const day = 86_400

const path = '/merchant/v1/callback/'

const feed = async (after: string) =>
  (await service.till('GET', `${path}feed/?after=${after}`)).body

const about = async (tid: string) =>
  (await service.till('GET', `${path}?resource=${tid}`)).body.callbacks

/** A receiver with a changeable response. */
const changing = async (first: Reply, tls?: object) => {
  let answer = first
  const receiver = await service.receive({ reply: () => answer, ...(tls && { tls }) })
  return { receiver, reply: (next: Reply): void => void (answer = next) }
}

test(
  'after 26 hours of failures all messages come in order, as of their events',
  { tags: 'long' },
  async () => {
    const { receiver, reply } = await changing(500, certificates.trusted)
    const uri = receiver.url('/hook')
    const tids = [
      await authorize(service, { callback_uri: uri }),
      await authorize(service, { callback_uri: uri }),
    ]
    const [first = '', second = ''] = tids
    const outcomes: any[] = []
    await advance(service.world, 0)
    for (let hour = 0; hour < 26; hour++) {
      if (hour % 10 === 0) {
        await capture(service.till, first, `h${hour}`)
        outcomes.push(await outcomeOf(service.till, first))
      }
      await advance(service.world, 3600)
    }
    const failed = receiver.arrivals.length
    expect(failed).toBeGreaterThan(10)
    expect(receiver.arrivals.every(({ meta }) => meta.seqno === 1)).toBe(true)
    reply(204)
    for (let hour = 0; hour < 6; hour++) await advance(service.world, 3600)
    const came = receiver.arrivals.slice(failed)
    const ofFirst = came.filter(({ meta }) => meta.uri?.includes(first))
    expect(ofFirst.map(({ meta }) => meta.seqno)).toEqual([1, 2, 3, 4])
    expect(came.filter(({ meta }) => meta.uri?.includes(second))).toHaveLength(1)
    const [tried] = receiver.arrivals.filter(({ meta }) => meta.uri?.includes(first))
    expect(ofFirst[0]?.body).toBe(tried?.body)
    const amounts = ofFirst.slice(1).map(({ object }) => object.auth_amount)
    expect(amounts).toEqual(outcomes.map(({ auth_amount }) => auth_amount))
    expect(came.flatMap(({ problems }) => problems)).toEqual([])
  },
)

test('an expired certificate is reported with its date, a dead address as such', async () => {
  const receiver = await service.receive({ tls: certificates.expired() })
  const tid = await authorize(service, { callback_uri: receiver.url('/') })
  const gone = await service.receive()
  const uri = gone.url('/')
  await gone.close()
  const other = await authorize(service, { callback_uri: uri })
  await advance(service.world, 0)
  const problemOf = async (resource: string) => {
    const [{ id }] = await about(resource)
    return (await service.till('GET', `${path}${id}/`)).body.attempts[0].problem
  }
  expect(await problemOf(tid)).toMatch(/^the certificate has expired on \d+ \w{3,4} 20\d\d$/)
  expect(await problemOf(other)).toBe('nobody listens at this address: is the receiver running?')
})

describe('a receiver that asks for less', () => {
  test('is not asked again before its Retry-After, up to a day', async () => {
    const headers = { 'retry-after': '7200' }
    const { receiver, reply } = await changing({ status: 503, headers })
    const tid = await authorize(service, { callback_uri: receiver.url('/') })
    await advance(service.world, 0)
    reply(204)
    await advance(service.world, 7000)
    expect(receiver.arrivals).toHaveLength(1)
    await advance(service.world, 1700)
    expect(receiver.arrivals).toHaveLength(2)
    expect(await about(tid)).toMatchObject([{ status: 'delivered' }])
    reply({ status: 500, headers: { 'retry-after': '999999' } })
    await authorize(service, { callback_uri: receiver.url('/') })
    await advance(service.world, 0)
    reply(204)
    await advance(service.world, 1.3 * day)
    expect(receiver.arrivals).toHaveLength(4)
  })

  test('by 429 gets nothing for a while, while others of its merchant are served', async () => {
    const { receiver, reply } = await changing({ status: 429, headers: { 'retry-after': '600' } })
    const other = await service.receive()
    await authorize(service, { callback_uri: receiver.url('/') })
    await advance(service.world, 0)
    for (let n = 0; n < 5; n++) await authorize(service, { callback_uri: receiver.url('/') })
    await authorize(service, { callback_uri: other.url('/') })
    await advance(service.world, 60)
    expect(receiver.arrivals).toHaveLength(1)
    expect(other.arrivals).toHaveLength(1)
    reply({ status: 429, headers: {} })
    await advance(service.world, 1000)
    // One at a time, to test whether it accepts messages again.
    expect(receiver.arrivals).toHaveLength(2)
    reply(204)
    for (let n = 0; n < 5; n++) await advance(service.world, 600)
    expect(receiver.messages()).toHaveLength(6)
  })
})

describe('an address that has only failed for five days', () => {
  const failForDays = async (uri: string, days: number) => {
    const tids: string[] = []
    for (let n = 0; n < days; n++) {
      tids.push(await authorize(service, { callback_uri: uri }))
      await advance(service.world, day)
    }
    return tids
  }

  test('rests, which the feed and the log tell, until the merchant asks for a retry', async () => {
    const { receiver, reply } = await changing(500)
    const { next } = await feed('now')
    await failForDays(receiver.url('/'), 6)
    const told = (await feed(next)).messages.filter(
      ({ meta, object }: any) =>
        meta.event === 'callback_address_rested' && receiver.url('') === object.callback_address,
    )
    expect(told).toMatchObject([
      {
        object: {
          callback_address: receiver.url(''),
          problem: expect.stringContaining('answered with status 500'),
        },
      },
    ])
    const warned = service.logged.filter((line) => line.includes(receiver.url('')))
    expect(warned).toHaveLength(1)
    const before = receiver.arrivals.length
    const late = await authorize(service, { callback_uri: receiver.url('/') })
    await advance(service.world, day)
    expect(receiver.arrivals).toHaveLength(before)
    reply(204)
    const [waiting] = await about(late)
    await service.till('POST', `${path}${waiting.id}/retry/`)
    await advance(service.world, 1)
    await advance(service.world, 1)
    expect(await about(late)).toMatchObject([{ status: 'delivered' }])
    const after = receiver.arrivals.length
    await authorize(service, { callback_uri: receiver.url('/') })
    await advance(service.world, 1)
    expect(receiver.arrivals.length).toBeGreaterThan(after)
  })

  test('is tried again when the merchant changes an address to it', async () => {
    const { receiver, reply } = await changing(500)
    await failForDays(receiver.url('/'), 6)
    const tid = await authorize(service, { callback_uri: receiver.url('/') })
    reply(204)
    await advance(service.world, 1)
    expect(await about(tid)).toMatchObject([{ status: 'waiting', attempts: 0 }])
    const change = { callback_uri: receiver.url('/new') }
    await service.till('PUT', `/merchant/v1/payment_request/${tid}/`, change)
    await advance(service.world, 2)
    await advance(service.world, 2)
    expect(await about(tid)).toMatchObject([{ status: 'delivered' }])
  })
})
