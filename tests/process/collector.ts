import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import root from 'otlp-protos/build/src/generated/root.js'

// Its types say nothing of what it holds.
const { ExportTraceServiceRequest } = (root as any).opentelemetry.proto.collector.trace.v1

/** A span as a collector gets it; times in ms. */
export type CollectedSpan = {
  readonly service: unknown
  readonly name: string
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId: string
  readonly kind: string
  readonly startedAt: number
  readonly endedAt: number
  readonly attributes: Readonly<Record<string, unknown>>
  readonly status: string | undefined
}

type Attribute = { readonly key: string; readonly value: Readonly<Record<string, unknown>> }

const recordOf = (attributes: readonly Attribute[] = []) =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]))

const hex = (base64 = ''): string => Buffer.from(base64, 'base64').toString('hex')

/** Reads with OpenTelemetry's own definitions of OTLP. */
const spansIn = (body: Uint8Array): CollectedSpan[] => {
  const decoded = ExportTraceServiceRequest.decode(body)
  const options = { bytes: String, longs: String, enums: String }
  const { resourceSpans = [] } = ExportTraceServiceRequest.toObject(decoded, options)
  return resourceSpans.flatMap(({ resource, scopeSpans = [] }: any) =>
    scopeSpans.flatMap(({ spans = [] }: any) =>
      spans.map((span: any) => ({
        service: recordOf(resource?.attributes)['service.name'],
        name: span.name,
        traceId: hex(span.traceId),
        spanId: hex(span.spanId),
        parentSpanId: hex(span.parentSpanId),
        kind: span.kind,
        startedAt: Number(span.startTimeUnixNano) / 1e6,
        endedAt: Number(span.endTimeUnixNano) / 1e6,
        attributes: recordOf(span.attributes),
        status: span.status?.code,
      })),
    ),
  )
}

/** Takes traces as a collector of OpenTelemetry does, by OTLP over HTTP. */
export const startCollector = async () => {
  const spans: CollectedSpan[] = []
  const server = createServer((request, response) => {
    if (request.method !== 'POST' || request.url !== '/v1/traces')
      return void response.writeHead(404).end()
    buffer(request).then(
      (body) => {
        spans.push(...spansIn(body))
        response.writeHead(200, { 'Content-Type': 'application/x-protobuf' }).end()
      },
      () => response.destroy(),
    )
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    spans: spans as readonly CollectedSpan[],
    close: (): void => {
      server.close()
      server.closeAllConnections()
    },
  }
}
