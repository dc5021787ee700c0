import type { Handle } from '../../application/handle.ts'
import { holdLeases, type HeldLeases } from '../../application/hold-leases.ts'
import { leaseStream } from '../../application/lease-stream.ts'
import { allWork, type Share } from '../../application/share.ts'
import { eventLevel } from '../../domain/event-level.ts'
import { workOfMerchant } from '../../domain/leases.ts'
import { version } from '../version.ts'
import type { OtherStreams } from '../event-store/eventstoredb-writer.ts'
import type { Log } from '../logs/log.ts'
import Database, { isHeld } from '../sqlite.ts'
import {
  clearTimeout,
  randomUUID,
  setTimeout,
  steadyTime,
  wallClock,
} from '../../application/machine.ts'

/**
 * Elects one process by a lock on a file, which the system releases when the process ends. Nothing
 * is written.
 */
export const soleProcess = (file: string) => {
  const sqlite = new Database(file, { timeout: 0 })
  let isThisOne = false
  return {
    /** Whether this process is elected; it stays elected until `resign`. */
    isOurs: (): boolean => {
      try {
        if (!isThisOne) sqlite.exec('BEGIN EXCLUSIVE')
        isThisOne = true
      } catch (error) {
        if (!isHeld(error)) throw error
      }
      return isThisOne
    },
    resign: (): void => void sqlite.close(),
  }
}

/** How often the leases are checked, in ms. */
const lookEveryMs = 500

/** The last event holds all leases; auditors may want to see some more. */
const kept = 1_000

/** Kinds of shared work, as named by leases. */
export const leasedKinds = ['merchants', 'funding', 'checkpoints'] as const

export type LeasedKind = (typeof leasedKinds)[number]

const unlimited = 'the lease stream cannot be limited: let this user write its metadata'

const isOfKind =
  (kind: LeasedKind) =>
  (work: string): boolean =>
    work === kind || work.startsWith(`${kind}-`)

/**
 * A clock that continues while the process is frozen or the machine sleeps: at each reading it
 * advances with the faster of two clocks.
 */
export const makeElapsed = (clocks: readonly (() => number)[]): (() => number) => {
  let last = clocks.map((clock) => clock())
  let elapsed = 0
  return () => {
    const now = clocks.map((clock) => clock())
    elapsed += Math.max(0, ...now.map((time, index) => time - (last[index] ?? time)))
    last = now
    return elapsed
  }
}

type Needs = {
  readonly store: OtherStreams
  readonly handle: Handle
  readonly log: Log
  readonly caughtUp: () => Promise<void>
}

const shareOf = (held: HeldLeases, handle: Handle, workOf: (merchant: string | null) => string) =>
  ({
    isAll: false,
    isOwn: (merchant) => held.isOwn(workOf(merchant)),
    handle: async (aggregate, id, command, context) =>
      handle(aggregate, id, command, { ...context, lease: held.leaseOf(workOf(context.merchant)) }),
    using: (merchant, work) => {
      const name = workOf(merchant)
      return held.using(
        (one) => one === name,
        () => work(held.begun(name)),
      )
    },
    changes: held.changes,
  }) satisfies Share

/** Checks the leases until it is stopped; a failure is retried by the next check. */
const keepLooking = (step: () => Promise<void>, onFailure: (error: unknown) => void) => {
  let timer: NodeJS.Timeout | undefined
  let looking: Promise<void> | undefined
  const look = (): void => {
    looking = step()
      .catch(onFailure)
      .finally(() => {
        if (timer) timer = setTimeout(look, lookEveryMs)
      })
  }
  return {
    begin: (): void => {
      timer = setTimeout(look, 0)
    },
    end: async (): Promise<void> => {
      clearTimeout(timer)
      timer = undefined
      await looking
    },
  }
}

/** Leases of a process that shares an EventStoreDB with others. */
export const shareWork = ({ store, handle, log, caughtUp }: Needs) => {
  let wake = () => {}
  let cannot = async (): Promise<readonly string[]> => []
  const held: HeldLeases = holdLeases({
    store: store.urgent,
    caughtUp,
    newId: randomUUID,
    node: randomUUID().slice(0, 8),
    build: { reads: eventLevel, version },
    elapsed: makeElapsed([steadyTime, wallClock]),
    cannot: () => cannot(),
    onChange: () => {
      log.info({ work: held.held(), nodes: held.nodeCount() }, 'this node does this work')
      wake()
    },
  })
  const looking = keepLooking(held.step, (error) =>
    log.debug({ error }, 'the leases cannot be renewed'),
  )
  return {
    shares: {
      merchants: shareOf(held, handle, workOfMerchant),
      funding: shareOf(held, handle, () => 'funding'),
      checkpoints: shareOf(held, handle, () => 'checkpoints'),
    },
    isAnyOwn: (kind: LeasedKind): boolean => held.isAnyOwn(isOfKind(kind)),
    nodes: held.nodes,
    lowestRead: held.lowestRead,
    using: <Result>(kind: LeasedKind, work: () => Promise<Result>): Promise<Result> =>
      held.using(isOfKind(kind), work),
    begin: (ofThis: { readonly wake: () => void; readonly cannot: typeof cannot }): void => {
      ;({ wake, cannot } = ofThis)
      looking.begin()
      // Otherwise the stream grows forever, which does no harm.
      store.keepNewest(leaseStream, kept).catch((error: unknown) => log.warn({ error }, unlimited))
    },
    /** Hands all leases to the others, once nothing is in flight. */
    end: async (): Promise<void> => {
      await looking.end()
      await held.leave().catch(() => {})
    },
  }
}

export type SharedWork = ReturnType<typeof shareWork>

/** All work belongs to this process, or to each process of a directory. */
export const unsharedWork = (handle: Handle): Readonly<Record<LeasedKind, Share>> => {
  const all = allWork(handle)
  return { merchants: all, funding: all, checkpoints: all }
}
