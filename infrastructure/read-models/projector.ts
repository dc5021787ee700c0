import { generationalCache, cachedPayments } from '../../application/generational-cache.ts'
import type { LoggedMessage } from '../../domain/callback.ts'
import { sumLines, type LineSum } from '../../domain/accounting/line-sums.ts'
import type { TransactionLine } from '../../domain/accounting/transaction-line.ts'
import type { EventType, Recorded } from '../../domain/events.ts'
import type { Key, Projection } from '../../projections/projection.ts'
import type { ReadModelFile } from './read-model-file.ts'
import { foldMoments } from './moment-fold.ts'
import { foldTree, type Leaf } from './tree-fold.ts'
import {
  gatherWrites,
  makeWriter,
  rowsOf,
  type Change,
  type GatheredWrites,
  type Row,
  type Write,
  type Writing,
} from './rows.ts'

type Changes = Map<Key, Change>

/** A row of a table in its current state. */
type RowIn = (table: Projection['table'], key: Key) => Row | undefined

/** The rows of one table: changes of the current batch, and a cache. */
const tableOf = (file: ReadModelFile, projection: Projection) => {
  const { handles, begins, transactionLine, lines, sums, isAppended } = projection
  const { message: messageOf, messages } = projection
  const { read, write } = rowsOf(file, projection)
  /** Null for a row that does not exist: most payments have no callbacks. */
  const remembered = generationalCache<Key, Row | null>(projection.rowsKept ?? cachedPayments)
  let changes: Changes = new Map()
  /** The previous batch, which may not be written yet. */
  let latest: Changes = new Map()

  const find = (id: Key): Row | undefined => {
    const known = remembered.get(id)
    if (known !== undefined) return known ?? undefined
    const change = latest.get(id)
    const found = change ? change.after : read(id)
    remembered.set(id, found ?? null)
    return found
  }

  const rowOf = (id: Key): Row | undefined => (changes.get(id) ?? { after: find(id) }).after

  /** Changes a row and returns the previous one. */
  const fold = (
    id: Key,
    mayBeThere: boolean,
    apply: (before: Row | undefined) => object | undefined,
  ): Row | undefined => {
    const change = changes.get(id)
    const before = change ? change.after : mayBeThere ? find(id) : undefined
    const after = apply(before) as Row | undefined
    if (change) change.after = after
    else if (after !== before) changes.set(id, { before, after })
    else if (!mayBeThere && !isAppended) remembered.set(id, null)
    return before
  }

  return {
    handles,
    foldsLines: lines !== null,
    foldsSums: sums !== null,
    foldsMessages: messages !== null,
    /** Returns the transaction line of the event, if any, and collects its messages. */
    fold(event: Recorded, announced: LoggedMessage[]): TransactionLine | undefined {
      let line: TransactionLine | undefined
      const mayBeThere = !begins.has(event.type)
      for (const id of projection.keysOf(event, rowOf)) {
        const before = fold(id, mayBeThere, (row) => {
          const after = projection.apply(row, event, id, rowOf)
          const message = messageOf?.(row, after, event)
          if (message) announced.push(message)
          return after
        })
        line = transactionLine?.(before, event) ?? line
      }
      return line
    },
    foldMessage(message: LoggedMessage): void {
      if (!messages) return
      for (const id of messages.keysOf(message))
        fold(id, !messages.begins, (row) => messages.apply(row, message, id))
    },
    table: projection.table,
    rowOf,
    foldLine(line: TransactionLine, rowIn: RowIn): void {
      if (!lines) return
      const { beside } = lines
      const otherKey = beside?.keyOf(line)
      const other = beside && otherKey && rowIn(beside.projection.table, otherKey)
      for (const id of lines.keysOf(line))
        fold(id, !isAppended, (row) => lines.apply(row, line, id, other || undefined))
    },
    foldSum(sum: LineSum): void {
      if (!sums) return
      for (const id of sums.keysOf(sum)) fold(id, true, (row) => sums.apply(row, sum, id))
    },
    /** Ends the batch and adds its changes to `writes`. */
    end(writes: GatheredWrites): void {
      for (const [id, change] of changes) {
        write(id, change, writes)
        if (!isAppended) remembered.set(id, change.after ?? null)
      }
      latest = changes
      changes = new Map()
    },
    forget(): void {
      remembered.clear()
      changes.clear()
      latest.clear()
    },
  }
}

