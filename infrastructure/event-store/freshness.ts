import { start, type EventStore, type Position } from '../../application/event-store.ts'
import type { Freshness, FreshRead } from '../../application/freshness.ts'
import { knownLog, type KnownLog, type Models } from './known-log.ts'
import { AsyncLocalStorage } from 'node:async_hooks'
import { steadyTime } from '../../application/machine.ts'

/** A settled read does not query the store: for it, the log ends at this position. */
type Settled = { readonly position: Position; isOver: boolean }

/** Runs reads with a fixed end of the log; costs nothing while there are none. */
const makeSettledReads = () => {
  const context = new AsyncLocalStorage<Settled>()
  let running = 0
  const end = (settled: Settled): void => {
    // Work that outlives the read queries the store again.
    settled.isOver = true
    running -= 1
    if (running === 0) context.disable()
  }
  return {
    position: (): Position | undefined => {
      const settled = context.getStore()
      return settled && !settled.isOver ? settled.position : undefined
    },
    run: <Answer>(position: Position, work: () => Answer): Answer => {
      const settled = { position, isOver: false }
      running += 1
      const answer = context.run(settled, work)
      if (answer instanceof Promise) {
        const ended = () => end(settled)
        answer.then(ended, ended)
      } else end(settled)
      return answer
    },
  }
}

type Note = (position: Position) => void
type Noted = <Answer>(noteIt: Note, work: () => Answer) => Answer

const freshRead = (
  log: KnownLog,
  settledReads: ReturnType<typeof makeSettledReads>,
  whileNoting: Noted,
): FreshRead => {
  const floor = log.reached()
  let noted: Position | undefined
  let settledAt: Position | undefined
  let age: number | undefined
  const noteIt = (position: Position): void => {
    noted = Math.min(noted ?? position, position)
  }
  return {
    settle: async ({ minPosition = start, maxAge }) => {
      const found = await log.waitFor(minPosition)
      const milliseconds = maxAge === undefined ? 0 : log.age()
      if (milliseconds > 1_000 * (maxAge ?? 0)) return found
      if (maxAge !== undefined) age = Math.floor(milliseconds / 1_000)
      settledAt = log.reached()
      return found
    },
    run: (work) =>
      settledAt === undefined ? whileNoting(noteIt, work) : settledReads.run(settledAt, work),
    position: () => settledAt ?? Math.max(floor, noted ?? floor),
    age: () => age,
  }
}

/**
 * Tracks how far this process knows the log, and lets reads choose their freshness. `settled` reads
 * do not query the store. Other reads record what they wait for in the turn in which they start.
 */
export const watchFreshness = <Store extends EventStore>(
  store: Store,
  from: Position,
  elapsed: () => number = steadyTime,
) => {
  const log = knownLog(store, from, elapsed)
  const settledReads = makeSettledReads()
  let note: Note | undefined

  const noting = <Answer>(
    answer: Promise<Answer>,
    positionIn: (found: Answer) => Position | undefined,
  ): Promise<Answer> => {
    const noteIt = note
    if (!noteIt) return answer
    return answer.then((found) => {
      const position = positionIn(found)
      if (position !== undefined) noteIt(position)
      return found
    })
  }

  /** Records what the work requests while it starts, which is what the read waits for. */
  const noted = <Answer>(noteIt: Note, work: () => Answer): Answer => {
    note = noteIt
    try {
      return work()
    } finally {
      note = undefined
    }
  }
  const read = () => freshRead(log, settledReads, noted)

  const watched: Store = {
    ...store,
    append: async (...what) => {
      const appended = await store.append(...what)
      log.hear(appended.position)
      return appended
    },
    head: () => {
      const end = settledReads.position()
      return end === undefined ? noting(log.head(), (found) => found) : Promise.resolve(end)
    },
    readStream: (...about) =>
      noting(store.readStream(...about), (events) => events.at(-1)?.position),
  }

  const over = (readModels: Models): Freshness => {
    log.follow(readModels)
    return { known: log.known, read }
  }
  return { store: watched, observe: log.observe, over }
}
