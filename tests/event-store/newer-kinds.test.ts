import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { start, StoreUnavailable } from '../../application/event-store.ts'
import { eventCatalogue, schemaVersion, type EventType } from '../../domain/events.ts'
import { levelOf } from '../../domain/event-level.ts'
import { gateNewerKinds } from '../../infrastructure/event-store/newer-kinds.ts'
import { openStoreOfTest } from '../application/store-of-test.ts'

const event = (type: string, schema: number) => ({
  ...{ id: crypto.randomUUID(), type, data: {} },
  metadata: { schema },
})

test('a new kind of event is written once every process reads it, all others at once', async () => {
  let lowest = 1
  const level = (type: string, schema: unknown) => (type === 'Paid' && schema === 2 ? 2 : 1)
  const store = gateNewerKinds(openStoreOfTest(), () => lowest, level)
  await store.append('payment-a', [event('Paid', 1)], -1)
  const newer = [event('Made', 1), event('Paid', 2)]
  await expect(store.append('payment-b', newer, -1)).rejects.toThrow(StoreUnavailable)
  expect(await store.readStream('payment-b')).toEqual([])
  lowest = 2
  await store.append('payment-b', newer, -1)
  expect(await store.head()).toBeGreaterThan(start)
})

test('each kind of event that earlier builds cannot read has a level', () => {
  const known = readFileSync(new URL('../domain/kinds-of-level-1.txt', import.meta.url), 'utf8')
  const kinds = (Object.keys(eventCatalogue) as EventType[]).map(
    (type) => [type, schemaVersion(type)] as const,
  )
  const ofLevel1 = kinds.filter(([type, schema]) => levelOf(type, schema) === 1)
  // A new one belongs in `newKinds` of `event-level.ts`, at the next level.
  expect(ofLevel1.map((kind) => kind.join('@')).sort()).toEqual(known.trim().split('\n'))
})
