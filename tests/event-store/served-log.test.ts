import { join } from 'node:path'
import {
  AccessDeniedError,
  BACKWARDS,
  END,
  jsonEvent,
  NO_STREAM,
  persistentSubscriptionToStreamSettingsFromDefaults,
  START,
  StreamNotFoundError,
  streamNameFilter,
  type AllStreamRecordedEvent,
  type ResolvedEvent,
} from '@eventstore/db-client'
import type streams from '@eventstore/db-client/generated/streams_pb.js'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { SecurityEvent } from '../../application/security-log.ts'
import { leafHash } from '../../infrastructure/event-store/event-entry.ts'
import type { EventLog } from '../../infrastructure/event-store/sqlite-event-log.ts'
import { openSqliteEventStore } from '../../infrastructure/event-store/sqlite-event-store.ts'
import { startAuditedService, type AuditedService } from '../audit/audited-service.ts'
import { startServedPlace, allOf, bearer, readOfAll, token, type Served } from './served-place.ts'

const place = startServedPlace()
const { serve, clientOf, plainClient } = place
afterAll(place.remove)

type Read = ResolvedEvent | { readonly event?: AllStreamRecordedEvent | undefined }

/** The content of a log's file: positions, streams, revisions and checksums. */
const inFile = (log: EventLog) =>
  log
    .all(0, 1_000_000)
    .map(([position, stream, revision, , , , , , sum]) => ({ position, stream, revision, sum }))

/** The same from a client's read; the checksum covers id, type, data and metadata. */
const asRead = ({ event }: Read) => {
  if (!event) throw new Error('there is no event in it')
  const { streamId, revision, id, type, data, metadata, position } = event
  return {
    position: Number(position?.commit),
    stream: streamId,
    revision: Number(revision),
    sum: leafHash({
      stream: streamId,
      revision: Number(revision),
      id: id.replaceAll('-', ''),
      type,
      data: JSON.stringify(data),
      metadata: JSON.stringify(metadata),
    }),
  }
}

