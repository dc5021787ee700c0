import { StoreHeld } from '../application/event-store.ts'

/** How long a store may be held by other processes, in ms, before whoever asks is told so. */
const patience = 5_000
const retryDelay = 20

/**
 * Asks again while another process holds the store, with other work in between: only for what may be asked twice.
 * @throws StoreHeld when it is held for five seconds
 */
export const retryWhileHeld = async <Answer>(ask: () => Promise<Answer>): Promise<Answer> => {
  const since = performance.now()
  for (;;)
    try {
      return await ask()
    } catch (error) {
      if (!(error instanceof StoreHeld) || performance.now() - since >= patience) throw error
      await new Promise((resolve) => setTimeout(resolve, retryDelay))
    }
}
