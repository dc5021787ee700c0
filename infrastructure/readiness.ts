import type { Core } from './core.ts'

/** Whether to send requests here, and how far the read models are. */
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
    // Read models that are a little behind, as always under load, are ready.
    const isReady = await readModels.reached(progress.head).then(
      () => true,
      () => false,
    )
    const [position, behind] = [readModels.position(), readModels.behind()]
    return { ...progress, isStoreUp, position, behind, isDamaged, isReady }
  }

/** What only the thread that answers payments knows. */
export type Vitals = {
  readonly ready: Awaited<ReturnType<ReturnType<typeof makeReadiness>>>
  /** Open connections of Pusher clients. */
  readonly listeners: number
}
