import { openStore } from '../infrastructure/core.ts'
import { rebuildReadModels } from '../infrastructure/rebuild.ts'
import { readSettings } from '../infrastructure/settings.ts'
import { seed } from './histories.ts'

/** Fills a log, then folds all of it into new read models with the operator's own code. */
export const measureRebuild = async (directory: string, events: number) => {
  const settings = readSettings({ DATA_DIR: directory })
  const store = openStore(settings)
  await seed(store, events)
  await store.close()
  return rebuildReadModels(settings)
}
