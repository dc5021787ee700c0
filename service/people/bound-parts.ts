import { DamagedEvent, type EventStore, type RecordedEvent } from '../../application/event-store.ts'
import type { Blobs } from '../../application/blobs.ts'
import { parseEvent, UnreadableEvent, type Recorded } from '../../domain/events.ts'
import { placeOf } from '../../infrastructure/event-store/seen-events.ts'
import { lossOf } from '../../infrastructure/event-store/marks.ts'
import { UnusableLog } from '../../infrastructure/event-store/sqlite-event-file.ts'
import type { Vault } from '../../infrastructure/people/vault-port.ts'
import { forgetSeen, seenWhenSigned } from '../../audit/transparency/signed-before.ts'
import { blobsOf, namedPeople } from '../../audit/copy/backup.ts'
import { version } from '../../infrastructure/version.ts'

/** How many of the newest events are looked at. */
const eventsLookedAt = 1_000

/** The newest events, oldest first; none if one is damaged, which is told elsewhere. */
export const newestEvents = async ({ readBack }: Pick<EventStore, 'readBack'>) => {
  try {
    return (await readBack(undefined, eventsLookedAt)).toReversed()
  } catch (error) {
    if (error instanceof DamagedEvent) return []
    throw error
  }
}

const buildOf = ({ type, data }: RecordedEvent): string | undefined =>
  type === 'CheckpointSigned' ? (data as { readonly build?: string }).build : undefined

/** A log of a newer version is refused before anything waits for its events. */
const parsed = (events: readonly RecordedEvent[]): readonly Recorded[] =>
  events.map((event) => {
    try {
      return parseEvent(event)
    } catch (error) {
      if (!(error instanceof UnreadableEvent)) throw error
      const build = events.findLast((one) => buildOf(one) !== undefined)
      const newest = build === undefined ? '' : `, as daybook ${buildOf(build)} does`
      throw new UnreadableEvent(
        `${error.message}. The event is of version ${event.metadata['schema']}, this is daybook ` +
          `${version}: start one that reads it${newest}`,
      )
    }
  })

type Parts = {
  readonly store: Pick<EventStore, 'readBack' | 'readStream' | 'head'>
  readonly vault: Pick<Vault, 'hasPerson' | 'hasMark'>
  readonly blobs: Pick<Blobs, 'get'>
}

/** What the vault and the blobs lack of the newest events. */
export const problemsOfParts = async ({ store, vault, blobs }: Parts): Promise<string[]> => {
  const events = parsed(await newestEvents(store))
  const accepted = events.findLastIndex(({ type }) => type === 'LossAccepted')
  const people = namedPeople()
  const [hashes, problems]: [Set<string>, string[]] = [new Set(), []]
  let mark: Parameters<typeof vault.hasMark>[0] | undefined
  for (const event of events.slice(accepted + 1)) {
    people.observe(event)
    for (const hash of blobsOf(event)) hashes.add(hash)
    if (event.type === 'CheckpointSigned') mark = event.data.vault ?? mark
  }
  for (const id of people.ids())
    if (!vault.hasPerson(id)) problems.push(`the vault lacks the key of payer ${id}`)
  if (mark && !vault.hasMark(mark)) problems.push('the vault is older than the log')
  const newest = [...hashes].at(-1)
  if (newest !== undefined && (await isMissing(blobs, newest)))
    problems.push(`the blob ${newest} is missing`)
  return problems
}

/** Blobs that cannot be reached may be there. */
const isMissing = async ({ get }: Pick<Blobs, 'get'>, hash: string): Promise<boolean> =>
  get(hash).then(
    (found) => found === undefined,
    () => false,
  )

/**
 * Checks that log, vault and blobs are of one time. @throws UnusableLog, UnreadableEvent
 */
export const checkParts = async (
  parts: Parts,
  { DATA_DIR, acceptsLoss }: { readonly DATA_DIR: string; readonly acceptsLoss?: boolean },
): Promise<void> => {
  const seen = seenWhenSigned(DATA_DIR)
  if (acceptsLoss) return forgetSeen(DATA_DIR)
  if (seen && (await placeOf(parts.store, seen)) === 'lost')
    throw new UnusableLog(lossOf(seen, await parts.store.head(), 'was noted beside the keys'))
  const problems = await problemsOfParts(parts)
  if (problems.length === 0) return
  const more = problems.length > 5 ? ` and ${problems.length - 5} more` : ''
  throw new UnusableLog(
    `${problems.slice(0, 5).join(', ')}${more}: an older copy was put in its place. Put the ` +
      'newest copy back; to go on without what is lost, run `daybook restore --accept`',
  )
}
