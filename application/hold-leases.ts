import { surplusOf, type Build, type LeaseCommand } from '../domain/leases.ts'
import { WrongExpectedRevision, type EventStore } from './event-store.ts'
import { LeaseLost, type Lease } from './lease.ts'
import { followLeases } from './lease-stream.ts'
import type { Begun } from './share.ts'

/**
 * The leases this node may use: those it holds, once it has read everything earlier holders did.
 */
export const activeLeases = ({
  caughtUp,
  onChange,
}: Pick<Needs, 'caughtUp'> & { readonly onChange: () => void }) => {
  const active = new Map<string, number>()
  let changes = 0

  const changed = (): void => {
    changes += 1
    onChange()
  }

  return {
    revisionOf: (work: string): number | undefined => active.get(work),
    all: (): string[] => [...active.keys()],
    changes: () => changes,
    /** Resumes work whose lease is kept after all. */
    wake: (works: readonly string[]): void => {
      if (works.some((work) => active.has(work))) changed()
    },
    /** Stops lost work at once. Starts won work once this node has caught up. */
    follow: (does: () => Readonly<Record<string, number>>): void => {
      const now = does()
      const lost = [...active].filter(([work, revision]) => now[work] !== revision)
      for (const [work] of lost) active.delete(work)
      if (lost.length > 0) changed()
      const won = Object.entries(now).filter(([work]) => !active.has(work))
      if (won.length === 0) return
      const begin = (): void => {
        const still = won.filter(([work, revision]) => does()[work] === revision)
        const fresh = still.filter(([work]) => !active.has(work))
        for (const [work, revision] of fresh) active.set(work, revision)
        if (fresh.length > 0) changed()
      }
      // Retried at the next look.
      caughtUp().then(begin, () => {})
    },
  }
}

/** How long a lease is kept, in ms: unrecorded results are retried after a second. */
const keptForMs = 3_000

/**
 * Tracks the uses of leases. A lease is released only when no use is in flight and everything is
 * recorded.
 */
const usesOfLeases = (elapsed: () => number) => {
  let count = 0
  /** By number: the leases that each use may touch. */
  const underWay = new Map<number, (work: string) => boolean>()
  /** Leases that admit no new uses, and the number of the last use before that. */
  const ending = new Map<string, number>()
  const keptUntil = new Map<string, number>()

  const isKept = (work: string): boolean => elapsed() < (keptUntil.get(work) ?? -Infinity)

  return {
    /** Keeps the lease of this work for a while. */
    keep: (work: string): void => void keptUntil.set(work, elapsed() + keptForMs),
    areKept: (works: readonly string[]): boolean => works.some(isKept),
    /** Runs work that uses leases. */
    using: async <Result>(
      touches: (work: string) => boolean,
      work: () => Promise<Result>,
    ): Promise<Result> => {
      const number = (count += 1)
      underWay.set(number, touches)
      try {
        return await work()
      } finally {
        underWay.delete(number)
      }
    },
    /** Starts to release exactly these leases, except kept ones. Returns those that resume. */
    end: (works: readonly string[]): string[] => {
      const free = works.filter((work) => !isKept(work))
      const resumed = [...ending.keys()].filter((work) => !free.includes(work))
      for (const work of resumed) ending.delete(work)
      for (const work of free) if (!ending.has(work)) ending.set(work, count)
      return resumed
    },
    isEnding: (work: string): boolean => ending.has(work),
    ended: (): string[] =>
      [...ending]
        .filter(([work, last]) =>
          [...underWay].every(([number, touches]) => number > last || !touches(work)),
        )
        .map(([work]) => work),
  }
}

/** How often leases are renewed, in ms. */
const renewEveryMs = 2_000
/** How long a node may work after it started its last renewal. */
const heldForMs = 6_500
/** Others may renew at the same time. */
const mostTries = 10

type Needs = {
  readonly store: Pick<EventStore, 'append' | 'readStream'>
  /** Unique for each process. */
  readonly node: string
  readonly build?: Build
  /** In ms; continues while the process is frozen. */
  readonly elapsed: () => number
  readonly newId: () => string
  /** Resolves once this node has read everything that earlier holders did. */
  readonly caughtUp: () => Promise<void>
  /** Work that this node cannot do. */
  readonly cannot: () => Promise<readonly string[]>
  /** Called when this node's leases change. */
  readonly onChange: () => void
}

/**
 * Holds leases for one node, as long as `step` is called a few times a second. The deadline of own
 * leases counts from before the renewal, that of others from when they were observed, so clocks
 * need not agree and a frozen node stops by itself.
 * Long because its steps share what is known.
 */
