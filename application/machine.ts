import type { Instant } from '../domain/time.ts'

/**
 * What the service has of its machine: clocks, timers, randomness and other threads. There is one
 * for a process, and only the simulator installs another. All else calls the functions below.
 */
export type Machine = {
  /** The time of day, which may be set back. */
  readonly wallClock: () => Instant
  /** Milliseconds since the process began; never goes back. */
  readonly steadyTime: () => number
  /** Milliseconds since the machine began, the same for all its processes. */
  readonly steadyMachineTime: () => number
  readonly setTimeout: (work: () => void, milliseconds?: number) => NodeJS.Timeout
  readonly setInterval: (work: () => void, milliseconds?: number) => NodeJS.Timeout
  readonly setImmediate: (work: () => void) => NodeJS.Immediate
  /** Also for intervals. */
  readonly clearTimeout: (timer: NodeJS.Timeout | undefined) => void
  readonly randomUUID: () => string
  readonly fillRandom: (bytes: Uint8Array<ArrayBuffer>) => void
  /** Waits for work that another thread or the disk does. */
  readonly aside: <Result>(work: () => Promise<Result>) => Promise<Result>
  /** All jobs are done by the thread that asks. */
  readonly isOneThread: boolean
}

// The globals are looked up at each call: tests replace them.
const realMachine: Machine = {
  wallClock: () => Date.now(),
  steadyTime: () => performance.now(),
  steadyMachineTime: () => Number(process.hrtime.bigint() / 1_000_000n),
  setTimeout: (work, milliseconds) => globalThis.setTimeout(work, milliseconds),
  setInterval: (work, milliseconds) => globalThis.setInterval(work, milliseconds),
  setImmediate: (work) => globalThis.setImmediate(work),
  clearTimeout: (timer) => globalThis.clearTimeout(timer),
  randomUUID: () => crypto.randomUUID(),
  fillRandom: (bytes) => void crypto.getRandomValues(bytes),
  aside: (work) => work(),
  isOneThread: false,
}

let machine = realMachine

/** For the simulator; returns a function that brings back the real machine. */
export const installMachine = (other: Machine): (() => void) => {
  machine = other
  return () => (machine = realMachine)
}

export const wallClock = (): Instant => machine.wallClock()
export const steadyTime = (): number => machine.steadyTime()
export const steadyMachineTime = (): number => machine.steadyMachineTime()
export const isOneThread = (): boolean => machine.isOneThread
export const aside: Machine['aside'] = (work) => machine.aside(work)

export const setTimeout = <Arguments extends unknown[]>(
  work: (...args: Arguments) => void,
  milliseconds?: number,
  ...args: Arguments
): NodeJS.Timeout => machine.setTimeout(() => work(...args), milliseconds)

export const setInterval = (work: () => void, milliseconds?: number): NodeJS.Timeout =>
  machine.setInterval(work, milliseconds)

export const setImmediate = <Arguments extends unknown[]>(
  work: (...args: Arguments) => void,
  ...args: Arguments
): NodeJS.Immediate => machine.setImmediate(() => work(...args))

export const clearTimeout = (timer: NodeJS.Timeout | undefined): void => machine.clearTimeout(timer)
export const clearInterval = clearTimeout

/** Lets pending events run first. */
export const nextTurn = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve))

type PauseOptions = { readonly signal?: AbortSignal | undefined; readonly ref?: boolean }

/** @throws the signal's reason, as an `AbortError`, when it aborts first */
export const pause = (
  milliseconds: number,
  { signal, ref = true }: PauseOptions = {},
): Promise<void> =>
  new Promise((resolve, reject) => {
    const giveUp = (): void => {
      clearTimeout(timer)
      const error = new Error('The operation was aborted', { cause: signal?.reason })
      reject(Object.assign(error, { name: 'AbortError', code: 'ABORT_ERR' }))
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', giveUp)
      resolve()
    }, milliseconds)
    if (!ref) timer.unref()
    if (signal?.aborted) giveUp()
    else signal?.addEventListener('abort', giveUp, { once: true })
  })

export const randomUUID = (): ReturnType<typeof crypto.randomUUID> =>
  machine.randomUUID() as ReturnType<typeof crypto.randomUUID>

export const randomBytes = (count: number): Buffer<ArrayBuffer> => {
  const bytes = Buffer.alloc(count)
  machine.fillRandom(bytes)
  return bytes
}

const wholeRange = 2 ** 48

/** A whole number from 0 to below `limit`, each as likely. */
export const randomInt = (limit: number): number => {
  const most = wholeRange - (wholeRange % limit)
  for (;;) {
    const drawn = randomBytes(6).readUIntBE(0, 6)
    if (drawn < most) return drawn % limit
  }
}

/** From 0 to below 1, for what nobody gains by guessing. */
export const randomFraction = (): number => randomBytes(6).readUIntBE(0, 6) / wholeRange
