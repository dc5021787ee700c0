// @module-tag long
import { rmSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startCallbackService, type CallbackService } from '../support/callback-service.ts'
import { advance, authorize, pathOf, requestPayment } from '../support/shop-process.ts'

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

describe('a merchant sees of its callbacks', () => {
  test('each with its attempts, the problem in words, and its bytes', async () => {
    const receiver = await service.receive({ reply: () => 503 })
    const uri = receiver.url('/hook')
    const tid = await authorize(service, { callback_uri: uri })
    await advance(service.world, 0)
    await advance(service.world, 6)
    const { callbacks, uris } = await get(`?resource=${pathOf(tid)}`)
    expect(callbacks).toMatchObject([
      {
        event: 'payment_authorized',
        resource: pathOf(tid),
        status: 'waiting',
        attempts: 2,
        callback_uri: uri,
      },
    ])
    const [arrival] = receiver.arrivals
    const { body } = await service.till('GET', uris[0])
    expect(body.id).toBe(arrival?.meta.id)
    expect(body.body).toBe(arrival?.body)
    expect(body.attempts).toHaveLength(2)
    expect(body.attempts[0]).toEqual({
      time: expect.stringMatching(/^2\d{3}-\d\d-\d\d \d\d:\d\d:\d\d$/),
      callback_uri: uri,
      result: 'failed',
      http_status: 503,
      problem: expect.stringContaining('503'),
      duration_ms: expect.any(Number),
    })
    expect(Date.parse(`${body.next_attempt}Z`)).toBeGreaterThan(
      Date.parse(`${body.attempts[1].time}Z`),
    )
  })

  test('those of one resource or one status, page by page', async () => {
    const tids = []
    for (let n = 0; n < 3; n++) tids.push(await requestPayment(service.till))
    for (const tid of tids) await service.till('PUT', pathOf(tid), { action: 'abort' })
    const [first] = tids
    const about = await get(`?resource=${first}`)
    expect(about).toMatchObject({
      next: null,
      callbacks: [{ event: 'payment_aborted_by_merchant', status: 'unaddressed', seqno: 1 }],
    })
    expect((await get(`?resource=${pathOf(first!)}&status=delivered`)).callbacks).toEqual([])
    const waiting = await get('?status=waiting')
    expect(waiting.callbacks.map(({ status }: any) => status)).toEqual(['waiting'])
    const all = (await get()).callbacks.map(({ resource }: any) => resource)
    expect(all.slice(0, 3)).toEqual(tids.toReversed().map(pathOf))
    expect(await service.till('GET', `${path}?status=lost`)).toMatchObject({ status: 400 })
  })

  test('nothing of another merchant', async () => {
    await service.operator('merchant', 'add', 'pier', '--name', 'Pier', '--currency', 'NOK')
    await service.operator('user', 'add', 'pier', 'pos1', '--secret', 'a long secret')
    const credentials = { merchant: 'pier', user: 'pos1', secret: 'a long secret' }
    const pier = service.clientOf(credentials)
    const [callback] = (await get()).callbacks
    expect((await pier('GET', path)).body).toMatchObject({ callbacks: [], next: null })
    expect((await pier('GET', `${path}${callback.id}/`)).status).toBe(404)
    expect((await pier('POST', `${path}${callback.id}/retry/`)).status).toBe(404)
    expect((await pier('GET', `${path}?resource=${callback.resource}`)).body.uris).toEqual([])
    expect((await pier('GET', `${path}feed/`)).body.messages).toEqual([])
  })

  test('one that is tried again when it asks for it', async () => {
    let status = 410
    const receiver = await service.receive({ reply: () => status })
    const tid = await authorize(service, { callback_uri: receiver.url('/') })
    await advance(service.world, 0)
    const [gone] = (await get(`?resource=${tid}`)).callbacks
    expect(gone).toMatchObject({ status: 'abandoned', attempts: 1 })
    status = 204
    expect((await service.till('POST', `${path}${gone.id}/retry/`)).status).toBe(204)
    await advance(service.world, 0)
    expect((await get(`?resource=${tid}`)).callbacks).toMatchObject([{ status: 'delivered' }])
    expect(receiver.arrivals.map(({ meta }) => meta.id)).toEqual([gone.id, gone.id])
    const [unaddressed] = (await get('?status=unaddressed')).callbacks
    expect(await service.till('POST', `${path}${unaddressed.id}/retry/`)).toMatchObject({
      status: 409,
    })
  })
})

describe('the operator', () => {
  test('lists, shows and retries callbacks, also all since a time', async () => {
    let status = 410
    const receiver = await service.receive({ reply: () => status })
    const since = (await advance(service.world, 60)).replace(' ', 'T')
    const tids = []
    for (let n = 0; n < 2; n++)
      tids.push(await authorize(service, { callback_uri: receiver.url('/') }))
    await advance(service.world, 0)
    const listed = await service.operator('callbacks', 'list', '--since', `${since}Z`)
    expect(listed).toMatchObject([
      { status: 'abandoned', resource: `payment-${tids[1]}`, merchant: 'sandbox' },
      { status: 'abandoned', resource: `payment-${tids[0]}` },
    ])
    expect(await service.operator('callbacks', 'show', listed[0].id)).toMatchObject({
      id: listed[0].id,
      status: 'abandoned',
      attempts: [{ http_status: 410, problem: expect.stringContaining('410') }],
      body: expect.stringContaining(listed[0].id),
    })
    status = 204
    const retried = await service.operator('callbacks', 'retry', '--since', `${since}Z`)
    expect(retried).toMatchObject({ retried: 2 })
    await advance(service.world, 0)
    expect(receiver.arrivals).toHaveLength(4)
    expect(await service.operator('callbacks', 'list', '--since', `${since}Z`)).toEqual([])
  })
})
