import { randomUUID } from 'node:crypto'
import { callbacks } from '../domain/aggregates.ts'
import type { Context } from '../application/handle.ts'
import { findCredentials } from '../application/payers.ts'
import type { Instant } from '../domain/time.ts'
import type { Core } from './core.ts'
import { codeAt } from './people/one-time-codes.ts'
import type { Processes } from './processes.ts'

/** What the routes of the sandbox need besides what others have. */
export const makeSandboxSide = (core: Core, processes: Processes) => {
  const { handle, find } = core
  const credentialsOf = findCredentials({ find, people: core.people.vault })
  return {
    handle,
    find,
    findPayer: core.people.payers.byIdOrPhone,
    oneTimeCode: async (payer: string): Promise<string | undefined> => {
      const credentials = await credentialsOf(payer)
      return credentials && codeAt(credentials.codeSecret, Date.now())
    },
    advanceClock: async (
      step: { readonly by: number } | { readonly to: Instant },
      context: Context,
    ): Promise<Instant> => {
      await core.advanceClock(step, context)
      await processes.settle()
      return core.now()
    },
    settleNow: (merchant: string) => processes.accounting.settleNow(merchant),
    sendTestCallback: async (uri: string, context: Context): Promise<void> => {
      await handle(callbacks, `test-${randomUUID()}`, { type: 'RequestTest', uri }, context)
    },
  }
}
