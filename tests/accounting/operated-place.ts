import { afterAll } from 'vitest'
import { openPlace } from '../../harness/ledger-service.ts'
import { operatorHere } from '../../harness/operator.ts'
import { readSettings } from '../../infrastructure/settings.ts'

/** A service for a test file, with operator commands and a clock. */
export const operatedPlace = async () => {
  let place = await openPlace()
  afterAll(async () => {
    await place.stop()
    place.remove()
  })
  const { directory } = place
  const settings = readSettings({ MODE: 'sandbox', DATA_DIR: directory })
  return {
    get place() {
      return place
    },
    startAgain: async (): Promise<void> => {
      await place.stop()
      place = await openPlace(directory)
    },
    daybook: (...words: string[]) => operatorHere(settings)('--json', ...words),
    moveTo: (now: string) => place.sandbox('clock/', { now }),
  }
}
