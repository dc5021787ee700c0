// @module-tag long
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connectEventStoreDB } from '../../infrastructure/event-store/eventstoredb-event-store.ts'
import { eventStoreContract } from './contract.ts'
import { openToWrite, writers } from './open-to-write.ts'

const liveServer = process.env['EVENTSTOREDB_URL']

for (const writer of writers)
  eventStoreContract(`the embedded file, written ${writer}`, async () => {
    const folder = await mkdtemp(join(tmpdir(), 'daybook-contract-'))
    return {
      open: async () => openToWrite(join(folder, 'events.db'), writer),
      restart: async () => {},
      remove: () => rm(folder, { recursive: true }),
    }
  })

if (liveServer === undefined) {
  // Loaded on demand: it cannot be loaded together with another client.
  const { startProtocolPlace } = await import('./protocol-place.ts')
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
