import { z } from 'zod'

export type Json = Record<string, unknown>

/** JSON schema of the input or the output of a schema. */
export type SchemaOf = (schema: z.ZodType, io: 'input' | 'output') => Json

/** `$defs` become components. */
const withComponents = (value: unknown): Json =>
  JSON.parse(JSON.stringify(value).replaceAll('#/$defs/', '#/components/schemas/')) as Json

const isJson = (value: unknown): value is Json => typeof value === 'object' && value !== null

/** Describes a default in words: generators take a field with `default` for always present. */
const defaultInWords = (field: unknown): unknown => {
  if (!isJson(field) || !('default' in field)) return field
  const { default: value, description, ...rest } = field
  const isNothing = value === null || value === '' || (Array.isArray(value) && value.length === 0)
  const words = [description ?? [], isNothing ? [] : `Default: ${JSON.stringify(value)}.`].flat()
  return words.length === 0 ? rest : { ...rest, description: words.join(' ') }
}

const defaultsInWords = (schema: unknown): unknown => {
  if (Array.isArray(schema)) return schema.map(defaultsInWords)
  if (!isJson(schema)) return schema
  const entries = Object.entries(schema).map(([key, value]) => {
    if (key !== 'properties' || !isJson(value)) return [key, defaultsInWords(value)]
    const fields = Object.entries(value).map(([name, field]) => [
      name,
      defaultsInWords(defaultInWords(field)),
    ])
    return [key, Object.fromEntries(fields)]
  })
  return Object.fromEntries(entries)
}

/** A parameter of digits alone is documented as a number. */
export const asNumber = (schema: Json): Json => {
  const { type, pattern, examples, ...rest } = schema
  const digits = /^\^\\d(?:\+|\{1,(\d+)\})\$$/.exec(String(pattern))
  if (type !== 'string' || !digits) return schema
  const [, most] = digits
  return {
    ...rest,
    ...(Array.isArray(examples) && { examples: examples.map(Number) }),
    ...{ type: 'integer', minimum: 0 },
    ...(most !== undefined && { maximum: 10 ** Number(most) - 1 }),
  }
}

/** Prints schemas and collects those with an id as components. */
export const makeSchemas = () => {
  const schemas: Json = {}

  const keep = (name: string, { id: _, ...definition }: Json): void => {
    const before = schemas[name] ?? definition
    // Input and output may differ; then they need two ids.
    if (JSON.stringify(before) !== JSON.stringify(definition))
      throw new Error(`two schemas are called ${name}`)
    schemas[name] = definition
  }

  const schemaOf: SchemaOf = (schema, io) => {
    const printed = z.toJSONSchema(schema, { io, unrepresentable: 'any' })
    const {
      $schema: _,
      $defs = {},
      ...rest
    } = (io === 'input' ? defaultsInWords(printed) : printed) as Json & { $defs?: Json }
    for (const [name, definition] of Object.entries($defs)) keep(name, withComponents(definition))
    const { id: name, ...definition } = withComponents(rest)
    if (typeof name !== 'string') return definition
    keep(name, definition)
    return { $ref: `#/components/schemas/${name}` }
  }

  return { schemas, schemaOf }
}

export const contentOf = (types: readonly string[], schema: Json): { readonly content: Json } => ({
  content: Object.fromEntries(types.map((type) => [type, { schema }])),
})
