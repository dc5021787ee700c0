import { randomBytes } from 'node:crypto'
import { installations } from '../domain/aggregates.ts'
import type { OpenLog } from './event-store/open-log.ts'

/** What the first event of the log says; it is made with the first start. */
export const openInstallation = async ({
  find,
  handle,
  contextOf,
}: Pick<OpenLog, 'find' | 'handle' | 'contextOf'>) => {
  // To try an append first would wait for the thread that commits.
  const found = await find(installations, 'daybook')
  if (found.key !== null) return found
  const command = { type: 'MakeInstallation', key: randomBytes(32).toString('base64') } as const
  return (await handle(installations, 'daybook', command, contextOf('daybook'))).state
}
