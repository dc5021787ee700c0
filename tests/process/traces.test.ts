import { once } from 'node:events'
import { rmSync, writeFileSync } from 'node:fs'
import http from 'node:http'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startReceiver, type Receiver } from '../../demo/receiver.ts'
import { fetchCallbackKeys } from '../../harness/callback-check.ts'
import { heardLog } from '../support/event-log.ts'
import { newFolder } from '../../harness/in-process.ts'
import { paymentInput } from '../../harness/register-merchant.ts'
import { secretHeaders } from '../../harness/signing.ts'
import { readSettings } from '../../infrastructure/settings.ts'
import { startServer } from '../../service/server/start-server.ts'
import { startCollector, type CollectedSpan } from './collector.ts'
import { pictureOf } from './trace-picture.ts'

const folder = newFolder()
const { log, lines } = heardLog()
const collector = await startCollector()
const settings = readSettings({
  ...{ DATA_DIR: folder, HOST: '127.0.0.1', PORT: '0', LOG_LEVEL: 'debug' },
  ...{ OTEL_EXPORTER_OTLP_ENDPOINT: `${collector.url}/`, OTEL_SERVICE_NAME: 'ledger' },
})
const server = await startServer(settings, log, 'worker')

const [trace, earlier] = ['4bf92f3577b34da6a3ce929d0e0e4736', '0af7651916cd43dd8448eb211c80319c']
/** The spans of the till and the payer, which the service does not record. */
const callers = {
  request: '00000000000000a1',
  accept: '00000000000000a2',
  capture: '00000000000000a3',
}

const call = async (traceparent: string, method: string, path: string, body: object) => {
  const answer = await fetch(server.address + path, {
    method,
    headers: {
      ...secretHeaders('sandbox', 'pos1', 'sandbox-secret'),
      'Content-Type': 'application/json',
      traceparent,
    },
    body: JSON.stringify(body),
  })
  const text = await answer.text()
  expect(answer.status).toBeLessThan(300)
  return { headers: answer.headers, ...(text === '' ? {} : JSON.parse(text)) }
}

/** A payment from its request to its capture, and what the capture is answered with. */
const take = async (traceId: string): Promise<Headers> => {
  const of = (caller: keyof typeof callers) => `00-${traceId}-${callers[caller]}-01`
  const { customer: _, ...input } = paymentInput({ amount: '50.00' })
  const { id } = await call(of('request'), 'POST', '/merchant/v1/payment_request/', {
    ...{ ...input, callback_uri: receiver.url('/till') },
    ...{ success_return_uri: 'https://shop.example/', failure_return_uri: 'https://shop.example/' },
  })
  const path = `/sandbox/v1/payment_request/${id}/accept/`
  await call(of('accept'), 'POST', path, { payer: 'alice' })
  // A request in progress makes the other thread commit.
  const slow = http.request(`${server.address}/merchant/v1/payment_request/`, {
    ...{ method: 'POST', headers: { Expect: '100-continue', 'Content-Length': '2' } },
  })
  slow.flushHeaders()
  await once(slow, 'continue')
  const { headers } = await call(of('capture'), 'PUT', `/merchant/v1/payment_request/${id}/`, {
    ...{ action: 'capture', currency: 'NOK', amount: '50.00', capture_id: 'all' },
  })
  slow.end('{}')
  await once(slow, 'response')
  return headers
}

let receiver: Receiver
let answered: Headers
/** In the format of whoever takes anything, and of Prometheus. */
let metrics: readonly string[]

beforeAll(async () => {
  receiver = await startReceiver({ keys: await fetchCallbackKeys(server.address) })
  // The first message starts the thread that delivers.
  await take(earlier)
  await receiver.until((all) => all.length === 2)
  answered = await take(trace)
  await receiver.until((all) => all.length === 4)
  const scrape = async (Accept: string) =>
    (await fetch(`${server.address}/metrics`, { headers: { Accept } })).text()
  metrics = [await scrape('*/*'), await scrape('application/openmetrics-text;version=1.0.0,*/*')]
  await server.stop()
})

afterAll(async () => {
  if (process.env['DRAW_TRACE']) writeFileSync('docs/trace.svg', pictureOf(ofPayment()))
  await receiver.close()
  collector.close()
  rmSync(folder, { recursive: true })
})

const ofPayment = () => collector.spans.filter(({ traceId }) => traceId === trace)

const parentOf = ({ parentSpanId }: CollectedSpan): string =>
  ofPayment().find(({ spanId }) => spanId === parentSpanId)?.name ?? parentSpanId

