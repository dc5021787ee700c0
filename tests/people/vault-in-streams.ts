import { randomBytes } from 'node:crypto'
import { connectEventStoreDB } from '../../infrastructure/event-store/eventstoredb-event-store.ts'
import type { VaultKey } from '../../infrastructure/people/vault-wrapping.ts'
import type { Vault } from '../../infrastructure/people/vault-port.ts'
import { isOurs } from '../../infrastructure/stores.ts'
import { openVaultInStreams, type Memory } from '../../infrastructure/vault-streams/vault.ts'
import { startProtocolPlace } from '../event-store/protocol-place.ts'

export const newKey = (id: string): VaultKey => ({ id, key: randomBytes(32) })

/** Nodes that share a database, and nothing else unless given a folder. */
export const openPlace = async (keys: readonly VaultKey[] = [newKey('first')]) => {
  const place = await startProtocolPlace()
  const connect = () => connectEventStoreDB(place.url, { isOurs })
  /** Streams in the order in which vaults read them. */
  const read: string[] = []
  return {
    ...place,
    connect,
    read,
    open: async (given = keys, memory: Memory = {}): Promise<Vault> => {
      const { streams, close } = connect()
      const readStream: typeof streams.readStream = (stream, ...which) => {
        read.push(stream)
        return streams.readStream(stream, ...which)
      }
      try {
        const vault = await openVaultInStreams({ ...streams, readStream }, given, undefined, memory)
        return { ...vault, close: () => vault.close().then(close) }
      } catch (error) {
        await close()
        throw error
      }
    },
  }
}
