import { logShown } from './failures.ts'
import { makeLog } from './log.ts'
import { refuseLogOfOtherMode } from './mode-of-log.ts'
import { startServer } from './start-server.ts'
import type { Settings } from './settings.ts'
import { blobsIn, vaultIn } from './stores.ts'
import { version } from './version.ts'

const startedAs = (settings: Settings, address: string, metrics: string | undefined) => ({
  version,
  node: process.version,
  mode: settings.MODE,
  log: logShown(settings),
  vault: vaultIn(settings),
  blobs: blobsIn(settings),
  address,
  metrics,
  publicUrl: settings.PUBLIC_URL,
})

/** Runs the service until what it tells, once it listens, is answered. */
export const serve = async (
  settings: Settings,
  untilStopped: (started: string) => Promise<void>,
): Promise<void> => {
  const log = makeLog(settings.LOG_LEVEL)
  // It is waited for, and nothing else is said meanwhile.
  if (settings.EVENT_STORE !== 'sqlite') log.info({ log: logShown(settings) }, 'asking for the log')
  await refuseLogOfOtherMode(settings, log)
  const { greeting, address, metricsAddress, stop } = await startServer(settings, log, 'worker')
  const stopped = untilStopped(`${greeting}listening on ${address}\n`)
  const seenAs = settings.PUBLIC_URL ?? address
  log.info(startedAs(settings, address, metricsAddress), 'started')
  if (settings.MODE === 'production' && !seenAs.startsWith('https:'))
    log.warn(
      { address: seenAs },
      'payers sign in over https only: set PUBLIC_URL to an https address',
    )
  await stopped
  log.info('stopping')
  await stop()
  log.info('stopped')
  log.flush()
}
