// @module-tag long
import { rmSync } from 'node:fs'
import { Webhook } from 'standardwebhooks'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import type { Reply } from '../../demo/receiver.ts'
import { startCallbackService, type CallbackService } from '../support/callback-service.ts'
import { newFolder } from '../../harness/in-process.ts'
import { accept, advance, authorize, capture, requestPayment } from '../support/shop-process.ts'
import { lanesOf } from '../../domain/merchant/event-destination.ts'
import { makeCertificates } from '../process/certificates.ts'

const folder = newFolder()
const certificates = makeCertificates(folder)
let service: CallbackService
beforeAll(async () => {
  service = await startCallbackService({ CALLBACK_CA_FILE: certificates.authority }, folder)
})
afterAll(async () => {
  await service.stop()
  rmSync(folder, { recursive: true })
})

const path = '/merchant/v1/event_destination/'
const day = 86_400

const add = async (uri: string, fields: object = {}) => {
  const answer = await service.till('POST', path, { uri, ...fields })
  expect(answer).toMatchObject({ status: 201 })
  return answer.body as { readonly id: string; readonly secret: string | null }
}
const read = async (id: string) => (await service.till('GET', `${path}${id}/`)).body
const remove = (id: string) => service.owner('DELETE', `${path}${id}/`)
const settle = () => advance(service.world, 0)

afterEach(async () => {
  const { uris } = (await service.till('GET', path)).body
  for (const uri of uris) expect(await service.owner('DELETE', uri)).toMatchObject({ status: 204 })
})

const told = (arrivals: readonly { readonly meta: { event: string; seqno: number } }[]) =>
  arrivals.map(({ meta }) => `${meta.event} ${meta.seqno}`)

