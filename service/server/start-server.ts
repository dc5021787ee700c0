import type { Core } from '../core.ts'
import { socketOf, type Sockets } from './handed-sockets.ts'
import { listenWith, type Listening, listen } from './listening.ts'
import type { Log } from '../../infrastructure/logs/log.ts'
import { pagesInThread } from '../pages/pages-client.ts'
import { openService, type Service } from '../answer.ts'
import type { Settings } from '../../infrastructure/settings.ts'
import { offerSnapshots } from '../../infrastructure/snapshots/offer-snapshots.ts'
import type { Where } from '../../infrastructure/worker.ts'
import { type IncomingMessage, type Server, createServer, type ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { contain } from '../../application/contain.ts'
import type { Vitals } from '../metrics/readiness.ts'
import { StoreUnavailable } from '../../application/event-store.ts'
import { pause } from '../../application/machine.ts'

/** Whether the service is ready, and if not, which dependency fails and why. */
type Ready = () => Promise<Pick<Vitals['ready'], 'isReady' | 'failing' | 'behind'>>

/** `agent` is the `User-Agent` of the request. */
type Metrics = (
  accept?: string,
  agent?: string,
) => Promise<{ readonly type: string; readonly text: string }>

/** A scrape takes longer only if the store is unavailable. */
const longestRequestMs = 30_000

type Snapshots = (incoming: IncomingMessage, outgoing: ServerResponse) => Promise<void>

/** Listens on a separate address that payers and merchants do not use. */
export const startMetricsServer = async (
  { METRICS_HOST, METRICS_PORT }: Pick<Settings, 'METRICS_HOST' | 'METRICS_PORT'>,
  metrics: Metrics,
  ready: Ready,
  log: Pick<Log, 'error'>,
  snapshots?: Snapshots,
  socket?: number,
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
      const { type, text } = await metrics(incoming.headers.accept, incoming.headers['user-agent'])
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
  const address = await listen(server, METRICS_HOST, METRICS_PORT, log, socket)
  const stop = (): void => {
    server.close()
    server.closeAllConnections()
  }
  return { address, stop, socket: socketOf(server) }
}

const isDropped = (name: string): boolean => /^(upgrade|http2-settings|connection)$/i.test(name)

/** The request head as received, without the headers that request another protocol. */
const headWithoutUpgrade = ({ method, url, httpVersion, rawHeaders, headers }: IncomingMessage) => {
  const kept = [`${method} ${url} HTTP/${httpVersion}`]
  for (let index = 0; index < rawHeaders.length; index += 2)
    if (!isDropped(rawHeaders[index] ?? ''))
      kept.push(`${rawHeaders[index]}: ${rawHeaders[index + 1]}`)
  const options = (headers.connection ?? '')
    .split(',')
    .map((option) => option.trim())
    .filter((option) => option !== '' && !isDropped(option))
  if (options.length > 0) kept.push(`Connection: ${options.join(', ')}`)
  return Buffer.from(`${kept.join('\r\n')}\r\n\r\n`, 'latin1')
}

type UpgradeTaker = {
  readonly isWanted: (request: IncomingMessage) => boolean
  readonly take: (request: IncomingMessage, socket: Duplex, head: Buffer) => unknown
  /** Called with what failed; the connection is closed. */
  readonly onFailure: (error: unknown) => void
}

/**
 * Passes upgrades to `take`. Unsupported ones, such as `h2c`, are handled as ordinary requests (RFC
 * 9110, 7.8). Not with Node's `shouldUpgradeCallback`: 22.23 and 24.21 lose a request that comes in
 * the packet of a refused upgrade.
 */
export const handleUpgrades = (
  server: Server,
  { isWanted, take, onFailure }: UpgradeTaker,
): void => {
  const upgrade = (request: IncomingMessage, socket: Duplex, head: Buffer): unknown => {
    const onError = (): void => void socket.destroy()
    socket.on('error', onError)
    // An earlier request on the connection is still in progress.
    if ('_httpMessage' in socket && socket._httpMessage) return socket.destroy()
    if (isWanted(request)) return take(request, socket, head)
    socket.off('error', onError)
    socket.unshift(Buffer.concat([headWithoutUpgrade(request), head]))
    return server.emit('connection', socket)
  }
  server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    const failed = (error: unknown): void => {
      onFailure(error)
      socket.destroy()
    }
    contain(upgrade, failed)(request, socket, head)
  })
}