const moveCheckpoint: Writing = {
  sql: 'UPDATE checkpoint SET position = ?, event = ?, stream = ?, revision = ?',
  width: 4,
}

/** Folds batches of events into rows. The next batch may be folded while one is written. */
export const makeFold = (file: ReadModelFile, projections: readonly Projection[]) => {
  const tables = projections.map((projection) => tableOf(file, projection))
  const ofLines = tables.filter(({ foldsLines }) => foldsLines)
  const ofSums = tables.filter(({ foldsSums }) => foldsSums)
  const ofMessages = tables.filter(({ foldsMessages }) => foldsMessages)
  const byTable = new Map(tables.map((one) => [one.table, one]))
  const rowIn: RowIn = (table, key) => byTable.get(table)?.rowOf(key)
  const tree = foldTree(file)
  const moments = foldMoments(file)
  const byType = new Map<EventType, typeof tables>()
  for (const table of tables)
    for (const type of table.handles) byType.set(type, [...(byType.get(type) ?? []), table])

  return {
    /** Returns the rows and the checkpoint, to be written in one transaction. */
    fold(events: readonly Recorded[], leaves: readonly Leaf[] = []): readonly Write[] {
      const lines = sumLines()
      const announced: LoggedMessage[] = []
      const foldSums = (): void => {
        for (const sum of lines.take()) for (const { foldSum } of ofSums) foldSum(sum)
      }
      for (const event of events)
        for (const table of byType.get(event.type) ?? []) {
          // Sum the earlier lines first: they belong to whatever this event closes, such as a
          // report.
          if (table.foldsSums) foldSums()
          const line = table.fold(event, announced)
          if (announced.length > 0)
            for (const message of announced.splice(0))
              for (const { foldMessage } of ofMessages) foldMessage(message)
          if (!line) continue
          lines.add(line)
          for (const { foldLine } of ofLines) foldLine(line, rowIn)
        }
      foldSums()
      const writes = gatherWrites()
      for (const table of tables) table.end(writes)
      tree.fold(leaves, writes)
      moments.fold(events, writes)
      const last = events.at(-1)
      if (last)
        writes.valuesOf(moveCheckpoint).push(last.position, last.id, last.stream, last.revision)
      return writes.all()
    },
    forget(): void {
      for (const table of tables) table.forget()
      tree.forget()
      moments.forget()
    },
  }
}

/** Folds events into all projections; a batch and its checkpoint are one transaction. */
export const makeProjector = (file: ReadModelFile, projections: readonly Projection[]) => {
  const { sqlite } = file
  const { fold, forget } = makeFold(file, projections)
  const write = makeWriter(file)
  const checkpoint = sqlite.prepare('SELECT position FROM checkpoint').pluck()
  const readVersion = sqlite.prepare('PRAGMA data_version').pluck()
  let version: unknown

  const position = (): number => checkpoint.get() as number

  const transaction = sqlite.transaction((events: readonly Recorded[], leaves: readonly Leaf[]) => {
    const current = readVersion.get()
    // Another process has written to the file.
    if (current !== version) forget()
    version = current
    const done = position()
    const isNew = ({ position }: { readonly position: number }) => position > done
    write(fold(events.filter(isNew), leaves.filter(isNew)))
  })

  const apply = (events: readonly Recorded[], leaves: readonly Leaf[] = []): void => {
    try {
      transaction.immediate(events, leaves)
    } catch (error) {
      forget()
      throw error
    }
  }

  return { apply, position }
}
