// @module-tag long
import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { EventStoreDBClient, jsonEvent } from '@eventstore/db-client'
import { afterAll, describe, expect, onTestFinished, test } from 'vitest'
import { noStream, start, type EventStore, type NewEvent } from '../../application/event-store.ts'
import { parseEvent } from '../../domain/events.ts'
import { makeProjector } from '../../infrastructure/read-models/projector.ts'
import { openReadModels, openStore, type Place } from '../../infrastructure/stores.ts'
import { projections } from '../../projections/read-models.ts'
import { clockAdvanced } from '../event-store/appends.ts'
import { startProtocolPlace } from '../event-store/protocol-place.ts'

const folder = mkdtempSync(join(tmpdir(), 'daybook-logs-'))
afterAll(() => rmSync(folder, { recursive: true }))
const freshFolder = (): string => join(folder, randomUUID())

const kinds = ['in a file', 'in EventStoreDB'] as const
type Kind = (typeof kinds)[number]

const [a, b, c, d, e] = [
  clockAdvanced(1),
  clockAdvanced(2),
  clockAdvanced(3),
  clockAdvanced(4),
  clockAdvanced(5),
] as const

/** Creates gaps between positions, if the store has gaps. */
const addNoise = async (url: string): Promise<void> => {
  const client = EventStoreDBClient.connectionString(url)
  await client.appendToStream('$of-the-node', jsonEvent({ type: '$noise', data: {} }))
  await client.dispose()
}

/** A log of these events. A log with fewer of them is like a backup. */
const logOf = async (kind: Kind, events: readonly NewEvent[]): Promise<EventStore> => {
  let place: Place = { EVENT_STORE: 'sqlite', DATA_DIR: freshFolder() }
  if (kind === 'in EventStoreDB') {
    const { url, remove } = await startProtocolPlace()
    onTestFinished(remove)
    place = { ...place, EVENT_STORE: url }
  }
  const store = await openStore(place)
  onTestFinished(() => store.close())
  let revision = noStream
  for (const event of events) {
    if (kind === 'in EventStoreDB') await addNoise(place.EVENT_STORE)
    revision = (await store.append('clock-service', [event], revision)).revision
  }
  return store
}

/** Opens the read models of a log like a service, in the test's directory. */
const opening = () => {
  const place: Place = { EVENT_STORE: 'sqlite', DATA_DIR: freshFolder() }
  return async (store: EventStore, { acceptsLoss = false } = {}) => {
    const file = await openReadModels({ ...place, acceptsLoss }, store)
    onTestFinished(() => void file.sqlite.close())
    const { apply, position } = makeProjector(file, projections)
    return {
      name: file.sqlite.name,
      position,
      fold: async (): Promise<void> => {
        for await (const batch of store.readAll(start)) apply(batch.map(parseEvent))
      },
    }
  }
}

describe.each(kinds)('read models of a log %s', (kind) => {
  test('are the same for all that open them, though one folds already', async () => {
    const open = opening()
    const store = await logOf(kind, [a, b])
    const ours = await open(store)
    expect((await open(store)).name).toBe(ours.name)
    await ours.fold()
    const theirs = await open(store)
    expect(theirs.name).toBe(ours.name)
    expect(theirs.position()).toBe(await store.head())
    await store.append('clock-service', [c], 1)
    expect((await open(store)).name).toBe(ours.name)
  })

  test('that lost the last event they hold are neither used nor replaced', async () => {
    const open = opening()
    const before = await open(await logOf(kind, [a, b, c]))
    await before.fold()
    const restored = await logOf(kind, [a, b])
    const problem = /lacks event \d+, revision 2 of clock-service, which the read models hold/
    await expect(open(restored)).rejects.toThrow(problem)
    await expect(open(restored)).rejects.toThrow(problem)
  })

  test('that was restored are rebuilt in one file once that is accepted', async () => {
    const open = opening()
    const before = await open(await logOf(kind, [a, b, c]))
    await before.fold()
    const restored = await logOf(kind, [a, b])
    const after = await open(restored, { acceptsLoss: true })
    expect(after.position()).toBe(start)
    expect(after.name).not.toBe(before.name)
    expect((await open(restored)).name).toBe(after.name)
    await after.fold()
    expect(after.position()).toBe(await restored.head())
    const again = await open(restored)
    expect(again.name).toBe(after.name)
    expect(again.position()).toBe(await restored.head())
  })

  test('that was restored and has grown past them since are not used either', async () => {
    const open = opening()
    await (await open(await logOf(kind, [a, b, c]))).fold()
    const restored = await logOf(kind, [a, b, d, e])
    await expect(open(restored)).rejects.toThrow('revision 2 of clock-service')
    const after = await open(restored, { acceptsLoss: true })
    expect(after.position()).toBe(start)
    await after.fold()
    expect(after.position()).toBe(await restored.head())
  })

  test.each([
    ['is empty', []],
    ['is longer', [c, d, e]],
  ])('are not used for another log, when it %s', async (_, events) => {
    const open = opening()
    const other = kinds.find((one) => one !== kind) ?? kind
    await (await open(await logOf(other, [a, b]))).fold()
    await expect(open(await logOf(kind, events))).rejects.toThrow('which the read models hold')
  })

  test('are begun anew for a log that was copied here from another event store', async () => {
    const open = opening()
    const other = kinds.find((one) => one !== kind) ?? kind
    await (await open(await logOf(other, [a, b]))).fold()
    const store = await logOf(kind, [a, b, c])
    const after = await open(store)
    expect(after.position()).toBe(start)
    await after.fold()
    expect(after.position()).toBe(await store.head())
  })
})
