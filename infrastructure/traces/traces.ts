import { recordSpans } from '../../application/tracing.ts'
import type { Log } from '../logs/log.ts'
import type { Settings } from '../settings.ts'

export type TraceSettings = Pick<
  Settings,
  | 'OTEL_EXPORTER_OTLP_ENDPOINT'
  | 'OTEL_SERVICE_NAME'
  | 'OTEL_TRACES_SAMPLER'
  | 'OTEL_TRACES_SAMPLER_ARG'
>

/** Of a service; commands and tests have none of them. */
export type GivenTraceSettings = {
  readonly [Name in keyof TraceSettings]?: TraceSettings[Name] | undefined
}

/**
 * Records the spans of this thread and sends them to a collector, if there is one; loads nothing
 * otherwise. Returns what sends the last ones.
 */
export const recordTraces = async (
  settings: GivenTraceSettings,
  log?: Log,
): Promise<(() => Promise<void>) | undefined> => {
  const { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint } = settings
  if (endpoint === undefined) return undefined
  const { openTelemetry } = await import('./open-telemetry.ts')
  const { startSpan, end } = openTelemetry(settings as TraceSettings, endpoint, log)
  recordSpans(startSpan)
  return async () => {
    recordSpans(undefined)
    await end()
  }
}
