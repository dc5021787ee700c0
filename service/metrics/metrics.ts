import type { Metric } from './join-metrics.ts'
import type { openRegistry, Measured } from './metrics-registry.ts'
import { requestTimes } from '../server/request-log.ts'

/** Counts from the start; the registry is loaded at the first scrape. */
export const makeMetrics = (
  core: Parameters<typeof openRegistry>[0],
  { listenerCount, lastAudit, messageAlarms }: Omit<Measured, 'attempts' | 'requestTimes'>,
) => {
  const requests = requestTimes()
  const attempts = new Map<string, number>()
  const load = async () => {
    const registry = await import('./metrics-registry.ts')
    return registry.openRegistry(core, {
      listenerCount,
      lastAudit,
      messageAlarms,
      attempts,
      requestTimes: requests.metric,
    })
  }
  let loaded: ReturnType<typeof load> | undefined
  return {
    observeRequest: requests.observe,
    countAttempt: (result: string, count = 1): void =>
      void attempts.set(result, (attempts.get(result) ?? 0) + count),
    own: async (): Promise<readonly Metric[]> => (await (loaded ??= load())).metrics(),
  }
}
