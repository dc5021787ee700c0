import type { Core } from './core.ts'
import type { makeProcesses } from './processes.ts'

/** Whether requests should be sent here, and how far the read models are. */
export const makeReadiness =
  (
    {
      readModels,
      storesWork,
      isDamaged: isFileDamaged,
    }: Pick<Core, 'readModels' | 'storesWork' | 'isDamaged'>,
    { hasBegun }: Pick<ReturnType<typeof makeProcesses>, 'hasBegun'>,
  ) =>
  async () => {
    const { isStoreUp: canBeRead, ...progress } = await readModels.progress()
    const isStoreUp = canBeRead && storesWork()
    const isDamaged = isFileDamaged()
    if (!isStoreUp || !hasBegun() || isDamaged)
      return { ...progress, isStoreUp, isDamaged, isReady: false }
    // Under load the read models are always a little behind, which is no reason to send nobody here.
    const isReady = await readModels.reached(progress.head).then(
      () => true,
      () => false,
    )
    return { ...progress, isStoreUp, position: readModels.position(), isDamaged, isReady }
  }
