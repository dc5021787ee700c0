import {
  nodeHash,
  type Hash,
  type Sha256,
  type LogProof,
} from '../../domain/transparency/merkle-tree.ts'
import { bytesOfBase64 } from '../../domain/transparency/signed-note.ts'

/* Checks by somebody who trusts no operator: the service makes proofs and never reads them. */

/** RFC 6962, 2.1. */
export const leafHash = (sha256: Sha256, entry: Uint8Array): Hash => sha256(Uint8Array.of(0), entry)

const sameHash = (one: Hash, other: Hash): boolean =>
  one.length === other.length && one.every((byte, at) => byte === other[at])

const isPowerOfTwo = (count: number): boolean => 2 ** Math.round(Math.log2(count)) === count

const half = (number: number): number => Math.floor(number / 2)

const isOdd = (number: number): boolean => number % 2 === 1

type Inclusion = {
  readonly leaf: Hash
  readonly index: number
  readonly size: number
  readonly proof: readonly Hash[]
  readonly root: Hash
}

/** RFC 9162, 2.1.3.2. */
export const includes = (
  sha256: Sha256,
  { leaf, index, size, proof, root }: Inclusion,
): boolean => {
  if (!(index >= 0 && index < size)) return false
  let [node, last, hash] = [index, size - 1, leaf]
  for (const sibling of proof) {
    if (last === 0) return false
    if (isOdd(node) || node === last) {
      hash = nodeHash(sha256, sibling, hash)
      while (!isOdd(node) && node !== 0) [node, last] = [half(node), half(last)]
    } else hash = nodeHash(sha256, hash, sibling)
    ;[node, last] = [half(node), half(last)]
  }
  return last === 0 && sameHash(hash, root)
}

type Consistency = {
  readonly size: number
  readonly root: Hash
  readonly laterSize: number
  readonly laterRoot: Hash
  readonly proof: readonly Hash[]
}

/** Both roots of a proof, folded upwards from the last node that the trees share. */
const rootsFrom = (
  sha256: Sha256,
  shared: Hash,
  siblings: readonly Hash[],
  [first, firstLast]: readonly [number, number],
): { readonly root: Hash; readonly laterRoot: Hash } | undefined => {
  let [node, last, root, laterRoot] = [first, firstLast, shared, shared]
  for (const sibling of siblings) {
    if (last === 0) return undefined
    if (isOdd(node) || node === last) {
      root = nodeHash(sha256, sibling, root)
      laterRoot = nodeHash(sha256, sibling, laterRoot)
      while (!isOdd(node) && node !== 0) [node, last] = [half(node), half(last)]
    } else laterRoot = nodeHash(sha256, laterRoot, sibling)
    ;[node, last] = [half(node), half(last)]
  }
  return last === 0 ? { root, laterRoot } : undefined
}

/** RFC 9162, 2.1.4.2. */
export const isConsistent = (
  sha256: Sha256,
  { size, root, laterSize, laterRoot, proof }: Consistency,
): boolean => {
  if (!(size >= 0 && size <= laterSize)) return false
  if (size === laterSize) return proof.length === 0 && sameHash(root, laterRoot)
  if (size === 0) return proof.length === 0 && sameHash(root, sha256())
  const [shared, ...rest] = !isPowerOfTwo(size) ? proof : [root, ...proof]
  if (shared === undefined) return false
  let [node, last] = [size - 1, laterSize - 1]
  while (isOdd(node)) [node, last] = [half(node), half(last)]
  const roots = rootsFrom(sha256, shared, rest, [node, last])
  return roots !== undefined && sameHash(roots.root, root) && sameHash(roots.laterRoot, laterRoot)
}

const header = 'c2sp.org/tlog-proof@v1'

/** Undefined if it is not such a file. */
export const parseProof = (text: string): LogProof | undefined => {
  const end = text.indexOf('\n\n')
  const [first, ...rest] = text.slice(0, end).split('\n')
  if (end < 0 || first !== header) return undefined
  const lines = rest[0]?.startsWith('extra ') ? rest.slice(1) : rest
  const [, digits] = /^index (0|[1-9]\d{0,15})$/.exec(lines[0] ?? '') ?? []
  const hashes = lines.slice(1).map(bytesOfBase64)
  if (digits === undefined || hashes.some((hash) => hash?.length !== 32)) return undefined
  return {
    index: Number(digits),
    hashes: hashes as readonly Hash[],
    checkpoint: text.slice(end + 2),
  }
}
