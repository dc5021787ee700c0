import { clocks } from '../../domain/aggregates.ts'
import { start, StoreUnavailable, type EventStore } from '../../application/event-store.ts'
import { stateAt } from '../../application/history.ts'
import { streamOf } from '../../domain/stream.ts'
import type { Instant } from '../../domain/time.ts'
import { queriesOf } from '../../projections/read-models.ts'
import { foldInline } from '../../infrastructure/read-models/folding.ts'
import type { ReadModelFile } from '../../infrastructure/read-models/read-model-file.ts'
import { runReadModels } from '../../infrastructure/read-models/read-models.ts'
import { openReadModels, openStoreToRead, type Place } from '../../infrastructure/stores.ts'
import { auditRowsOf } from './audit-rows.ts'

const nothing = (): void => {}

/** Folds the whole log. For a copy that may mean from the beginning. */
const foldAll = async (store: EventStore, file: ReadModelFile): Promise<void> => {
  const head = await store.head()
  if (head === start) return
  let fail: (error: unknown) => void = nothing
  const failed = new Promise<never>((_, reject) => {
    fail = reject
  })
  const readModels = runReadModels({
    store,
    startFolding: foldInline({ store, file }),
    from: head,
    onEvents: nothing,
    onFolded: nothing,
    // An unavailable store may return; an unreadable event will not change.
    onFailure: (error) => (error instanceof StoreUnavailable ? undefined : fail(error)),
  })
  try {
    await Promise.race([readModels.ready(), failed])
  } finally {
    await readModels.stop()
  }
}

/** The service's clock, which the sandbox can move. */
const clockOf = async (store: EventStore): Promise<() => Instant> => {
  const clock = streamOf(clocks, 'service')
  const { aheadBy } = await stateAt(store, clocks.decider, clock, Number.MAX_SAFE_INTEGER)
  return () => Date.now() + aheadBy
}

/** A log, or a copy of one, with up-to-date read models; nothing is appended. */
export const openAuditedLog = async (place: Place, linesInTurn?: number) => {
  const store = await openStoreToRead(place)
  const file = await openReadModels(place, store)
  const close = async (): Promise<void> => {
    await store.close()
    file.sqlite.close()
  }
  try {
    await foldAll(store, file)
    const rows = auditRowsOf(queriesOf(file.db), linesInTurn)
    return { store, rows, now: await clockOf(store), close }
  } catch (error) {
    await close()
    throw error
  }
}
