import { askWitness } from '../../application/ask-witnesses.ts'
import type { EventStore } from '../../application/event-store.ts'
import type { LogTree } from '../../application/log-tree.ts'
import type { DueWork } from '../../application/schedule.ts'
import { makeReceipts } from '../../application/receipts.ts'
import { signCheckpoints } from '../../application/sign-checkpoints.ts'
import { checkpointKeys, ledgers, settlements } from '../../domain/aggregates.ts'
import { categoryOf } from '../../domain/stream.ts'
import { ed25519, formatKey } from '../../domain/transparency/signed-note.ts'
import type { Core } from '../core.ts'
import { encodeEvent } from '../event-store/event-entry.ts'
import type { Log } from '../log.ts'
import type { Settings } from '../settings.ts'
import { sha256 } from '../sha256.ts'
import { openCheckpointKeys } from '../transparency/checkpoint-keys.ts'
import { signNote } from '../transparency/note-signer.ts'
import { signedBefore } from '../transparency/signed-before.ts'
import { witnessAt } from '../transparency/witnesses.ts'

/** A checkpoint follows their events at once. */
const weighty: ReadonlySet<string> = new Set(
  [ledgers, settlements, checkpointKeys].map(({ category }) => category),
)

type Recorded = {
  readonly store: Pick<EventStore, 'readStream'>
  readonly tree: LogTree
  readonly checkpoints: Pick<Core['transparency']['checkpoints'], 'newest'>
  readonly accounting: Pick<Core['accounting'], 'ledgers' | 'transactionLines'>
}

/** Receipts of the log, or of what it was at a moment. */
export const receiptsOf = ({ store, tree, checkpoints, accounting }: Recorded) =>
  makeReceipts({
    ...{ store, tree, newest: checkpoints.newest, encode: encodeEvent },
    ledgersOf: accounting.ledgers.idsOf,
    linesOf: accounting.transactionLines.between,
  })

/** The log's Merkle tree, whose checkpoints are signed beside the requests. */
export const transparencySlice = (
  core: Core,
  settings: Pick<Settings, 'DATA_DIR' | 'TRANSPARENCY_ORIGIN' | 'WITNESSES'>,
  log: Log,
  publicUrl: () => string,
) => {
  const { DATA_DIR, TRANSPARENCY_ORIGIN, WITNESSES } = settings
  const { tree, checkpoints } = core.transparency
  const keys = openCheckpointKeys(core, DATA_DIR, Date.now, log)
  const origin = () => TRANSPARENCY_ORIGIN ?? `${publicUrl().replace(/^\w+:\/\//, '')}/transparency`
  const sign = async (text: string) => {
    const signing = await keys.signing()
    return signing.length > 0 ? signNote(text, origin(), signing) : undefined
  }
  const { caughtUp, contextOf } = core
  const { handle } = core.shares.checkpoints
  const known = { tree, handle, caughtUp, contextOf, newest: checkpoints.newest }
  const { work: signing, atOnce } = signCheckpoints({
    ...signedBefore(DATA_DIR, origin),
    ...{ ...known, origin, sign },
  })
  const work: DueWork = async (now, stopped) => {
    await keys.publishFirst()
    return signing(now, stopped)
  }
  const isAble = async (): Promise<boolean> => {
    await keys.publishFirst()
    return (await keys.signing()).length > 0
  }
  const outageOf = core.outagesOf('asking the witness')
  const asking = WITNESSES.map(({ url, key }) =>
    askWitness({ ...known, outageOf }, witnessAt(url, key)),
  )
  core.onFolded((streams) => {
    if ([...streams].some((stream) => weighty.has(categoryOf(stream)))) atOnce()
  })
  const lease = 'checkpoints' as const
  return {
    needs: {
      ...{ tree, checkpoints, receipts: receiptsOf({ ...core, ...core.transparency }) },
      ...core.accounting,
      verifierKeys: async () => {
        await keys.publishFirst()
        return keys.held().map(({ publicKey, from, until }) => {
          const key = Buffer.from(publicKey, 'base64')
          const text = formatKey(sha256, { name: origin(), kind: ed25519, key })
          return { text, from, until }
        })
      },
    },
    // Of the processes of a directory one signs.
    work: [
      { due: work, isTelling: true, lease, isAble },
      // Each for itself: nobody waits for a witness that is slow.
      ...asking.map((due) => ({ due, isTelling: true, lease, settle: async () => {} })),
    ],
  }
}
