import { makeAuditors } from '../../application/auditors.ts'
import { explaining } from '../audit/explaining.ts'
import { provingWith } from '../../audit/verify/proving.ts'
import type { Access } from '../callers.ts'
import type { Core } from '../core.ts'
import { makeCodeCheck } from '../../infrastructure/people/one-time-codes.ts'
import { unseal } from '../../infrastructure/people/sealing.ts'
import { isSameText, newToken, sha256 } from '../../infrastructure/people/tokens.ts'
import { explainedRefusals } from '../refusal-reader.ts'

/** The auditors' pages. Auditors change nothing but their own sessions. */
export const auditSlice = (core: Core, access: Access) => {
  const { store, contextOf } = core
  const { vault, derive } = core.people
  const codeKey = vault.secret('auditors')
  return {
    ...{ store, contextOf, ...explaining(core) },
    checkpoints: core.transparency.checkpoints,
    auditors: makeAuditors({
      ...{ ...core, ...access, derive, isSameText, newToken },
      digestOf: sha256,
      checkCode: makeCodeCheck(Date.now),
      openCodeSecret: (sealed) => unseal(codeKey, sealed),
    }),
    proving: provingWith(store),
    refusals: explainedRefusals(core),
  }
}
