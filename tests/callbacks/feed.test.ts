// @module-tag long
import { rmSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startCallbackService, type CallbackService } from '../support/callback-service.ts'
import { advance, authorize, capture, pathOf } from '../support/shop-process.ts'

let service: CallbackService
beforeAll(async () => {
  service = await startCallbackService()
})
afterAll(async () => {
  await service.stop()
  rmSync(service.folder, { recursive: true })
})

const path = '/merchant/v1/callback/'
const get = async (query = '') => (await service.till('GET', `${path}${query}`)).body
const feed = (query = '') => get(`feed/${query}`)

describe('of a payment that gets an address late,', () => {
  test('an earlier message can be sent after all, and is in the feed once', async () => {
    const { next: start } = await feed('?after=now')
    const tid = await authorize(service)
    await capture(service.till, tid, 'a')
    const about = async () => (await get(`?resource=${tid}`)).callbacks
    const [captured, authorized] = await about()
    expect([authorized, captured]).toMatchObject([
      { event: 'payment_authorized', status: 'unaddressed', seqno: 1, attempts: 0 },
      { event: 'payment_captured', status: 'unaddressed', seqno: 2, attempts: 0 },
    ])
    expect((await get(`${captured.id}/`)).body).toContain(`"id":"${captured.id}"`)
    expect(await get(`${captured.id.replace(/.$/, 'x')}/`)).toMatchObject({
      error_type: 'Not Found',
    })
    const receiver = await service.receive()
    await service.till('PUT', pathOf(tid), { callback_uri: receiver.url('/late') })
    await capture(service.till, tid, 'b')
    await service.till('POST', `${path}${authorized.id}/retry/`)
    await advance(service.world, 0)
    const arrived = receiver.arrivals.map(({ meta }) => meta)
    expect(arrived.toSorted((a, b) => a.seqno - b.seqno)).toMatchObject([
      { id: authorized.id, seqno: 1 },
      { seqno: 3 },
    ])
    expect(await about()).toMatchObject([
      { seqno: 3, status: 'delivered' },
      { seqno: 2, status: 'unaddressed' },
      { seqno: 1, status: 'delivered', id: authorized.id, timestamp: authorized.timestamp },
    ])
    const { messages } = await feed(`?after=${start}`)
    expect(messages.map(({ meta }: any) => meta.seqno)).toEqual([1, 2, 3])
    const unaddressed = (await get('?status=unaddressed')).callbacks.map(({ id }: any) => id)
    expect(unaddressed).toContain(captured.id)
    expect(unaddressed).not.toContain(authorized.id)
  })
})

describe('the feed', () => {
  test('has every message in the order of the log, with its object, sent or not', async () => {
    const { next: start } = await feed('?after=now')
    const receiver = await service.receive()
    const silent = await authorize(service)
    const told = await authorize(service, { callback_uri: receiver.url('/') })
    await capture(service.till, silent, 'a')
    await capture(service.till, told, 'a')
    await service.owner('PUT', pathOf(told), {
      action: 'refund',
      refund_id: 'r',
      amount: '1.00',
      currency: 'NOK',
    })
    await advance(service.world, 0)
    const { messages, next } = await feed(`?after=${start}`)
    const tidIn = ({ meta }: any) => meta.uri.split('/').at(-3)
    expect(messages.map((one: any) => [tidIn(one), one.meta.event, one.meta.seqno])).toEqual([
      [silent, 'payment_authorized', 1],
      [told, 'payment_authorized', 1],
      [silent, 'payment_captured', 2],
      [told, 'payment_captured', 2],
      [told, 'payment_refunded', 3],
    ])
    const sent = receiver.arrivals.map(({ meta }) => meta)
    const inFeed = messages.filter((one: any) => tidIn(one) === told)
    expect(inFeed.map(({ meta }: any) => meta)).toEqual(sent)
    const statuses = messages.map(({ object }: any) => [object.status, object.refunds.length])
    expect(statuses.at(-1)).toEqual(['auth', 1])
    expect(await feed(`?after=${next}`)).toEqual({ messages: [], next })
  })

  test('walked page by page from the start misses nothing and repeats nothing', async () => {
    for (let n = 0; n < 60; n++) {
      const tid = await authorize(service)
      await capture(service.till, tid, 'a')
    }
    const ids: string[] = []
    let after = ''
    for (;;) {
      const { messages, next } = await feed(after)
      ids.push(...messages.map(({ meta }: any) => meta.id))
      if (messages.length === 0) break
      after = `?after=${next}`
    }
    const { callbacks } = service.core
    const known = callbacks.messages.after('sandbox', 0, 10_000).map(({ id }) => id)
    expect(known.length).toBeGreaterThan(120)
    expect(ids).toEqual(known)
  })

  test('waits for the next message, and not longer than it was asked to', async () => {
    const { next } = await feed('?after=now')
    const waiting = feed(`?after=${next}&wait=30`)
    await authorize(service)
    expect((await waiting).messages).toMatchObject([{ meta: { event: 'payment_authorized' } }])
    const later = (await feed('?after=now')).next
    expect(await feed(`?after=${later}&wait=1`)).toEqual({ messages: [], next: later })
    expect(await service.till('GET', `${path}feed/?wait=31`)).toMatchObject({ status: 400 })
    expect(await service.till('GET', `${path}feed/?after=x`)).toMatchObject({ status: 400 })
  })

  test('refuses a user who was disabled while it waited', async () => {
    const tid = await authorize(service)
    const { next } = await feed('?after=now')
    const waiting = service.till('GET', `${path}feed/?after=${next}&wait=30`)
    await service.operator('user', 'disable', 'sandbox', 'pos1')
    await capture(service.owner, tid, 'a')
    expect(await waiting).toMatchObject({ status: 401 })
    await service.operator('user', 'enable', 'sandbox', 'pos1')
    expect((await feed(`?after=${next}`)).messages).toHaveLength(1)
  })
})
