import { StoreRefused, StoreUnavailable } from '../../application/event-store.ts'
import { connectEventStoreDB } from '../../infrastructure/event-store/eventstoredb-event-store.ts'
import { logSetting } from '../../infrastructure/failures.ts'
import { listenWith, type Listening } from './listening.ts'
import type { Answers } from './http-server.ts'
import type { Log } from '../../infrastructure/logs/log.ts'
import type { Settings } from '../../infrastructure/settings.ts'
import { pause } from '../../application/machine.ts'

/** How long one attempt to reach the store takes, and the pause before the next, in ms. */
const [attemptMs, againAfterMs] = [1_000, 250]

type Needs = {
  readonly answers: Answers
  readonly stopped: Promise<unknown>
  /** Called once, before it listens. */
  readonly onWaiting: () => void
  readonly socket: number | undefined
}

/**
 * Waits until EventStoreDB can be read, and meanwhile listens, alive but not ready. Undefined if it
 * is there at once; `stopped` if the service ends first.
 * @throws StoreRefused
 */
export const awaitStore = async (
  settings: Settings,
  log: Log,
  { answers, stopped, onWaiting, socket }: Needs,
): Promise<Listening | 'stopped' | undefined> => {
  const { EVENT_STORE, HOST, PORT } = settings
  log.info({ log: logSetting(settings) }, 'connecting to the event store')
  const timeouts = { attempt: attemptMs, altogether: attemptMs, election: attemptMs }
  const store = connectEventStoreDB(EVENT_STORE, { timeouts })
  const stop = stopped.then(() => 'stopped' as const)
  let listening: Listening | undefined
  try {
    for (;;) {
      const error = await Promise.race([store.head().then(() => undefined, toError), stop])
      if (error === 'stopped') {
        await listening?.http.stop()
        return error
      }
      if (error === undefined) return listening
      if (!(error instanceof StoreUnavailable) || error instanceof StoreRefused) throw error
      if (!listening) {
        onWaiting()
        listening = await listenWith(answers, HOST, PORT, log, socket)
        const { address } = listening
        log.warn({ error, address }, 'the event store is not there yet: the service waits for it')
      }
      await pause(againAfterMs)
    }
  } finally {
    await store.close()
  }
}

const toError = (error: unknown): Error =>
  error instanceof Error ? error : new StoreUnavailable(String(error))
