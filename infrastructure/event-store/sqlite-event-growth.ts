import { realpathSync } from 'node:fs'
import { BroadcastChannel } from 'node:worker_threads'
import type { Position } from '../../application/event-store.ts'
import { clearInterval, setInterval, steadyTime } from '../../application/machine.ts'

/** How often a follower checks for other processes' commits, in ms. */
const pollInterval = 20

/** Where a thread announces its commits to other threads of the process. */
export const commitsTo = (file: string): BroadcastChannel => {
  const threads = new BroadcastChannel(`commits to ${realpathSync(file)}`)
  threads.unref()
  return threads
}

/**
 * Announces a commit unless one was just announced: announcing each would wake other threads a
 * thousand times a second, and followers also poll.
 */
export const announceThrottled = (tell: () => void, elapsed = steadyTime): (() => void) => {
  let last = Number.NEGATIVE_INFINITY
  return () => {
    const now = elapsed()
    if (now - last < pollInterval) return
    last = now
    tell()
  }
}

/** Wakes waiting followers: on announcements, and by polling soon after other commits. */
export const watchGrowth = (head: () => Position) => {
  const waiters = new Map<() => void, Position>()
  let poll: NodeJS.Timeout | undefined

  const stopWhenIdle = (): void => {
    if (waiters.size > 0) return
    clearInterval(poll)
    poll = undefined
  }

  const wake = (until: Position): void => {
    for (const [resolve, after] of waiters) {
      if (after >= until) continue
      poll?.refresh()
      resolve()
    }
  }

  const look = (): void => {
    try {
      if (waiters.size > 0) wake(head())
    } catch {
      // The file could not be read; followers wait for the next poll.
    }
  }

  const grown = (after: Position, signal: AbortSignal): Promise<void> =>
    new Promise((resolve) => {
      if (signal.aborted) return resolve()
      const leave = (): void => {
        waiters.delete(leave)
        signal.removeEventListener('abort', leave)
        stopWhenIdle()
        resolve()
      }
      signal.addEventListener('abort', leave)
      waiters.set(leave, after)
      poll ??= setInterval(look, pollInterval).unref()
    })

  return { grown, look, wake, release: () => wake(Number.POSITIVE_INFINITY) }
}
