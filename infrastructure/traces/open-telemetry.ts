import { ROOT_CONTEXT, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto'
import { detectResources, envDetector, resourceFromAttributes } from '@opentelemetry/resources'
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  BatchSpanProcessor,
  ParentBasedSampler,
  TraceIdRatioBasedSampler,
  TracerProvider,
  type Sampler,
  type SpanExporter,
} from '@opentelemetry/sdk-trace'
import { pause, randomBytes, steadyTime, wallClock } from '../../application/machine.ts'
import type { SpanStart, StartSpan, Traceparent } from '../../application/tracing.ts'
import { reportOutage } from '../logs/outages.ts'
import type { Log } from '../logs/log.ts'
import { version } from '../version.ts'
import type { TraceSettings } from './traces.ts'

/** How long a stop waits for the collector, in ms. */
const endingMs = 2_000
/** From here on the clock was set. */
const clockStepMs = 50
/** Spans that wait for it; more are dropped. */
const maxQueueSize = 16_384

const kinds: Readonly<Record<SpanStart['kind'], SpanKind>> = {
  internal: SpanKind.INTERNAL,
  server: SpanKind.SERVER,
  client: SpanKind.CLIENT,
  producer: SpanKind.PRODUCER,
  consumer: SpanKind.CONSUMER,
}

const samplerOf = (settings: TraceSettings): Sampler => {
  const { OTEL_TRACES_SAMPLER: sampler, OTEL_TRACES_SAMPLER_ARG: ratio } = settings
  const name = sampler.replace('parentbased_', '')
  const root =
    name === 'always_on'
      ? new AlwaysOnSampler()
      : name === 'always_off'
        ? new AlwaysOffSampler()
        : new TraceIdRatioBasedSampler(ratio)
  return name === sampler ? root : new ParentBasedSampler({ root })
}

const exporterTo = (endpoint: string, log: Log | undefined): SpanExporter => {
  const exporter = new OTLPTraceExporter({ url: `${endpoint.replace(/\/$/, '')}/v1/traces` })
  const outage =
    log && reportOutage(log, 'the collector takes no traces', 'the collector takes traces again')
  return {
    export: (spans, done) =>
      exporter.export(spans, (result) => {
        if (result.code === 0) outage?.worked()
        else outage?.failed(result.error)
        done(result)
      }),
    forceFlush: () => exporter.forceFlush(),
    shutdown: () => exporter.shutdown(),
  }
}

const contextOf = (parent: Traceparent) => {
  const [, traceId = '', spanId = '', flags = ''] = parent.split('-')
  const traceFlags = Number.parseInt(flags, 16)
  return trace.setSpanContext(ROOT_CONTEXT, { traceId, spanId, traceFlags, isRemote: true })
}

/** The time of day in ms, with fractions, and in step when the clock is set. */
const makeTimeOf = () => {
  let origin = performance.timeOrigin
  return (steady: number): number => {
    const now = wallClock() - steadyTime()
    if (Math.abs(now - origin) > clockStepMs) origin = now
    return origin + steady
  }
}

/** Spans by the SDK of OpenTelemetry, sent in batches over OTLP. */
export const openTelemetry = (settings: TraceSettings, endpoint: string, log?: Log) => {
  const provider = new TracerProvider({
    sampler: samplerOf(settings),
    resource: detectResources({ detectors: [envDetector] }).merge(
      resourceFromAttributes({
        'service.name': settings.OTEL_SERVICE_NAME,
        'service.version': version,
      }),
    ),
    idGenerator: {
      generateTraceId: () => randomBytes(16).toString('hex'),
      generateSpanId: () => randomBytes(8).toString('hex'),
    },
    spanProcessors: [new BatchSpanProcessor({ exporter: exporterTo(endpoint, log), maxQueueSize })],
  })
  const timeOf = makeTimeOf()
  const tracer = provider.getTracer('daybook', version)

  const startSpan: StartSpan = ({ name, kind, parent, attributes, since = steadyTime() }) => {
    const options = { kind: kinds[kind], attributes, startTime: timeOf(since) }
    const context = parent === undefined ? ROOT_CONTEXT : contextOf(parent)
    const span = tracer.startSpan(name, options, context)
    if (!span.isRecording()) return undefined
    const { traceId, spanId } = span.spanContext()
    return {
      traceparent: `00-${traceId}-${spanId}-01`,
      end: (more, failure) => {
        if (more) span.setAttributes(more)
        if (failure !== undefined) {
          span.setAttribute('error.type', failure)
          span.setStatus({ code: SpanStatusCode.ERROR })
        }
        span.end(timeOf(steadyTime()))
      },
    }
  }

  return {
    startSpan,
    /** A collector that does not answer delays a stop a little only. */
    end: (): Promise<void> =>
      Promise.race([provider.shutdown(), pause(endingMs, { ref: false })]).catch(() => {}),
  }
}
