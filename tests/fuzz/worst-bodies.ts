import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { median } from '../../bench/scope.ts'
import {
  describedBy,
  type Operation,
  type Schema,
  randomFrom,
  valuesOf,
  type Values,
} from '../../harness/values-of-schema.ts'
import { furnishSandbox, type FurnishedSandbox } from './furnished-sandbox.ts'
import {
  boundary,
  hostileForms,
  hostileJson,
  hostileUploads,
  type Hostile,
} from './hostile-bodies.ts'
import { startProbedService } from './probed-service.ts'

/*
 * How long the worst body of each route blocks the thread that answers: the least of several tries.
 * `npm run fuzz:bodies -- [part of the path] [tries]`
 */

const [place = '', tries = 5] = [process.argv[2], Number(process.argv[3] ?? 5)]

/** How long a body blocks the thread in ms; other work on the machine can only lengthen it. */
type Held = {
  readonly body: string
  readonly status: string
  readonly least: number
  readonly median: number
}

/** The thread that answers is held no longer, in ms. */
const mostMs = 20

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

type Probed = Awaited<ReturnType<typeof startProbedService>>

const measure = async (
  service: Probed,
  { credentials, known, attachmentPath }: FurnishedSandbox,
  { method, path: template, asker, body: taken }: Operation,
  { name, body }: Hostile,
  size: number,
  tries: number,
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
  return { body: name, status, least: Math.min(...ms), median: median(ms) }
}

const folder = mkdtempSync(join(tmpdir(), 'daybook-bodies-'))

const service = await startProbedService({ DATA_DIR: folder, PORT: '0', LOG_LEVEL: 'warn' })

try {
  const sandbox = await furnishSandbox(service.address, folder)
  const { operations, schemas } = await describedBy(service.address)
  const values = valuesOf(schemas, randomFrom(1), (name) => sandbox.known.get(name))
  const print = (line: string) => process.stdout.write(`${line}\n`)
  print('| route | bytes | bodies | the worst | answer | least, ms | median |')
  print('| --- | --- | --- | --- | --- | --- | --- |')
  let isFirst = true
  for (const operation of operations) {
    const { method, path } = operation
    if (!operation.body || !path.includes(place)) continue
    const size = sizeOf(operation)
    const bodies = bodiesFor(values, operation)
    // The first runs are slower, because the code is not compiled yet.
    for (const body of isFirst ? bodies.slice(0, 1) : [])
      await measure(service, sandbox, operation, body, size, tries)
    isFirst = false
    const all: Held[] = []
    for (const body of bodies)
      all.push(await measure(service, sandbox, operation, body, size, tries))
    const [worst] = all.toSorted((one, other) => other.least - one.least)
    if (!worst) continue
    const figures = [worst.least, worst.median].map((ms) => ms.toFixed(1))
    const cells = [`${method} ${path}`, size, bodies.length, worst.body, worst.status, ...figures]
    print(`| ${cells.join(' | ')} |`)
    if (worst.least > mostMs) process.exitCode = 1
  }
} finally {
  await service.stop()
  rmSync(folder, { recursive: true })
}
