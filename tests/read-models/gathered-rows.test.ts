// @module-tag long
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, onTestFinished, test } from 'vitest'
import type { DomainEvent, Recorded } from '../../domain/events.ts'
import { makeProjector } from '../../infrastructure/read-models/projector.ts'
import { openReadModelFile } from '../../infrastructure/read-models/read-model-file.ts'
import { gatheredMessageProjection } from '../../projections/gathered-messages.ts'
import type { Projection } from '../../projections/projection.ts'
import { projections } from '../../projections/read-models.ts'
import { events, morning, request } from '../domain/payments.ts'

setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc') as () => void

/** In different parts of the log: each message starts a new row. */
const rows = 3_000
/** Two generations of the cache, and a batch. */
const mostKept = 1_200

const openFile = () => {
  const folder = mkdtempSync(join(tmpdir(), 'daybook-gathered-'))
  const tables = projections.map(({ table }) => table)
  const file = openReadModelFile(folder, tables)
  onTestFinished(() => {
    file.sqlite.close()
    rmSync(folder, { recursive: true })
  })
  return file
}

/** The projection, with weak references to all its rows. */
const watched = () => {
  const made: WeakRef<object>[] = []
  const found = projections.find(({ table }) => table === gatheredMessageProjection.table)
  const messages = found?.messages
  if (!messages) throw new Error('it gathers no messages')
  const apply: typeof messages.apply = (row, message, key) => {
    const after = messages.apply(row, message, key)
    if (after) made.push(new WeakRef(after))
    return after
  }
  const projection: Projection = { ...found, messages: { ...messages, apply } }
  const all = projections.map((one) => (one === found ? projection : one))
  return { made, all }
}

const recorded = (event: DomainEvent, stream: string, revision: number, position: number) => {
  const about = { actor: 'x', correlationId: 'c', causationId: null, schema: 1 }
  const metadata = { ...about, at: morning, merchant: 'sandbox' }
  return { ...event, id: `e${position}`, stream, revision, position, metadata } as Recorded
}

/** A payment without a callback address. */
const declined = (index: number): readonly Recorded[] => {
  const [stream, position] = [`payment-${index}`, (index + 1) * 128]
  const asked = events.requested({ ...request, callbackUri: null, posTid: stream })
  const declined: DomainEvent = { type: 'PaymentDeclined', data: { payer: 'alice' } }
  return [recorded(asked, stream, 0, position), recorded(declined, stream, 1, position + 1)]
}

test('given a long log, then few rows of gathered messages stay in memory', async () => {
  const { made, all } = watched()
  const { apply } = makeProjector(openFile(), all)
  for (let index = 0; index < rows; index += 100)
    apply(Array.from({ length: 100 }, (_, more) => declined(index + more)).flat())
  expect(made).toHaveLength(rows)
  await nextTurn()
  collectGarbage()
  const kept = made.filter((row) => row.deref() !== undefined).length
  expect(kept).toBeGreaterThan(0)
  expect(kept).toBeLessThan(mostKept)
})
