import { AsyncLocalStorage } from 'node:async_hooks'
import type { Machine } from '../application/machine.ts'
import { randomFrom } from './random.ts'

/** A process of the world. What it starts is its own; nothing of a frozen one runs, and of a dead
 * one nothing ever will. */
export type Process = {
  /** How far its clock is ahead of the others', in ms. */
  readonly drift: number
  isFrozen: boolean
  isDead: boolean
}

type Work = { readonly work: () => void; readonly of: Process | undefined }
type Timer = Work & { due: number; order: number; every: number | undefined }

const mayRun = ({ of }: Work): boolean => !of?.isFrozen

/** Nothing is left to run, and what is waited for has not come. */
export class Stuck extends Error {
  override readonly name = 'Stuck'
}

const turnOfLoop = (): Promise<void> =>
  new Promise((resolve) => void globalThis.setImmediate(resolve))

/** Real waits, in ms, for what is read from a disk. */
const realWaits = { ms: 1, most: 5_000 }
const realWait = (): Promise<void> =>
  new Promise((resolve) => void globalThis.setTimeout(resolve, realWaits.ms))

/** Whether the platform works on a file, which nobody has put aside, as commands do. */
const isReading = (): boolean =>
  process.getActiveResourcesInfo().some((kind) => /^(?:FSReq|CloseReq)/.test(kind))

/** Turns of the loop before a timer fires. */
const moreTurns = 3

/** Of simulated time: nodes renew their leases for ever, whatever is waited for. */
const longestWaitMs = 3_600_000

/** Turns that promises of the platform may take without a timer or work aside. */
const longestQuiet = 2_000

/**
 * The machine of a simulated world: its time passes only when nothing else is left to do, and its
 * randomness comes from the seed.
 * Long because clocks, timers and the loop share what is due.
 */