describe('as a resource', () => {
  test('it is registered, listed, read, changed and removed', async () => {
    const uri = 'https://books.example/events'
    const { id, secret } = await add(uri)
    expect(secret).toMatch(/^whsec_.{44}$/)
    expect((await service.till('GET', path)).body.uris).toEqual([`${path}${id}/`])
    const known = { id, uri, events: ['*'], ledgers: [], pos_ids: [], signature: 'hmac' }
    const health = { last_success: null, oldest_waiting: null, failing_since: null, reason: null }
    expect(await read(id)).toEqual({ ...known, enabled: true, health })
    const changes = { events: ['report_closed'], pos_ids: ['till-1'], enabled: false }
    expect(await service.till('PUT', `${path}${id}/`, changes)).toMatchObject({ status: 204 })
    expect(await read(id)).toEqual({ ...known, ...changes, health })
    expect(await remove(id)).toMatchObject({ status: 204 })
    expect(await service.till('GET', `${path}${id}/`)).toMatchObject({ status: 404 })
  })

  test('the same id means the same destination, and a conflict with other data', async () => {
    const body = { id: 'books', uri: 'https://books.example/', signature: 'rsa' }
    const answer = await service.till('POST', path, body)
    expect(answer).toMatchObject({ status: 201, body: { id: 'books', secret: null } })
    expect((await service.till('GET', path)).body.uris).toEqual([`${path}books/`])
    expect(await service.till('POST', path, body)).toMatchObject({ status: 201 })
    const other = { ...body, uri: 'https://other.example/' }
    expect(await service.till('POST', path, other)).toMatchObject({ status: 409 })
  })

  test.each([
    { uri: 'ftp://books.example/' },
    { uri: 'pusher:m-sandbox-1' },
    { uri: 'https://books.example/', events: ['payment_eaten'] },
    { uri: 'https://books.example/', events: ['display_message'] },
    { uri: 'https://books.example/', events: [] },
    { uri: 'https://books.example/', signature: 'none' },
    { events: ['*'] },
  ])('%o is refused', async (body) => {
    expect(await service.till('POST', path, body)).toMatchObject({ status: 400 })
  })

  test('the addresses of the contract are shown beside it, and those that fail', async () => {
    const shown = async () => (await service.till('GET', '/merchant/v1/callback_address/')).body
    const receiver = await service.receive()
    let answer: Reply = 500
    const failing = await service.receive({ reply: () => answer })
    const of = async (uri: string) =>
      (await shown()).addresses.find((one: { readonly uri: string }) => one.uri === uri)
    const fine = { oldest_waiting: null, failing_since: null, reason: null }
    const known = { kind: 'address', enabled: true, health: fine }
    await service.operator('merchant', 'change', 'sandbox', '--callback-uri', receiver.url('/own'))
    const scan = { callback_uri: receiver.url('/scans') }
    await service.till('POST', '/merchant/v1/shortlink/', scan)
    const own = { ...known, uri: receiver.url('/own'), of: 'merchant' }
    const link = { ...known, uri: receiver.url('/scans'), of: 'shortlink' }
    expect(await shown()).toEqual({ addresses: [own, link] })
    await authorize(service, { callback_uri: failing.url('/payment') })
    await settle()
    const { health, ...about } = await of(failing.url('/').slice(0, -1))
    expect(about).toMatchObject({ kind: 'address', of: 'request', enabled: true })
    expect(health).toMatchObject({ reason: expect.stringContaining('500') })
    expect([health.failing_since, health.oldest_waiting]).not.toContain(null)
    expect((await shown()).addresses).toHaveLength(3)
    expect((await service.till('GET', path)).body.uris).toEqual([])
    answer = 204
    await advance(service.world, 10)
    expect((await shown()).addresses).toHaveLength(2)
  })

  test('of thirty at once a merchant gets twenty', async () => {
    const asked = Array.from({ length: 30 }, (_, n) =>
      service.till('POST', path, { uri: `https://books.example/${n}` }),
    )
    const statuses = (await Promise.all(asked)).map(({ status }) => status)
    expect(statuses.toSorted()).toEqual([...Array(20).fill(201), ...Array(10).fill(409)])
    expect((await service.till('GET', path)).body.uris).toHaveLength(20)
  })

  test('another merchant does not see it', async () => {
    const { id } = await add('https://books.example/')
    await service.operator('merchant', 'add', 'quay', '--name', 'Quay', '--currency', 'NOK')
    await service.operator('user', 'add', 'quay', 'pos1', '--secret', 'quay-secret')
    const quay = service.clientOf({ merchant: 'quay', user: 'pos1', secret: 'quay-secret' })
    const one = `${path}${id}/`
    expect((await quay('GET', path)).body.uris).toEqual([])
    for (const answer of [
      await quay('GET', one),
      await quay('PUT', one, { enabled: false }),
      await quay('POST', `${one}replay/`, { since: '2026-01-01 00:00:00' }),
    ])
      expect(answer).toMatchObject({ status: 404 })
    expect(await service.till('POST', `${one}secret/`)).toMatchObject({ status: 401 })
  })
})

