import type { Metric } from './join-metrics.ts'
import type { RegistryNeeds } from './metrics-registry.ts'
import { requestTimes } from '../server/request-times.ts'

type Needs = Omit<RegistryNeeds, 'attempts' | 'requestTimes'>

/** Counts from the start; the registry is loaded at the first scrape. */
export const makeMetrics = (needs: Needs) => {
  const requests = requestTimes()
  const attempts = new Map<string, number>()
  const load = async () => {
    const { openRegistry } = await import('./metrics-registry.ts')
    return openRegistry({ ...needs, attempts, requestTimes: requests.metric })
  }
  let loaded: ReturnType<typeof load> | undefined
  return {
    observeRequest: requests.observe,
    countAttempt: (result: string, count = 1): void =>
      void attempts.set(result, (attempts.get(result) ?? 0) + count),
    own: async (): Promise<readonly Metric[]> => (await (loaded ??= load())).metrics(),
  }
}