const named = (name: string): CollectedSpan => {
  const found = ofPayment().filter((span) => span.name === name)
  expect(found.map((span) => span.name)).toEqual([name])
  return found[0] as CollectedSpan
}

const request = 'POST /merchant/v1/payment_request/'
const accept = 'POST /sandbox/v1/payment_request/:tid/accept/'
const capture = 'PUT /merchant/v1/payment_request/:tid/'

describe('given a service with a collector, whose callers send a traceparent,', () => {
  test.each([
    [request, callers.request],
    ['decide RequestPayment', request],
    ['fold PaymentRequested', request],
    [accept, callers.accept],
    ['approve funding', accept],
    ['decide AuthorizePayment', accept],
    ['fold PaymentAuthorized', accept],
    [capture, callers.capture],
    ['decide CapturePayment', capture],
    ['fold PaymentCaptured', capture],
  ])('then %s is a span of the trace, below %s', (name, parent) => {
    expect(parentOf(named(name))).toBe(parent)
  })

  test('then each append is below its request', () => {
    const appends = ofPayment().filter(({ name }) => name === 'append payment')
    expect(appends.map(parentOf).toSorted()).toEqual([request, accept, capture])
    expect(appends[0]?.attributes).toMatchObject({
      'db.system.name': 'sqlite',
      'db.operation.name': 'append',
      'db.collection.name': 'payment',
    })
  })

  test('then the times of requests lead to it, for whoever takes OpenMetrics', () => {
    const [text = '', open = ''] = metrics
    const of = (name: string) => open.split('\n').filter((line) => line.startsWith(name))
    const led = of('daybook_http_request_seconds_bucket').filter((line) => line.includes(trace))
    const labels = led.map((line) => /method="(\w+)",path="([^"]+)"/.exec(line)?.slice(1).join(' '))
    expect(labels.toSorted()).toEqual([request, accept, capture].toSorted())
    expect(led[0]).toMatch(/^\S+ \d+ # \{trace_id="[\da-f]{32}"\} [\d.]+ [\d.]+$/)
    expect(of('daybook_captures_total')).toEqual(['daybook_captures_total 2'])
    expect(open).toMatch(/\n# EOF\n$/)
    expect(text).not.toContain('trace_id')
    expect(text).toContain('\ndaybook_captures_total 2\n')
  })

  test('then a commit of the other thread is the last part of its append', () => {
    const { startedAt, endedAt, parentSpanId, attributes } = named('commit')
    const append = ofPayment().find(({ spanId }) => spanId === parentSpanId) as CollectedSpan
    expect([append.name, parentOf(append)]).toEqual(['append payment', capture])
    expect(startedAt).toBeGreaterThan(append.startedAt)
    // In ns; ms with fractions are rounded.
    expect(endedAt).toBeLessThan(append.endedAt + 0.001)
    expect(attributes).toEqual({ 'daybook.commit.appends': '1' })
  })

  test('then each callback is below its request, and the receiver gets it as its parent', () => {
    const sends = ofPayment().filter(({ kind }) => kind === 'SPAN_KIND_PRODUCER')
    expect(sends.map(parentOf)).toEqual([accept, capture])
    const received = receiver.arrivals.slice(2).map(({ headers }) => headers['traceparent'])
    expect(received).toEqual(sends.map(({ spanId }) => `00-${trace}-${spanId}-01`))
    expect(receiver.arrivals.flatMap(({ problems }) => problems)).toEqual([])
    expect(sends[0]?.attributes).toMatchObject({
      'messaging.operation.type': 'send',
      'http.response.status_code': '204',
    })
  })

  test('then the answer and the log name the trace', () => {
    const { spanId, kind, service, attributes } = named(capture)
    expect(answered.get('traceresponse')).toBe(`00-${trace}-${spanId}-01`)
    const requestId = answered.get('x-request-id')
    expect({ kind, service, attributes }).toMatchObject({
      kind: 'SPAN_KIND_SERVER',
      service: 'ledger',
      attributes: { 'http.response.status_code': '204', 'daybook.request.id': requestId },
    })
    const line = lines.find((one) => one.includes(`"requestId":"${requestId}"`))
    expect(JSON.parse(line ?? '{}')).toMatchObject({ traceId: trace })
  })

  test('then a request without one begins a trace of its own', () => {
    const known: readonly string[] = [trace, earlier]
    const others = collector.spans.filter(
      ({ name, traceId }) => name === request && !known.includes(traceId),
    )
    expect(others.map(({ parentSpanId }) => parentSpanId)).toEqual(['', ''])
  })
})
