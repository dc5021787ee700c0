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
export const dailyKeyCheck = (core: Core): Work => {
  let next: number | undefined
  return {
    due: async (now) => {
      next ??= now + dayMs
      if (now < next) return next
      next = now + dayMs
      await checkKeys(core).catch((error: unknown) => {
        if (!(error instanceof UnusableKey)) throw error
        core.log.error({ error }, 'a signing key on disk is not the one that the log knows')
      })
      return next
    },
  }
}
