import { start, type EventStore, type Position } from '../../application/event-store.ts'
import type { OnEvents, ReadModels } from '../read-models/read-models.ts'
import { pause } from '../../application/machine.ts'

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

export type Models = Pick<ReadModels, 'position' | 'reached'>

/**
 * This process's knowledge of the log: the newest position observed, and up to where it is
 * complete.
 */
export const knownLog = (store: EventStore, from: Position, elapsed: () => number) => {
  let heard = from
  let models: Models | undefined
  const observation = observationFrom(from)
  const reached = (): Position => Math.min(observation.at(), models?.position() ?? start)
  const confirmed = confirmations(reached)

  const hear = (position: Position): void => {
    if (position > heard) heard = position
  }

  const head = async (): Promise<Position> => {
    const asked = elapsed()
    const position = await store.head()
    hear(position)
    confirmed.note(position, asked)
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
    ...{ hear, head, observe, waitFor, reached, known: () => heard },
    /** How long ago the log was known to end at `reached`, in ms. */
    age: (): number => elapsed() - confirmed.at(),
    follow: (readModels: Models): void => void (models = readModels),
  }
}

export type KnownLog = ReturnType<typeof knownLog>
