import type { SQLiteColumn, SQLiteTable } from 'drizzle-orm/sqlite-core'
import type { LineSum } from '../domain/accounting/line-sums.ts'
import type { TransactionLine } from '../domain/accounting/transaction-line.ts'
import type { DomainEvent, EventType, Recorded } from '../domain/events.ts'

export type Key = string | number

/** How something that happened changes the rows under its keys. */
type Fold<Row, Fact> = {
  readonly keysOf: (fact: Fact) => readonly Key[]
  /** Pure: the row after it; undefined when there is to be none. The key says which row, where a fact has several. */
  readonly apply: (row: Row | undefined, fact: Fact, key: Key) => Row | undefined
}

/**
 * A read model: one table, and how each event changes rows of it. A projection may `transactionLine`, as a transaction line, what an
 * event did to a row. Others fold these as they fold events: each of them (`lines`), or sums of those between two events
 * that they handle (`sums`).
 */
export type Projection<Row extends object = object> = Fold<Row, Recorded> & {
  readonly table: SQLiteTable
  /** The primary key, one column. */
  readonly key: SQLiteColumn
  readonly handles: ReadonlySet<EventType>
  /** Those of them that come first under their keys: there can be no row yet, so none is looked for. */
  readonly begins: ReadonlySet<EventType>
  /** Each row is made once: nothing is read before, and nothing is remembered. */
  readonly isAppended: boolean
  readonly transactionLine:
    ((before: Row | undefined, event: Recorded) => TransactionLine | undefined) | null
  readonly lines: Fold<Row, TransactionLine> | null
  readonly sums: Fold<Row, LineSum> | null
}

type Handling<Row, Handled extends EventType> = {
  readonly handles: readonly Handled[]
  readonly begins?: readonly Handled[]
  readonly apply: (
    row: Row | undefined,
    event: Recorded<Extract<DomainEvent, { type: Handled }>>,
    key: Key,
  ) => Row | undefined
  readonly transactionLine?: (
    before: Row | undefined,
    event: Recorded<Extract<DomainEvent, { type: Handled }>>,
  ) => TransactionLine | undefined
} & (
  | { readonly keyOf: (event: Recorded<Extract<DomainEvent, { type: Handled }>>) => Key }
  | {
      readonly keysOf: (event: Recorded<Extract<DomainEvent, { type: Handled }>>) => readonly Key[]
    }
)

/** A projection of the events named in `handles`; `keyOf` (or `keysOf`, for several rows) and `apply` see only those. */
export const projection = <
  Table extends SQLiteTable & { $inferSelect: object },
  Handled extends EventType,
>(
  definition: {
    readonly table: Table
    readonly key: SQLiteColumn
    readonly isAppended?: true
    readonly lines?: Fold<Table['$inferSelect'], TransactionLine>
    readonly sums?: Fold<Table['$inferSelect'], LineSum>
  } & Handling<Table['$inferSelect'], Handled>,
) => {
  type Row = Table['$inferSelect']
  const { table, key, isAppended = false, handles, begins = [], apply } = definition
  const { transactionLine, lines, sums } = definition
  const keysOf =
    'keysOf' in definition
      ? definition.keysOf
      : (event: Parameters<typeof definition.keyOf>[0]) => [definition.keyOf(event)]
  return {
    table,
    key,
    isAppended,
    handles: new Set<EventType>(handles),
    begins: new Set<EventType>(begins),
    keysOf: keysOf as Projection['keysOf'],
    apply: apply as Projection<Row>['apply'],
    transactionLine: (transactionLine ?? null) as Projection<Row>['transactionLine'],
    lines: lines ?? null,
    sums: sums ?? null,
  }
}
