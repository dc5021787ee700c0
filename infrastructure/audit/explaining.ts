import { explain, sumUp } from '../../application/audit/explain.ts'
import type { Core } from '../core.ts'
import { sealAddresses } from '../people/sealed-addresses.ts'
import { auditRowsOf } from './audit-rows.ts'

/** The stories of the log for auditors and the operator. */
export const explaining = (core: Core) => {
  const { openAddress } = sealAddresses(core.people.vault)
  const needs = { store: core.store, rows: auditRowsOf(core), openAddress, now: core.now }
  return {
    openAddress,
    explain: (subject: string) => explain(needs, subject),
    sumUp: (subject: string, story: Parameters<typeof sumUp>[2], number: string) =>
      sumUp(needs, subject, story, number),
  }
}
