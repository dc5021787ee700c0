import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { listen } from './listening.ts'
import type { Settings } from './settings.ts'

type Metrics = () => Promise<{ readonly type: string; readonly text: string }>

/** A scrape takes longer only when the store is away. */
const longestRequestMs = 30_000

/** Answers `/read-models`. */
type Snapshots = (incoming: IncomingMessage, outgoing: ServerResponse) => Promise<void>

/** Answers at an address of its own, where no payer and no merchant comes. */
export const startMetricsServer = async (
  { METRICS_HOST, METRICS_PORT }: Pick<Settings, 'METRICS_HOST' | 'METRICS_PORT'>,
  metrics: Metrics,
  snapshots?: Snapshots,
) => {
  const server = createServer({ requestTimeout: longestRequestMs }, async (incoming, outgoing) => {
    const { method, url } = incoming
    const answer = (status: number, text: string, type = 'text/plain'): void =>
      void outgoing.writeHead(status, { 'Content-Type': type }).end(text)
    const path = url?.split('?')[0]
    const isOfSnapshots = snapshots && path === '/read-models'
    if (path !== '/metrics' && !isOfSnapshots) return answer(404, 'Only /metrics is here.\n')
    if (method !== 'GET' && method !== 'HEAD') return answer(405, 'Only GET is allowed.\n')
    if (isOfSnapshots) return snapshots(incoming, outgoing)
    try {
      const { type, text } = await metrics()
      return answer(200, text, type)
    } catch (error) {
      return answer(500, String(error))
    }
  })
  const address = await listen(server, METRICS_HOST, METRICS_PORT)
  const stop = (): void => {
    server.close()
    server.closeAllConnections()
  }
  return { address, stop }
}
