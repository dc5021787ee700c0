// Runs the protocol server: npx tsx tests/event-store/protocol-server.ts [port] [file]
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { serveEventStoreProtocol } from './protocol/serve.ts'
import { openEventLog } from '../../infrastructure/event-store/sqlite-event-log.ts'

const [port = '0', file = join(mkdtempSync(join(tmpdir(), 'daybook-protocol-')), 'events.db')] =
  process.argv.slice(2)
const log = openEventLog(file)
// A new node writes events of its own, so clients find them in the log of all events.
const [id, data] = [Buffer.alloc(16, 1), JSON.stringify({ firstStart: true })]
await log.append('$node', [{ id, type: '$started', data, metadata: null }], 'any')
const server = await serveEventStoreProtocol(log, {
  port: Number(port),
})
process.stdout.write(`esdb://127.0.0.1:${server.port}?tls=false\n`)
process.on('SIGTERM', () => {
  server.stop()
  void log.close()
})
