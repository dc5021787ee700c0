import { join } from 'node:path'
import { makeAuditors } from '../../application/auditors.ts'
import { resourceLimits } from '../../audit/as-of/open-moments.ts'
import type { begin } from '../../audit/query/query-job.ts'
import { provingWith } from '../../audit/verify/audit-checkpoints.ts'
import type { LastAudit } from '../../audit/verify/last-audit.ts'
import { makeCodeCheck } from '../../infrastructure/people/one-time-codes.ts'
import { unseal } from '../../infrastructure/people/sealing.ts'
import { isSameText, newToken, sha256 } from '../../infrastructure/people/id-tokens.ts'
import { textCell } from '../../infrastructure/transaction-logs/transaction-log.ts'
import { jobThread } from '../../infrastructure/threads/job-thread.ts'
import type { About } from '../about.ts'
import { explaining } from '../audit/explain.ts'
import type { Access } from '../callers.ts'
import type { Core } from '../core.ts'
import { explainedRefusals } from '../refusal-reader.ts'
import { wallClock } from '../../application/machine.ts'

type Callers = Pick<Access, 'verifySecret' | 'guardGuesses'>

/** Answers SQL in a thread of its own, one query at a time. */
const queriesOf = ({ settings }: Pick<Core, 'settings'>) => {
  const { DATA_DIR, EVENT_STORE, AS_OF_SPACE_MB } = settings
  const place = { DATA_DIR, EVENT_STORE }
  const start = { place, directory: join(DATA_DIR, 'as-of'), space: AS_OF_SPACE_MB * 1_000_000 }
  return jobThread<typeof begin>('audit/query/query-job', {
    start,
    resourceLimits,
    yields: 'much',
    idleMs: 0,
    maxWaiting: 4,
  }).ask
}

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
    askLog: queriesOf(core),
    textCell,
  }
}
