import { randomBytes } from 'node:crypto'
import { installations } from '../../domain/aggregates.ts'
import type { OpenLog } from './open-log.ts'
import { checkInstallation, type Place } from '../stores.ts'

/** The log's first event, appended at the first start. */
export const openInstallation = async (
  { find, handle, contextOf, store }: Pick<OpenLog, 'find' | 'handle' | 'contextOf' | 'store'>,
  { needsLog }: Pick<Place, 'needsLog'>,
) => {
  // Trying to append first would wait for the writer thread.
  const found = await find(installations, 'daybook')
  if (found.key !== null) return found
  if (needsLog) await checkInstallation(store)
  const command = { type: 'MakeInstallation', key: randomBytes(32).toString('base64') } as const
  return (await handle(installations, 'daybook', command, contextOf('daybook'))).state
}
