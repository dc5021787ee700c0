import type { Metric } from './catalogue.ts'
import { counters } from './counters.ts'
import type { Measured, openRegistry } from './metrics-registry.ts'
import { wallClock } from '../../application/machine.ts'

/** `User-Agent` of `daybook doctor`, whose requests monitor nothing. */
export const doctorAgent = 'daybook-doctor'

/** Counts from the start; the registry is loaded at the first scrape. */
export const makeMetrics = (
  core: Parameters<typeof openRegistry>[0],
  measured: Omit<Measured, 'scrapedAt'>,
) => {
  let scrapedAt: number | undefined
  const merchants = new Set(core.settings.METRICS_MERCHANTS)
  const { sources, ...counting } = counters((merchant) => merchants.has(merchant))
  const load = async () => {
    const registry = await import('./metrics-registry.ts')
    return registry.openRegistry(core, { ...measured, scrapedAt: () => scrapedAt }, sources)
  }
  let loaded: ReturnType<typeof load> | undefined
  return {
    ...counting,
    noteScrape: (agent: string | undefined): void => {
      if (agent !== doctorAgent) scrapedAt = wallClock()
    },
    own: async (): Promise<readonly Metric[]> => (await (loaded ??= load())).metrics(),
  }
}
