import { getTableName } from 'drizzle-orm'
import type { EventStore, Position } from '../../application/event-store.ts'
import type { Key, Projection } from '../../projections/projection.ts'
import { projections } from '../../projections/read-models.ts'
import { freshReadModels } from './fresh-read-models.ts'

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
export const lastTouch = async (
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