export const simulatedMachine = (seed: number, beginsAt: number) => {
  const random = randomFrom(seed, 1)
  const timers = new Set<Timer>()
  const processes = new AsyncLocalStorage<Process | undefined>()
  let immediates: Work[] = []
  let steady = 0
  let wallOffset = beginsAt
  let order = 0
  let asides = Promise.resolve<unknown>(undefined)
  let asidesUnderWay = 0

  const start = (work: () => void, ms: number, every: number | undefined): NodeJS.Timeout => {
    const of = processes.getStore()
    const timer: Timer = { due: steady + Math.max(1, ms), order: order++, work, every, of }
    if (!of?.isDead) timers.add(timer)
    const handle = {
      timer,
      ref: () => handle,
      unref: () => handle,
      hasRef: () => true,
      refresh: () => {
        timer.due = steady + Math.max(1, ms)
        timer.order = order++
        if (!of?.isDead) timers.add(timer)
        return handle
      },
      close: () => (timers.delete(timer), handle),
    }
    return handle as unknown as NodeJS.Timeout
  }

  const next = (): Timer | undefined => {
    let first: Timer | undefined
    for (const timer of timers)
      if (
        mayRun(timer) &&
        (!first || timer.due < first.due || (timer.due === first.due && timer.order < first.order))
      )
        first = timer
    return first
  }

  const as = <Result>(process: Process | undefined, work: () => Result): Result =>
    process === processes.getStore() ? work() : processes.run(process, work)

  const fire = (timer: Timer): void => {
    steady = Math.max(steady, timer.due)
    if (timer.every === undefined) timers.delete(timer)
    else Object.assign(timer, { due: steady + timer.every, order: order++ })
    as(timer.of, timer.work)
  }

  /** Nothing is left to run but what is due later. */
  const isIdle = (): boolean => asidesUnderWay === 0 && !immediates.some(mayRun)

  /**
   * Runs one thing that is due by then; false if there is none. Some promises of the platform need
   * a turn of the loop more or less each time, and time must not pass meanwhile.
   */
  const runOne = async (
    until: number,
    waitsForFiles = false,
    isOver = () => false,
  ): Promise<boolean> => {
    const turns = async (): Promise<void> => {
      await turnOfLoop()
      for (let turn = 0; turn < moreTurns && isIdle() && !isOver(); turn += 1) await turnOfLoop()
    }
    await turns()
    for (let times = 0; waitsForFiles && isReading() && times < realWaits.most; times += 1) {
      await realWait()
      await turns()
    }
    if (isOver()) return true
    if (asidesUnderWay > 0) return reading(asides).then(() => true)
    const first = immediates.find(mayRun)
    if (first) {
      immediates.splice(immediates.indexOf(first), 1)
      as(first.of, first.work)
      return true
    }
    const timer = next()
    if (!timer || timer.due > until) return false
    fire(timer)
    return true
  }

  /** Waits for what the platform itself does, such as reading a file; no time passes. */
  const reading = async <Result>(promise: Promise<Result>): Promise<Result> => {
    let isSettled = false
    const settle = (): void => void (isSettled = true)
    promise.then(settle, settle)
    for (let turn = 0; !isSettled; turn += 1) {
      if (turn > realWaits.most) throw new Stuck('the disk or another thread does not answer')
      await (turn < 50 ? turnOfLoop() : realWait())
    }
    return promise
  }

  /** Else what follows would race with them. */
  const settleAsides = async (): Promise<void> => {
    while (asidesUnderWay > 0) await reading(asides)
  }

  const machine: Machine = {
    wallClock: () => Math.floor(wallOffset + steady) + (processes.getStore()?.drift ?? 0),
    steadyTime: () => steady,
    steadyMachineTime: () => Math.floor(steady),
    setTimeout: (work, ms = 1) => start(work, ms, undefined),
    setInterval: (work, ms = 1) => start(work, ms, Math.max(1, ms)),
    setImmediate: (work) => {
      const of = processes.getStore()
      if (!of?.isDead) immediates.push({ work, of })
      return {} as NodeJS.Immediate
    },
    clearTimeout: (handle) => {
      const { timer } = (handle ?? {}) as { readonly timer?: Timer }
      if (timer) timers.delete(timer)
    },
    fillRandom: (bytes) => {
      for (let at = 0; at < bytes.length; at += 1) bytes[at] = Math.floor(random() * 256)
    },
    randomUUID: () => {
      const bytes = Buffer.alloc(16)
      machine.fillRandom(bytes)
      const hex = bytes.toString('hex')
      const parts = [hex.slice(0, 8), hex.slice(8, 12), `4${hex.slice(13, 16)}`]
      return [...parts, `a${hex.slice(17, 20)}`, hex.slice(20)].join('-')
    },
    // One after the other, so that they end in the same order each time.
    aside: <Result>(work: () => Promise<Result>): Promise<Result> => {
      asidesUnderWay += 1
      const done = asides.then(work)
      asides = done
        .catch(() => {})
        .finally(() => {
          asidesUnderWay -= 1
        })
      return done
    },
    isOneThread: true,
  }

  return {
    machine,
    /** Sets the clock of the machine, as an operator or a time server does. */
    jumpClock: (ms: number): void => void (wallOffset += ms),
    /** Runs the world until a promise settles, at most `steps` steps; then it may go on. */
    until: async <Result>(
      promise: Promise<Result>,
      steps = Infinity,
      waitsForFiles = false,
    ): Promise<Result> => {
      let isSettled = false
      const settle = (): void => void (isSettled = true)
      promise.then(settle, settle)
      let quiet = 0
      const latest = steady + longestWaitMs
      for (let count = 0; !isSettled && count <= steps; count += 1) {
        if (steady > latest) throw new Stuck('it has not ended within an hour')
        if (await runOne(Infinity, waitsForFiles, () => isSettled)) quiet = 0
        else if ((quiet += 1) > longestQuiet) throw new Stuck('nothing is left to wait for')
      }
      await settleAsides()
      if (!isSettled) throw new Stuck('the request was cut off')
      return promise
    },
    reading,
    /** Does work as a process, whose clock, timers and randomness it then uses. */
    as,
    process: (): Process | undefined => processes.getStore(),
    /** Ends a process at once: nothing of it ever runs again. */
    kill: (process: Process): void => {
      process.isDead = true
      for (const timer of timers) if (timer.of === process) timers.delete(timer)
      immediates = immediates.filter(({ of }) => of !== process)
    },
    /** Lets time pass, with everything that becomes due meanwhile. */
    pass: async (ms: number): Promise<void> => {
      const end = steady + ms
      while (await runOne(end));
      await settleAsides()
      steady = end
    },
    /** Forgets all timers, as the end of a process does. */
    end: (): void => {
      timers.clear()
      immediates = []
    },
  }
}

export type SimulatedMachine = ReturnType<typeof simulatedMachine>
