// @module-tag long
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { authorizedPayment, paths, startService, type Service } from '../support/http-service.ts'
import type { Answer } from '../support/http-service.ts'
import { watchFreshness } from '../../infrastructure/event-store/freshness.ts'
import { openSqliteEventStore } from '../../infrastructure/event-store/sqlite-event-store.ts'
import { noStream } from '../../application/event-store.ts'
import { newEvent } from '../event-store/appends.ts'
import { startProtocolPlace } from '../event-store/protocol-place.ts'

const positionOf = ({ headers }: Answer): number => Number(headers['x-service-position'])
const atLeast = (position: number) => ({ 'X-Service-Min-Position': String(position) })
const minuteOld = { 'Cache-Control': 'max-age=60' }

describe('with the embedded store', () => {
  let service: Service
  beforeAll(async () => {
    service = await startService({ LOG_LEVEL: 'error' })
  })
  afterAll(() => service.stop())

  test('every answer says how far in the log it reaches', async () => {
    const { call, pos1 } = service
    const answers = await Promise.all([
      call('GET', '/health/live'),
      call('GET', '/docs'),
      call('GET', '/nowhere'),
      call('DELETE', '/health/live'),
      call('GET', paths.pointsOfSale),
      pos1('GET', paths.pointsOfSale),
      pos1('POST', paths.payments, {}),
      pos1('POST', paths.pointsOfSale, { name: 'till', type: 'store', id: 'till' }),
    ])
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 404, 405, 401, 200, 400, 201])
    for (const answer of answers) expect(answer.headers['x-service-position']).toMatch(/^\d+$/)
  })

  test('a read holds what it names, and its change names where it lies', async () => {
    const payment = await authorizedPayment(service)
    const before = positionOf(await service.pos1('GET', `${payment}outcome/`))
    const captured = await service.pos1('PUT', payment, { action: 'capture' })
    expect(positionOf(captured)).toBeGreaterThan(before)
    for (const path of [`${payment}outcome/`, '/merchant/v1/ledger/default/report/'])
      expect(positionOf(await service.pos1('GET', path))).toBeGreaterThanOrEqual(
        positionOf(captured),
      )
  })

  test('a read may ask for a position, signed or not', async () => {
    const payment = await authorizedPayment(service)
    const captured = await service.pos1('PUT', payment, { action: 'capture' })
    const asked = atLeast(positionOf(captured))
    for (const caller of [service.pos1, service.admin]) {
      const { status, body } = await caller('GET', `${payment}outcome/`, undefined, asked)
      expect([status, body.captures.length]).toEqual([200, 1])
    }
  })

  test.each([
    ['-1', /must be a position/],
    ['1e3', /must be a position/],
    ['99999999999999999', /must be a position/],
    ['900000000000', /has no such position yet/],
  ])('a position that is none, such as %s, is refused', async (given, told) => {
    const headers = { 'X-Service-Min-Position': given }
    const { status, body } = await service.pos1('GET', paths.pointsOfSale, undefined, headers)
    expect([status, body.error_description]).toEqual([400, expect.stringMatching(told)])
  })

  test('only a read that says so is of some age', async () => {
    const { pos1 } = service
    const ages = async (headers: Record<string, string>) =>
      (await pos1('GET', paths.pointsOfSale, undefined, headers)).headers['age']
    expect(await ages({})).toBeUndefined()
    expect(await ages({ 'Cache-Control': 'max-age=60, no-cache' })).toBeUndefined()
    expect(await ages({ 'Cache-Control': 'max-age=0' })).toBeUndefined()
    expect(await ages(minuteOld)).toBe('0')
  })
})

test('names of headers have the prefix of the operator', async () => {
  const service = await startService({ LOG_LEVEL: 'error', HEADER_PREFIX: 'X-Acme' })
  onTestFinished(() => service.stop())
  const headers = { 'X-Acme-Min-Position': 'x' }
  const answer = await service.pos1('GET', paths.pointsOfSale, undefined, headers)
  expect([answer.status, answer.headers['x-acme-position']]).toEqual([
    400,
    expect.stringMatching(/^\d+$/),
  ])
})

describe('with two nodes of one EventStoreDB', () => {
  let place: Awaited<ReturnType<typeof startProtocolPlace>>
  let nodes: Service[]
  const shared = mkdtempSync(join(tmpdir(), 'daybook-shared-'))
  beforeAll(async () => {
    place = await startProtocolPlace()
    const [VAULT, BLOBS] = [join(shared, 'vault.sqlite'), join(shared, 'blobs')]
    const start = () => startService({ EVENT_STORE: place.url, VAULT, BLOBS, LOG_LEVEL: 'fatal' })
    nodes = [await start(), await start()]
  })
  afterAll(async () => {
    for (const { stop } of nodes) await stop()
    await place.remove()
    rmSync(shared, { recursive: true, force: true })
  })

  test('what one has written the other shows, and then without asking the store', async () => {
    const [one, other] = nodes as [Service, Service]
    const payment = await authorizedPayment(one)
    const report = '/merchant/v1/ledger/default/report/1/'
    await other.pos1('GET', `${payment}outcome/`)
    const position = positionOf(await one.pos1('PUT', payment, { action: 'capture' }))

    const newest = await other.pos1('GET', `${payment}outcome/`)
    expect(newest.body.captures).toHaveLength(1)
    expect(positionOf(newest)).toBeGreaterThanOrEqual(position)
    const asked = (path: string, headers: Record<string, string>) =>
      other.pos1('GET', path, undefined, headers)
    expect((await asked(report, atLeast(position))).body).toEqual(
      (await one.pos1('GET', report)).body,
    )

    // A request to the store would cause a 503.
    await place.stop()
    for (const headers of [atLeast(position), minuteOld, { ...atLeast(position), ...minuteOld }])
      for (const path of [`${payment}outcome/`, report]) {
        const answer = await asked(path, headers)
        expect([path, answer.status]).toEqual([path, 200])
        expect(positionOf(answer)).toBeGreaterThanOrEqual(position)
      }
    await place.startAgain()
  })
})

test('a read that may be some seconds old asks the store once it is older', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'daybook-fresh-'))
  const opened = openSqliteEventStore(join(folder, 'events.db'))
  onTestFinished(async () => {
    await opened.close()
    rmSync(folder, { recursive: true })
  })
  let [now, questions] = [0, 0]
  const head = () => {
    questions += 1
    return opened.head()
  }
  const watched = watchFreshness({ ...opened, head }, 0, () => now)
  const { position } = await watched.store.append('s', [newEvent()], noStream)
  const freshness = watched.over({ position: () => position, reached: async () => {} })
  watched.observe(await opened.readStream('s'))
  const readWithin = async (maxAge: number) => {
    const read = freshness.read()
    await read.settle({ maxAge })
    expect(await read.run(() => watched.store.head())).toBe(position)
    return [questions, read.age()]
  }
  expect(await readWithin(10)).toEqual([1, undefined])
  now = 9_900
  expect(await readWithin(10)).toEqual([1, 9])
  now = 10_100
  expect(await readWithin(10)).toEqual([2, undefined])
  expect(await readWithin(10)).toEqual([2, 0])
  // A known but missing event makes the response as old as the events that have arrived.
  await watched.store.append('s', [newEvent()], 0)
  now = 20_000
  expect(freshness.known()).toBe(position + 1)
  expect(await readWithin(10)).toEqual([2, 9])
})
