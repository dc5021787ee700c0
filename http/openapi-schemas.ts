import { z } from 'zod'

export type Json = Record<string, unknown>

/** The JSON schema of one direction: what is read, or what is answered. */
export type SchemaOf = (schema: z.ZodType, io: 'input' | 'output') => Json

/** Names in `$defs` are components here. */
const withComponents = (value: unknown): Json =>
  JSON.parse(JSON.stringify(value).replaceAll('#/$defs/', '#/components/schemas/')) as Json

/** Prints schemas, and gathers those that have an id as components. */
export const makeSchemas = () => {
  const schemas: Json = {}

  const schemaOf: SchemaOf = (schema, io) => {
    const {
      $schema: _,
      $defs = {},
      ...rest
    } = z.toJSONSchema(schema, { io, unrepresentable: 'any' }) as Json & { $defs?: Json }
    for (const [name, definition] of Object.entries($defs))
      schemas[name] = withComponents(definition)
    const { id: name, ...definition } = withComponents(rest)
    if (typeof name !== 'string') return definition
    schemas[name] = definition
    return { $ref: `#/components/schemas/${name}` }
  }

  return { schemas, schemaOf }
}

export const contentOf = (types: readonly string[], schema: Json): { readonly content: Json } => ({
  content: Object.fromEntries(types.map((type) => [type, { schema }])),
})
