import type { Position, EventStore } from '../../application/event-store.ts'
import type { ReadModelFile } from '../../infrastructure/read-models/read-model-file.ts'
import { hashesIn, numbersIn } from '../../infrastructure/read-models/tree-fold.ts'
import { type OpenedStore, buildReadModelsIn } from '../../infrastructure/stores.ts'
import type { Difference } from './compare-rows.ts'
import type { Problems } from './problems.ts'
import { getTableName } from 'drizzle-orm'
import type { Key, Projection } from '../../projections/projection.ts'
import { projections } from '../../projections/read-models.ts'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseEvent } from '../../domain/events.ts'
import { leafOf } from '../../infrastructure/event-store/event-entry.ts'
import { makeProjector } from '../../infrastructure/read-models/projector.ts'

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
        const inRange = batch.filter(({ position }) => position <= end)
        projector.apply(inRange.map(parseEvent), inRange.map(leafOf))
        await onFolded(inRange.at(-1)?.position ?? end)
        if (inRange.length < batch.length || projector.position() >= end) return
      }
    },
    discard: (): void => {
      file.discard()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

export type FreshReadModels = ReturnType<typeof freshReadModels>

type Facts = { readonly position: Position }

/** A projection that reports which events change one of its rows. */
const watched = (
  projection: Projection,
  key: Key,
  touch: (position: Position) => void,
): Projection => {
  const { apply, lines, sums, messages } = projection
  const noted =
    <Row, Fact extends Facts, More extends readonly unknown[]>(
      change: (row: Row, fact: Fact, id: Key, ...more: More) => Row,
    ) =>
    (row: Row, fact: Fact, id: Key, ...more: More): Row => {
      const after = change(row, fact, id, ...more)
      if (id === key && after !== row) touch(fact.position)
      return after
    }
  const ofSums: Projection['lines'] = sums && {
    keysOf: (line) => sums.keysOf({ ...line, count: 1 }),
    // The sum is folded later; each line names its event.
    apply: (row, line, id) => {
      if (id === key && sums.apply(row, { ...line, count: 1 }, id) !== row) touch(line.position)
      return row
    },
  }
  return {
    ...projection,
    apply: noted(apply),
    lines: lines ? { ...lines, apply: noted(lines.apply) } : ofSums,
    messages: messages && { ...messages, apply: noted(messages.apply) },
  }
}

/** The last event up to a position that changes a row; undefined if there is none. */
const lastTouch = async (
  store: Pick<EventStore, 'readAll'>,
  table: string,
  key: Key,
  end: Position,
): Promise<Position | undefined> => {
  let last: Position | undefined
  const touch = (position: Position): void => {
    last = position
  }
  const fresh = freshReadModels(
    store,
    projections.map((one) => (getTableName(one.table) === table ? watched(one, key, touch) : one)),
  )
  try {
    await fresh.foldTo(end)
    return last
  } finally {
    fresh.discard()
  }
}

type Needs = {
  readonly store: Pick<OpenedStore, 'readAll' | 'readAt'>
  readonly problems: Problems
}

const printed = (cell: string | number | Buffer | null): string => {
  if (cell instanceof Uint8Array) return `${cell.length} bytes`
  const text = JSON.stringify(cell)
  return text.length > 80 ? `${text.slice(0, 77)}…` : text
}

const wordsOf = (difference: Difference): string => {
  const { table, key } = difference
  const row = `row ${key.join(', ')} of the table ${table}`
  if ('onlyIn' in difference)
    return difference.onlyIn === 'live'
      ? `the read models have a ${row} that the log does not give`
      : `the read models lack the ${row}`
  const { column, live, fresh } = difference
  const cell = `${column} in the ${row} is ${printed(live)}`
  return `in the read models, ${cell}; the log gives ${printed(fresh)}`
}

/** The event whose hash differs in the Merkle tree of the read models. */
const eventOfTile = (fresh: ReadModelFile, difference: Difference): Position | undefined => {
  const [level, number] = difference.key
  if (difference.table !== 'tiles' || level !== 0) return undefined
  if (!('column' in difference) || !(difference.live instanceof Uint8Array)) return undefined
  const live = hashesIn(difference.live)
  const found = fresh.sqlite
    .prepare<unknown[], { hashes: Buffer; positions: Buffer }>(
      'SELECT hashes, positions FROM tiles WHERE level = 0 AND number = ?',
    )
    .get(number)
  if (!found) return undefined
  const index = hashesIn(found.hashes).findIndex(
    (hash, at) => Buffer.compare(hash, live[at] ?? Buffer.of()) !== 0,
  )
  return numbersIn(found.positions)[index]
}

/** Tables not folded by projections. */
const foldedByOthers: ReadonlySet<string> = new Set(['tiles', 'moments', 'checkpoint'])

/**
 * Reports a difference at the event that shows it. Finding the last event to change a row means
 * folding the log again, so this is done for the first difference only.
 */
export const reportDifference = async (
  { store, problems }: Needs,
  fresh: FreshReadModels,
  difference: Difference,
  isFirst: boolean,
): Promise<void> => {
  const problem = wordsOf(difference)
  const [key] = difference.key
  const isRow = typeof key === 'string' || typeof key === 'number'
  const ofTile = eventOfTile(fresh.file, difference)
  const touched =
    isFirst && isRow && !foldedByOthers.has(difference.table)
      ? await lastTouch(store, difference.table, key, fresh.position())
      : undefined
  const position = ofTile ?? touched
  const event = position === undefined ? undefined : await store.readAt(position)
  if (!event) return problems.add({ check: 'read models', position: null, problem })
  const tail = ofTile
    ? 'it is not the event that the read models were made from: it was changed since'
    : `${problem}; this event touched that row last`
  problems.at(event, 'read models', tail)
}
