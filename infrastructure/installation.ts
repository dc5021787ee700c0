import { randomBytes } from 'node:crypto'
import { installations } from '../domain/aggregates.ts'
import type { OpenLog } from './event-store/open-log.ts'

/** The log's first event, appended at the first start. */
export const openInstallation = async ({
  find,
  handle,
  contextOf,
}: Pick<OpenLog, 'find' | 'handle' | 'contextOf'>) => {
  // Trying to append first would wait for the writer thread.
  const found = await find(installations, 'daybook')
  if (found.key !== null) return found
  const command = { type: 'MakeInstallation', key: randomBytes(32).toString('base64') } as const
  return (await handle(installations, 'daybook', command, contextOf('daybook'))).state
}
