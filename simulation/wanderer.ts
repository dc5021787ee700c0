import { describedIn, type Operation, valuesOf } from '../harness/values-of-schema.ts'
import { learn, type Names } from './names.ts'
import { pick, type Random } from './random.ts'
import type { Step } from './steps.ts'
import type { World } from './world.ts'

/** Routes that the wanderer leaves alone, and why. */
export const excluded: Readonly<Record<string, string>> = {
  'POST /sandbox/v1/clock/': 'the clock moves by steps of its own, which the oracle knows',
  'GET /openapi.json': 'it takes a second to make, and is asked for before all worlds',
  'GET /docs': 'it takes a second to make, and shows the same in each world',
  'GET /docs/{page}': 'it takes a second to make, and shows the same in each world',
}

const odd: readonly unknown[] = [
  ...[null, true, '', 'x', 0, -1, 1.5, [], {}, [null], ' ', '\u200b', '😀', 'x'.repeat(300)],
  ...['-1', '1e5', '../..', "' OR 1=1", '<b>', '__proto__', '2026-02-30 00:00:00', 'http://'],
]

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** One member missing, odd or unknown. */
const spoiled = (random: Random, value: unknown): unknown => {
  if (!isRecord(value)) return pick(random, odd)
  const names = Object.keys(value)
  if (names.length === 0) return { a: pick(random, odd) }
  const name = pick(random, names)
  const { [name]: member, ...rest } = value
  return random() < 0.3 ? rest : { ...value, [name]: pick(random, odd) }
}

const textOf = (value: unknown): string =>
  typeof value === 'string' ? value : (JSON.stringify(value) ?? '')

const formOf = (value: unknown): string => {
  const pairs = Object.entries(isRecord(value) ? value : {})
  return new URLSearchParams(pairs.map(([name, member]) => [name, textOf(member)])).toString()
}

const escaped = (value: unknown): string => {
  try {
    return encodeURIComponent(textOf(value))
  } catch {
    return '%ED%A0%80'
  }
}

const idOf: Readonly<Record<string, string>> = {
  payment_request: 'tid',
  permission_request: 'rid',
  shortlink: 'shortlink_id',
  ledger: 'ledger_id',
  pos: 'pos_id',
  application: 'client_id',
}

/**
 * Asks for any route of the OpenAPI document as the sandbox's merchant, so that a new route is met
 * without being named. What it makes is none of the shops', whose books the oracle keeps.
 */
export const wandererIn = ({ document }: World, random: Random, known: Names) => {
  const { operations, schemas } = describedIn(document)
  const values = valuesOf(schemas, random, (name) => known.get(name))
  const askable = operations.filter(({ method, path }) => !(`${method} ${path}` in excluded))
  const asked = new Set<Operation>()

  const pathFor = ({ path, parameters }: Operation): string => {
    const schemaOf = (name: string) => parameters.find((one) => one.name === name)?.schema ?? {}
    const filled = path.replace(/\{(\w+)\}/g, (_, name: string) =>
      escaped(random() < 0.05 ? pick(random, odd) : values.valueOf(schemaOf(name), name)),
    )
    const query = parameters.flatMap(({ in: where, name, required, schema }) =>
      where === 'query' && (required || random() < 0.3)
        ? [`${name}=${escaped(random() < 0.1 ? pick(random, odd) : values.valueOf(schema, name))}`]
        : [],
    )
    return query.length > 0 ? `${filled}?${query.join('&')}` : filled
  }

  const bodyFor = ({ body, method }: Operation): { type?: string; body?: string } => {
    if (!body || method === 'GET') return {}
    const valid = values.valueOf(body.schema)
    const value = random() < 0.3 ? spoiled(random, valid) : valid
    const text = body.type.endsWith('urlencoded') ? formOf(value) : textOf(value)
    return text === '' ? {} : { type: body.type, body: text }
  }

  return {
    /** New routes first. */
    next: (): Step => {
      const unseen = askable.filter((one) => !asked.has(one))
      const operation = pick(random, unseen.length > 0 && random() < 0.5 ? unseen : askable)
      asked.add(operation)
      const { method, path: route, asker } = operation
      return {
        do: 'ask',
        method,
        route,
        path: pathFor(operation),
        isSigned: asker === 'key',
        ...(asker !== 'open' && { as: 'sandbox' as const }),
        ...bodyFor(operation),
      }
    },
    /** Keeps ids for later requests. */
    remember: (path: string, status: number, id: unknown): void => {
      const name = idOf[path.split('/').at(-2) ?? '']
      if (status !== 201 || name === undefined || typeof id !== 'string') return
      learn(known, name, id)
    },
  }
}
