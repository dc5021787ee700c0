import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { EventStore, Position } from '../../application/event-store.ts'
import { parseEvent } from '../../domain/events.ts'
import type { Projection } from '../../projections/projection.ts'
import { projections } from '../../projections/read-models.ts'
import { leafOf } from '../event-store/event-entry.ts'
import { makeProjector } from '../read-models/projector.ts'
import { buildReadModelsIn } from '../stores.ts'

/**
 * New read models, folded from the log as far as they are asked for, among the temporary files of
 * the system.
 */
export const freshReadModels = (
  store: Pick<EventStore, 'readAll'>,
  folded: readonly Projection[] = projections,
) => {
  const folder = mkdtempSync(join(tmpdir(), 'daybook-audit-'))
  const file = buildReadModelsIn(folder)
  const projector = makeProjector(file, folded)
  return {
    file,
    position: projector.position,
    /** @throws what an event throws that cannot be read or folded */
    foldTo: async (
      end: Position,
      onFolded: (position: Position) => Promise<void> | void = () => {},
    ): Promise<void> => {
      if (projector.position() >= end) return
      for await (const batch of store.readAll(projector.position())) {
        const wanted = batch.filter(({ position }) => position <= end)
        projector.apply(wanted.map(parseEvent), wanted.map(leafOf))
        await onFolded(wanted.at(-1)?.position ?? end)
        if (wanted.length < batch.length || projector.position() >= end) return
      }
    },
    discard: (): void => {
      file.discard()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

export type FreshReadModels = ReturnType<typeof freshReadModels>
