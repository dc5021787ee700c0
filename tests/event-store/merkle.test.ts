import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  consistencyProof,
  inclusionProof,
  rootOf,
} from '../../infrastructure/transparency/merkle.ts'

const sha256 = (...parts: readonly Uint8Array[]): Buffer =>
  createHash('sha256').update(Buffer.concat(parts)).digest()
const leafOf = (entry: Uint8Array): Buffer => sha256(Buffer.of(0), entry)
const nodeOf = (left: Buffer, right: Buffer): Buffer => sha256(Buffer.of(1), left, right)

/** Entries and roots as the tests of Certificate Transparency have them. */
const entries = [
  '',
  '00',
  '10',
  '2021',
  '3031',
  '40414243',
  '5051525354555657',
  '606162636465666768696a6b6c6d6e6f',
]
const roots = [
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

/** RFC 9162, 2.1.3.2. */
const rootByInclusion = (leaf: Buffer, index: number, size: number, proof: readonly Buffer[]) => {
  let [fn, sn, root] = [index, size - 1, leaf]
  for (const hash of proof) {
    if (sn === 0) return undefined
    if (fn % 2 === 1 || fn === sn) {
      root = nodeOf(hash, root)
      while (fn % 2 === 0 && fn !== 0) [fn, sn] = [fn >> 1, sn >> 1]
    } else root = nodeOf(root, hash)
    ;[fn, sn] = [fn >> 1, sn >> 1]
  }
  return sn === 0 ? root : undefined
}

/** RFC 9162, 2.1.4.2, for sizes of which the earlier is the smaller one and not 0. */
const areConsistent = (
  [earlier, earlierRoot]: readonly [number, Buffer],
  [size, root]: readonly [number, Buffer],
  given: readonly Buffer[],
): boolean => {
  const isPower = Number.isInteger(Math.log2(earlier))
  const [first, ...rest] = isPower ? [earlierRoot, ...given] : given
  if (!first) return false
  let [fn, sn, fr, sr] = [earlier - 1, size - 1, first, first]
  while (fn % 2 === 1) [fn, sn] = [fn >> 1, sn >> 1]
  for (const hash of rest) {
    if (sn === 0) return false
    if (fn % 2 === 1 || fn === sn) {
      ;[fr, sr] = [nodeOf(hash, fr), nodeOf(hash, sr)]
      while (fn % 2 === 0 && fn !== 0) [fn, sn] = [fn >> 1, sn >> 1]
    } else sr = nodeOf(sr, hash)
    ;[fn, sn] = [fn >> 1, sn >> 1]
  }
  return sn === 0 && fr.equals(earlierRoot) && sr.equals(root)
}

const leavesOf = (count: number): Buffer[] =>
  Array.from({ length: count }, (_, n) => leafOf(Buffer.from(`entry ${n}`)))

describe('the tree of a log', () => {
  test('has the roots that the tests of Certificate Transparency have', () => {
    const leaves = entries.map((entry) => leafOf(Buffer.from(entry, 'hex')))
    expect(roots.map((_, size) => rootOf(leaves, 0, size).toString('hex'))).toEqual(roots)
  })

  test('proves of each event that it is in it, and of no other', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 300 }), fc.nat(), (size, n) => {
        const leaves = leavesOf(size)
        const index = n % size
        const proof = inclusionProof(leaves, index)
        const root = rootOf(leaves)
        expect(rootByInclusion(leaves[index] as Buffer, index, size, proof)).toEqual(root)
        const other = leafOf(Buffer.from('another'))
        expect(rootByInclusion(other, index, size, proof)).not.toEqual(root)
      }),
    )
  })

  test('proves of each earlier tree that it is its beginning, and of no other', () => {
    fc.assert(
      fc.property(fc.integer({ min: 2, max: 300 }), fc.nat(), (size, n) => {
        const leaves = leavesOf(size)
        const earlier = 1 + (n % (size - 1))
        const proof = consistencyProof(leaves, earlier)
        const later = [size, rootOf(leaves)] as const
        expect(areConsistent([earlier, rootOf(leaves, 0, earlier)], later, proof)).toBe(true)
        const changed = [...leaves.slice(0, earlier - 1), leafOf(Buffer.from('another'))]
        expect(areConsistent([earlier, rootOf(changed)], later, proof)).toBe(false)
      }),
    )
  })
})
