import { randomBytes } from 'node:crypto'
import type { EventStore } from '../../application/event-store.ts'
import type { Find } from '../../application/find-state.ts'
import type { Context, Handle } from '../../application/handle.ts'
import { installations } from '../../domain/aggregates.ts'
import { checkInstallation, type Place } from '../stores.ts'

type Needs = {
  readonly find: Find
  readonly handle: Handle
  readonly context: Context
  readonly store: Pick<EventStore, 'readStream'>
}

/** The log's first event, appended at the first start. */
export const openInstallation = async (
  { find, handle, context, store }: Needs,
  { needsLog }: Pick<Place, 'needsLog'>,
) => {
  // Trying to append first would wait for the writer thread.
  const found = await find(installations, 'daybook')
  if (found.key !== null) return found
  if (needsLog) await checkInstallation(store)
  const command = { type: 'MakeInstallation', key: randomBytes(32).toString('base64') } as const
  return (await handle(installations, 'daybook', command, context)).state
}
