import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { furnishSandbox, type FurnishedSandbox } from '../harness/furnished-sandbox.ts'
import { describedBy, type Operation, type Schema } from '../harness/openapi-operations.ts'
import { randomFrom, valuesOf, type Values } from '../harness/values-of-schema.ts'
import { hostileForms, hostileJson, type Hostile } from './hostile-bodies.ts'
import { boundary, hostileUploads } from './hostile-uploads.ts'
import { startProbedService, type ProbedService } from './probed-service.ts'

/*
 * How long the worst body of each route blocks the main thread: hostile bodies of the maximum size,
 * one at a time. `npm run bench:worst-bodies`; to select a route: `-- payment_request`.
 */

const tries = Number(process.env['TRIES'] ?? 5)
/** No body may block the thread longer. */
const longestMs = 20
const [wanted = ''] = process.argv.slice(2)

type Held = { readonly body: string; readonly status: string; readonly ms: readonly number[] }
type Row = Held & { readonly route: string; readonly size: number; readonly tried: number }

/** Other work on the machine can only lengthen a block. */
const least = ({ ms }: Held): number => Math.min(...ms)
const median = ({ ms }: Held): number => ms.toSorted((a, b) => a - b)[ms.length >> 1] ?? NaN

const sizeOf = ({ asker, body }: Operation): number => {
  if (body?.type === 'multipart/form-data') return 10 * 1_048_576
  return asker === 'secret' || asker === 'key' ? 1_048_576 : 16_384
}

const propertiesOf = ({ resolved }: Values, schema: Schema): Schema => {
  const { properties, anyOf = [] } = resolved(schema)
  const options = (anyOf as Schema[]).map((each) => resolved(each)['properties'] ?? {})
  return Object.assign({}, properties, ...options)
}

const bodiesFor = (values: Values, { body }: Operation): readonly Hostile[] => {
  if (!body) return []
  const { type, schema } = body
  const properties = propertiesOf(values, schema)
  if (type === 'application/x-www-form-urlencoded') return hostileForms(Object.keys(properties))
  const json = (given: Schema) =>
    hostileJson(propertiesOf(values, given), values.valueOf(given) as Schema, values.valueOf)
  if (type !== 'multipart/form-data') return json(schema)
  const parts = schema['additionalProperties'].anyOf as Schema[]
  const ofParts = parts.filter((part) => values.resolved(part)['properties']).flatMap(json)
  const vendor = 'application/vnd.service'
  return hostileUploads([`${vendor}.itemlist.v1+json`, `${vendor}.receipt.v1+json`], ofParts)
}

const measure = async (
  service: ProbedService,
  { credentials, known, attachmentPath }: FurnishedSandbox,
  { method, path: template, asker, body: taken }: Operation,
  { name, body }: Hostile,
  size: number,
): Promise<Held> => {
  const isUpload = taken?.type === 'multipart/form-data'
  const content = body(size)
  const ofPath = (parameter: string) => String(known.get(parameter)?.[0] ?? 'a')
  const plain = template.replace(/\{(\w+)\}/g, (_, parameter: string) => ofPath(parameter))
  const ms: number[] = []
  let status = ''
  for (let done = 0; done < tries; done += 1) {
    const path = isUpload ? await attachmentPath() : plain
    const headers = {
      'Content-Type': isUpload ? `multipart/form-data; boundary=${boundary}` : taken!.type,
      ...credentials[asker]({ method, path, body: content }),
    }
    const held = await service.heldBy(async () => {
      const sent = { method, headers, body: content as BodyInit, redirect: 'manual' } as const
      const answer = await fetch(service.address + path, sent)
      await answer.arrayBuffer()
      status = String(answer.status)
    })
    ms.push(held)
  }
  return { body: name, status, ms }
}

const print = (rows: readonly Row[]): void => {
  const line = (cells: readonly (string | number)[]) =>
    process.stdout.write(`| ${cells.join(' | ')} |\n`)
  line(['route', 'bytes', 'bodies', 'the worst', 'answer', `least of ${tries}, ms`, 'median'])
  line(Array.from({ length: 7 }, () => '---'))
  for (const row of rows.toSorted((a, b) => least(b) - least(a))) {
    const { route, size, tried, body, status } = row
    line([route, size, tried, body, status, least(row).toFixed(1), median(row).toFixed(1)])
  }
}

const folder = mkdtempSync(join(tmpdir(), 'daybook-worst-'))
const service = await startProbedService({ DATA_DIR: folder, PORT: '0', LOG_LEVEL: 'warn' })
try {
  const sandbox = await furnishSandbox(service.address, folder)
  const { operations, schemas } = await describedBy(service.address)
  const values = valuesOf(schemas, randomFrom(1), (name) => sandbox.known.get(name))
  const rows: Row[] = []
  for (const operation of operations) {
    const { method, path } = operation
    if (!operation.body || !path.includes(wanted)) continue
    const size = sizeOf(operation)
    const bodies = bodiesFor(values, operation)
    // The first runs are slower, because the code is not compiled yet.
    const [first] = bodies
    if (first && rows.length === 0) await measure(service, sandbox, operation, first, size)
    let worst: Held | undefined
    for (const body of bodies) {
      const held = await measure(service, sandbox, operation, body, size)
      if (wanted !== '' || least(held) > longestMs)
        process.stderr.write(`${path} ${body.name}: ${held.status} ${least(held).toFixed(1)}\n`)
      if (!worst || least(held) > least(worst)) worst = held
    }
    if (worst)
      process.stderr.write(
        `${method} ${path} | ${worst.body}, ${worst.status} | ${least(worst).toFixed(1)}\n`,
      )
    if (worst) rows.push({ ...worst, route: `${method} ${path}`, size, tried: bodies.length })
  }
  print(rows)
  if (rows.some((row) => least(row) > longestMs)) process.exitCode = 1
} finally {
  await service.stop()
  rmSync(folder, { recursive: true, force: true })
}