describe('given the log of a running service, served over TLS,', () => {
  let service: AuditedService
  let log: EventLog
  let server: Served
  const recorded: SecurityEvent[] = []

  beforeAll(async () => {
    service = await startAuditedService()
    await service.capture()
    const store = openSqliteEventStore(join(service.folder, 'events.sqlite'), 'read')
    log = store.log
    server = await serve(store, (event) => void recorded.push(event))
  })
  afterAll(async () => {
    server.stop()
    await log.close()
    await service.remove()
  })

  test('a stock client reads the whole log, byte for byte, forwards and backwards', async () => {
    const client = clientOf(server.port)
    const before = inFile(log)
    const forwards = (await allOf(client.readAll({ maxCount: before.length }))).map(asRead)
    expect(forwards).toEqual(before)
    const last = BigInt(before.at(-1)!.position)
    const fromPosition = { commit: last + 1n, prepare: last + 1n }
    const backwards = client.readAll({ direction: BACKWARDS, fromPosition })
    expect((await allOf(backwards)).map(asRead)).toEqual(before.toReversed())
    const look = { type: 'auditor_read', actor: 'auditor:kim', about: '$all', address: '127.0.0.1' }
    expect(recorded).toContainEqual(look)
  })

  test('it reads each stream in both directions, and gets an error if there is none', async () => {
    const client = clientOf(server.port)
    const { stream } = inFile(log).find((one) => one.stream.startsWith('payment-'))!
    const there = inFile(log).filter((one) => one.stream === stream)
    expect(there.length).toBeGreaterThan(2)
    const withoutPlace = ({ position: _, ...rest }: { position: number }) => rest
    const forwards = await allOf(client.readStream(stream, { fromRevision: 1n }))
    expect(forwards.map(asRead).map(withoutPlace)).toEqual(there.slice(1).map(withoutPlace))
    const backwards = await allOf(
      client.readStream(stream, { direction: BACKWARDS, fromRevision: END, maxCount: 2 }),
    )
    expect(backwards.map(asRead).map(withoutPlace)).toEqual(
      there.toReversed().slice(0, 2).map(withoutPlace),
    )
    await expect(allOf(client.readStream('payment-none'))).rejects.toThrow(StreamNotFoundError)
    expect((await client.getStreamMetadata(stream)).metadata).toBeUndefined()
  })

  test('a client that looks for a cluster finds one node', async () => {
    const client = clientOf(server.port, `lee:${token}2@`, 'esdb+discover')
    expect(await allOf(client.readAll({ maxCount: 3 }))).toHaveLength(3)
    expect(recorded.at(-1)).toMatchObject({ actor: 'auditor:lee' })
  })

  test('subscriptions give what is there and what comes, with a filter or without', async () => {
    const client = clientOf(server.port)
    const filter = streamNameFilter({ regex: '^payment-' })
    const subscriptions = [
      client.subscribeToAll({ fromPosition: START }),
      client.subscribeToAll({ fromPosition: START, filter }),
      client.subscribeToAll({ fromPosition: END }),
    ]
    await Promise.all(
      subscriptions.map((one) => new Promise((done) => one.once('confirmation', done))),
    )
    const before = inFile(log).length
    await service.capture()
    const after = inFile(log)
    const ofPayments = after.filter(({ stream }) => stream.startsWith('payment-'))
    const expected = [after, ofPayments, after.slice(before)]
    const found = subscriptions.map(async (subscription, index) => {
      const seen: unknown[] = []
      for await (const one of subscription) {
        seen.push(asRead(one as Read))
        if (seen.length === expected[index]!.length) break
      }
      return seen
    })
    expect(await Promise.all(found)).toEqual(expected)
  })

  test('whatever would change it is refused, to who has a token as well', async () => {
    const client = clientOf(server.port)
    const before = inFile(log)
    const [{ stream } = { stream: '' }] = before
    const event = jsonEvent({ type: 'Forged', data: {} })
    const given = { credentials: { username: 'kim', password: `${token}1` } }
    const settings = persistentSubscriptionToStreamSettingsFromDefaults()
    const attempts = [
      () => client.appendToStream(stream, event),
      () => client.appendToStream('new-1', event, { expectedRevision: NO_STREAM, ...given }),
      () => client.deleteStream(stream),
      () => client.tombstoneStream(stream),
      () => client.setStreamMetadata(stream, { maxCount: 1 }),
      () => client.createPersistentSubscriptionToStream(stream, 'group', settings),
    ]
    for (const attempt of attempts) await expect(attempt()).rejects.toThrow(AccessDeniedError)
    const added = inFile(log).slice(before.length)
    expect(added.filter(({ stream: of }) => of === stream || of === 'new-1')).toEqual([])
    expect(recorded.filter(({ type }) => type === 'refused').map(({ about }) => about)).toContain(
      '/event_store.client.streams.Streams/Delete',
    )
  })

  test.each([
    ['a wrong token', `kim:${token}3@`],
    ['the token of another', `kim:${token}2@`],
    ['no token', ''],
  ])('%s is refused, and recorded', async (_, who) => {
    recorded.length = 0
    const client = clientOf(server.port, who)
    await expect(allOf(client.readAll())).rejects.toThrow(AccessDeniedError)
    const appended = client.appendToStream('new-1', jsonEvent({ type: 'Forged', data: {} }))
    await expect(appended).rejects.toThrow(AccessDeniedError)
    expect(recorded).toEqual(
      Array.from({ length: 2 }, () => ({
        ...{ type: 'authentication_failed', actor: 'auditor:?', address: '127.0.0.1' },
      })),
    )
  })

  test('a bearer token is enough, and ids come as halves to clients that ask so', async () => {
    const call = plainClient(server.port).read(readOfAll(), bearer(`${token}2`))
    const answers = await allOf<InstanceType<typeof streams.ReadResp>>(call)
    const ids = answers.map((answer) => {
      const halves = answer.getEvent()?.getEvent()?.getId()?.getStructured()
      return [halves?.getMostSignificantBits(), halves?.getLeastSignificantBits()]
        .map((half) => BigInt.asUintN(64, BigInt(half!)).toString(16).padStart(16, '0'))
        .join('')
    })
    expect(ids.length).toBeGreaterThan(10)
    expect(ids).toEqual(log.all(0, ids.length).map(([, , , id]) => id))
  })
})
