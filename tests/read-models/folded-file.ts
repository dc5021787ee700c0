import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach } from 'vitest'
import type { DomainEvent, Metadata } from '../../domain/events.ts'
import { makeProjector } from '../../infrastructure/read-models/projector.ts'
import {
  openReadModelFile,
  type ReadModelFile,
} from '../../infrastructure/read-models/read-model-file.ts'
import { projections } from '../../projections/read-models.ts'
import { morning } from '../domain/payments.ts'

/** Runs each query once, with any values, because it is prepared on first use. */
const askEach = (queries: unknown): void => {
  if (typeof queries === 'object') Object.values(queries ?? {}).forEach(askEach)
  if (typeof queries !== 'function') return
  try {
    queries(...Array(6).fill(1))
  } catch {
    // The values made no sense for this query.
  }
}

/** A file of read models for each test of a test file, and a function that folds events into it. */
export const foldedFile = () => {
  let folder: string
  let file: ReadModelFile
  let apply: ReturnType<typeof makeProjector>['apply']
  let position: number

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'daybook-queries-'))
    file = openReadModelFile(
      folder,
      projections.map(({ table }) => table),
    )
    apply = makeProjector(file, projections).apply
    position = 0
  })

  afterEach(async () => {
    file.sqlite.close()
    await rm(folder, { recursive: true })
  })

  const happened = (stream: string, event: DomainEvent, given: Partial<Metadata> = {}): void => {
    position += 1
    const about = { actor: 'x', correlationId: 'c', causationId: null, schema: 1 }
    const metadata = { ...about, at: morning, merchant: 'sandbox', ...given }
    apply([{ ...event, id: `e${position}`, stream, revision: 0, position, metadata }])
  }

  /** The query plans of all prepared queries whose text contains a part. */
  const plansOf = (prepareAll: () => unknown, part: string): readonly string[][] => {
    const { sqlite } = file
    const asked: string[] = []
    const { prepare } = sqlite
    sqlite.prepare = ((text: string) => {
      asked.push(text)
      return prepare.call(sqlite, text)
    }) as typeof prepare
    askEach(prepareAll())
    sqlite.prepare = prepare
    return asked
      .filter((text) => text.includes(part))
      .map((text) => {
        const values = Array(text.split('?').length - 1).fill(1)
        const plan = sqlite.prepare(`EXPLAIN QUERY PLAN ${text}`).all(...values)
        return plan.map((step) => (step as { detail: string }).detail)
      })
  }

  return {
    get db() {
      return file.db
    },
    position: () => position,
    happened,
    plansOf,
  }
}
