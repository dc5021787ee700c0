import { contain } from '../../application/contain.ts'
import {
  clearTimeout,
  pause,
  randomBytes,
  setTimeout,
  steadyTime,
  wallClock,
} from '../../application/machine.ts'
import { isRecorded, recordSpans, traceIdOf, type StartSpan } from '../../application/tracing.ts'
import type { Log } from '../logs/log.ts'
import { reportOutage } from '../logs/outages.ts'
import type { Where } from '../worker.ts'
import type { begin, SpanRow, TraceSettings } from './span-job.ts'

/** Of a service; commands and tests have none of them. */
export type PartialTraceSettings = {
  readonly [Name in keyof TraceSettings]?: TraceSettings[Name] | undefined
}

/** How long a stop waits for the collector, in ms. */
const endingMs = 2_000
/** From here on the clock was set. */
const clockStepMs = 50
/** Spans that wait for the collector; more are dropped. */
const mostWaiting = 16_384
/** Spans sent at once, and how long fewer are gathered, in ms. */
const [atOnce, gatherMs] = [512, 1_000]
/** Random bytes are drawn for many spans at once. */
const drawnAtOnce = 4_096

/** The bytes of ids. */
const [traceBytes, spanBytes] = [16, 8]

/** The time of day in ms, with fractions, and in step when the clock is set. */
const makeTimeOf = () => {
  let origin = performance.timeOrigin
  return (steady: number): number => {
    const now = wallClock() - steadyTime()
    if (Math.abs(now - origin) > clockStepMs) origin = now
    return origin + steady
  }
}

/** By the part of a trace's id that the sampler of OpenTelemetry compares, so that all agree. */
const shareSampler = (share: number) => {
  const bound = share === 1 ? 2 ** 32 : Math.floor(share * (2 ** 32 - 1))
  return (id: Buffer, at = 0): boolean => {
    const [one, two] = [id.readUInt32BE(at), id.readUInt32BE(at + 4)]
    const [three, four] = [id.readUInt32BE(at + 8), id.readUInt32BE(at + 12)]
    return (one ^ two ^ three ^ four) >>> 0 < bound
  }
}

const makeIds = () => {
  let bytes = randomBytes(drawnAtOnce)
  let used = 0
  return (count: number, isWanted?: (bytes: Buffer, at: number) => boolean): string | undefined => {
    if (used + count > drawnAtOnce) [bytes, used] = [randomBytes(drawnAtOnce), 0]
    const at = used
    used += count
    return isWanted && !isWanted(bytes, at) ? undefined : bytes.toString('hex', at, used)
  }
}

/** Decides before anything of a span is made. */
const recorder = (settings: TraceSettings, add: (row: SpanRow) => void): StartSpan => {
  const { OTEL_TRACES_SAMPLER: sampler, OTEL_TRACES_SAMPLER_ARG: ratio } = settings
  const shares: Readonly<Record<string, number>> = { always_on: 1, always_off: 0 }
  const isParents = sampler.startsWith('parentbased_')
  const isSampled = shareSampler(shares[sampler.replace('parentbased_', '')] ?? ratio)
  const [timeOf, newId] = [makeTimeOf(), makeIds()]

  return (parent, start) => {
    let traceId: string | undefined
    if (parent === undefined) traceId = newId(traceBytes, isSampled)
    else if (isParents ? isRecorded(parent) : isSampled(Buffer.from(traceIdOf(parent), 'hex')))
      traceId = traceIdOf(parent)
    if (traceId === undefined) return undefined
    const { since = steadyTime(), ...named } = start()
    const spanId = newId(spanBytes) as string
    const parentSpanId = parent?.slice(36, 52)
    return {
      traceparent: `00-${traceId}-${spanId}-01`,
      end: (more, failure) => {
        const times = { startedAt: timeOf(since), endedAt: timeOf(steadyTime()) }
        add({ ...named, traceId, spanId, parentSpanId, ...times, more, failure })
      },
    }
  }
}

/** Sends spans as they end, many at once; returns what sends the last ones. */
const gathering = (send: (rows: readonly SpanRow[]) => Promise<void>, log: Log | undefined) => {
  const outage =
    log && reportOutage(log, 'the collector takes no traces', 'the collector takes traces again')
  let rows: SpanRow[] = []
  let timer: NodeJS.Timeout | undefined
  let sending: Promise<void> | undefined
  let fewest = atOnce

  const sendAll = async (): Promise<void> => {
    clearTimeout(timer)
    timer = undefined
    do
      try {
        await send(rows.splice(0, atOnce))
        outage?.worked()
      } catch (error) {
        outage?.failed(error)
      }
    while (rows.length >= fewest)
    sending = undefined
    if (rows.length > 0) sendSoon()
  }
  const sendNow = (): Promise<void> => (sending ??= sendAll())
  const sendUnawaited = contain(sendNow, (error) => outage?.failed(error))
  const sendSoon = (): void => {
    if (!sending) timer ??= setTimeout(sendUnawaited, gatherMs).unref()
  }

  return {
    add: (row: SpanRow): void => {
      if (rows.length >= mostWaiting) return
      rows.push(row)
      if (rows.length >= atOnce) sendUnawaited()
      else sendSoon()
    },
    /** A collector that does not answer delays a stop a little only. */
    end: async (): Promise<void> => {
      fewest = 1
      if (rows.length > 0 || sending)
        await Promise.race([sendNow(), pause(endingMs, { ref: false })])
    },
  }
}

/** What encodes and sends spans: beside a thread that answers, or in one that does not. */
const senderFor = async (settings: TraceSettings, beside: Where) => {
  if (beside === 'inline') {
    const { begin } = await import('./span-job.ts')
    return { send: begin(settings), end: async () => {} }
  }
  const { jobThread } = await import('../threads/job-thread.ts')
  const options = { start: settings, yields: 'much' } as const
  const { ask, end } = jobThread<typeof begin>('infrastructure/traces/span-job', options)
  return { send: ask, end }
}

/**
 * Records the spans of this thread and sends them to a collector, if there is one; loads nothing
 * otherwise. Returns what sends the last ones.
 */
export const recordTraces = async (
  settings: PartialTraceSettings,
  log?: Log,
  beside: Where = 'inline',
): Promise<(() => Promise<void>) | undefined> => {
  if (settings.OTEL_EXPORTER_OTLP_ENDPOINT === undefined) return undefined
  const complete = settings as TraceSettings
  const sender = await senderFor(complete, beside)
  const { add, end } = gathering(sender.send, log)
  recordSpans(recorder(complete, add))
  return async () => {
    recordSpans(undefined)
    await end()
    await sender.end()
  }
}
