import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { entryOf, leafHash, type Entry } from '../../infrastructure/event-store/event-entry.ts'

const event: Entry = {
  stream: 'payment-qm3xk1',
  revision: 2,
  id: '5f0b6c0e9a3d5b5e8d1a7c3f2e610001',
  type: 'PaymentCaptured',
  data: '{"amount":1250,"text":"Bærum ☕"}',
  metadata: '{"at":1767225600000,"actor":"user:pos1"}',
}
const long: Entry = { ...event, data: `{"text":"${'x'.repeat(16_384)}"}`, metadata: null }

/** Computed from the bytes in the specification. */
const leafOf = (...bytes: readonly (string | Uint8Array)[]): string =>
  createHash('sha256')
    .update(Buffer.concat([Buffer.of(0), ...bytes.map((part) => Buffer.from(part))]))
    .digest('base64')

test('an event is encoded as specified for auditors, and its checksum is an RFC 6962 leaf', () => {
  const entry =
    'daybook event 1\nstream 14 payment-qm3xk1\nrevision 2\nid 5f0b6c0e9a3d5b5e8d1a7c3f2e610001\n' +
    'type 15 PaymentCaptured\ndata json 35 {"amount":1250,"text":"Bærum ☕"}\n' +
    'metadata json 40 {"at":1767225600000,"actor":"user:pos1"}\n'
  expect(entryOf(event)).toBe(entry)
  expect(leafHash(event)).toBe(leafOf(entry))
})

test('long contents, bytes that are not JSON and none at all have forms of their own', () => {
  const digest = createHash('sha256').update(String(long.data)).digest('base64')
  expect(entryOf(long)).toContain(`\ndata json-sha256 16395 ${digest}\nmetadata none\n`)
  const bytes = Buffer.from([0, 255])
  const ofBytes = createHash('sha256').update(bytes).digest('base64')
  expect(entryOf({ ...event, data: bytes })).toContain(`\ndata bytes-sha256 2 ${ofBytes}\n`)
})

test('the document for auditors holds these test vectors', () => {
  const document = readFileSync('docs/auditors.md', 'utf8')
  expect(document).toContain(entryOf(event))
  expect(document).toContain(leafHash(event))
  expect(document).toContain(leafHash(long))
})
