import { heldKeys, isHeld } from '../../domain/transparency/checkpoint-key.ts'
import type { Instant } from '../../domain/time.ts'
import type { Core } from '../core.ts'
import { idTokenKeys } from '../../infrastructure/people/id-tokens.ts'

type KeyState = 'signs' | 'comes' | 'published' | 'ended'
type ShownKey = {
  readonly id: string
  readonly from: Instant
  readonly until: Instant | null
  readonly state: KeyState
}

/** For keys of which only one signs at a time: the newest that has started, or the oldest. */
const oneSigns = (
  keys: readonly { readonly id: string; readonly from: Instant }[],
  now: Instant,
): readonly ShownKey[] => {
  const newest = keys.toSorted((one, other) => other.from - one.from)
  const signing = newest.find(({ from }) => from <= now) ?? newest.at(-1)
  const stateOf = (key: { readonly from: Instant }): KeyState => {
    if (key === signing) return 'signs'
    return key.from > now ? 'comes' : 'published'
  }
  return newest.map((key) => ({ ...key, until: null, state: stateOf(key) }))
}

/** All signing keys, by the machine's clock, as for signatures. */
export const shownKeys = (core: Core) => async () => {
  await core.caughtUp()
  const now = Date.now()
  const { vault } = core
  const callbacks = core.callbacks.signingKeys
    .all()
    .map(({ data: { id, validFrom } }) => ({ id, from: validFrom }))
  const held = heldKeys(core.transparency.keys.all().map(({ data }) => data))
  const checkpoints = held.toReversed().map((key): ShownKey => {
    const { id, from, until } = key
    return { id, from, until, state: isHeld(key, now) ? 'signs' : 'ended' }
  })
  return {
    callbacks: oneSigns(callbacks, now),
    checkpoints,
    'id-tokens': oneSigns(idTokenKeys(vault), now),
    vault: vault.wrappedBy(),
  }
}
