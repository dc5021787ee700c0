import { z } from 'zod'
import type { Decider, EventsOf } from './decider.ts'

/** Number of partitions of work that is split by merchant. */
const partitions = 16

const partitionedWork = 'merchants'

/** All work that only one node does at a time. */
export const leasedWork: readonly string[] = [
  ...Array.from({ length: partitions }, (_, number) => `${partitionedWork}-${number}`),
  'funding',
  'checkpoints',
]

/** FNV-1a, the same on every node. */
const hashOf = (text: string): number => {
  let hash = 0x811c9dc5
  for (let at = 0; at < text.length; at++)
    hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193) >>> 0
  return hash
}

/** The lease for a merchant's work; null is the installation. */
export const workOfMerchant = (merchant: string | null): string =>
  `${partitionedWork}-${hashOf(merchant ?? '') % partitions}`

/** A lease, and the revision at which a node acquired it. A higher revision ends all lower ones. */
export type Fence = { readonly work: string; readonly revision: number }

const node = z.object({
  /** Its leases, and the revision at which it acquired each. */
  does: z.record(z.string(), z.int().nonnegative()),
  /** Work that it cannot do, such as signing without a key. */
  cannot: z.array(z.string()).optional(),
  /** The level of events that its build reads (`event-level.ts`); absent in earlier builds. */
  reads: z.int().positive().optional(),
  /** Its version of daybook. */
  version: z.string().optional(),
})

/** What a node says of its build. */
export type Build = { readonly reads: number; readonly version: string }

/** The only stream is `lease-work`. Each event holds all leases, so the last one is enough. */
const leaseEvents = {
  LeasesRenewed: z.object({ by: z.string(), nodes: z.record(z.string(), node) }),
  /** Its node has stopped. */
  LeasesLeft: z.object({ by: z.string(), nodes: z.record(z.string(), node) }),
} as const

export type LeaseEvent = EventsOf<typeof leaseEvents>
type Nodes = LeaseEvent['data']['nodes']
export type Leases = { readonly nodes: Nodes }

export type LeaseCommand =
  | {
      readonly type: 'Renew'
      readonly node: string
      readonly revision: number
      readonly cannot: readonly string[]
      readonly build?: Build | undefined
      /** Nodes that have not renewed for too long. */
      readonly gone: readonly string[]
      /** Leases whose work has ended on this node, so that others may acquire them. */
      readonly released: readonly string[]
    }
  | { readonly type: 'Leave'; readonly node: string; readonly revision: number }

const countOf = (nodes: Nodes, name: string): number => Object.keys(nodes[name]?.does ?? {}).length

const canDo = (nodes: Nodes, name: string, work: string): boolean =>
  !nodes[name]?.cannot?.includes(work)

/** The node with the fewest leases among those that can do the work. */
const idlest = (nodes: Nodes, work: string): string | undefined =>
  Object.keys(nodes)
    .filter((name) => canDo(nodes, name, work))
    .toSorted((a, b) => countOf(nodes, a) - countOf(nodes, b) || (a < b ? -1 : 1))[0]

const withLease = (nodes: Nodes, name: string, work: string, revision: number): Nodes => {
  const before = nodes[name] ?? { does: {} }
  return { ...nodes, [name]: { ...before, does: { ...before.does, [work]: revision } } }
}

const without = (nodes: Nodes, name: string, lost: readonly string[]): Nodes => {
  const before = nodes[name] ?? { does: {} }
  const does = Object.entries(before.does).filter(([work]) => !lost.includes(work))
  return { ...nodes, [name]: { ...before, does: Object.fromEntries(does) } }
}

/** Assigns unheld leases to the nodes with the fewest. */
const spread = (nodes: Nodes, revision: number): Nodes => {
  const held = new Set(Object.values(nodes).flatMap(({ does }) => Object.keys(does)))
  let assigned = nodes
  for (const work of leasedWork.filter((work) => !held.has(work))) {
    const name = idlest(assigned, work)
    if (name !== undefined) assigned = withLease(assigned, name, work, revision)
  }
  return assigned
}

/** Whether a node with `own` leases should hand one to a node with `other`. */
const hasTooMuch = (own: number, other: number, even: number): boolean => {
  if (own - other < 2) return false
  return own > Math.ceil(even) || (own > even && other < Math.floor(even))
}

/** The leases a node should give up to balance the load, last ones first. */
export const surplusOf = (nodes: Nodes, name: string): readonly string[] => {
  const surplus: string[] = []
  const names = Object.keys(nodes)
  const even = names.reduce((sum, one) => sum + countOf(nodes, one), 0) / names.length
  let rest = nodes
  for (const work of Object.keys(nodes[name]?.does ?? {}).toReversed()) {
    const other = idlest(rest, work)
    if (other === undefined) continue
    const isGiven = hasTooMuch(countOf(rest, name), countOf(rest, other), even)
    if (canDo(rest, name, work) && !isGiven) continue
    surplus.push(work)
    rest = withLease(without(rest, name, [work]), other, work, 0)
  }
  return surplus
}

/** Renews a node's leases. Each renewal also distributes unheld leases evenly. */
export const leases: Decider<LeaseCommand, LeaseEvent, Leases> = {
  initial: { nodes: {} },
  decide(command, { nodes }) {
    const { node: by, revision } = command
    const isGone = (name: string): boolean =>
      command.type === 'Leave' ? name === by : name !== by && command.gone.includes(name)
    const left = Object.entries(nodes).filter(([name]) => !isGone(name))
    const remaining: Nodes = Object.fromEntries(left)
    if (command.type === 'Leave')
      return [{ type: 'LeasesLeft', data: { by, nodes: spread(remaining, revision) } }]
    const { cannot, released, build } = command
    const before = remaining[by] ?? { does: {} }
    const joined: Nodes = {
      ...remaining,
      [by]: { does: before.does, ...(cannot.length > 0 && { cannot: [...cannot] }), ...build },
    }
    // Other nodes may have stopped since; then this node must keep the lease.
    const surplus = surplusOf(joined, by).filter((work) => released.includes(work))
    return [
      {
        type: 'LeasesRenewed',
        data: { by, nodes: spread(without(joined, by, surplus), revision) },
      },
    ]
  },
  evolve: (_, { data: { nodes } }) => ({ nodes }),
}
