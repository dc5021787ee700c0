import type { EventStore } from '../application/event-store.ts'
import { comparedTables, comparePages, type Difference } from '../audit/verify/compare-rows.ts'
import { freshReadModels } from '../audit/verify/fresh-read-models.ts'

type Store = Pick<EventStore, 'readAll' | 'head'>

/** Folds two logs and compares every row of every table; answers the number of rows that agree. */
export const compareReadModels = async (one: Store, other: Store) => {
  const [ofOne, ofOther] = [freshReadModels(one), freshReadModels(other)]
  try {
    await ofOne.foldTo(await one.head())
    await ofOther.foldTo(await other.head())
    let rows = 0
    let difference: Difference | undefined
    for (const table of comparedTables) {
      const compare = comparePages(ofOne.file, ofOther.file, table)
      let page: ReturnType<typeof compare> | undefined
      do {
        page = compare(page?.last, 1_000)
        rows += page.rows
        difference ??= page.difference
      } while (page.last && !difference)
    }
    return { rows, difference }
  } finally {
    ofOne.discard()
    ofOther.discard()
  }
}
