import type { Instant } from '../domain/time.ts'

/**
 * A piece of work that is due from time to time: it does what is due and answers when it is due again. Once it is told
 * to stop it begins nothing more: the rest is due at the next start.
 */
export type DueWork = (now: Instant, stopped: AbortSignal) => Promise<Instant | null>

type Needs = {
  readonly now: () => Instant
  /** Calls back once after that many milliseconds; answers how to call it off. */
  readonly after: (milliseconds: number, wake: () => void) => () => void
  readonly onFailure: (error: unknown) => void
}

const longestRestMs = 60_000
const restAfterFailureMs = 1000

/**
 * Runs work whenever it is due, never twice at once. `wake` asks for a look now, because something has happened that
 * may have changed when the work is due; after a failure it waits a second, however much happens. `settle` looks at
 * once, and resolves when all that was due at the call is done or has failed.
 */
export const schedule = ({ now, after, onFailure }: Needs, work: DueWork) => {
  const stopping = new AbortController()
  const { signal: stopped } = stopping
  let isWanted = false
  let isResting = false
  let running: Promise<void> | undefined
  let callOff = () => {}

  const rest = (milliseconds: number): void => {
    callOff()
    if (!stopped.aborted) callOff = after(Math.max(0, Math.min(milliseconds, longestRestMs)), look)
  }

  const run = async (): Promise<void> => {
    try {
      while (isWanted && !stopped.aborted) {
        isWanted = false
        const next = await work(now(), stopped)
        if (!isWanted) rest(next === null ? longestRestMs : next - now())
      }
    } catch (error) {
      isWanted = false
      isResting = true
      // What was given up in order to stop has not failed.
      if (!stopped.aborted) onFailure(error)
      rest(restAfterFailureMs)
    } finally {
      running = undefined
    }
  }

  const look = (): void => {
    isWanted = true
    isResting = false
    // It begins a moment later, so that it cannot have ended before it is known to be running.
    if (!stopped.aborted) running ??= Promise.resolve().then(run)
  }

  const wake = (): void => {
    if (!isResting) look()
  }

  return {
    wake,
    settle: async (): Promise<void> => {
      look()
      await running
    },
    stop: async (): Promise<void> => {
      stopping.abort()
      callOff()
      await running
    },
  }
}
