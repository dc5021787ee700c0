import { checkpoints } from '../../domain/aggregates.ts'
import { type SignedCheckpoint, formatCheckpoint } from '../../domain/transparency/checkpoints.ts'
import { dayOf, type Instant } from '../../domain/time.ts'
import type { Context, Handle } from '../../application/handle.ts'
import type { LogTree } from '../../application/log-tree.ts'
import type { DueWork } from '../../application/schedule.ts'

/** How often a checkpoint is signed while there are new events, in ms. */
const everyMs = 10_000

/** The last signed checkpoint, from any source. */
type Signed = { readonly size: number; readonly root: string }

/** The log differs from the signed one: it was truncated or changed. */
class InconsistentLog extends Error {
  override readonly name = 'InconsistentLog'
  constructor({ size }: Signed, problem: string) {
    super(
      `no checkpoint is signed: ${problem} the ${size} events that were signed before. ` +
        'Put the newest copy of the log back, or sign under another TRANSPARENCY_ORIGIN',
    )
  }
}

type NewestCheckpoint = Signed & { readonly signedAt: Instant; readonly cosigned: number }

type Needs = {
  readonly handle: Handle
  readonly tree: LogTree
  readonly newest: () => NewestCheckpoint | undefined
  readonly caughtUp: () => Promise<void>
  readonly origin: () => string
  /** The signed note of a checkpoint's text; undefined without a signing key. */
  readonly sign: (text: string) => Promise<string | undefined>
  /** The newest checkpoint signed with this key, stored outside the log. */
  readonly remembered: () => Signed | undefined
  readonly remember: (signed: Signed) => Promise<void>
  /** What the event also tells: the newest change of the vault, and the program's version. */
  readonly about: () => Pick<SignedCheckpoint, 'vault' | 'build'>
  readonly contextOf: (actor: string) => Context
}

const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64')

/** The log's size once this checkpoint and its cosignatures are recorded in it. */
const sizeWith = (last: NewestCheckpoint | undefined): number =>
  last ? last.size + 1 + last.cosigned : 0

/**
 * Signs a checkpoint of the log every ten seconds while there are new events, and immediately after
 * `atOnce`. It never signs a checkpoint that is inconsistent with an earlier one.
 * @throws InconsistentLog
 */
export const signCheckpoints = (needs: Needs) => {
  const { tree, newest } = needs
  let isWanted = false

  const checkConsistency = (earlier: Signed | undefined, size: number): void => {
    if (!earlier) return
    if (size < earlier.size) throw new InconsistentLog(earlier, 'the log lacks the end of')
    if (base64(tree.rootOf(earlier.size)) !== earlier.root)
      throw new InconsistentLog(earlier, 'the log holds something else than')
  }

  const sign = async (size: number, at: Instant): Promise<void> => {
    const earlier = [newest(), needs.remembered()]
    for (const each of earlier) checkConsistency(each, size)
    const root = tree.rootOf(size)
    const note = await needs.sign(formatCheckpoint({ origin: needs.origin(), size, root }))
    if (note === undefined) return
    const signed = { size, root: base64(root) }
    // Stored before it is published: anyone who has seen it may hold us to it.
    await needs.remember(signed)
    const command = { type: 'SignCheckpoint', ...signed, note, ...needs.about() } as const
    // One stream per day, to keep streams short.
    await needs.handle(checkpoints, dayOf(at), command, needs.contextOf('daybook'))
  }

  const work: DueWork = async (now, stopped) => {
    const last = newest()
    if (!isWanted && last && now < last.signedAt + everyMs) return last.signedAt + everyMs
    await needs.caughtUp()
    const size = tree.size()
    // Events added by the last checkpoint itself do not need another one.
    const hasNews = size > sizeWith(newest())
    isWanted = false
    if (!hasNews || stopped.aborted) return null
    await sign(size, now)
    return now + everyMs
  }

  return {
    work,
    /** Makes the next check sign regardless of the time, as after a settlement. */
    atOnce: (): void => {
      isWanted = true
    },
  }
}
