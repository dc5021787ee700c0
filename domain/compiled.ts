import { z } from 'zod'

const known = new WeakMap<z.ZodType, z.ZodType>()

/**
 * The same schema, whose checks zod has compiled into one function: what passes them takes a part of the time, and what
 * does not is checked once more and told as by the schema itself. Compiled when it is first asked for, and then kept.
 */
export const compiled = <Schema extends z.ZodType>(schema: Schema): Schema => {
  const before = known.get(schema)
  if (before) return before as Schema
  const made = z.compile(schema)
  known.set(schema, made)
  return made
}
