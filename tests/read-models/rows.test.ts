import fc from 'fast-check'
import { expect, test } from 'vitest'
import { openFile, tableStatements } from '../../infrastructure/read-models/read-model-file.ts'
import {
  gatherWrites,
  makeWriter,
  rowsOf,
  type Row,
} from '../../infrastructure/read-models/rows.ts'
import { logFileProjection } from '../../projections/transaction-lines.ts'
import type { Projection } from '../../projections/projection.ts'

const projection = logFileProjection as unknown as Projection

const keys = Array.from({ length: 50 }, (_, key) => `file ${key}`)

const content = fc.record({ bytes: fc.integer({ min: 0, max: 9 }), serial: fc.nat(9) })

const gone = fc.constant(undefined)

const asBefore = fc.constant('as before' as const)

/** The changes of each row: in most batches enough equal ones to be written together. */
const batch = fc.oneof(
  ...[content, gone, fc.oneof(content, gone, asBefore)].map((becomes) =>
    fc.array(becomes, { minLength: keys.length, maxLength: keys.length }),
  ),
)

test('given rows added, changed and removed, then the file holds each as it was left', () => {
  fc.assert(
    fc.property(fc.array(batch, { maxLength: 4 }), (batches) => {
      const file = openFile(':memory:', [], tableStatements([projection.table]))
      const { read, write } = rowsOf(file, projection)
      const writeAll = makeWriter(file)
      const expected = new Map<string, Row>()
      for (const changes of batches) {
        const writes = gatherWrites()
        for (const [index, sha256] of keys.entries()) {
          const becomes = changes[index]
          const before = expected.get(sha256)
          if (becomes === 'as before') continue
          const row = becomes && {
            sha256,
            bytes: becomes.bytes,
            source: { type: 'settlement', merchant: 'shop', serial: becomes.serial },
          }
          if (before || row) write(sha256, { before, after: row }, writes)
          if (row) expected.set(sha256, row)
          else expected.delete(sha256)
        }
        writeAll(writes.all())
      }
      expect(keys.map((key) => read(key))).toEqual(keys.map((key) => expected.get(key)))
      file.sqlite.close()
    }),
  )
})
