import { askWitness, witnessAt, signNote } from '../../audit/transparency/ask-witnesses.ts'
import { signCheckpoints } from '../../audit/transparency/sign-checkpoints.ts'
import type { DueWork } from '../../application/schedule.ts'
import { checkpointKeys, ledgers, settlements } from '../../domain/aggregates.ts'
import { categoryOf } from '../../domain/stream.ts'
import { ed25519, formatKey } from '../../domain/transparency/signed-note.ts'
import type { Core } from '../core.ts'
import { newestMark } from '../../infrastructure/event-store/seen-events.ts'
import { sha256 } from '../../infrastructure/keys/keys.ts'
import { version } from '../../infrastructure/version.ts'
import { openCheckpointKeys } from './checkpoint-keys.ts'
import { signedBefore } from '../../audit/transparency/signed-before.ts'
import { wallClock } from '../../application/machine.ts'

/** Events that are followed by a checkpoint at once. */
const weighty: ReadonlySet<string> = new Set(
  [ledgers, settlements, checkpointKeys].map(({ category }) => category),
)

const lease = 'checkpoints' as const

/** Signs checkpoints of the log's tree and asks witnesses, in the background. */
export const checkpointWork = (core: Core) => {
  const { caughtUp, contextOf, publicUrl, settings } = core
  const { DATA_DIR, TRANSPARENCY_ORIGIN, WITNESSES } = settings
  const { tree } = core
  const { checkpoints } = core.transparency
  const keys = openCheckpointKeys(core, DATA_DIR, wallClock, core.log)
  const origin = () => TRANSPARENCY_ORIGIN ?? `${publicUrl().replace(/^\w+:\/\//, '')}/transparency`
  const sign = async (text: string) => {
    const signing = await keys.signing()
    return signing.length > 0 ? signNote(text, origin(), signing) : undefined
  }
  const { handle } = core.shares.checkpoints
  const { newest } = checkpoints
  const { remembered, remember } = signedBefore(DATA_DIR, origin, () => newestMark(core.store))
  const { work: signing, atOnce } = signCheckpoints({
    tree,
    handle,
    caughtUp,
    contextOf,
    newest,
    remembered,
    remember,
    about: () => ({ vault: core.vault.mark(), build: version }),
    origin,
    sign,
  })
  const due: DueWork = async (now, stopped) => {
    await keys.publishFirst()
    return signing(now, stopped)
  }
  const isAble = async (): Promise<boolean> => {
    await keys.publishFirst()
    return (await keys.signing()).length > 0
  }
  const outageOf = core.outagesOf('asking the witness')
  const cosigning = { name: 'ask_witnesses', sendsMessages: true, lease } as const
  const asking = WITNESSES.map(({ url, key }) =>
    askWitness({ tree, handle, caughtUp, contextOf, newest, outageOf }, witnessAt(url, key)),
  )
  core.onFolded((streams) => {
    if ([...streams].some((stream) => weighty.has(categoryOf(stream)))) atOnce()
  })
  return {
    verifierKeys: async () => {
      await keys.publishFirst()
      return keys.held().map(({ publicKey, from, until }) => {
        const key = Buffer.from(publicKey, 'base64')
        const text = formatKey(sha256, { name: origin(), kind: ed25519, key })
        return { text, from, until }
      })
    },
    // One process per directory signs.
    work: [
      { name: 'sign_checkpoints', due, sendsMessages: true, lease, isAble },
      // Independently, so that a slow witness delays nobody.
      ...asking.map((ask) => ({ ...cosigning, due: ask, settle: async () => {} })),
    ],
  }
}
