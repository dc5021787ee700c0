import { counterBy, histogramsBy, quickSeconds, slowSeconds } from '../../application/measures.ts'
import { attemptResults } from '../../domain/callback.ts'
import { requestTimes } from '../server/request-log.ts'

/** What is counted as it happens. */
export const counters = (isOwnSeries: (merchant: string) => boolean) => {
  const requests = requestTimes()
  const attempts = counterBy('result')
  const attemptTimes = histogramsBy('result', quickSeconds)
  const ofMerchants = counterBy('merchant', 'result')
  const work = histogramsBy('work', slowSeconds)
  // A counter that begins above zero would hide its first increase.
  for (const result of attemptResults) attempts.count([result], 0)
  return {
    observeRequest: requests.observe,
    observeWork: work.observe,
    countAttempt: (result: string, milliseconds: number, merchant: string | null): void => {
      attempts.count([result])
      attemptTimes.observe(result, milliseconds / 1_000)
      if (merchant !== null && isOwnSeries(merchant)) ofMerchants.count([merchant, result])
    },
    sources: () => ({
      daybook_http_request_seconds: requests.samples,
      daybook_http_failures_total: requests.failures,
      daybook_refusals_total: requests.refusals,
      daybook_work_seconds: work.samples,
      daybook_callback_attempts_total: attempts.samples,
      daybook_callback_attempt_seconds: attemptTimes.samples,
      daybook_merchant_callback_attempts_total: ofMerchants.samples,
    }),
  }
}

export type Counted = ReturnType<typeof counters>['sources']

export type CountAttempt = ReturnType<typeof counters>['countAttempt']
