import { StoreHeld } from '../application/event-store.ts'
import { pause, steadyTime } from '../application/machine.ts'

/** How long other processes may lock the store, in ms. */
const timeoutMs = 5_000
const retryDelay = 20

/**
 * Retries while another process has locked the store; only for idempotent calls. @throws StoreHeld
 * after five seconds
 */
export const retryWhileHeld = async <Answer>(ask: () => Promise<Answer>): Promise<Answer> => {
  const since = steadyTime()
  for (;;)
    try {
      return await ask()
    } catch (error) {
      if (!(error instanceof StoreHeld) || steadyTime() - since >= timeoutMs) throw error
      await pause(retryDelay)
    }
}
