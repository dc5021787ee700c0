import { openDraftAgain } from './read-model-file.ts'
import { makeWriter, type Write } from './rows.ts'

/** Performs the writes of each request in one transaction. */
export const begin = (path: string): ((writes: readonly Write[]) => void) => {
  const file = openDraftAgain(path)
  return file.sqlite.transaction(makeWriter(file))
}