/** Whether there are endpoints for the operator only; in the sandbox only to offer snapshots. */
export const servesOperator = ({ MODE, SNAPSHOT_TOKEN }: Settings): boolean =>
  MODE === 'production' || SNAPSHOT_TOKEN !== undefined

const startForOperator = async (
  settings: Settings,
  log: Log,
  { readModelFile }: Pick<Core, 'readModelFile'>,
  { metrics, vitals, noteScrape }: Pick<Service, 'metrics' | 'vitals' | 'noteScrape'>,
  socket: number | undefined,
) => {
  const { SNAPSHOT_TOKEN: token } = settings
  if (!servesOperator(settings)) return undefined
  const snapshots = token === undefined ? undefined : offerSnapshots(readModelFile, token, log)
  const ready = async () => (await vitals()).ready
  const scraped: Metrics = async (accept, agent) => {
    const scrape = await metrics(accept)
    noteScrape(agent)
    return scrape
  }
  return startMetricsServer(settings, scraped, ready, log, snapshots, socket)
}

const againAfterMs = 1_000

/** @throws UnreadableEvent, DamagedEvent */
const untilCaughtUp = async ({ caughtUp }: Pick<Core, 'caughtUp'>): Promise<void> => {
  for (;;)
    try {
      return await caughtUp()
    } catch (error) {
      if (!(error instanceof StoreUnavailable)) throw error
      await pause(againAfterMs)
    }
}

/** What a start leaves would be moved and collected while the first requests wait. */
const collectGarbage = (): void => {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  setFlagsFromString('--no-expose-gc')
  collect()
}

type ServerOptions = {
  /** It has answered without the service. */
  readonly waiting?: Listening | undefined
  readonly sockets?: Sockets
  /** Another process answers on the sockets until this one can; the level that it reads. */
  readonly olderReads?: (() => number) | undefined
}

/**
 * Starts the service on its socket, or on one that has answered without it; `stop` finishes
 * requests in progress.
 */
export const startServer = async (
  settings: Settings,
  log: Log,
  beside: Where = 'inline',
  { waiting, sockets = {}, olderReads }: ServerOptions = {},
) => {
  const { HOST: hostname, PORT: port } = settings
  let address = waiting?.address ?? `http://${hostname}:${port}`
  const found = () => address
  const { service, refusal, ...opened } = await openService(settings, log, {
    address: found,
    beside,
    olderReads,
  })
  const { observe: measure, vitals } = service
  // Over EventStoreDB another subscription would cost more than pages do.
  const pages =
    beside === 'worker' && settings.EVENT_STORE === 'sqlite'
      ? pagesInThread({ ...opened.core, address: found, measure, vitals }, log)
      : undefined
  const fetch = opened.inFlight.counted(opened.app.fetch)
  const answers = { fetch: pages?.over(fetch) ?? fetch, refusal }
  if (olderReads) await untilCaughtUp(opened.core)
  if (beside === 'worker') collectGarbage()
  const { http, ...listening } =
    waiting ?? (await listenWith(answers, hostname, port, log, sockets.http))
  handleUpgrades(http.server, opened.pusher.upgrades)
  listening.replace(answers)
  address = listening.address
  const metrics = await startForOperator(settings, log, opened.core, service, sockets.metrics)
  // Wait for the address, which callbacks contain.
  service.begin()
  const end = async (isReplaced: boolean): Promise<void> => {
    // First, for whoever comes again when a stream ends.
    const closed = http.stop(isReplaced)
    service.beginStopping()
    opened.core.beginEnding()
    service.endStreams()
    pages?.endStreams()
    opened.pusher.end()
    metrics?.stop()
    // Background work starts nothing new meanwhile.
    await service.stop()
    await closed
    await pages?.stop()
    await opened.core.close()
  }
  return {
    ...opened,
    address,
    metricsAddress: metrics?.address,
    sockets: { http: socketOf(http.server), metrics: metrics?.socket } satisfies Sockets,
    beginStopping: service.beginStopping,
    stop: () => end(false),
    /** Stops once another process takes new connections from the same sockets. */
    leaveToNext: () => end(true),
  }
}
