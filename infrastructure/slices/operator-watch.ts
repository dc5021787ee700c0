import { statfs } from 'node:fs/promises'
import type { Context } from '../../application/handle.ts'
import { heldKeys, isHeld } from '../../domain/transparency/checkpoint-key.ts'
import type { Instant } from '../../domain/time.ts'
import type { Core } from '../core.ts'
import { idTokenKeys } from '../people/id-tokens.ts'
import type { makeReadiness } from '../readiness.ts'
import { rotateKeys, type RotatedKeys } from '../rotate-keys.ts'
import { securityPage, type SecurityPlace, type SecurityWanted } from '../security-pages.ts'

type Parts = {
  readonly ready: ReturnType<typeof makeReadiness>
  /** Open connections of Pusher clients. */
  readonly listenerCount: () => number
}

/** On the disk of the data directory; undefined where the system does not tell. */
const freeBytes = (directory: string): Promise<number | undefined> =>
  statfs(directory).then(
    ({ bavail, bsize }) => bavail * bsize,
    () => undefined,
  )

/** What `/health/ready` and `/metrics` tell, and what waits. */
const healthOf =
  (core: Core, { ready, listenerCount }: Parts) =>
  async () => {
    const { accounting, callbacks, transparency, sharedWork, settings } = core
    const { queue, destinations } = callbacks
    const now = core.now()
    const [unfinished, due, later] = [
      queue.unfinishedCount(),
      queue.dueCount(now),
      queue.laterCount(now),
    ]
    return {
      ready: await ready(),
      freeBytes: await freeBytes(settings.DATA_DIR),
      callbacks: { unfinished, due, later, rested: destinations.restedCount() },
      listeners: listenerCount(),
      checkpoint: transparency.checkpoints.newest(),
      events: transparency.tree.size(),
      reportsClosing: accounting.reports.closingCount(),
      settlementsUnfinished: accounting.settlements.unfinishedCount(),
      /** Undefined where the log is a file, and nothing is shared out. */
      nodes: sharedWork?.nodes(),
    }
  }

export type KeyState = 'signs' | 'comes' | 'published' | 'ended'
type ShownKey = {
  readonly id: string
  readonly from: Instant
  readonly until: Instant | null
  readonly state: KeyState
}

/** Of keys of which one signs at a time: the newest that has begun, the oldest at first. */
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

/** Keys are judged by the clock of the machine, as signatures are. */
const keysOf = (core: Core) => async () => {
  await core.caughtUp()
  const now = Date.now()
  const { vault } = core.people
  const callbacks = core.callbacks.signingKeys
    .all()
    .map(({ data: { id, validFrom } }) => ({ id, from: validFrom }))
  const held = heldKeys(core.transparency.keys.all().map(({ data }) => data))
  const checkpoints = held.toReversed().map((key): ShownKey => {
    const { id, from, until } = key
    return { id, from, until, state: isHeld(key, now) ? 'signs' : 'ended' }
  })
  return {
    ...{ callbacks: oneSigns(callbacks, now), checkpoints },
    'id-tokens': oneSigns(idTokenKeys(vault), now),
    vault: vault.wrappedBy(),
  }
}

/** What the operator watches: the service, its security log, its keys. */
export const operatorWatch = (core: Core, parts: Parts) => ({
  ready: parts.ready,
  health: healthOf(core, parts),
  securityPage: (wanted: SecurityWanted, from: SecurityPlace | undefined, limit: number) =>
    securityPage(core.settings.DATA_DIR, wanted, from, limit),
  keys: keysOf(core),
  rotateKeys: async (kind: RotatedKeys, context: Context): Promise<void> => {
    await rotateKeys(core)(kind, context)
  },
})
