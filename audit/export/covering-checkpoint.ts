import type { EventStore } from '../../application/event-store.ts'
import type { SignedCheckpoint } from '../../domain/transparency/checkpoints.ts'
import type { Period } from './period.ts'

/** The first checkpoint that covers all events of a period; null if there is none yet. */
export const checkpointCovering = async (
  log: Pick<EventStore, 'readAll'>,
  { closes }: Period,
): Promise<(SignedCheckpoint & { readonly position: number }) | null> => {
  for await (const batch of log.readAll(closes.position))
    for (const { type, data, position } of batch) {
      if (type !== 'CheckpointSigned') continue
      const checkpoint = data as SignedCheckpoint
      if (checkpoint.size >= closes.events) return { position, ...checkpoint }
    }
  return null
}
