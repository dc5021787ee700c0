import { makeAuditors } from '../../application/auditors.ts'
import { provingWith } from '../../audit/verify/audit-checkpoints.ts'
import type { LastAudit } from '../../audit/verify/last-audit.ts'
import { makeCodeCheck } from '../../infrastructure/people/one-time-codes.ts'
import { unseal } from '../../infrastructure/people/sealing.ts'
import { isSameText, newToken, sha256 } from '../../infrastructure/people/id-tokens.ts'
import type { About } from '../about.ts'
import { explaining } from '../audit/explain.ts'
import type { Access } from '../callers.ts'
import type { Core } from '../core.ts'
import { explainedRefusals } from '../refusal-reader.ts'
import { wallClock } from '../../application/machine.ts'

type Callers = Pick<Access, 'verifySecret' | 'guardGuesses'>

/** The auditors' pages. Auditors change nothing but their own sessions. */
export const auditSlice = (
  core: Core,
  { isSecure, readAsset }: About,
  { verifySecret, guardGuesses }: Callers,
  lastAudit: () => LastAudit | undefined,
) => {
  const { store, handle, find, vault, derive, securityLog } = core
  const { explain, sumUp, named, proofOf, openAddress } = explaining(core)
  const codeKey = vault.secret('auditors')
  return {
    isSecure,
    readAsset,
    store,
    caughtUp: core.caughtUp,
    checkpoints: core.transparency.checkpoints,
    securityLog,
    lastAudit,
    explain,
    sumUp,
    named,
    proofOf,
    openAddress,
    auditors: makeAuditors({
      handle,
      find,
      derive,
      isSameText,
      newToken,
      digestOf: sha256,
      verifySecret,
      guardGuesses,
      checkCode: makeCodeCheck(wallClock),
      openCodeSecret: (sealed) => unseal(codeKey, sealed),
      securityLog,
    }),
    proving: provingWith(store),
    refusals: explainedRefusals(core),
  }
}
