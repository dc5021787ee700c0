import { corrections, payments, permissionRequests } from '../domain/aggregates.ts'
import type { Charge } from '../domain/accounting/fees.ts'
import { permissionActions, type LineAction } from '../domain/accounting/transaction-line.ts'
import { streamOf } from '../domain/stream.ts'
import { formatProof } from '../domain/transparency/merkle-tree.ts'
import type { EventStore, Position, RecordedEvent } from './event-store.ts'
import { generationalCache } from './generational-cache.ts'
import type { Cuts, LogTree } from './log-tree.ts'

type Stored = {
  readonly data: unknown
  readonly metadata: { readonly actor?: unknown }
}

/** A payer's id in JSON, or the person id in a sealed name. */
const idOfPerson = /"payer":"|"sealed:/

/**
 * Whether an event contains a payer id that is the same for all merchants. Two merchants could use
 * it to find common customers (docs/decisions/0016).
 */
export const namesPayer = ({ data, metadata }: Stored): boolean =>
  String(metadata.actor).startsWith('payer:') || idOfPerson.test(JSON.stringify(data))

/** The entry of an event, and its data or metadata if the entry holds only a digest. */
export type EncodedEvent = {
  readonly entry: string
  /** Base64. */
  readonly leaf: string
  readonly data: string | undefined
  readonly metadata: string | undefined
}

/** What an event adds to a report or settlement. */
export type ReceiptLine = {
  readonly action: LineAction
  readonly currency: string
  readonly amount: number
  readonly additionalAmount: number
  readonly charge: Charge | null
}

type LineOfEvent = ReceiptLine & { readonly tid: string; readonly position: Position }

export type ReceiptEntry = {
  readonly index: number
  readonly type: string
  readonly line: ReceiptLine | undefined
  /** The content of a `.tlog-proof`. */
  readonly proof: string
  readonly leaf: string
  /** Undefined if it is withheld. */
  readonly disclosed: Omit<EncodedEvent, 'leaf'> | undefined
}

export type NotedCheckpoint = { readonly size: number; readonly note: string }

export type LedgerOf = { readonly merchant: string; readonly ledger: string }

export type ProvingNeeds = {
  readonly store: Pick<EventStore, 'readStream'>
  readonly tree: LogTree
  readonly encode: (event: RecordedEvent) => EncodedEvent
  readonly linesOf: (ledger: LedgerOf, cuts: Cuts, limit: number) => readonly LineOfEvent[]
}

const linesARead = 500

/** Number of cached streams: a payment has several lines. */
const streamsKept = 500

const eventsKept = 20_000

const isOfPermission = ({ action }: ReceiptLine): boolean =>
  (permissionActions as readonly string[]).includes(action)

const streamOfLine = (line: LineOfEvent): string =>
  streamOf(
    isOfPermission(line)
      ? permissionRequests
      : line.action === 'correction'
        ? corrections
        : payments,
    line.tid,
  )

/** Makes the proof that an event is included in a checkpoint. */
export const proving = (
  { tree, encode }: ProvingNeeds,
  { size, note: checkpoint }: NotedCheckpoint,
) => {
  const indexOf = ({ position }: RecordedEvent): number => tree.indexOf(position) ?? size
  return {
    isCovered: (event: RecordedEvent): boolean => indexOf(event) < size,
    prove: (event: RecordedEvent, line?: ReceiptLine): ReceiptEntry => {
      const { leaf, ...shown } = encode(event)
      const { type, data } = event
      const index = indexOf(event)
      const proof = formatProof({ index, hashes: tree.inclusionProof(index, size), checkpoint })
      const isWithheld = namesPayer({ data, metadata: event.metadata })
      return { index, type, line, proof, leaf, disclosed: isWithheld ? undefined : shown }
    },
  }
}

/** The lines between two cuts, one ledger at a time, each in log order. */
export function* linesBetween(
  { linesOf }: ProvingNeeds,
  ledgers: readonly LedgerOf[],
  { after, before }: Cuts,
): Generator<LineOfEvent> {
  for (const ledger of ledgers)
    for (let from: Position | undefined = after; from !== undefined;) {
      const lines = linesOf(ledger, { after: from, before }, linesARead)
      yield* lines
      from = lines.at(-1)?.position
    }
}

export const eventsOfLines = ({ readStream }: ProvingNeeds['store']) => {
  const limit = {
    weightOf: (events: readonly RecordedEvent[]) => events.length,
    weight: eventsKept,
  }
  const cache = generationalCache<string, readonly RecordedEvent[]>(streamsKept, limit)
  return async (line: LineOfEvent): Promise<RecordedEvent> => {
    const stream = streamOfLine(line)
    const events = cache.get(stream) ?? (await readStream(stream))
    cache.set(stream, events)
    const found = events.find(({ position }) => position === line.position)
    if (!found) throw new Error(`${stream} has no event at position ${line.position}`)
    return found
  }
}
