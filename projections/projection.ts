import { getTableColumns } from 'drizzle-orm'
import type { SQLiteColumn, SQLiteTable } from 'drizzle-orm/sqlite-core'
import type { LineSum } from '../domain/accounting/line-sums.ts'
import type { TransactionLine } from '../domain/accounting/transaction-line.ts'
import type { LoggedMessage } from '../domain/callback.ts'
import type { DomainEvent, EventType, Recorded } from '../domain/events.ts'

export type Key = string | number

/** How a fact changes the rows of its keys. */
type Fold<Row, Fact> = {
  readonly keysOf: (fact: Fact) => readonly Key[]
  /** Pure. Returns the new row, or undefined to delete it. */
  readonly apply: (row: Row | undefined, fact: Fact, key: Key) => Row | undefined
}

/** How a line changes rows; `beside` is the row of another table, after the same line. */
type FoldLine<Row> = Pick<Fold<Row, TransactionLine>, 'keysOf'> & {
  readonly apply: (
    row: Row | undefined,
    line: TransactionLine,
    key: Key,
    beside?: object,
  ) => Row | undefined
  /** The projection stands before this one in the list. */
  readonly beside?: {
    readonly projection: Pick<Projection, 'table'>
    readonly keyOf: (line: TransactionLine) => Key | undefined
  }
}

/**
 * A read model: one table, and how events change its rows. It may turn events into transaction
 * lines (`transactionLine`), which other projections fold one by one (`lines`) or as sums between
 * two events that they handle (`sums`).
 */
export type Projection<Row extends object = object> = {
  /** `rowOf` as for `apply`. */
  readonly keysOf: (event: Recorded, rowOf?: (key: Key) => Row | undefined) => readonly Key[]
  /** Like `apply` of a fold; `rowOf` finds other rows of the table in their current state. */
  readonly apply: (
    row: Row | undefined,
    event: Recorded,
    key: Key,
    rowOf?: (key: Key) => Row | undefined,
  ) => Row | undefined
  readonly table: SQLiteTable
  readonly key: SQLiteColumn
  readonly handles: ReadonlySet<EventType>
  /** Events that are the first for their keys, so no existing row is looked up. */
  readonly begins: ReadonlySet<EventType>
  /** Rows are only inserted; none is read or cached. */
  readonly isAppended: boolean
  /** Number of cached rows, if they are large; null for the default. */
  readonly rowsKept: number | null
  readonly transactionLine:
    ((before: Row | undefined, event: Recorded) => TransactionLine | undefined) | null
  readonly lines: FoldLine<Row> | null
  readonly sums: Fold<Row, LineSum> | null
  readonly message: MessageOf<Row> | null
  readonly messages: FoldMessage<Row> | null
}

/** `begins`: messages for rows that do not exist yet, so none is looked up. */
type FoldMessage<Row> = Fold<Row, LoggedMessage> & { readonly begins: boolean }

/** The message that an event adds to a row, for other projections to fold (`messages`). */
type MessageOf<Row> = (
  before: Row | undefined,
  after: Row | undefined,
  event: Recorded,
) => LoggedMessage | undefined

type Handling<Row, Handled extends EventType> = {
  readonly handles: readonly Handled[]
  readonly begins?: readonly Handled[]
  readonly apply: (
    row: Row | undefined,
    event: Recorded<Extract<DomainEvent, { type: Handled }>>,
    key: Key,
    rowOf?: (key: Key) => Row | undefined,
  ) => Row | undefined
  readonly transactionLine?: (
    before: Row | undefined,
    event: Recorded<Extract<DomainEvent, { type: Handled }>>,
  ) => TransactionLine | undefined
} & (
  | { readonly keyOf: (event: Recorded<Extract<DomainEvent, { type: Handled }>>) => Key }
  | {
      readonly keysOf: (
        event: Recorded<Extract<DomainEvent, { type: Handled }>>,
        rowOf?: (key: Key) => Row | undefined,
      ) => readonly Key[]
    }
)

const keyIn = (table: SQLiteTable): SQLiteColumn => {
  const key = Object.values(getTableColumns(table)).find(({ primary }) => primary)
  if (!key) throw new Error('The table of a projection needs a primary key.')
  return key
}

/** `keyOf` (or `keysOf` for several rows) and `apply` get only the events named in `handles`. */
export const projection = <
  Table extends SQLiteTable & { $inferSelect: object },
  Handled extends EventType,
>(
  definition: {
    readonly table: Table
    readonly isAppended?: true
    readonly rowsKept?: number
    readonly lines?: FoldLine<Table['$inferSelect']>
    readonly sums?: Fold<Table['$inferSelect'], LineSum>
    readonly message?: MessageOf<Table['$inferSelect']>
    readonly messages?: FoldMessage<Table['$inferSelect']>
  } & Handling<Table['$inferSelect'], Handled>,
) => {
  type Row = Table['$inferSelect']
  const { table, isAppended = false, handles, begins = [], apply } = definition
  const { rowsKept = null } = definition
  const { transactionLine, lines, sums, message, messages } = definition
  const keysOf =
    'keysOf' in definition
      ? definition.keysOf
      : (event: Parameters<typeof definition.keyOf>[0]) => [definition.keyOf(event)]
  return {
    table,
    key: keyIn(table),
    isAppended,
    rowsKept,
    handles: new Set<EventType>(handles),
    begins: new Set<EventType>(begins),
    keysOf: keysOf as Projection<Row>['keysOf'],
    apply: apply as Projection<Row>['apply'],
    transactionLine: (transactionLine ?? null) as Projection<Row>['transactionLine'],
    lines: lines ?? null,
    sums: sums ?? null,
    message: (message ?? null) as Projection<Row>['message'],
    messages: messages ?? null,
  }
}
