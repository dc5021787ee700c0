import { AsyncLocalStorage } from 'node:async_hooks'
import { start, type EventStore, type Position } from '../../application/event-store.ts'
import type { OnEvents, ReadModels } from '../read-models/read-models.ts'
import { pause, steadyTime } from '../../application/machine.ts'
import type { Freshness, FreshRead } from '../../application/freshness.ts'

/** How long a position may take to arrive, in ms, before the store is queried. */
const onTheWayMs = 1_000

/** When everything up to here was last known to be complete. */
const confirmations = (reached: () => Position) => {
  let confirmedAt = -Infinity
  let pending: { readonly position: Position; readonly at: number } | undefined
  const look = (): void => {
    if (pending === undefined || pending.position > reached()) return
    confirmedAt = pending.at
    pending = undefined
  }
  return {
    note: (position: Position, at: number): void => {
      look()
      if (position <= reached()) confirmedAt = at
      else pending ??= { position, at }
    },
    at: (): number => {
      look()
      return confirmedAt
    },
  }
}

/** Lets readers wait until an event has been observed. */
const observationFrom = (from: Position) => {
  let observed = from
  let waiting: { readonly target: Position; readonly resolve: () => void }[] = []
  return {
    at: (): Position => observed,
    observe: (position: Position): void => {
      observed = position
      if (waiting.length === 0) return
      for (const { target, resolve } of waiting) if (target <= observed) resolve()
      waiting = waiting.filter(({ target }) => target > observed)
    },
    reached: async (target: Position): Promise<void> => {
      if (target > observed) await new Promise<void>((resolve) => waiting.push({ target, resolve }))
    },
    forget: (target: Position): void => {
      waiting = waiting.filter((one) => one.target !== target)
    },
  }
}

type Models = Pick<ReadModels, 'position' | 'reached'>

/**
 * This process's knowledge of the log: the newest position observed, and up to where it is
 * complete.
 */
const knownLog = (store: EventStore, from: Position, elapsed: () => number) => {
  let heard = from
  let models: Models | undefined
  const observation = observationFrom(from)
  const reached = (): Position => Math.min(observation.at(), models?.position() ?? start)
  const confirmed = confirmations(reached)

  const hear = (position: Position): void => {
    if (position > heard) heard = position
  }

  const head = async (): Promise<Position> => {
    const startedAt = elapsed()
    const position = await store.head()
    hear(position)
    confirmed.note(position, startedAt)
    return position
  }

  const waitFor = async (target: Position): Promise<'settled' | 'beyond the log'> => {
    if (target <= reached()) return 'settled'
    const arriving = Promise.all([models?.reached(target), observation.reached(target)])
    const isHere = arriving.then(() => true)
    isHere.catch(() => {})
    try {
      if (await Promise.race([isHere, pause(onTheWayMs)])) return 'settled'
      if (target > (await head())) return 'beyond the log'
      await arriving
      return 'settled'
    } finally {
      observation.forget(target)
    }
  }

  const observe: OnEvents = (events) => {
    const last = events.at(-1)
    if (!last) return
    hear(last.position)
    observation.observe(last.position)
  }

  return {
    hear,
    head,
    observe,
    observed: observation.reached,
    waitFor,
    reached,
    known: () => heard,
    /** How long ago the log was known to end at `reached`, in ms. */
    age: (): number => elapsed() - confirmed.at(),
    follow: (readModels: Models): void => void (models = readModels),
  }
}

type KnownLog = ReturnType<typeof knownLog>

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
  return { store: watched, observe: log.observe, observed: log.observed, over }
}
