import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { contain } from '../../application/contain.ts'
import { listen } from './listening.ts'
import type { Log } from '../../infrastructure/logs/log.ts'
import type { Vitals } from '../metrics/readiness.ts'
import type { Settings } from '../../infrastructure/settings.ts'

/** Whether the service is ready, and if not, which dependency fails and why. */
type Ready = () => Promise<Pick<Vitals['ready'], 'isReady' | 'failing' | 'behind'>>

type Metrics = () => Promise<{ readonly type: string; readonly text: string }>

/** A scrape takes longer only if the store is unavailable. */
const longestRequestMs = 30_000

/** Serves `/read-models`. */
type Snapshots = (incoming: IncomingMessage, outgoing: ServerResponse) => Promise<void>

/** Listens on a separate address that payers and merchants do not use. */
export const startMetricsServer = async (
  { METRICS_HOST, METRICS_PORT }: Pick<Settings, 'METRICS_HOST' | 'METRICS_PORT'>,
  metrics: Metrics,
  ready: Ready,
  log: Pick<Log, 'error'>,
  snapshots?: Snapshots,
) => {
  const respond = async (incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> => {
    const { method, url } = incoming
    const answer = (status: number, text: string, type = 'text/plain'): void =>
      void outgoing.writeHead(status, { 'Content-Type': type }).end(text)
    const path = url?.split('?')[0]
    const isOfSnapshots = snapshots && path === '/read-models'
    const isOfHealth = path === '/health/ready'
    if (path !== '/metrics' && !isOfHealth && !isOfSnapshots)
      return answer(404, 'Only /metrics and /health/ready are here.\n')
    if (method !== 'GET' && method !== 'HEAD') return answer(405, 'Only GET is allowed.\n')
    if (isOfSnapshots) return snapshots(incoming, outgoing)
    try {
      if (isOfHealth) {
        const { isReady, behind, failing } = await ready()
        const body = JSON.stringify({ isReady, behind, failing })
        return answer(isReady ? 200 : 503, body, 'application/json')
      }
      const { type, text } = await metrics()
      return answer(200, text, type)
    } catch (error) {
      return answer(500, String(error))
    }
  }
  const server = createServer({ requestTimeout: longestRequestMs }, (incoming, outgoing) =>
    contain(respond, (error) => {
      log.error({ error }, 'a connection has failed and is closed')
      outgoing.destroy()
    })(incoming, outgoing),
  )
  const address = await listen(server, METRICS_HOST, METRICS_PORT, log)
  const stop = (): void => {
    server.close()
    server.closeAllConnections()
  }
  return { address, stop }
}
