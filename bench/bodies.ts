import { furnishSandbox, type FurnishedSandbox } from '../harness/furnished-sandbox.ts'
import {
  describedBy,
  type Operation,
  type Schema,
  randomFrom,
  valuesOf,
  type Values,
} from '../harness/values-of-schema.ts'
import {
  boundary,
  hostileForms,
  hostileJson,
  hostileUploads,
  type Hostile,
} from './hostile-bodies.ts'
import { startProbedService } from './probe.ts'
import { median, type Case, type Figure } from './scope.ts'

/** How long a body blocks the thread in ms; other work on the machine can only lengthen it. */
type Held = {
  readonly body: string
  readonly status: string
  readonly least: number
  readonly median: number
}

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

/** The worst body of each route whose path has the place in it. */
export const worstBodies: Case = {
  about:
    'How long the worst body of each route blocks the thread that answers: the least of several ' +
    'tries, beside /health/live. Size: tries; place: a part of the path',
  usual: { rounds: 1, seconds: 0, size: 5 },
  quick: { rounds: 1, seconds: 0, size: 1 },
  open: () => async (scope) => {
    const { size: tries, place = '', say } = scope
    const folder = scope.folder()
    const environment = { DATA_DIR: folder, PORT: '0', LOG_LEVEL: 'warn' }
    const service = await startProbedService(environment, scope.program)
    scope.later(service.stop)
    const sandbox = await furnishSandbox(service.address, folder)
    const { operations, schemas } = await describedBy(service.address)
    const values = valuesOf(schemas, randomFrom(1), (name) => sandbox.known.get(name))
    const live = () => fetch(`${service.address}/health/live`)
    const limit = Math.min(await service.heldBy(live), await service.heldBy(live))
    const figures: Figure[] = []
    for (const operation of operations) {
      const { method, path } = operation
      if (!operation.body || !path.includes(place)) continue
      const size = sizeOf(operation)
      const bodies = bodiesFor(values, operation)
      // The first runs are slower, because the code is not compiled yet.
      const [first] = bodies
      if (first && figures.length === 0)
        await measure(service, sandbox, operation, first, size, tries)
      let worst: Held | undefined
      for (const body of bodies) {
        const held = await measure(service, sandbox, operation, body, size, tries)
        if (!worst || held.least > worst.least) worst = held
      }
      if (!worst) continue
      const { body, status, least, median } = worst
      const more = `${body}, ${status}, median ${median.toFixed(1)}, of ${bodies.length} bodies`
      const what = `${method} ${path}, ${size} bytes`
      say(`${what}: ${least.toFixed(1)} ms, ${more}`)
      figures.push({ what, value: least, unit: 'ms', limit, target: ['value', '≤', 20], more })
    }
    return figures.sort((a, b) => b.value - a.value)
  },
}
