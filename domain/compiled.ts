import { z } from 'zod'

const cache = new WeakMap<z.ZodType, z.ZodType>()

/** A schema whose checks zod compiles on first use and keeps, which is much faster. */
export const compiled = <Schema extends z.ZodType>(schema: Schema): Schema => {
  const existing = cache.get(schema)
  if (existing) return existing as Schema
  const made = z.compile(schema)
  cache.set(schema, made)
  return made
}
