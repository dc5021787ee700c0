import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { serveEventStoreProtocol, type ProtocolSettings } from './protocol/serve.ts'
import { openEventLog } from '../../infrastructure/event-store/sqlite-event-log.ts'

/**
 * A protocol server with its own log, on a real connection, that can be stopped and restarted on
 * its port.
 */
export const startProtocolPlace = async (settings: ProtocolSettings = {}) => {
  const folder = await mkdtemp(join(tmpdir(), 'daybook-protocol-'))
  const open = async (port: number) => {
    const log = openEventLog(join(folder, 'events.db'))
    return { log, server: await serveEventStoreProtocol(log, { ...settings, port }) }
  }
  let running = await open(0)
  const { port } = running.server
  const stop = async (): Promise<void> => {
    running.server.stop()
    await running.log.close()
  }
  return {
    port,
    url: `esdb://127.0.0.1:${port}?tls=false`,
    stop,
    startAgain: async (): Promise<void> => {
      running = await open(port)
    },
    remove: async (): Promise<void> => {
      await stop()
      await rm(folder, { recursive: true })
    },
  }
}
