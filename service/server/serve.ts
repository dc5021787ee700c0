import cluster from 'node:cluster'
import type { Core } from '../core.ts'
import { logEscapedErrors } from './own-process.ts'
import { logSetting } from '../../infrastructure/failures.ts'
import { freePort } from './listening.ts'
import { makeLog, type Log } from '../../infrastructure/logs/log.ts'
import { nodeWarning } from '../../infrastructure/node-lines.ts'
import { fewOpenFiles } from '../../infrastructure/open-files.ts'
import { refuseLogOfOtherMode } from '../mode-of-log.ts'
import { beginFromSnapshot } from '../../infrastructure/snapshots/snapshot.ts'
import { answersWhileWaiting } from '../server.ts'
import { noVaultKey, type Settings } from '../../infrastructure/settings.ts'
import { servesOperator, startServer } from './start-server.ts'
import { blobsIn, isVaultInStreams, vaultIn } from '../../infrastructure/stores.ts'
import { version } from '../../infrastructure/version.ts'
import type { Sockets } from './handed-sockets.ts'
import { clearInterval, pause, setInterval, wallClock } from '../../application/machine.ts'

const checkPorts = async (settings: Settings, { http, metrics }: Sockets): Promise<void> => {
  if (http === undefined) await freePort(settings.HOST, settings.PORT)
  if (metrics === undefined && servesOperator(settings))
    await freePort(settings.METRICS_HOST, settings.METRICS_PORT)
}

const startedAs = (settings: Settings, address: string, metrics: string | undefined) => ({
  version,
  node: process.version,
  mode: settings.MODE,
  log: logSetting(settings),
  vault: isVaultInStreams(settings) ? settings.VAULT : vaultIn(settings),
  blobs: blobsIn(settings),
  address,
  metrics,
  publicUrl: settings.PUBLIC_URL,
})

/** A vault in the clear is told at each start. */
const tellWrapping = ({ vault }: Pick<Core, 'vault'>, settings: Settings, log: Log): void => {
  const { MODE, VAULT_KEY_COMMAND, VAULT_KEY_FILE = noVaultKey } = settings
  const wrappedBy = vault.wrappedBy()
  if (wrappedBy !== undefined) return log.info({ wrappedBy }, 'the vault is wrapped')
  const hasKey = VAULT_KEY_COMMAND !== undefined || VAULT_KEY_FILE !== noVaultKey
  const advice = hasKey
    ? 'run `daybook vault rewrap` to wrap it'
    : 'set VAULT_KEY_FILE or VAULT_KEY_COMMAND, and run `daybook vault rewrap`'
  const level = MODE === 'production' || hasKey ? 'warn' : 'info'
  log[level](`the vault lies in the clear: ${advice}`)
}

/** How often to check whether read models are damaged, in ms. */
const lookEveryMs = 200

const untilDamaged = (core: Pick<Core, 'isDamaged' | 'readModels'>) => {
  let timer: NodeJS.Timeout | undefined
  const damaged = new Promise<'damaged'>((resolve, reject) => {
    timer = setInterval(() => {
      if (core.isDamaged()) resolve('damaged')
      const unreadable = core.readModels.unreadable()
      if (unreadable && !core.readModels.hasCaughtUp()) reject(unreadable)
    }, lookEveryMs)
  })
  return { damaged, end: () => clearInterval(timer) }
}

type Needs = {
  /** With a `Stop`; anything else stops it too. */
  readonly stopped: Promise<unknown>
  /** Called when it listens, but waits for its store. */
  readonly onWaiting: () => void
  readonly onStarted: (text: string, sockets: Sockets) => void
  /** Sockets that this process was started with. */
  readonly sockets?: Sockets
  /** If it replaces a process, which answers until this one can: the level that it reads. */
  readonly olderReads?: (() => number) | undefined
}

/**
 * Runs the service until `stopped` resolves, or until its read models are damaged. Then returns the
 * port to restart on, with new read models. @throws UnreadableEvent if a newer version has written
 * to the log
 */
export const serve = async (
  settings: Settings,
  { stopped, onWaiting, onStarted, sockets = {}, olderReads }: Needs,
): Promise<string | undefined> => {
  const log = makeLog(settings.LOG_LEVEL)
  // Before anything is written: another service may be running here. Processes share a port.
  if (!cluster.isWorker) await checkPorts(settings, sockets)
  const answers = answersWhileWaiting(settings)
  const waited =
    settings.EVENT_STORE === 'sqlite' || olderReads
      ? undefined
      : await (
          await import('./await-store.ts')
        ).awaitStore(settings, log, { answers, stopped, onWaiting, socket: sockets.http })
  if (waited === 'stopped') return undefined
  await refuseLogOfOtherMode(settings, log)
  const few = fewOpenFiles()
  if (few) log.warn(few.text)
  const oldNode = nodeWarning(process.version, wallClock())
  if (oldNode !== undefined) log.warn(oldNode)
  await beginFromSnapshot(settings, log)
  const started = await startServer(settings, log, 'worker', {
    waiting: waited,
    sockets,
    olderReads,
  })
  const { greeting, address, metricsAddress, stop } = started
  const callOff = logEscapedErrors(log)
  onStarted(`${greeting}listening on ${address}\n`, started.sockets)
  log.info(startedAs(settings, address, metricsAddress), 'started')
  tellWrapping(started.core, settings, log)
  const watch = untilDamaged(started.core)
  const ended = Promise.race([stopped, watch.damaged]).finally(watch.end)
  const why = await ended.catch(async (error: unknown) => {
    await stop()
    throw error
  })
  if (why === 'damaged') log.warn('the read models are damaged: the service restarts with new ones')
  log.info({ why }, 'stopping')
  if (why === 'replaced') await started.leaveToNext().finally(callOff)
  else {
    started.beginStopping()
    if (why !== 'damaged') await pause(settings.DRAIN_SECONDS * 1_000)
    await stop().finally(callOff)
  }
  log.info('stopped')
  log.flush()
  return why === 'damaged' ? new URL(address).port : undefined
}
