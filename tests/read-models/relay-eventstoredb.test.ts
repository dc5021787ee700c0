// @module-tag long
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { noStream, type EventStore, type RecordedEvent } from '../../application/event-store.ts'
import { connectEventStoreDB } from '../../infrastructure/event-store/eventstoredb-event-store.ts'
import { foldInWorker } from '../../infrastructure/read-models/follow-log.ts'
import { runReadModels } from '../../infrastructure/read-models/read-models.ts'
import { openReadModels } from '../../infrastructure/stores.ts'
import { clockAdvanced } from '../event-store/appends.ts'
import { startProtocolPlace } from '../event-store/protocol-place.ts'

/** Runs turns of the event loop until something holds. */
const until = async (holds: () => boolean): Promise<void> => {
  while (!holds()) await nextTurn()
}

test('given EventStoreDB, the thread that folds follows for the one that answers too', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'daybook-relay-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const server = await startProtocolPlace()
  onTestFinished(() => server.remove())
  const place = { EVENT_STORE: server.url, DATA_DIR: join(folder, 'node') }
  const store = connectEventStoreDB(server.url)
  onTestFinished(() => store.close())
  const file = await openReadModels(place, store)
  onTestFinished(() => void file.sqlite.close())
  const follower = { begun: 0, own: 0 }
  const counted: EventStore = {
    ...store,
    follow: async function* (...about) {
      follower.begun += 1
      follower.own += 1
      try {
        yield* store.follow(...about)
      } finally {
        follower.own -= 1
      }
    },
  }
  const seen: RecordedEvent[] = []
  const readModels = runReadModels({
    store: counted,
    startFolding: foldInWorker(place, file.sqlite.name),
    from: await store.head(),
    noteEnd: store.end.note,
    onEvents: (events) => seen.push(...events),
    onFolded: () => {},
    onFailure: (error) => {
      throw error
    },
  })
  onTestFinished(() => readModels.stop())
  await until(() => follower.begun > 0 && follower.own === 0)
  const { position } = await store.append('clock', [clockAdvanced(1)], noStream)
  await readModels.reached(position)
  expect([follower.own, seen.map((event) => event.position)]).toEqual([0, [position]])
  expect([store.end.looked() >= position, store.end.head()]).toEqual([true, position])
})
