// Duration of proofs in a tree of ten million leaves. Only the tiles are generated, with random
// hashes, not the log. `-- <leaves>` sets another number.
import { randomBytes, randomInt } from 'node:crypto'
import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { tileWidth } from '../domain/transparency/tiles.ts'
import { transparencyRoutes } from '../http/transparency.ts'
import type { Call } from '../http/call.ts'
import type { RawReply } from '../http/route.ts'
import { readLogTree } from '../infrastructure/read-models/log-tree.ts'
import { openFile, type ReadModelFile } from '../infrastructure/read-models/read-model-file.ts'
import { tableStatements } from '../infrastructure/read-models/read-model-schema.ts'
import { hashesIn, rootOfHashes } from '../infrastructure/read-models/tree-fold.ts'

const leaves = Number(process.argv[2] ?? 10_000_000)
const rounds = 5_000

const positionsOf = (first: number, width: number): Uint8Array =>
  new Uint8Array(Float64Array.from({ length: width }, (_, at) => first + at + 1).buffer)

/** Fills each level with the roots of the full tiles below it. */
const fill = ({ sqlite }: ReadModelFile): void => {
  const insert = sqlite.prepare('INSERT INTO tiles VALUES (?, ?, ?, ?, ?)')
  const put = (level: number, number: number, hashes: Buffer): void => {
    const first = number * tileWidth
    const positions = level === 0 ? positionsOf(first, hashes.length / 32) : null
    insert.run(level, number, level === 0 ? first + 1 : null, hashes, positions)
  }
  let below: Uint8Array[] = []
  for (let first = 0; first < leaves; first += tileWidth) {
    const hashes = randomBytes(32 * Math.min(tileWidth, leaves - first))
    put(0, first / tileWidth, hashes)
    if (hashes.length === 32 * tileWidth) below.push(rootOfHashes(hashesIn(hashes)))
  }
  for (let level = 1; below.length > 0; level += 1) {
    const roots: Uint8Array[] = []
    for (let at = 0; at < below.length; at += tileWidth) {
      const hashes = below.slice(at, at + tileWidth)
      put(level, at / tileWidth, Buffer.concat(hashes))
      if (hashes.length === tileWidth) roots.push(rootOfHashes(hashes))
    }
    below = roots
  }
}

const shown = (times: readonly number[]): string => {
  const sorted = times.toSorted((a, b) => a - b)
  const at = (share: number) => (sorted[Math.ceil(sorted.length * share) - 1] ?? NaN).toFixed(2)
  return `p50 ${at(0.5)}, p99 ${at(0.99)}, longest ${at(1)}`
}

/** Processor time of this process in ms, unaffected by other processes. */
const worked = (): number => {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1000
}

const measure = (what: string, ask: () => unknown): void => {
  const [times, work]: [number[], number[]] = [[], []]
  for (let round = 0; round < rounds; round += 1) {
    const [begun, before] = [performance.now(), worked()]
    ask()
    times.push(performance.now() - begun)
    work.push(worked() - before)
  }
  console.log(`${what}, ms: ${shown(times)}; of a processor: ${shown(work)}`)
}

const folder = mkdtempSync(join(tmpdir(), 'daybook-proofs-'))
const path = join(folder, 'tree.sqlite')
try {
  const begun = performance.now()
  const draft = openFile(path, ['journal_mode = OFF', 'synchronous = OFF'], tableStatements([]))
  draft.sqlite.transaction(() => fill(draft))()
  draft.sqlite.close()
  const seconds = ((performance.now() - begun) / 1000).toFixed(0)
  const megabytes = (statSync(path).size / 1e6).toFixed(0)
  console.log(`${leaves} leaves: ${megabytes} MB of tiles, made in ${seconds} s`)

  const file = openFile(path, ['cache_size = -8192'], [], { readonly: true })
  const tree = readLogTree(file)
  const note = `bench/transparency\n${leaves}\n${'A'.repeat(43)}=\n\n— bench/transparency AAAA\n`
  const newest = { size: leaves, root: '', note, cosigned: 0, signedAt: 0 }
  const needs = { checkpoints: { newest: () => newest }, verifierKeys: async () => [] }
  const routes = transparencyRoutes({ ...needs, tree, readAsset: () => new Uint8Array() })
  const answer = (at: string, query: object): RawReply => {
    const route = routes.find((one) => one.path === `/transparency/proof/${at}`)
    return route?.handle({ query } as Call) as RawReply
  }
  measure('inclusion', () => answer('inclusion', { index: randomInt(leaves) }))
  measure('consistency', () => answer('consistency', { from: randomInt(1, leaves) }))
  measure('number of an event', () => tree.indexOf(randomInt(1, leaves)))
  file.sqlite.close()
} finally {
  rmSync(folder, { recursive: true })
}
