import { generateKeyPairSync } from 'node:crypto'
import { merkleTree, formatProof } from '../../domain/transparency/merkle-tree.ts'
import { ed25519, formatKey } from '../../domain/transparency/signed-note.ts'
import { rootOfHashes } from '../../infrastructure/read-models/tree-fold.ts'
import { sha256 } from '../../infrastructure/keys/keys.ts'
import { rawKeyOf, signNote } from '../../audit/transparency/ask-witnesses.ts'
import type { Entry, Receipt } from './story.ts'
import { parseProof } from './proof-checks.ts'

const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64')

type Data = Record<string, any>

type Change = (type: string, data: Data, index: number) => Data | undefined

const shape = /^([^]*\ndata )json \d+ (.*)(\n[^]*)$/

const withData = (entry: string, change: (data: Data) => Data | undefined): string => {
  const [, before = '', text = '', after = ''] = shape.exec(entry) ?? []
  const changed = text === '' ? undefined : change(JSON.parse(text))
  if (!changed) return entry
  const json = JSON.stringify(changed)
  return `${before}json ${Buffer.byteLength(json)} ${json}${after}`
}

const treeOf = (leaves: readonly Uint8Array[]) =>
  merkleTree(sha256, (level, index) =>
    rootOfHashes(leaves.slice(index * 2 ** level, (index + 1) * 2 ** level)),
  )

/**
 * What an operator hands out after rewriting the log with all hashes, and signing it. The documents
 * contain the new log's root, unless that is changed as well.
 */
export const forge = <Name extends string>(
  receipts: Readonly<Record<Name, Receipt>>,
  realLeaves: readonly Uint8Array[],
  change: Change,
) => {
  const leaves = [...realLeaves]
  const all = Object.values<Receipt>(receipts).flatMap(({ entries }) => entries)
  const shown = new Map(all.flatMap(({ index, ...one }) => (one.entry ? [[index, one]] : [])))
  const rewritten = new Map<number, string>()
  for (const [index, { type, entry = '' }] of [...shown].sort(([a], [b]) => a - b)) {
    const text = withData(entry, (data) => {
      const { logRange } = data
      const root = logRange && base64(treeOf(leaves).rootOf(logRange.to))
      const named = logRange ? { ...data, logRange: { ...logRange, root } } : data
      return change(type, named, index) ?? named
    })
    rewritten.set(index, text)
    leaves[index] = sha256(Uint8Array.of(0), Buffer.from(text))
  }
  const { privateKey } = generateKeyPairSync('ed25519')
  const [note = ''] = all.map(({ proof }) => parseProof(proof)?.checkpoint ?? '')
  const [origin = '', digits = ''] = note.split('\n')
  const size = Number(digits)
  const tree = treeOf(leaves.slice(0, size))
  const signed = (of: number): string =>
    signNote(`${origin}\n${of}\n${base64(tree.rootOf(of))}\n`, origin, [privateKey])
  const checkpoint = signed(size)

  const entryOf = ({ index, leaf, ...one }: Entry): Entry => ({
    ...{ index, ...one },
    ...(one.entry ? { entry: rewritten.get(index) ?? '' } : { leaf: base64(leaves[index]!) }),
    proof: formatProof({ index, hashes: tree.inclusionProof(index, size), checkpoint }),
  })
  const forged = Object.entries<Receipt>(receipts).map(([name, receipt]) => [
    name,
    {
      ...{ ...receipt, checkpoint, entries: receipt.entries.map(entryOf) },
      consistency: receipt.consistency.map(({ old_size }) => ({
        ...{ old_size, size },
        hashes: tree.consistencyProof(old_size, size).map(base64),
      })),
    },
  ])
  return {
    receipts: Object.fromEntries(forged) as Record<Name, Receipt>,
    ...{ tree, size, signed },
    key: formatKey(sha256, { name: origin, kind: ed25519, key: rawKeyOf(privateKey) }),
  }
}
