import { start } from '../../application/event-store.ts'
import { merkleTree, nodeHash, type Hash } from '../../domain/transparency/merkle-tree.ts'
import {
  entryOf,
  entryOfEvent,
  leafHash,
  type Entry,
} from '../../infrastructure/event-store/event-entry.ts'
import { fail } from '../../infrastructure/failures.ts'
import { sha256 } from '../../infrastructure/keys/keys.ts'
import type { OpenedStore } from '../../infrastructure/stores.ts'

/** The roots of a tree's complete subtrees, smallest first. */
export type Frontier = {
  readonly hash: Hash
  /** Root of 2 ** level leaves. */
  readonly level: number
  readonly rest: Frontier | undefined
}

/** Number of earlier trees kept: a checkpoint is signed soon after its last event. */
export const remembered = 8_192

export const rootOf = (frontier: Frontier | undefined): Hash => {
  if (!frontier) return sha256()
  let root = frontier.hash
  for (let next = frontier.rest; next; next = next.rest) root = nodeHash(sha256, next.hash, root)
  return root
}

/** A Merkle tree to which leaves are added; memory grows with the logarithm of their number. */
export const growingTree = () => {
  let frontier: Frontier | undefined
  let size = 0
  /** A ring buffer; trees share common parts. */
  const earlier: (Frontier | undefined)[] = []
  return {
    add: (leaf: Hash): void => {
      let [hash, level, rest] = [leaf, 0, frontier]
      while (rest?.level === level) {
        hash = nodeHash(sha256, rest.hash, hash)
        level += 1
        rest = rest.rest
      }
      frontier = { hash, level, rest }
      size += 1
      earlier[size % remembered] = frontier
    },
    size: (): number => size,
    root: (): Hash => rootOf(frontier),
    /** The root of the first `then` leaves; undefined if that is too long ago, or in the future. */
    rootAt: (then: number): Hash | undefined =>
      then === 0 || (then <= size && then > size - remembered)
        ? rootOf(then === 0 ? undefined : earlier[then % remembered])
        : undefined,
  }
}

async function* entriesIn({ log, readAll }: OpenedStore): AsyncGenerator<Entry> {
  if (!log) {
    for await (const batch of readAll(start)) yield* batch.map(entryOfEvent)
    return
  }
  for (const { row, problem } of log.examined()) {
    const [position, stream, revision, id, type, data, metadata] = row
    if (problem)
      fail(`event ${position}, revision ${revision} of ${stream}, is damaged: ${problem}`)
    yield { stream, revision, id, type, data, metadata }
  }
}

type TreeOptions = {
  readonly size?: number | undefined
  readonly root?: string | undefined
  readonly index?: number | undefined
  readonly from?: number | undefined
}

const within = (name: string, value: number, most: number): number =>
  value <= most ? value : fail(`${name} ${value} is beyond the tree of ${most} events`)

const base64 = (hash: Hash): string => Buffer.from(hash).toString('base64')

/** The tree of these leaves; subtrees are computed on demand. */
const treeOf = (leaves: readonly Hash[]) => {
  const subtree = (level: number, index: number): Hash =>
    level === 0
      ? (leaves[index] as Hash)
      : nodeHash(sha256, subtree(level - 1, 2 * index), subtree(level - 1, 2 * index + 1))
  return merkleTree(sha256, subtree)
}

/** The tree of a log, and proofs from it. @throws OperatorError if the root differs */
export const auditTree = async (store: OpenedStore, options: TreeOptions) => {
  const { index, from } = options
  const leaves: Buffer[] = []
  let entry: string | undefined
  for await (const one of entriesIn(store)) {
    if (leaves.length === index) entry = entryOf(one)
    leaves.push(Buffer.from(leafHash(one), 'base64'))
  }
  const size = within('size', options.size ?? leaves.length, leaves.length)
  const tree = treeOf(leaves)
  const root = base64(tree.rootOf(size))
  if (options.root !== undefined && options.root !== root)
    fail(`the first ${size} events have the root ${root}: this is not the log with that root`)
  if (index !== undefined && index >= size)
    fail(`index ${index} is beyond the tree of ${size} events, which are numbered from 0`)
  if (from !== undefined) within('from', from, size)
  return {
    size,
    root,
    ...(index !== undefined && {
      index,
      entry,
      inclusion: tree.inclusionProof(index, size).map(base64),
    }),
    ...(from !== undefined && {
      from,
      from_root: base64(tree.rootOf(from)),
      consistency: tree.consistencyProof(from, size).map(base64),
    }),
  }
}
