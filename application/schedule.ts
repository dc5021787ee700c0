import type { Instant } from '../domain/time.ts'

/** Does what is due and returns when more is due. Starts nothing new once `stopped` is aborted. */
export type DueWork = (now: Instant, stopped: AbortSignal) => Promise<Instant | null>

type Needs = {
  readonly now: () => Instant
  /** Starts a timer; returns a function that cancels it. */
  readonly after: (milliseconds: number, wake: () => void) => () => void
  readonly onFailure: (error: unknown) => void
}

const longestRestMs = 60_000
const backOffMs = 1000

/**
 * Runs work when it is due, never concurrently. `wake` checks now, unless it backs off for a second
 * after a failure. `settle` checks at once and resolves when everything due at the call is done or
 * has failed.
 */
export const schedule = ({ now, after, onFailure }: Needs, work: DueWork) => {
  const stopping = new AbortController()
  const { signal: stopped } = stopping
  let isWanted = false
  let isBackingOff = false
  let running: Promise<void> | undefined
  let cancel = () => {}

  const lookIn = (milliseconds: number): void => {
    cancel()
    if (!stopped.aborted) cancel = after(Math.max(0, Math.min(milliseconds, longestRestMs)), look)
  }

  const run = async (): Promise<void> => {
    try {
      while (isWanted && !stopped.aborted) {
        isWanted = false
        const next = await work(now(), stopped)
        if (!isWanted) lookIn(next === null ? longestRestMs : next - now())
      }
    } catch (error) {
      isWanted = false
      isBackingOff = true
      lookIn(backOffMs)
      // Work aborted by stopping has not failed.
      if (!stopped.aborted) onFailure(error)
    } finally {
      running = undefined
    }
  }

  const look = (): void => {
    isWanted = true
    isBackingOff = false
    // Starts asynchronously, so that `running` is set before it can end.
    if (!stopped.aborted) running ??= Promise.resolve().then(run)
  }

  const wake = (): void => {
    if (!isBackingOff) look()
  }

  return {
    wake,
    settle: async (): Promise<void> => {
      look()
      await running
    },
    stop: async (): Promise<void> => {
      stopping.abort()
      cancel()
      await running
    },
  }
}
