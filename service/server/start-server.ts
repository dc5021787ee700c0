import type { Core } from '../core.ts'
import { listenWith, type Listening } from './listening.ts'
import type { Log } from '../../infrastructure/logs/log.ts'
import { startMetricsServer } from './metrics-server.ts'
import { pagesInThread } from '../pages/pages-client.ts'
import { openService } from '../server.ts'
import type { Service } from '../service.ts'
import type { Settings } from '../../infrastructure/settings.ts'
import { offerSnapshots } from '../../infrastructure/snapshots/offer-snapshots.ts'
import { handleUpgrades } from './upgrades.ts'
import type { Where } from '../../infrastructure/worker.ts'

/** Whether there are endpoints for the operator only; in the sandbox only to offer snapshots. */
export const servesOperator = ({ MODE, SNAPSHOT_TOKEN }: Settings): boolean =>
  MODE === 'production' || SNAPSHOT_TOKEN !== undefined

const startForOperator = async (
  settings: Settings,
  log: Log,
  { readModelFile }: Pick<Core, 'readModelFile'>,
  { metrics, vitals }: Pick<Service, 'metrics' | 'vitals'>,
) => {
  const { SNAPSHOT_TOKEN: token } = settings
  if (!servesOperator(settings)) return undefined
  const snapshots = token === undefined ? undefined : offerSnapshots(readModelFile, token, log)
  const ready = async () => (await vitals()).ready
  return startMetricsServer(settings, metrics, ready, log, snapshots)
}

/**
 * Starts the service on its socket, or on one that has answered without it; `stop` finishes
 * requests in progress.
 */
export const startServer = async (
  settings: Settings,
  log: Log,
  beside: Where = 'inline',
  waiting?: Listening,
) => {
  const { HOST: hostname, PORT: port } = settings
  let address = waiting?.address ?? `http://${hostname}:${port}`
  const found = () => address
  const { service, refusal, ...opened } = await openService(settings, log, {
    address: found,
    beside,
  })
  const { observe: measure, vitals } = service
  // Over EventStoreDB another subscription would cost more than pages do.
  const pages =
    beside === 'worker' && settings.EVENT_STORE === 'sqlite'
      ? pagesInThread({ ...opened.core, address: found, measure, vitals }, log)
      : undefined
  const fetch = opened.inFlight.counted(opened.app.fetch)
  const answers = { fetch: pages?.over(fetch) ?? fetch, refusal }
  const { http, ...listening } = waiting ?? (await listenWith(answers, hostname, port, log))
  handleUpgrades(http.server, opened.pusher.upgrades)
  listening.replace(answers)
  address = listening.address
  const metrics = await startForOperator(settings, log, opened.core, service)
  // Wait for the address, which callbacks contain.
  service.begin()
  const stop = async (): Promise<void> => {
    opened.core.beginEnding()
    service.endStreams()
    pages?.endStreams()
    opened.pusher.end()
    metrics?.stop()
    const closed = http.stop()
    // Background work starts nothing new meanwhile.
    await service.stop()
    await closed
    await pages?.stop()
    await opened.core.close()
  }
  return { ...opened, address, metricsAddress: metrics?.address, stop }
}
