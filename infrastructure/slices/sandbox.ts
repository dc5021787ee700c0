import type { Context } from '../../application/handle.ts'
import { findCredentials } from '../../application/payers.ts'
import type { Instant } from '../../domain/time.ts'
import type { Core } from '../core.ts'
import { codeAt } from '../people/one-time-codes.ts'

/** What the sandbox needs besides what the slices have: codes of payers, and a clock that moves. */
export const sandboxSlice = (core: Core, settle: () => Promise<void>) => {
  const { payers, vault } = core.people
  const credentialsOf = findCredentials({ find: core.find, people: vault })
  return {
    findPayer: payers.byIdOrPhone,
    oneTimeCode: async (payer: string): Promise<string | undefined> => {
      const found = await credentialsOf(payer)
      return found && codeAt(found.credentials.codeSecret, Date.now())
    },
    advanceClock: async (
      step: { readonly by: number } | { readonly to: Instant },
      context: Context,
    ): Promise<Instant> => {
      await core.advanceClock(step, context)
      await settle()
      return core.now()
    },
  }
}
