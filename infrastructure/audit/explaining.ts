import { explain, sumUp } from '../../application/audit/explain.ts'
import type { PaymentNow } from '../../application/audit/needs.ts'
import type { Story } from '../../application/audit/story.ts'
import { storyTexts, type StoryLanguage } from '../../application/audit/texts.ts'
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

/** Explanations of the log for auditors and the operator. */
export const explaining = (core: Core) => {
  const { openAddress } = sealAddresses(core.people.vault)
  const { store, now } = core
  const rows = auditRowsOf(core)
  const needsIn = (language: StoryLanguage) => ({
    ...{ store, now, openAddress, rows, paymentNow: remembered(core) },
    texts: storyTexts[language],
  })
  return {
    openAddress,
    explain: (subject: string, language: StoryLanguage) => explain(needsIn(language), subject),
    sumUp: (subject: string, story: Story, number: string, language: StoryLanguage) =>
      sumUp(needsIn(language), subject, story, number),
  }
}
