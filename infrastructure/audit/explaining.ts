import { explain, sumUp } from '../../application/audit/explain.ts'
import type { PaymentNow } from '../../application/audit/needs.ts'
import { payments } from '../../domain/aggregates.ts'
import { streamOf } from '../../domain/stream.ts'
import type { Core } from '../core.ts'
import { sealAddresses } from '../people/sealed-addresses.ts'
import { auditRowsOf } from './audit-rows.ts'

const remembered =
  ({ find, revisionOf }: Pick<Core, 'find' | 'revisionOf'>) =>
  async (tid: string): Promise<PaymentNow | undefined> => {
    const payment = await find(payments, tid, 'log')
    const revision = revisionOf(streamOf(payments, tid))
    if (payment.status === 'unrequested' || revision === undefined) return undefined
    return { payment, revision }
  }

/** The stories of the log for auditors and the operator. */
export const explaining = (core: Core) => {
  const { openAddress } = sealAddresses(core.people.vault)
  const { store, now } = core
  const needs = { store, now, openAddress, rows: auditRowsOf(core), paymentNow: remembered(core) }
  return {
    openAddress,
    explain: (subject: string) => explain(needs, subject),
    sumUp: (subject: string, story: Parameters<typeof sumUp>[2], number: string) =>
      sumUp(needs, subject, story, number),
  }
}
