/**
 * A trace as W3C Trace Context writes it: version, trace, the span that is the parent of what
 * follows, and flags.
 */
export type Traceparent = string

const form = /^(?!ff)([\da-f]{2})-((?!0{32})[\da-f]{32}-(?!0{16})[\da-f]{16}-[\da-f]{2})(-.*)?$/

/** The trace of a request in version 00; undefined for none, and for what is no trace. */
export const readTraceparent = (header: string | undefined): Traceparent | undefined => {
  if (header === undefined) return undefined
  const [, version, known, more] = form.exec(header) ?? []
  return known === undefined || (version === '00' && more !== undefined) ? undefined : `00-${known}`
}

export const traceIdOf = (traceparent: Traceparent): string => traceparent.slice(3, 35)

/** Whether whoever began the trace records it (the first flag). */
export const isRecorded = (traceparent: Traceparent): boolean =>
  Number.parseInt(traceparent.slice(-1), 16) % 2 === 1

/** Named by the semantic conventions of OpenTelemetry, or begun with `daybook.`. */
export type Attributes = Readonly<Record<string, string | number | undefined>>

export type SpanStart = {
  readonly name: string
  readonly kind: 'server' | 'client' | 'producer' | 'consumer' | 'internal'
  readonly attributes: Attributes
  /** By `steadyTime`; by default now. */
  readonly since?: number
}

/** A piece of work that is recorded. */
export type Span = {
  /** For what it leads to. */
  readonly traceparent: Traceparent
  /** `failure` is a word such as a code. */
  readonly end: (attributes?: Attributes, failure?: string) => void
}

/**
 * Records spans; undefined for one that is not sampled, which is never described. Without a parent
 * it begins a trace.
 */
export type StartSpan = (
  parent: Traceparent | undefined,
  describe: () => SpanStart,
) => Span | undefined

/** Of this thread. */
let record: StartSpan | undefined

/** Undefined ends it. */
export const recordSpans = (startSpan: StartSpan | undefined): void => void (record = startSpan)

export const areSpansRecorded = (): boolean => record !== undefined

/** Begins a span; undefined if nobody records it. */
export const startSpan: StartSpan = (parent, describe) => record?.(parent, describe)

/** The same inside a trace; undefined too if that is not recorded. */
export const startSpanWithin: StartSpan = (parent, describe) =>
  record && parent !== undefined && isRecorded(parent) ? record(parent, describe) : undefined
