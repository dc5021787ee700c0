import { z } from 'zod'
import { isReadable, showsSomething } from '../domain/blanks.ts'

/**
 * Empty values in a body count as absent and texts are trimmed (interface 2), before the schema
 * checks them.
 */

type Mark = { readonly asWritten?: true; readonly emptied?: true }
const marks = z.registry<Mark>()

/** A text that keeps its blanks, such as a secret or an amount. */
export const asWritten = <Schema extends z.ZodType>(schema: Schema): Schema => {
  marks.add(schema, { asWritten: true })
  return schema
}

/** A field where an empty text has a meaning of its own; read as null. */
export const orEmpty = <Schema extends z.ZodType>(schema: Schema, meaning: string) => {
  const { description = '' } = schema.meta() ?? {}
  const field = schema
    .nullable()
    .optional()
    .meta({ description: `${description} ${meaning}`.trim() })
  marks.add(field, { emptied: true })
  return field
}

/** A field of a PUT: absent keeps the value, an empty text removes it (interface 4). */
export const removable = <Schema extends z.ZodType>(schema: Schema) =>
  orEmpty(schema, 'Absent or null leaves it, an empty text takes it away.')

type Read = (value: unknown) => unknown
type Field = { readonly read: Read; readonly mark: Mark }

/** A name that others are shown. */
export const readable = (name: z.ZodString): z.ZodString =>
  name.refine(isReadable, 'Must be one line, without characters that nobody sees.')

/** True for nearly every text; cheaper than the pattern. */
const isPlain = (text: string, at: number): boolean => {
  const code = text.charCodeAt(at)
  return code > 0x20 && code < 0x7f
}

const asItIs: Read = (value) => value
const trimmed: Read = (value) => {
  if (typeof value !== 'string') return value
  return isPlain(value, 0) && isPlain(value, value.length - 1) ? value : value.trim()
}

const isNothing = (value: unknown, { asWritten }: Mark): boolean =>
  typeof value === 'string' &&
  (value === '' || (!asWritten && !isPlain(value, 0) && !showsSomething(value)))

const readFields = (fields: readonly (readonly [string, Field])[]): Read => {
  const member = (value: unknown, { read, mark }: Field): unknown => {
    if (value === null) return undefined
    if (isNothing(value, mark)) return mark.emptied ? null : undefined
    return mark.asWritten ? value : read(value)
  }
  return (value) => {
    if (typeof value !== 'object' || value === null) return value
    const object = value as Record<string, unknown>
    for (const [name, field] of fields) {
      const before = object[name]
      if (before === undefined) continue
      const after = member(before, field)
      if (after !== before) object[name] = after
    }
    return value
  }
}

const readItems =
  (read: Read): Read =>
  (value) => {
    if (!Array.isArray(value)) return value
    for (const [index, item] of value.entries()) value[index] = read(item)
    return value
  }

/** The schema inside defaults, transforms and wrappers. */
export const innerOf = (schema: z.core.$ZodType): z.core.$ZodType | undefined => {
  const { def } = (schema as z.core.$ZodTypes)._zod
  if (def.type === 'pipe') return def.in._zod.def.type === 'transform' ? def.out : def.in
  return 'innerType' in def ? def.innerType : undefined
}

const fieldOf = (schema: z.core.$ZodType): Field => {
  const inner = innerOf(schema)
  const { read, mark } = inner ? fieldOf(inner) : { read: readerOf(schema), mark: {} }
  return { read, mark: { ...mark, ...marks.get(schema) } }
}

const readerOf = (schema: z.core.$ZodType): Read => {
  const { def } = (schema as z.core.$ZodTypes)._zod
  switch (def.type) {
    case 'string':
    case 'enum':
    case 'literal':
      return trimmed
    case 'object':
      return readFields(Object.entries(def.shape).map(([name, each]) => [name, fieldOf(each)]))
    case 'array':
      return readItems(fieldOf(def.element).read)
    case 'union': {
      const reads = def.options.map((option) => fieldOf(option).read)
      return (value) => reads.reduce((read, each) => each(read), value)
    }
    default:
      return asItIs
  }
}

const known = new WeakMap<z.ZodType, Read>()

/** Changes the body in place. */
export const withoutNothing = (schema: z.ZodType, body: unknown): unknown => {
  const read = known.get(schema) ?? fieldOf(schema).read
  known.set(schema, read)
  return read(body)
}
