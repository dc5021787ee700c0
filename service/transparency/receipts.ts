import type { EventStore } from '../../application/event-store.ts'
import type { LogTree } from '../../application/log-tree.ts'
import { makeReceipts } from '../../audit/transparency/receipts.ts'
import type { Core } from '../core.ts'
import { encodeEvent } from '../../infrastructure/event-store/event-entry.ts'

type Recorded = {
  readonly store: Pick<EventStore, 'readStream'>
  readonly tree: LogTree
  readonly checkpoints: Pick<Core['transparency']['checkpoints'], 'newest'>
  readonly accounting: Pick<Core['accounting'], 'ledgers' | 'transactionLines'>
}

/** Receipts of the log, or of the log as of a moment. */
export const receiptsOf = ({ store, tree, checkpoints, accounting }: Recorded) =>
  makeReceipts({
    store,
    tree,
    newest: checkpoints.newest,
    encode: encodeEvent,
    ledgersOf: accounting.ledgers.idsOf,
    linesOf: accounting.transactionLines.between,
  })
