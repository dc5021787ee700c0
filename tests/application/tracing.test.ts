import { expect, test } from 'vitest'
import { readTraceparent, startSpan, startSpanWithin } from '../../application/tracing.ts'
import { recordTraces } from '../../infrastructure/traces/traces.ts'
import { startCollector } from '../process/collector.ts'

const [trace, parent] = ['4bf92f3577b34da6a3ce929d0e0e4736', '00f067aa0ba902b7']

test.each([
  ['as it is', `00-${trace}-${parent}-01`, `00-${trace}-${parent}-01`],
  ['with other flags', `00-${trace}-${parent}-02`, `00-${trace}-${parent}-02`],
  ['of a later version', `cc-${trace}-${parent}-01`, `00-${trace}-${parent}-01`],
  ['of a later version, with more', `cc-${trace}-${parent}-01-x`, `00-${trace}-${parent}-01`],
])('a traceparent is read %s', (_, given, read) => {
  expect(readTraceparent(given)).toBe(read)
})

test.each([
  ['none', undefined],
  ['an empty one', ''],
  ['one of version ff', `ff-${trace}-${parent}-01`],
  ['one of version 00 with more', `00-${trace}-${parent}-01-x`],
  ['one of a later version with more that is not set off', `cc-${trace}-${parent}-01x`],
  ['one of no trace', `00-${'0'.repeat(32)}-${parent}-01`],
  ['one of no parent', `00-${trace}-${'0'.repeat(16)}-01`],
  ['one in capital letters', `00-${trace.toUpperCase()}-${parent}-01`],
  ['a short one', `00-${trace.slice(1)}-${parent}-01`],
  ['one without flags', `00-${trace}-${parent}`],
  ['two', `00-${trace}-${parent}-01, 00-${trace}-${parent}-01`],
])('%s is no traceparent', (_, given) => {
  expect(readTraceparent(given)).toBeUndefined()
})

/** Traces that a share of 0.1 takes and leaves out: the four words of an id are compared as one. */
const [taken, left] = [`${'0'.repeat(31)}1`, `${'0'.repeat(24)}ffffffff`]

test.each([
  ['traceidratio', [`00-${taken}-${parent}-00`], [`00-${left}-${parent}-01`]],
  ['parentbased_traceidratio', [`00-${left}-${parent}-01`], [`00-${taken}-${parent}-00`]],
  ['always_on', [`00-${left}-${parent}-00`, undefined], []],
  ['parentbased_always_on', [undefined], [`00-${taken}-${parent}-00`]],
  ['always_off', [], [`00-${taken}-${parent}-01`, undefined]],
  ['parentbased_always_off', [`00-${left}-${parent}-01`], [undefined]],
] as const)('%s takes %j and leaves out %j, which nobody describes', async (name, yes, no) => {
  const collector = await startCollector()
  const settings = { OTEL_TRACES_SAMPLER: name, OTEL_TRACES_SAMPLER_ARG: 0.1 }
  const end = await recordTraces({
    ...settings,
    ...{ OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, OTEL_SERVICE_NAME: 'till' },
  })
  const described: unknown[] = []
  for (const of of [...yes, ...no]) {
    const span = startSpan(of, () => {
      described.push(of)
      return { name: 'a request', kind: 'server', attributes: { 'daybook.stream': undefined } }
    })
    const work = () => ({ name: 'a part', kind: 'internal', attributes: { count: 3 } }) as const
    startSpanWithin(span?.traceparent, work)?.end({}, 'failed')
    span?.end()
  }
  await end?.()
  collector.close()
  expect(described).toEqual(yes)
  const parts = collector.spans.filter((span) => span.name === 'a part')
  const requests = collector.spans.filter((span) => span.name === 'a request')
  expect(parts.map(({ parentSpanId }) => parentSpanId)).toEqual(
    requests.map(({ spanId }) => spanId),
  )
  expect(requests.map(({ parentSpanId }) => parentSpanId)).toEqual(
    yes.map((of) => (of === undefined ? '' : parent)),
  )
  for (const { status, attributes } of parts)
    expect({ status, attributes }).toEqual({
      status: 'STATUS_CODE_ERROR',
      attributes: { count: '3', 'error.type': 'failed' },
    })
})
