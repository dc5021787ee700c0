import type { Core } from './core.ts'

/** Whether this node can take requests, and how far its read models are. */
export const makeReadiness =
  (
    {
      readModels,
      storesWork,
      isDamaged: isFileDamaged,
    }: Pick<Core, 'readModels' | 'storesWork' | 'isDamaged'>,
    hasBegun: () => boolean,
  ) =>
  async () => {
    const { isStoreUp: canBeRead, ...progress } = await readModels.progress()
    const isStoreUp = canBeRead && storesWork()
    const isDamaged = isFileDamaged()
    if (!isStoreUp || !hasBegun() || isDamaged)
      return { ...progress, isStoreUp, isDamaged, isReady: false }
    // Read models slightly behind, as always under load, count as ready.
    const isReady = await readModels.reached(progress.head).then(
      () => true,
      () => false,
    )
    const [position, behind] = [readModels.position(), readModels.behind()]
    return { ...progress, isStoreUp, position, behind, isDamaged, isReady }
  }

/** State known only in the thread that answers payments. */
export type Vitals = {
  readonly ready: Awaited<ReturnType<ReturnType<typeof makeReadiness>>>
  /** Number of open connections of Pusher clients. */
  readonly listeners: number
}
