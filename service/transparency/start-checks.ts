import { dayMs } from '../../domain/time.ts'
import { installations } from '../../domain/aggregates.ts'
import { parseEvent } from '../../domain/events.ts'
import { streamOf } from '../../domain/stream.ts'
import type { Work } from '../background-work.ts'
import { validPairs } from '../callbacks/own-signer.ts'
import type { Core } from '../core.ts'
import { UnusableKey } from '../../infrastructure/keys/keys.ts'
import { checkIdTokenKeys } from '../../infrastructure/people/id-tokens.ts'
import { checkpointKeysIn } from './checkpoint-keys.ts'
import { wallClock } from '../../application/machine.ts'
import { witnessAt, type Witness } from '../../audit/transparency/ask-witnesses.ts'
import type { SignedCheckpoint } from '../../domain/transparency/checkpoints.ts'
import { UnusableLog } from '../../infrastructure/event-store/sqlite-event-file.ts'
import { newestEvents } from '../people/bound-parts.ts'

/** A start waits no longer for a witness. */
const answerTimeoutMs = 3_000

/** The newest checkpoint in the log; none if the operator has since accepted a loss. */
const newestCheckpoint = async (
  store: Pick<Core['store'], 'readBack'>,
): Promise<SignedCheckpoint | undefined> => {
  const newest = (await newestEvents(store)).findLast(
    ({ type }) => type === 'CheckpointSigned' || type === 'LossAccepted',
  )
  return newest?.type === 'CheckpointSigned' ? (newest.data as SignedCheckpoint) : undefined
}

type Needs = Pick<Core, 'log'> & { readonly store: Pick<Core['store'], 'readBack'> }

/** How many events a witness has signed; undefined if it does not say. */
const signedBy = async (
  { addCheckpoint, name }: Witness,
  { size, note }: SignedCheckpoint,
  { log }: Needs,
): Promise<{ readonly count: number; readonly isOther: boolean } | undefined> => {
  const unasked = 'the witness cannot be asked whether this log is the newest'
  try {
    // As if it had signed this checkpoint: otherwise it tells which one it has signed.
    const { status, text } = await addCheckpoint(
      `old ${size}\n\n${note}`,
      new AbortController().signal,
    )
    if (status === 200) return { count: size, isOther: false }
    if (status === 409 && /^\d{1,15}\n?$/.test(text))
      return { count: Number(text), isOther: Number(text) === size }
    log.warn({ witness: name, status }, unasked)
  } catch (error) {
    log.warn({ witness: name, error }, unasked)
  }
  return undefined
}

/**
 * Refuses a log that lacks what witnesses have signed: an older copy, of which nothing beside it
 * tells any more. @throws UnusableLog
 */
export const checkWitnessed = async (
  needs: Needs,
  witnesses: Core['settings']['WITNESSES'],
): Promise<void> => {
  const newest = witnesses.length === 0 ? undefined : await newestCheckpoint(needs.store)
  if (!newest) return
  const check = async (witness: Witness): Promise<void> => {
    const signed = await signedBy(witness, newest, needs)
    if (!signed || (signed.count <= newest.size && !signed.isOther)) return
    // Another node may have signed meanwhile.
    const { size = 0 } = (await newestCheckpoint(needs.store)) ?? {}
    if (!signed.isOther && size >= signed.count) return
    throw new UnusableLog(
      `the witness ${witness.name} has signed ${signed.count} ${signed.isOther ? 'other ' : ''}` +
        `events under this name, the newest checkpoint here is of ${size}: an older copy of the ` +
        'log was put in its place. Put the newest copy back; to go on without the lost events, ' +
        'run `daybook restore --accept` and set another TRANSPARENCY_ORIGIN',
    )
  }
  await Promise.all(witnesses.map(({ url, key }) => check(witnessAt(url, key, answerTimeoutMs))))
}

/** By id; what was published before an accepted loss may be lost. */
const idTokenKeysOf = async ({ store }: Pick<Core, 'store'>) => {
  const published = new Map<string, string>()
  for (const stored of await store.readStream(streamOf(installations, 'daybook'))) {
    const event = parseEvent(stored)
    if (event.type === 'IdTokenKeyAdded') published.set(event.data.kid, event.data.publicKey)
    if (event.type === 'LossAccepted') published.clear()
  }
  return published
}

/** Compares the signing keys with those of the log. @throws UnusableKey */
export const checkKeys = async (core: Core): Promise<void> => {
  const { DATA_DIR } = core.settings
  await validPairs(core, DATA_DIR, wallClock)
  await checkpointKeysIn(core, DATA_DIR)
  checkIdTokenKeys(core.vault, await idTokenKeysOf(core))
}

/** Checks the keys once a day, after the check of the start. */
export const dailyKeyCheck = (core: Core) => {
  let next: number | undefined
  let hold = true
  const check = async (): Promise<void> => {
    try {
      await checkKeys(core)
      hold = true
    } catch (error) {
      if (!(error instanceof UnusableKey)) throw error
      hold = false
      core.log.error({ error }, 'a signing key on disk is not the one that the log knows')
    }
  }
  const due: Work['due'] = async (now) => {
    next ??= now + dayMs
    if (now < next) return next
    next = now + dayMs
    await check()
    return next
  }
  return { work: { name: 'check_keys', due } satisfies Work, hold: () => hold }
}