describe('delivery', () => {
  test('each matching message comes beside the callback_uri, with the same bytes', async () => {
    const [contract, all, captures, pos, other] = [
      await service.receive({ tls: certificates.trusted }),
      await service.receive({ tls: certificates.trusted }),
      await service.receive({ tls: certificates.trusted }),
      await service.receive({ tls: certificates.trusted }),
      await service.receive({ tls: certificates.trusted }),
    ]
    await add(all.url('/'))
    await add(captures.url('/'), { events: ['payment_captured'] })
    await add(pos.url('/'), { ledgers: ['default'], pos_ids: ['till-1'] })
    await add(other.url('/'), { pos_ids: ['till-2'] })
    const tid = await authorize(service, { callback_uri: contract.url('/') })
    await capture(service.till, tid, 'a')
    await capture(service.till, tid, 'b')
    await settle()
    const events = ['payment_authorized 1', 'payment_captured 2', 'payment_captured 3']
    expect(told(contract.arrivals)).toEqual(events)
    expect(told(all.arrivals)).toEqual(events)
    expect(told(captures.arrivals)).toEqual(events.slice(1))
    expect(told(pos.arrivals)).toEqual(events)
    expect(other.arrivals).toEqual([])
    expect(all.arrivals.map(({ body }) => body)).toEqual(contract.arrivals.map(({ body }) => body))
    expect(all.arrivals.flatMap(({ problems }) => problems)).toEqual([])
  })

  test('reports match by their ledger, permissions by their point of sale', async () => {
    const [own, other] = [await service.receive(), await service.receive()]
    await add(own.url('/'), { ledgers: ['default'] })
    await add(other.url('/'), { ledgers: ['elsewhere'] })
    const ofTill = await service.receive()
    await add(ofTill.url('/'), { pos_ids: ['till-1'], events: ['permission_request_answered'] })
    const { open_report_uri: report } = (await service.till('GET', '/merchant/v1/ledger/default/'))
      .body
    expect(await service.till('PUT', report, {})).toMatchObject({ status: 204 })
    const request = { customer: '+4799999901', scope: 'openid', pos_id: 'till-1', pos_tid: 'p' }
    const { id } = (await service.till('POST', '/merchant/v1/permission_request/', request)).body
    await service.world('POST', `/sandbox/v1/permission_request/${id}/accept/`)
    await settle()
    expect(told(own.arrivals)).toEqual(['report_closed 1'])
    expect(other.arrivals).toEqual([])
    expect(told(ofTill.arrivals)).toEqual(['permission_request_answered 1'])
  })

  test('one that fails holds up nothing else, and is tried again', async () => {
    const good = await service.receive()
    let isWell = false
    let fine = 'not yet'
    const bad = await service.receive({
      reply: ({ meta }): Reply => (isWell || meta.uri?.includes(fine) ? 204 : 500),
    })
    await add(good.url('/'))
    const { id } = await add(bad.url('/'))
    const refused = await authorize(service)
    await capture(service.till, refused, 'a')
    fine = await requestPayment(service.till)
    await accept(service.world, fine)
    await settle()
    expect(told(good.arrivals)).toHaveLength(3)
    const about = (tid: string) => bad.arrivals.filter(({ meta }) => meta.uri?.includes(tid))
    expect(told(about(fine))).toEqual(['payment_authorized 1'])
    expect(new Set(told(about(refused)))).toEqual(new Set(['payment_authorized 1']))
    const { health } = await read(id)
    expect(health.last_success).not.toBeNull()
    expect(health.oldest_waiting).toBe(about(refused)[0]?.meta.timestamp)
    isWell = true
    await advance(service.world, 10)
    expect(told(about(refused)).slice(-2)).toEqual(['payment_authorized 1', 'payment_captured 2'])
    expect(new Set(about(refused).map(({ body }) => body)).size).toBe(2)
    expect((await read(id)).health).toMatchObject({ oldest_waiting: null, failing_since: null })
  })

  test('HMAC is that of its own secret, and of the earlier one for a day', async () => {
    const receiver = await service.receive()
    const { id, secret } = await add(receiver.url('/'))
    const verify = (signing: string | null) => {
      const { body, headers } = receiver.arrivals.at(-1)!
      return new Webhook(signing ?? '').verify(body, headers)
    }
    await authorize(service)
    await settle()
    expect(verify(secret)).toMatchObject({ meta: { event: 'payment_authorized' } })
    const { body } = await service.owner('POST', `${path}${id}/secret/`)
    expect(body.secret).not.toBe(secret)
    await authorize(service)
    await settle()
    expect([verify(secret), verify(body.secret)]).toHaveLength(2)
    await advance(service.world, day + 1)
    await authorize(service)
    await settle()
    expect(verify(body.secret)).toBeTruthy()
    expect(() => verify(secret)).toThrow(/No matching signature/)
  })

  test('RSA is the signature of callbacks, with the secret of the merchant beside it', async () => {
    const receiver = await service.receive()
    await add(receiver.url('/'), { signature: 'rsa' })
    await authorize(service)
    await settle()
    const { secret } = (await service.owner('GET', '/merchant/v1/callback_secret/')).body
    const [arrival] = receiver.arrivals
    expect(arrival?.problems).toEqual([])
    expect(new Webhook(secret).verify(arrival!.body, arrival!.headers)).toBeTruthy()
  })

  test('while it is disabled its messages wait for the address that it has then', async () => {
    const [before, after] = [await service.receive({ reply: () => 500 }), await service.receive()]
    const { id } = await add(before.url('/'))
    const queued = await authorize(service)
    await settle()
    await service.till('PUT', `${path}${id}/`, { enabled: false })
    const tried = before.arrivals.length
    const later = await authorize(service)
    await advance(service.world, 3600)
    expect(before.arrivals).toHaveLength(tried)
    await service.till('PUT', `${path}${id}/`, { enabled: true, uri: after.url('/') })
    await settle()
    const arrived = after.arrivals.map(({ meta }) => meta.uri?.split('/').at(-3))
    expect(arrived.toSorted()).toEqual([queued, later].toSorted())
    expect(before.arrivals).toHaveLength(tried)
  })

  test('after five days of failures it is disabled with a notice, until enabled', async () => {
    let answer: Reply = 500
    const receiver = await service.receive({ reply: () => answer })
    const { id } = await add(receiver.url('/'), { events: ['payment_authorized'] })
    const start = (await service.till('GET', '/merchant/v1/callback/feed/?after=now')).body.next
    for (let days = 0; days < 6; days += 1) {
      await authorize(service)
      await advance(service.world, day)
    }
    const { enabled, health } = await read(id)
    expect(enabled).toBe(false)
    expect(health).toMatchObject({ failing_since: expect.any(String), last_success: null })
    expect(health.reason).toMatch(/^answered with status 500/)
    await settle()
    const { messages } = (await service.till('GET', `/merchant/v1/callback/feed/?after=${start}`))
      .body
    const notices = messages.filter(({ meta }: any) => meta.event === 'portal')
    expect(notices).toMatchObject([{ object: { kind: 'event_destination_disabled', about: id } }])
    const failed = receiver.arrivals.length
    answer = 204
    await advance(service.world, day)
    expect(receiver.arrivals).toHaveLength(failed)
    await service.till('PUT', `${path}${id}/`, { enabled: true })
    await settle()
    expect(receiver.arrivals.length).toBeGreaterThan(failed)
    expect((await read(id)).health).toMatchObject({ failing_since: null, reason: null })
  })

  test('removed, it gets nothing more', async () => {
    const receiver = await service.receive({ reply: () => 500 })
    const { id } = await add(receiver.url('/'))
    await authorize(service)
    await settle()
    await remove(id)
    await advance(service.world, day)
    expect(receiver.arrivals).toHaveLength(1)
    const subjects = service.core.callbacks.queue.unfinished().map(({ subject }) => subject)
    expect(subjects.filter((subject) => subject.includes('#to-'))).toEqual([])
  })
})

