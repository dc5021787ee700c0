import { join } from 'node:path'
import { signCheckpoints } from '../../application/sign-checkpoints.ts'
import { ledgers, settlements } from '../../domain/aggregates.ts'
import { categoryOf } from '../../domain/stream.ts'
import type { Core } from '../core.ts'
import { keyInFile } from '../keys.ts'
import type { Settings } from '../settings.ts'
import { noteSigner } from '../transparency/note-signer.ts'
import { signedBefore } from '../transparency/signed-before.ts'

/** A checkpoint follows their events at once. */
const weighty: ReadonlySet<string> = new Set([ledgers.category, settlements.category])

/** The log's Merkle tree, whose checkpoints are signed beside the requests. */
export const transparencySlice = async (
  core: Core,
  { DATA_DIR, TRANSPARENCY_ORIGIN }: Pick<Settings, 'DATA_DIR' | 'TRANSPARENCY_ORIGIN'>,
  publicUrl: () => string,
) => {
  const { tree, checkpoints } = core.transparency
  const key = await keyInFile(join(DATA_DIR, 'checkpoint-ed25519.pem'), 'ed25519')
  const origin = () => TRANSPARENCY_ORIGIN ?? `${publicUrl().replace(/^\w+:\/\//, '')}/transparency`
  const { sign, verifierKey } = noteSigner(key, origin)
  const { work, atOnce } = signCheckpoints({
    ...signedBefore(DATA_DIR, origin),
    ...{ tree, origin, sign },
    handle: core.handle,
    newest: checkpoints.newest,
    caughtUp: core.caughtUp,
    contextOf: core.contextOf,
  })
  core.onFolded((streams) => {
    if ([...streams].some((stream) => weighty.has(categoryOf(stream)))) atOnce()
  })
  return {
    needs: { tree, checkpoints, verifierKey },
    // Of the processes of a directory one signs.
    work: [{ due: work, isTelling: true }],
  }
}
