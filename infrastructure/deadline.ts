import { StoreUnavailable } from '../application/event-store.ts'
import { clearTimeout, setTimeout, steadyMachineTime, wallClock } from '../application/machine.ts'

/** Until when something may be sent, on two clocks that all threads share. */
export type Deadline = { readonly steady: number; readonly wall: number }

/** The lease may belong to another node by now; nothing was sent. */
export class TooLate extends StoreUnavailable {
  override readonly name = 'TooLate'
  constructor() {
    super('another node may send this message now')
  }
}

/** Continues while the process is frozen, but not while the machine sleeps. */
const steadyNow = steadyMachineTime

export const deadlineIn = (milliseconds: number): Deadline => ({
  steady: steadyNow() + milliseconds,
  wall: wallClock() + milliseconds,
})

/** @throws TooLate */
export const checkDeadline = (deadline: Deadline | undefined): void => {
  if (deadline && (steadyNow() >= deadline.steady || wallClock() >= deadline.wall))
    throw new TooLate()
}

/**
 * Runs work with a signal that aborts after a timeout, or with another signal. The timer keeps the
 * signal alive: `AbortSignal.any` of an `AbortSignal.timeout` may be collected before it fires.
 */
export const withDeadline = async <Result>(
  milliseconds: number,
  stopped: AbortSignal,
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> => {
  const either = new AbortController()
  const stop = (): void => either.abort(stopped.reason)
  const late = (): void =>
    either.abort(new Error(`no answer within ${milliseconds / 1000} seconds`))
  const timer = setTimeout(late, milliseconds)
  if (stopped.aborted) stop()
  stopped.addEventListener('abort', stop, { once: true })
  try {
    return await work(either.signal)
  } finally {
    clearTimeout(timer)
    stopped.removeEventListener('abort', stop)
  }
}
