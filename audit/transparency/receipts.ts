import type { LogRange } from '../../domain/accounting/completion.ts'
import { ledgers, payments, settlements } from '../../domain/aggregates.ts'
import { refuse } from '../../domain/refusal.ts'
import { streamOf, within } from '../../domain/stream.ts'
import type { RecordedEvent } from '../../application/event-store.ts'
import type { Cuts } from '../../application/log-tree.ts'
import {
  eventsOfLines,
  linesBetween,
  proving,
  type LedgerOf,
  type NotedCheckpoint,
  type ProvingNeeds,
  type ReceiptEntry,
  type ReceiptLine,
} from '../../application/proved-events.ts'

export type Receipt = {
  /** The signed note that all proofs lead to. */
  readonly checkpoint: string
  /** Proofs that it extends earlier checkpoints. */
  readonly consistency: readonly {
    readonly from: number
    readonly size: number
    readonly hashes: readonly Uint8Array[]
  }[]
  readonly entries: AsyncIterable<ReceiptEntry>
  /** Number of events newer than the checkpoint. */
  readonly uncovered: number
}

type Needs = ProvingNeeds & {
  readonly newest: () => NotedCheckpoint | undefined
  readonly ledgersOf: (merchant: string) => readonly string[]
}

type Of = {
  readonly merchant: string
  readonly cuts: Cuts
  readonly logRange: LogRange | undefined
}

type OfReport = Of & { readonly ledger: string; readonly number: number }

type OfSettlement = Of & { readonly serial: number }

type Ranged = Omit<Of, 'merchant'> & {
  readonly ledgers: readonly LedgerOf[]
  readonly isCounted: (line: ReceiptLine) => boolean
}

const consistencyOf = (
  { tree }: Needs,
  { size }: NotedCheckpoint,
  sizes: readonly (number | undefined)[],
): Receipt['consistency'] =>
  [...new Set(sizes)].flatMap((from = 0) => {
    if (from > size) return refuse('no_checkpoint_covers_it')
    return from === 0 ? [] : { from, size, hashes: tree.consistencyProof(from, size) }
  })

const newestOf = ({ newest }: Needs): NotedCheckpoint =>
  newest() ?? refuse('no_checkpoint_covers_it')

const ofPayment =
  (needs: Needs) =>
  async (tid: string, kept?: number): Promise<Receipt> => {
    const checkpoint = newestOf(needs)
    const { isCovered, prove } = proving(needs, checkpoint)
    const events = await needs.store.readStream(streamOf(payments, tid))
    const covered = events.filter(isCovered)
    if (covered.length === 0) return refuse('no_checkpoint_covers_it')
    async function* entries() {
      for (const event of covered) yield prove(event)
    }
    return {
      checkpoint: checkpoint.note,
      consistency: consistencyOf(needs, checkpoint, [kept]),
      entries: entries(),
      uncovered: events.length - covered.length,
    }
  }

/** Proofs of the events that begin and end a range (`last` is the last one), and of its lines. */
const ofRange = async (
  needs: Needs,
  { cuts, logRange, ...of }: Ranged,
  own: readonly RecordedEvent[],
  last: string,
  kept: number | undefined,
): Promise<Receipt> => {
  const checkpoint = newestOf(needs)
  const { isCovered, prove } = proving(needs, checkpoint)
  const covered = own.filter(isCovered)
  if (!covered.some(({ type }) => type === last)) return refuse('no_checkpoint_covers_it')
  const eventOf = eventsOfLines(needs.store)
  async function* entries() {
    for (const event of covered) yield prove(event)
    for (const line of linesBetween(needs, of.ledgers, cuts))
      if (of.isCounted(line)) yield prove(await eventOf(line), line)
  }
  return {
    checkpoint: checkpoint.note,
    consistency: consistencyOf(needs, checkpoint, [logRange?.from, logRange?.to, kept]),
    entries: entries(),
    uncovered: own.length - covered.length,
  }
}

const ofReport =
  (needs: Needs) =>
  async (report: OfReport, kept?: number): Promise<Receipt> => {
    const { merchant, ledger, number } = report
    const events = await needs.store.readStream(streamOf(ledgers, within(merchant, ledger)))
    const own = events.filter(({ type, data: { report } }) => {
      const begins = type === 'ReportClosed' && report === number - 1
      return begins || (type.startsWith('Report') && report === number)
    })
    const range = { ...report, ledgers: [{ merchant, ledger }], isCounted: () => true }
    return ofRange(needs, range, own, 'ReportCompleted', kept)
  }

const ofSettlement =
  (needs: Needs) =>
  async (settlement: OfSettlement, kept?: number): Promise<Receipt> => {
    const { merchant, serial } = settlement
    const events = await needs.store.readStream(streamOf(settlements, merchant))
    const own = events.filter(({ type, data }) => {
      const begins = !type.startsWith('Payout') && data['serial'] === serial - 1
      return begins || data['serial'] === serial
    })
    const all = needs.ledgersOf(merchant).map((ledger) => ({ merchant, ledger }))
    const isCounted = ({ charge }: ReceiptLine) => charge !== null
    return ofRange(needs, { ...settlement, ledgers: all, isCounted }, own, 'SettlementMade', kept)
  }

/**
 * Receipts: the events of a payment, report or settlement, each with its inclusion proof. `kept` is
 * the size of a checkpoint that the reader already has, at most that of the newest one.
 */
export const makeReceipts = (needs: Needs) => ({
  ofPayment: ofPayment(needs),
  ofReport: ofReport(needs),
  ofSettlement: ofSettlement(needs),
})
