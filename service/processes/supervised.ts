import { once } from 'node:events'
import { failWith } from '../server/own-process.ts'
import { olderReads, socketsIn, type Stop } from '../server/handed-sockets.ts'
import { serve } from '../server/serve.ts'
import { readSettings, type Settings } from '../../infrastructure/settings.ts'
import { sendToSupervisor, type FromSupervisor } from './siblings.ts'

/** Resolves on a message from the supervisor, or on a signal: systemd sends it to every process. */
const stopRequested = (): Promise<Stop> => {
  const byWord = new Promise<Stop>((resolve) => {
    process.on('message', (message: FromSupervisor) => {
      if (message === 'stop' || message === 'replaced') resolve(message)
    })
  })
  const bySignal = ['SIGTERM', 'SIGINT'].map((signal) => once(process, signal))
  return Promise.race([byWord, ...bySignal.map((one) => one.then(() => 'stop' as const))])
}

/** Runs one process of a supervisor. It answers in its main thread, which shares the port. */
export const serveSupervised = async (environment: NodeJS.ProcessEnv): Promise<void> => {
  let settings: Settings | undefined
  const stopped = stopRequested()
  try {
    settings = readSettings(environment)
    // With damaged read models it ends, and is restarted with new ones.
    await serve(settings, {
      stopped,
      onWaiting: () => {},
      onStarted: (started) => sendToSupervisor({ started }),
      // Those of the supervisor, which listens for its processes.
      sockets: socketsIn(environment, process.ppid),
      olderReads: olderReads(environment, (onMessage) => process.on('message', onMessage)),
    })
    process.disconnect()
  } catch (error) {
    failWith(error, settings)
  }
}
