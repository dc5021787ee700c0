// @module-tag night
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { connect } from 'node:http2'
import { join } from 'node:path'
import { BACKWARDS, END, START, streamNameFilter } from '@eventstore/db-client'
import streamsService from '@eventstore/db-client/generated/streams_grpc_pb.js'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import type { EventLog } from '../../infrastructure/event-store/sqlite-event-log.ts'
import { openSqliteEventStore } from '../../infrastructure/event-store/sqlite-event-store.ts'
import { startServedPlace, allOf, bearer, readOfAll, token, type Served } from './served-place.ts'

const place = startServedPlace()
const { folder, serve, clientOf, plainClient } = place
afterAll(place.remove)

/** Requests all events, but reads none of them. */
const silentReader = async (port: number) => {
  const ca = readFileSync(place.authority)
  const session = connect(`https://127.0.0.1:${port}`, { ca })
  const stream = session.request({
    ':method': 'POST',
    ':path': streamsService.StreamsService.read.path,
    'content-type': 'application/grpc',
    authorization: `Bearer ${token}1`,
  })
  stream.pause()
  const asked = Buffer.from(readOfAll().serializeBinary())
  const frame = Buffer.alloc(5)
  frame.writeUInt32BE(asked.length, 1)
  stream.end(Buffer.concat([frame, asked]))
  await once(stream, 'response')
  return session
}

describe('given a log of large events,', () => {
  const eventBytes = 65_536
  const count = 200
  let log: EventLog
  let server: Served
  let pages: (string | undefined)[] = []

  beforeAll(async () => {
    const store = openSqliteEventStore(join(folder, 'large.sqlite'))
    const file = store.log
    const data = JSON.stringify({ text: 'x'.repeat(eventBytes) })
    for (let n = 0; n < count; n++) {
      const id = Buffer.alloc(16, n + 1)
      await file.append('large-1', [{ id, type: 'Grown', data, metadata: null }], n - 1)
    }
    log = {
      ...file,
      all: (from, limit, direction, size) => {
        pages.push(direction)
        return file.all(from, limit, direction, size)
      },
    }
    server = await serve({ ...store, log })
  })
  afterAll(async () => {
    server.stop()
    await log.close()
  })

  test('a client that stops reading costs few reads, and delays nobody', async () => {
    pages = []
    const slow = await silentReader(server.port)
    const client = clientOf(server.port)
    const all = await allOf(client.readAll({ direction: BACKWARDS, fromPosition: END }))
    expect(all).toHaveLength(count)
    const [forwards, backwards] = ['forwards', 'backwards'].map(
      (direction) => pages.filter((one) => one === direction).length,
    )
    expect(backwards).toBeGreaterThan(50)
    expect(forwards).toBeLessThan(20)
    slow.destroy()
  })

  test.each([
    ['a pattern that takes for ever', { regex: '^(x+)+$' }, /takes too long/],
    ['a pattern that is none', { regex: '(' }, /Invalid regular expression/],
    ['a pattern of a book', { regex: 'x'.repeat(2_000) }, /1000 characters at most/],
    ['thousands of prefixes', { prefixes: Array(2_000).fill('x') }, /1000 prefixes at most/],
  ])('%s is refused', async (_, filter, why) => {
    const name = `${'x'.repeat(40)}!`
    const others = openSqliteEventStore(join(folder, `pattern-${randomUUID()}.sqlite`))
    await others.log.append(
      name,
      [{ id: Buffer.alloc(16, 1), type: 'T', data: '{}', metadata: null }],
      -1,
    )
    const here = await serve(others)
    onTestFinished(() => {
      here.stop()
      return others.close()
    })
    const subscription = clientOf(here.port).subscribeToAll({
      fromPosition: START,
      filter: streamNameFilter(filter as { regex: string }),
    })
    await expect(allOf(subscription)).rejects.toThrow(why)
  })

  test('more reads at once than it takes are refused, until one has ended', async () => {
    const clients = [plainClient(server.port), plainClient(server.port), plainClient(server.port)]
    const open = (index: number) =>
      clients[index % 3]!.read(readOfAll(), bearer(`${token}1`)).on('error', () => {})
    const calls = Array.from({ length: 64 }, (_, index) => open(index))
    await Promise.all(calls.map((call) => new Promise((resolve) => call.once('metadata', resolve))))
    const client = clientOf(server.port)
    await expect(allOf(client.readAll())).rejects.toThrow(/64 reads are under way/)
    for (const call of calls) call.cancel()
    await expect.poll(() => allOf(client.readAll({ maxCount: 1 })).catch(() => [])).toHaveLength(1)
  })
})
