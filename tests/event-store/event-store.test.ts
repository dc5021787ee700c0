import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connectEventStoreDB } from '../../infrastructure/event-store/eventstoredb-event-store.ts'
import { openSqliteEventStore } from '../../infrastructure/event-store/sqlite-event-store.ts'
import { eventStoreContract } from './contract.ts'
import { startProtocolPlace } from './protocol-place.ts'

const liveServer = process.env['EVENTSTOREDB_URL']

for (const committing of ['inline', 'worker'] as const)
  eventStoreContract(`the embedded file, written ${committing}`, async () => {
    const folder = await mkdtemp(join(tmpdir(), 'daybook-contract-'))
    return {
      open: async () => openSqliteEventStore(join(folder, 'events.db'), 'append', committing),
      restart: async () => {},
      remove: () => rm(folder, { recursive: true }),
    }
  })

if (liveServer === undefined) {
  eventStoreContract('EventStoreDB by our server', async () => {
    const { url, stop, startAgain, remove } = await startProtocolPlace()
    const restart = async () => {
      await stop()
      await startAgain()
    }
    return { open: async () => connectEventStoreDB(url), restart, remove }
  })
} else {
  eventStoreContract('EventStoreDB', async () => ({
    open: async () => connectEventStoreDB(liveServer),
    restart: async () => {},
    remove: async () => {},
  }))
}
