import { explain, sumUp } from '../../application/audit/explain.ts'
import { makeAuditors } from '../../application/auditors.ts'
import { auditRowsOf } from '../audit/audit-rows.ts'
import { provingWith } from '../audit/proving.ts'
import type { Access } from '../callers.ts'
import type { Core } from '../core.ts'
import { makeCodeCheck } from '../people/one-time-codes.ts'
import { sealAddresses } from '../people/sealed-addresses.ts'
import { unseal } from '../people/sealing.ts'
import { isSameText, newToken, sha256 } from '../people/tokens.ts'
import { explainedRefusals } from '../refusal-reader.ts'

/** What auditors see. They change nothing but their own sessions. */
export const auditSlice = (core: Core, access: Access) => {
  const { store, now, contextOf } = core
  const { vault, derive } = core.people
  const rows = auditRowsOf(core)
  const { openAddress } = sealAddresses(vault)
  const explaining = { store, rows, openAddress, now }
  const codeKey = vault.secret('auditors')
  return {
    ...{ store, openAddress, contextOf },
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
    refusals: explainedRefusals(core),
  }
}
