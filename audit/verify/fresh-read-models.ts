import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { EventStore, Position } from '../../application/event-store.ts'
import { parseEvent } from '../../domain/events.ts'
import type { Projection } from '../../projections/projection.ts'
import { projections } from '../../projections/read-models.ts'
import { leafOf } from '../../infrastructure/event-store/event-entry.ts'
import { makeProjector } from '../../infrastructure/read-models/projector.ts'
import { buildReadModelsIn } from '../../infrastructure/stores.ts'

/** New read models in a temporary file, folded on demand. */
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
    /** @throws the error of an event that cannot be read or folded */
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