export const holdLeases = (needs: Needs) => {
  const { node, build, elapsed, newId } = needs
  const stream = followLeases(needs)
  const active = activeLeases(needs)
  const uses = usesOfLeases(elapsed)
  let renewedAt = -Infinity
  let isLeaving = false

  const does = () => stream.nodes()[node]?.does ?? {}
  const leftMs = (): number => heldForMs - (elapsed() - renewedAt)
  const isInTime = (): boolean => leftMs() > 0
  const isHeld = (work: string, revision: number): boolean =>
    active.revisionOf(work) === revision && isInTime()
  const isOwn = (work: string): boolean =>
    active.revisionOf(work) !== undefined && isInTime() && !uses.isEnding(work)

  const append = async (command: LeaseCommand): Promise<boolean> => {
    const sentAt = elapsed()
    try {
      await stream.append(command, newId())
    } catch (error) {
      if (error instanceof WrongExpectedRevision) return false
      throw error
    }
    const wasInTime = isInTime()
    renewedAt = sentAt
    // What was due meanwhile was passed over.
    if (!wasInTime) active.wake(active.all())
    return true
  }

  let looked: readonly string[] | undefined
  let looking: Promise<void> | undefined
  /** A slow look must not delay a renewal: from the second on, what was found before is used. */
  const abilities = async (): Promise<readonly string[]> => {
    looking ??= needs
      .cannot()
      .then((found) => void (looked = found))
      .finally(() => (looking = undefined))
    if (looked === undefined) await looking
    else looking.catch(() => {})
    return looked ?? []
  }

  const renew = async (): Promise<boolean> => {
    const cannot = await abilities()
    const nodes = stream.nodes()
    const gone = stream.gone().filter((name) => name !== node)
    active.wake(uses.end(gone.length > 0 ? [] : surplusOf(nodes, node)))
    const released = uses.ended()
    const isDue = elapsed() - renewedAt >= renewEveryMs
    if (nodes[node] && !isDue && gone.length === 0 && released.length === 0) return true
    const revision = stream.next()
    return append({ type: 'Renew', node, revision, cannot, build, gone, released })
  }

  /** Reads, then appends; retries if another node was first. */
  const untilFirst = async (change: () => Promise<boolean>): Promise<void> => {
    for (let tries = 0; tries < mostTries; tries++) {
      await stream.read()
      active.follow(does)
      if (await change()) return active.follow(does)
    }
  }

  return {
    isOwn,
    /** Work started now under a lease. */
    begun: (work: string): Begun => {
      const revision = active.revisionOf(work)
      return {
        leftMs: () => (revision === undefined || !isHeld(work, revision) ? 0 : leftMs()),
        keep: () => uses.keep(work),
      }
    },
    /** Whether this node has a lease for any of these. */
    isAnyOwn: (matches: (work: string) => boolean): boolean =>
      active.all().some((work) => matches(work) && isOwn(work)),
    /** @throws LeaseLost */
    leaseOf: (work: string): Lease => {
      const revision = active.revisionOf(work)
      if (revision === undefined || !isInTime()) throw new LeaseLost({ work })
      return { work, revision, isHeld: () => isHeld(work, revision) }
    },
    using: uses.using,
    changes: active.changes,
    /** This node's leases. */
    held: (): readonly string[] => active.all(),
    nodeCount: (): number => Object.keys(stream.nodes()).length,
    /** Every known node and its leases; `isOwn` is this one. */
    nodes: () =>
      Object.entries(stream.nodes()).map(([name, { does: work, reads = 0, version = '' }]) => ({
        name,
        isOwn: name === node,
        does: Object.keys(work),
        reads,
        version,
      })),
    /** The level of events that all nodes read; 0 until this one has said what it reads. */
    lowestRead: (): number => {
      const nodes = stream.nodes()
      return nodes[node] ? Math.min(...Object.values(nodes).map(({ reads = 0 }) => reads)) : 0
    },
    step: async (): Promise<void> => {
      if (!isLeaving) await untilFirst(renew)
    },
    /**
     * Hands all leases to the other nodes, once nothing is in flight. If something is unrecorded it
     * hands over nothing: the others take over as after a crash, and may repeat that work.
     */
    leave: async (): Promise<void> => {
      isLeaving = true
      if (uses.areKept(active.all())) return
      await untilFirst(async () => {
        if (!stream.nodes()[node]) return true
        return append({ type: 'Leave', node, revision: stream.next() })
      })
    },
  }
}

export type HeldLeases = ReturnType<typeof holdLeases>
