import { drizzle } from 'drizzle-orm/better-sqlite3'
import { expect, onTestFinished, test } from 'vitest'
import { readLogTree, foldTree } from '../../infrastructure/read-models/tree-fold.ts'
import { tableStatements } from '../../infrastructure/read-models/read-model-file.ts'
import { gatherWrites } from '../../infrastructure/read-models/rows.ts'
import { sha256 } from '../../infrastructure/keys/keys.ts'
import Database from '../../infrastructure/sqlite.ts'
import { includes } from '../transparency/proof-checks.ts'

const leafOf = (position: number) => sha256(Buffer.from(`event ${position}`))

/** The tree of a log of this many events, and a record of reads from its file. */
const treeOf = (events: number) => {
  const asked: string[] = []
  const sqlite = new Database(':memory:', { verbose: (sql) => void asked.push(String(sql)) })
  onTestFinished(() => void sqlite.close())
  for (const statement of tableStatements([])) sqlite.exec(statement)
  const file = { sqlite, db: drizzle(sqlite) }
  const leaves = Array.from({ length: events }, (_, at) => ({
    position: at + 1,
    leaf: Buffer.from(leafOf(at + 1)).toString('base64'),
  }))
  const writes = gatherWrites()
  foldTree(file).fold(leaves, writes)
  for (const { sql, values, width } of writes.all())
    for (let at = 0; at < values.length; at += width)
      sqlite.prepare(sql).run(...values.slice(at, at + width))
  asked.length = 0
  return { sqlite, tree: readLogTree(file), asked }
}

test('an event’s index is found without reading earlier tiles', () => {
  const { sqlite, tree, asked } = treeOf(1000)
  expect(tree.indexOf(700)).toBe(699)
  const plan = sqlite.prepare<[], { detail: string }>(`EXPLAIN QUERY PLAN ${asked[0]}`).all()
  expect(plan.map(({ detail }) => detail)).toEqual([
    'SEARCH tiles USING INDEX tiles_by_position (first<?)',
  ])
})

test('proofs of events side by side read once what they share', () => {
  const size = 1000
  const { tree, asked } = treeOf(size)
  const root = tree.rootOf(size)
  asked.length = 0
  for (let index = 256; index < 512; index += 1) {
    const proof = tree.inclusionProof(index, size)
    expect(includes(sha256, { leaf: leafOf(index + 1), index, size, proof, root })).toBe(true)
  }
  // The nodes of one tile, and a few that represent all others.
  expect(asked.length).toBeLessThan(2 * 256 + 20)
})
