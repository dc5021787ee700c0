import { explain, sumUp } from '../../application/audit/explain.ts'
import { makeAuditors } from '../../application/auditors.ts'
import type { SecretGuesses } from '../../application/secret-guesses.ts'
import type { RefusalsWanted } from '../../application/audit/refused-request.ts'
import { auditRowsOf } from '../audit/audit-rows.ts'
import { provingWith } from '../audit/proving.ts'
import type { Core } from '../core.ts'
import { makeCodeCheck } from '../people/one-time-codes.ts'
import { sealAddresses } from '../people/sealed-addresses.ts'
import { unseal } from '../people/sealing.ts'
import { isSameText, newToken, sha256 } from '../people/tokens.ts'
import { explainRefusal, findRefusals } from '../refusal-reader.ts'
import type { Settings } from '../settings.ts'

type Access = {
  readonly verifySecret: Parameters<typeof makeAuditors>[0]['verifySecret']
  readonly guardGuesses: SecretGuesses
}

/** What auditors see. They change nothing but their own sessions. */
export const auditSlice = (core: Core, { DATA_DIR }: Settings, access: Access) => {
  const { store, now, caughtUp, securityLog } = core
  const { vault, derive } = core.people
  const rows = auditRowsOf(core)
  const { openAddress } = sealAddresses(vault)
  const explaining = { store, rows, openAddress, now }
  const codeKey = vault.secret('auditors')
  const refusalKey = vault.secret('refusals')
  return {
    ...{ store, caughtUp, securityLog, openAddress, contextOf: core.contextOf },
    checkpoints: core.transparency.checkpoints,
    auditors: makeAuditors({
      ...core,
      ...access,
      ...{ derive, isSameText, newToken },
      digestOf: sha256,
      checkCode: makeCodeCheck(Date.now),
      openCodeSecret: (sealed) => unseal(codeKey, sealed),
    }),
    explain: (subject: string) => explain(explaining, subject),
    sumUp: (subject: string, story: Parameters<typeof sumUp>[2], number: string) =>
      sumUp(explaining, subject, story, number),
    proving: provingWith(store),
    refusals: async (wanted: RefusalsWanted, limit: number) => {
      core.refusals.flush()
      const isMoved = Math.abs(now() - Date.now()) > 1_000
      const found = findRefusals(DATA_DIR, wanted, isMoved).slice(-limit).toReversed()
      return Promise.all(found.map((one) => explainRefusal(store, refusalKey, one)))
    },
  }
}
