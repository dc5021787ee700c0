// @module-tag long
import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  merkleTree,
  nodeHash,
  type Hash,
  type Sha256,
} from '../../../domain/transparency/merkle-tree.ts'
import { includes, isConsistent, leafHash } from '../../transparency/proof-checks.ts'

const sha256: Sha256 = (...parts) => {
  const hash = createHash('sha256')
  for (const part of parts) hash.update(part)
  return hash.digest()
}

const hex = (hash: Hash): string => Buffer.from(hash).toString('hex')

/** The tree of these entries; each complete subtree is hashed as in RFC 6962, 2.1. */
const treeOf = (entries: readonly Uint8Array[]) => {
  const subtree = (level: number, index: number): Hash =>
    level === 0
      ? leafHash(sha256, entries[index] as Uint8Array)
      : nodeHash(sha256, subtree(level - 1, 2 * index), subtree(level - 1, 2 * index + 1))
  return merkleTree(sha256, subtree)
}

/** The hash of a list, directly from the definition in RFC 6962, 2.1. */
const defined = (entries: readonly Uint8Array[]): Hash => {
  if (entries.length === 0) return sha256()
  if (entries.length === 1) return sha256(Uint8Array.of(0), entries[0] as Uint8Array)
  let split = 1
  while (split < entries.length) split *= 2
  split /= 2
  const [left, right] = [entries.slice(0, split), entries.slice(split)]
  return sha256(Uint8Array.of(1), defined(left), defined(right))
}

/** Entries and roots shared by implementations of RFC 6962. */
const known = ['', '00', '10', '2021', '3031', '40414243', '5051525354555657'].concat(
  '606162636465666768696a6b6c6d6e6f',
)
const knownRoots = [
  'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
  '6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d',
  'fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125',
  'aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77',
  'd37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7',
  '4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4',
  '76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef',
  'ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c',
  '5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328',
]

test('the roots of the shared examples are those of other implementations', () => {
  const { rootOf } = treeOf(known.map((text) => Buffer.from(text, 'hex')))
  expect(knownRoots.map((_, size) => hex(rootOf(size)))).toEqual(knownRoots)
})

const numbered = (count: number): Uint8Array[] =>
  Array.from({ length: count }, (_, index) => Buffer.from(`entry ${index}`))

test('the root of any list is the one that RFC 6962 defines', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 600 }), (count) => {
      const entries = numbered(count)
      expect(hex(treeOf(entries).rootOf(count))).toBe(hex(defined(entries)))
    }),
    { numRuns: 60 },
  )
})

/** Two sizes of a tree; the first may be zero. */
const sizes = fc
  .integer({ min: 1, max: 300 })
  .chain((later) => fc.tuple(fc.integer({ min: 0, max: later }), fc.constant(later)))

const flipped = (hash: Hash): Hash => hash.map((byte, at) => (at === 7 ? byte ^ 1 : byte))

describe('a proof of inclusion', () => {
  const proved = (index: number, size: number) => {
    const { inclusionProof, rootOf } = treeOf(numbered(size))
    const leaf = leafHash(sha256, Buffer.from(`entry ${index}`))
    return { leaf, index, size, proof: inclusionProof(index, size), root: rootOf(size) }
  }
  const place = sizes.filter(([index, size]) => index < size)

  test('holds for every leaf of every tree', () => {
    fc.assert(fc.property(place, ([index, size]) => includes(sha256, proved(index, size))))
  })

  test('holds for no other leaf, place, root, or with a hash changed, added or left out', () => {
    fc.assert(
      fc.property(place, fc.nat(), ([index, size], pick) => {
        const given = proved(index, size)
        const { leaf, proof, root } = given
        const at = pick % Math.max(1, proof.length)
        const changes = [
          { leaf: flipped(leaf) },
          { index: (index + 1 + (pick % size)) % (size + 1) },
          { root: flipped(root) },
          { proof: [...proof, root] },
          ...(proof.length === 0
            ? []
            : [
                { proof: proof.map((hash, each) => (each === at ? flipped(hash) : hash)) },
                { proof: proof.toSpliced(at, 1) },
              ]),
        ].filter((change) => change.index !== index)
        for (const change of changes) expect(includes(sha256, { ...given, ...change })).toBe(false)
      }),
    )
  })

  test('is refused for a leaf that is not there', () => {
    const { inclusionProof } = treeOf(numbered(5))
    for (const index of [-1, 5, Number.NaN])
      expect(() => inclusionProof(index, 5)).toThrow(RangeError)
  })
})

describe('a proof of consistency', () => {
  const proved = (size: number, laterSize: number) => {
    const { consistencyProof, rootOf } = treeOf(numbered(laterSize))
    const proof = consistencyProof(size, laterSize)
    return { size, root: rootOf(size), laterSize, laterRoot: rootOf(laterSize), proof }
  }

  test('holds between any two sizes of one tree', () => {
    fc.assert(fc.property(sizes, ([size, later]) => isConsistent(sha256, proved(size, later))))
  })

  test('holds for no other roots, sizes, or with a hash changed, added or left out', () => {
    fc.assert(
      fc.property(sizes, fc.nat(), ([size, later], pick) => {
        const given = proved(size, later)
        const { root, laterRoot, proof } = given
        const at = pick % Math.max(1, proof.length)
        const changes = [
          { root: flipped(root) },
          // Every tree extends the empty tree.
          ...(size === 0 ? [] : [{ laterRoot: flipped(laterRoot) }]),
          { proof: [...proof, root] },
          { size: later + 1 },
          ...(proof.length === 0
            ? []
            : [
                { proof: proof.map((hash, each) => (each === at ? flipped(hash) : hash)) },
                { proof: proof.toSpliced(at, 1) },
              ]),
        ]
        for (const change of changes)
          expect(isConsistent(sha256, { ...given, ...change })).toBe(false)
      }),
    )
  })

  test('is refused for a tree that shrinks', () => {
    const { consistencyProof } = treeOf(numbered(5))
    expect(() => consistencyProof(6, 5)).toThrow(RangeError)
  })
})
