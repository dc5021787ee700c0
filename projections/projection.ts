import type { SQLiteColumn, SQLiteTable } from 'drizzle-orm/sqlite-core'
import type { DomainEvent, EventType, Recorded } from '../domain/events.ts'

/** A read model: one table, and how each event changes one row of it. */
export type Projection<Row extends object = object> = {
  readonly table: SQLiteTable
  /** The primary key, one column. */
  readonly key: SQLiteColumn
  readonly handles: ReadonlySet<EventType>
  readonly keyOf: (event: Recorded) => string | number
  /** Pure: the row after the event; undefined when there is to be none. */
  readonly apply: (row: Row | undefined, event: Recorded) => Row | undefined
}

/** A projection of the events named in `handles`; `keyOf` and `apply` see only those. */
export const projection = <
  Table extends SQLiteTable & { $inferSelect: object },
  Handled extends EventType,
>(definition: {
  readonly table: Table
  readonly key: SQLiteColumn
  readonly handles: readonly Handled[]
  readonly keyOf: (event: Recorded<Extract<DomainEvent, { type: Handled }>>) => string | number
  readonly apply: (
    row: Table['$inferSelect'] | undefined,
    event: Recorded<Extract<DomainEvent, { type: Handled }>>,
  ) => Table['$inferSelect'] | undefined
}) => {
  const { table, key, handles, keyOf, apply } = definition
  return {
    table,
    key,
    handles: new Set<EventType>(handles),
    keyOf: keyOf as Projection['keyOf'],
    apply: apply as Projection<Table['$inferSelect']>['apply'],
  }
}