describe('replay', () => {
  test('sends what others got from a time on, byte for byte and in order', async () => {
    const first = await service.receive({ tls: certificates.trusted })
    await add(first.url('/'), { pos_ids: ['till-1'] })
    const early = await authorize(service)
    await settle()
    await advance(service.world, 60)
    const since = (await service.world('POST', '/sandbox/v1/clock/', { advance_seconds: 0 })).body
      .now
    const tids = [await authorize(service), await authorize(service)]
    for (const tid of tids) await capture(service.till, tid, 'a')
    await settle()
    const second = await service.receive({ tls: certificates.trusted })
    const { id } = await add(second.url('/'), { pos_ids: ['till-1'] })
    await settle()
    expect(second.arrivals).toEqual([])
    const replay = (time: string) => service.till('POST', `${path}${id}/replay/`, { since: time })
    expect(await replay(since)).toMatchObject({ status: 204 })
    await settle()
    const ofLate = first.arrivals.filter(({ meta }) => !meta.uri?.includes(early))
    const bodies = (arrivals: typeof ofLate) => arrivals.map(({ body }) => body).toSorted()
    expect(bodies([...second.arrivals])).toEqual(bodies(ofLate))
    for (const tid of tids) {
      const own = second.arrivals.filter(({ meta }) => meta.uri?.includes(tid))
      expect(told(own)).toEqual(['payment_authorized 1', 'payment_captured 2'])
    }
    // Twice, and from before the first message.
    await replay('2020-01-01 00:00:00')
    await settle()
    const all = service.core.callbacks.messages.after('sandbox', -1, 10_000)
    const ids = second.arrivals.slice(4).map(({ meta }) => meta.id)
    expect(new Set(ids).size).toBe(ids.length)
    expect(ids.length).toBeGreaterThan(4)
    expect(all.map((row) => row.id)).toEqual(expect.arrayContaining(ids))
  })

  test.each([['2020-01-01'], ['9990-01-01 00:00:00'], [null]])(
    'since %o is refused',
    async (since) => {
      const { id } = await add('https://books.example/')
      expect(await service.till('POST', `${path}${id}/replay/`, { since })).toMatchObject({
        status: 400,
      })
    },
  )

  test('a long one is sent to its end, in order', { tags: 'long' }, async () => {
    const since = await advance(service.world, 2)
    const tid = await authorize(service)
    for (let n = 0; n < 140; n += 1) await capture(service.till, tid, `c${n}`, '0.10')
    const receiver = await service.receive()
    const { id } = await add(receiver.url('/'), { events: ['payment_captured'] })
    await service.till('POST', `${path}${id}/replay/`, { since })
    await settle()
    const seqnos = receiver.arrivals.map(({ meta }) => meta.seqno)
    expect(seqnos).toEqual(Array.from({ length: 140 }, (_, n) => n + 2))
  })

  test('fresh messages do not wait for a replay that nobody answers', async () => {
    for (let n = 0; n < 60; n += 1) await authorize(service)
    let release = (_: number): void => {}
    const blocked = new Promise<number>((resolve) => (release = resolve))
    const fresh = new Set<string>()
    const receiver = await service.receive({
      reply: ({ meta }) => ([...fresh].some((tid) => meta.uri?.includes(tid)) ? 204 : blocked),
    })
    const { id } = await add(receiver.url('/'), { events: ['payment_authorized'] })
    await service.till('POST', `${path}${id}/replay/`, { since: '2020-01-01 00:00:00' })
    await receiver.until((arrivals) => arrivals.length >= 16)
    const tid = await authorize(service)
    fresh.add(tid)
    await receiver.until((arrivals) => arrivals.some(({ meta }) => meta.uri?.includes(tid)))
    expect(receiver.arrivals.length).toBeLessThan(40)
    release(204)
    await receiver.until((arrivals) => arrivals.length >= 61)
  })

  test('a replay begins nothing while many fresh messages wait', async () => {
    for (let n = 0; n < 40; n += 1) await authorize(service)
    let release = (_: number): void => {}
    const blocked = new Promise<number>((resolve) => (release = resolve))
    const receiver = await service.receive({ reply: () => blocked })
    const { id } = await add(receiver.url('/'), { events: ['payment_authorized'] })
    await service.till('POST', `${path}${id}/replay/`, { since: '2020-01-01 00:00:00' })
    await receiver.until((arrivals) => arrivals.length === 16)
    const fresh = await Promise.all(Array.from({ length: 40 }, () => authorize(service)))
    await receiver.until((arrivals) => arrivals.length === 32)
    const { queue, eventDestinations } = service.core.callbacks
    const [destination] = lanesOf(eventDestinations.all()[0]?.data.key ?? '')
    const lane = { merchant: 'sandbox', destination }
    await expect.poll(() => queue.due(lane, Infinity, 100).length).toBe(40)
    release(204)
    await receiver.until((arrivals) => arrivals.length >= 80)
    const isFresh = ({ meta }: { readonly meta: { readonly uri: string | null } }) =>
      fresh.some((tid) => meta.uri?.includes(tid))
    expect(receiver.arrivals.slice(32, 42).map(isFresh)).toEqual(Array(10).fill(true))
  })
})
