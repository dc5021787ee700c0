import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { openSqliteEventStore } from '../../infrastructure/event-store/sqlite-event-store.ts'

/** An empty store, closed when the test ends. */
export const openStoreOfTest = () => {
  const folder = mkdtempSync(join(tmpdir(), 'daybook-leases-'))
  const store = openSqliteEventStore(join(folder, 'events.sqlite'))
  onTestFinished(async () => {
    await store.close()
    rmSync(folder, { recursive: true })
  })
  return store
}
