import { SpanKind, SpanStatusCode, TraceFlags, type HrTime } from '@opentelemetry/api'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto'
import { detectResources, envDetector, resourceFromAttributes } from '@opentelemetry/resources'
import type { Attributes, SpanStart } from '../../application/tracing.ts'
import type { Settings } from '../settings.ts'
import { version } from '../version.ts'

export type TraceSettings = Pick<
  Settings,
  | 'OTEL_EXPORTER_OTLP_ENDPOINT'
  | 'OTEL_SERVICE_NAME'
  | 'OTEL_TRACES_SAMPLER'
  | 'OTEL_TRACES_SAMPLER_ARG'
>

/** A span that has ended; times in ms since 1970. */
export type SpanRow = Pick<SpanStart, 'name' | 'kind' | 'attributes'> & {
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId: string | undefined
  readonly startedAt: number
  readonly endedAt: number
  readonly more: Attributes | undefined
  readonly failure: string | undefined
}

const kinds: Readonly<Record<SpanStart['kind'], SpanKind>> = {
  internal: SpanKind.INTERNAL,
  server: SpanKind.SERVER,
  client: SpanKind.CLIENT,
  producer: SpanKind.PRODUCER,
  consumer: SpanKind.CONSUMER,
}

/** What the exporter takes. */
type ReadableSpan = Parameters<OTLPTraceExporter['export']>[0][number]

/** Seconds and nanoseconds. */
const hrTimeOf = (ms: number): HrTime => [Math.floor(ms / 1_000), Math.floor((ms % 1_000) * 1e6)]

const instrumentationScope = { name: 'daybook', version }

const nothingDropped = { droppedAttributesCount: 0, droppedEventsCount: 0, droppedLinksCount: 0 }

const attributesOf = ({ attributes, more, failure }: SpanRow): ReadableSpan['attributes'] => {
  const all: ReadableSpan['attributes'] = {}
  for (const some of [attributes, more])
    for (const name in some) if (some[name] !== undefined) all[name] = some[name]
  if (failure !== undefined) all['error.type'] = failure
  return all
}

const spanOf = (row: SpanRow): Omit<ReadableSpan, 'resource'> => {
  const { traceId, parentSpanId, failure } = row
  const contextOf = (spanId: string) => ({ traceId, spanId, traceFlags: TraceFlags.SAMPLED })
  return {
    name: row.name,
    kind: kinds[row.kind],
    spanContext: () => contextOf(row.spanId),
    ...(parentSpanId && { parentSpanContext: { ...contextOf(parentSpanId), isRemote: true } }),
    startTime: hrTimeOf(row.startedAt),
    endTime: hrTimeOf(row.endedAt),
    duration: hrTimeOf(row.endedAt - row.startedAt),
    ended: true,
    attributes: attributesOf(row),
    status: { code: failure === undefined ? SpanStatusCode.UNSET : SpanStatusCode.ERROR },
    links: [],
    events: [],
    ...nothingDropped,
    instrumentationScope,
  }
}

/** Sends spans to a collector of OpenTelemetry, by its own exporter. */
export const begin = (settings: TraceSettings) => {
  const endpoint = settings.OTEL_EXPORTER_OTLP_ENDPOINT?.replace(/\/$/, '')
  const exporter = new OTLPTraceExporter({ url: `${endpoint}/v1/traces` })
  const resource = detectResources({ detectors: [envDetector] }).merge(
    resourceFromAttributes({
      'service.name': settings.OTEL_SERVICE_NAME,
      'service.version': version,
    }),
  )
  return (rows: readonly SpanRow[]): Promise<void> =>
    new Promise((resolve, reject) =>
      exporter.export(
        rows.map((row) => ({ ...spanOf(row), resource })),
        ({ code, error }) => {
          if (code === 0) resolve()
          else reject(error ?? new Error('the spans were not taken'))
        },
      ),
    )
}
