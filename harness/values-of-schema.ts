import fc from 'fast-check'

/** A JSON Schema of the document; members are looked at one by one. */
export type Schema = Readonly<Record<string, any>>

/** Who may ask, as the document says it. */
export type Asker = 'open' | 'secret' | 'key' | 'integrator' | 'session' | 'token' | 'client'

export type Operation = {
  readonly method: string
  /** With `{name}` for parameters. */
  readonly path: string
  readonly asker: Asker
  readonly parameters: readonly {
    readonly name: string
    readonly in: 'path' | 'query'
    readonly required: boolean
    readonly schema: Schema
  }[]
  readonly body: { readonly type: string; readonly schema: Schema } | undefined
  /** By status, and by media type. */
  readonly responses: Readonly<Record<string, Readonly<Record<string, Schema>>>>
}

export type Described = {
  readonly operations: readonly Operation[]
  readonly schemas: Readonly<Record<string, Schema>>
}

const askerOf = (security: readonly Schema[]): Asker => {
  const takes = (scheme: string) => security.some((requirement) => scheme in requirement)
  if (security.length === 0) return 'open'
  for (const scheme of ['session', 'token', 'client'] as const) if (takes(scheme)) return scheme
  if (!security.every((requirement) => 'contentDigest' in requirement)) return 'secret'
  return takes('user') ? 'key' : 'integrator'
}

const schemasOf = ({ content = {} }: Schema): Record<string, Schema> =>
  Object.fromEntries(
    Object.entries<Schema>(content).map(([type, { schema = {} }]) => [type, schema as Schema]),
  )

const operationOf = (path: string, method: string, given: Schema): Operation => {
  const [[type, schema] = []] = Object.entries(schemasOf(given['requestBody'] ?? {}))
  return {
    method: method.toUpperCase(),
    path,
    asker: askerOf(given['security']),
    parameters: given['parameters'],
    body: type === undefined || schema === undefined ? undefined : { type, schema },
    responses: Object.fromEntries(
      Object.entries<Schema>(given['responses']).map(([status, response]) => [
        status,
        schemasOf(response),
      ]),
    ),
  }
}

/** All operations of an OpenAPI document. */
export const describedIn = (document: Schema): Described => {
  const operations = Object.entries<Schema>(document['paths']).flatMap(([path, methods]) =>
    Object.entries<Schema>(methods).map(([method, given]) => operationOf(path, method, given)),
  )
  return { operations, schemas: document['components'].schemas }
}

export const describedBy = async (address: string): Promise<Described> =>
  describedIn((await (await fetch(`${address}/openapi.json`)).json()) as Schema)

/** A number from 0 to below 1. */
export type Random = () => number

/** The same numbers for the same seed (mulberry32). */
export const randomFrom = (seed: number): Random => {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

export const pick = <Value>(random: Random, values: readonly Value[]): Value => {
  const value = values[Math.floor(random() * values.length)]
  if (value === undefined) throw new Error('there is nothing to pick from')
  return value
}

const texts = ['Two coffees', 'æøå', '日本', '😀', 'a', 'https://shop.example/']

const formats: Readonly<Record<string, readonly string[]>> = {
  uri: ['https://shop.example/back', 'https://shop.example/hook?a=b'],
  email: ['kari@example.com'],
  date: ['2026-11-21', '2024-02-29'],
}

/**
 * Values that fit schemas of the document, without the rules that only its words tell.
 * Long because its functions call each other.
 */
export const valuesOf = (
  schemas: Readonly<Record<string, Schema>>,
  random: Random,
  /** Values for fields by name, such as ids of what is there. */
  known: (name: string) => readonly unknown[] | undefined,
) => {
  const byPattern = new Map<string, readonly string[]>()
  const matching = (pattern: string, longest: number): string => {
    let found = byPattern.get(pattern)
    if (!found) {
      const seed = Math.floor(random() * 1e9)
      // Look-ahead is not supported: the one pattern with it takes plain words.
      found = /\(\?[=!]/.test(pattern)
        ? ['word', 'word-1']
        : fc.sample(fc.stringMatching(new RegExp(pattern, 'u')), { seed, numRuns: 20 })
      byPattern.set(pattern, found)
    }
    return pick(random, found).slice(0, longest)
  }

  const textOf = (schema: Schema): string => {
    const { pattern, format, minLength = 0, maxLength = Infinity } = schema
    const ofFormat = formats[format as string]
    if (ofFormat) return pick(random, ofFormat)
    if (typeof pattern === 'string') return matching(pattern, maxLength)
    const text = pick(random, texts)
    return text.padEnd(minLength, 'x').slice(0, maxLength)
  }

  const numberOf = ({ minimum = 0, maximum = 1000, type }: Schema): number => {
    const most = Math.min(maximum, minimum + 1000)
    const number = minimum + random() * (most - minimum)
    return type === 'integer' ? Math.floor(number) : Math.round(number * 100) / 100
  }

  const resolved = (schema: Schema): Schema => {
    const name = /^#\/components\/schemas\/(.+)$/.exec(schema['$ref'] ?? '')?.[1]
    return name === undefined ? schema : (schemas[name] ?? {})
  }

  const objectOf = ({ properties = {}, required = [] }: Schema): Record<string, unknown> => {
    const value: Record<string, unknown> = {}
    for (const [name, each] of Object.entries<Schema>(properties))
      if (required.includes(name) || random() < 0.4) value[name] = valueOf(each, name)
    return value
  }

  const typeOf = ({ type = 'string' }: Schema): string =>
    Array.isArray(type) ? pick(random, type as string[]) : (type as string)

  const valueOf = (given: Schema, name = ''): unknown => {
    const schema = resolved(given)
    const here = known(name)
    if (here && here.length > 0 && random() < 0.9) return pick(random, here)
    if ('const' in schema) return schema['const']
    if (schema['enum']) return pick(random, schema['enum'] as unknown[])
    const options = (schema['anyOf'] ?? schema['oneOf']) as Schema[] | undefined
    if (options) return valueOf(pick(random, options), name)
    if (schema['examples'] && random() < 0.5) return pick(random, schema['examples'] as unknown[])
    switch (typeOf(schema)) {
      case 'object':
        return objectOf(schema)
      case 'array': {
        const { items = {}, minItems = 0 } = schema
        const count = minItems + Math.floor(random() * 3)
        return Array.from({ length: count }, () => valueOf(items))
      }
      case 'integer':
      case 'number':
        return numberOf(schema)
      case 'boolean':
        return random() < 0.5
      case 'null':
        return null
      default:
        return textOf(schema)
    }
  }
  return { valueOf, resolved }
}

export type Values = ReturnType<typeof valuesOf>
