import { createHash } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { noStream } from '../../application/event-store.ts'
import { auditTree } from '../../audit/transparency/audit-tree.ts'
import { readSettings } from '../../infrastructure/settings.ts'
import { openStore } from '../../infrastructure/stores.ts'
import { operatorHere } from '../../harness/operator.ts'
import { newEvents } from '../event-store/appends.ts'
import { startProtocolPlace } from '../event-store/protocol-place.ts'

const settingsOf = (EVENT_STORE = 'sqlite') => {
  const DATA_DIR = mkdtempSync(join(tmpdir(), 'daybook-tree-'))
  onTestFinished(() => rmSync(DATA_DIR, { recursive: true }))
  return readSettings({ DATA_DIR, EVENT_STORE })
}
const opened = async (settings = settingsOf()) => {
  const store = await openStore(settings)
  onTestFinished(() => store.close())
  return { settings, store }
}

test('the root of a log is kept, and found again when the log has grown', async () => {
  const { settings, store } = await opened()
  await store.append('a', newEvents(3), noStream)
  const tree = async (...words: string[]) => {
    const { code, output, errors } = await operatorHere(settings)('audit', 'tree', ...words)
    return { code, errors, told: JSON.parse(output || 'null') }
  }
  const { told: kept } = await tree()
  expect(kept).toMatchObject({ size: 3, root: expect.stringMatching(/^[A-Za-z0-9+/]{43}=$/) })

  await store.append('b', newEvents(4), noStream)
  expect((await tree()).told).not.toMatchObject({ root: kept.root })
  expect(await tree('--size', '3', '--root', kept.root)).toMatchObject({ code: 0, told: kept })
  const { code, errors } = await tree('--root', kept.root)
  expect([code, errors]).toEqual([1, expect.stringContaining('this is not the log with that root')])
  expect(await tree('--size', '8')).toMatchObject({
    code: 1,
    errors: 'size 8 is beyond the tree of 7 events\n',
  })
  expect(await tree('--index', '7')).toMatchObject({
    code: 1,
    errors: 'index 7 is beyond the tree of 7 events, which are numbered from 0\n',
  })
  expect(await tree('--index', '6')).toMatchObject({ code: 0, told: { index: 6 } })
})

test('an event is proved by its entry and the hashes beside it', async () => {
  const { store } = await opened()
  await store.append('a', newEvents(5), noStream)
  const { entry = '', inclusion = [], root } = await auditTree(store, { index: 4 })
  expect(entry).toMatch(/^daybook event 1\nstream 1 a\nrevision 4\n/)
  const sha256 = (...parts: readonly Uint8Array[]) =>
    createHash('sha256').update(Buffer.concat(parts)).digest()
  const leaf = sha256(Buffer.of(0), Buffer.from(entry))
  // The last of five leaves has one sibling: the tree of the other four.
  const [sibling = ''] = inclusion
  expect(inclusion).toHaveLength(1)
  const node = sha256(Buffer.of(1), Buffer.from(sibling, 'base64'), leaf)
  expect(node.toString('base64')).toBe(root)
})

test('a log that was copied into another store has the same tree', async () => {
  const { store: ours } = await opened()
  const place = await startProtocolPlace()
  onTestFinished(place.remove)
  const { store: theirs } = await opened(settingsOf(place.url))
  for (const stream of ['clock-a', 'clock-b']) {
    const events = newEvents(3)
    await ours.append(stream, events, noStream)
    await theirs.append(stream, events, noStream)
  }
  expect(await auditTree(theirs, { from: 2 })).toEqual(await auditTree(ours, { from: 2 }))
})
