import type { Metric } from './catalogue.ts'
import { counters } from './counters.ts'
import type { Measured, openRegistry } from './metrics-registry.ts'

/** Counts from the start; the registry is loaded at the first scrape. */
export const makeMetrics = (core: Parameters<typeof openRegistry>[0], measured: Measured) => {
  const merchants = new Set(core.settings.METRICS_MERCHANTS)
  const { sources, ...counting } = counters((merchant) => merchants.has(merchant))
  const load = async () => {
    const registry = await import('./metrics-registry.ts')
    return registry.openRegistry(core, measured, sources)
  }
  let loaded: ReturnType<typeof load> | undefined
  return {
    ...counting,
    own: async (): Promise<readonly Metric[]> => (await (loaded ??= load())).metrics(),
  }
}
