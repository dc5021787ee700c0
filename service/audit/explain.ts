import { explain, sumUp } from '../../audit/explain/explain.ts'
import type { PaymentNow } from '../../audit/explain/needs.ts'
import type { Story } from '../../audit/explain/story.ts'
import { payments } from '../../domain/aggregates.ts'
import { streamOf } from '../../domain/stream.ts'
import type { Core } from '../core.ts'
import { sealAddresses } from '../../infrastructure/people/sealing.ts'
import { auditRowsOf } from '../../audit/verify/compare-rows.ts'
import { textsIn } from '../../texts/catalogue.ts'
import type { Language } from '../../texts/generated/texts.ts'

const remembered =
  ({ find, revisionOf }: Pick<Core, 'find' | 'revisionOf'>) =>
  async (tid: string): Promise<PaymentNow | undefined> => {
    const payment = await find(payments, tid, 'log')
    const revision = revisionOf(streamOf(payments, tid))
    if (payment.status === 'unrequested' || revision === undefined) return undefined
    return { payment, revision }
  }

/** Explanations of the log for auditors and the operator. */
export const explaining = ({ store, now, find, revisionOf, vault, accounting, audit }: Core) => {
  const { openAddress } = sealAddresses(vault)
  const rows = auditRowsOf({ accounting, audit })
  const paymentNow = remembered({ find, revisionOf })
  const needsIn = (language: Language) => ({
    store,
    now,
    openAddress,
    rows,
    paymentNow,
    texts: textsIn[language].story,
  })
  return {
    openAddress,
    explain: (subject: string, language: Language) => explain(needsIn(language), subject),
    sumUp: (subject: string, story: Story, number: string, language: Language) =>
      sumUp(needsIn(language), subject, story, number),
  }
}
