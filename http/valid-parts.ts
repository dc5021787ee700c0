import { z } from 'zod'
import { compiled } from '../domain/compiled.ts'
import { mostIssues } from './errors.ts'
import { innerOf } from './empty-values.ts'

/** The parts of a value that fit its schema, without the fields and items that do not. */
export type Fitting<Value> = Value extends readonly (infer Item)[]
  ? readonly Fitting<Item>[]
  : Value extends object
    ? { readonly [Field in keyof Value]?: Fitting<Value[Field]> | undefined }
    : Value

export const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null

export const innermost = (schema: z.core.$ZodType): z.core.$ZodType => {
  const inner = innerOf(schema)
  return inner ? innermost(inner) : schema
}

/** As a schema that begins with `z.preprocess` checks it. */
const preprocessed = (schema: z.core.$ZodType, value: unknown): unknown => {
  const { def } = (schema as z.core.$ZodTypes)._zod
  if (def.type !== 'pipe' || def.in._zod.def.type !== 'transform') return value
  const read = z.safeParse(def.in, value)
  return read.success ? read.data : value
}

/** How many items a list may have. */
export const mostItemsOf = (list: z.core.$ZodType): number => {
  const limits = (list._zod.def.checks ?? []).map((check) => {
    const { def } = (check as z.core.$ZodChecks)._zod
    return def.check === 'max_length' ? def.maximum : Infinity
  })
  return Math.min(...limits)
}

type Read = { readonly value: unknown }

/** Items that do not fit are read field by field, the first fifty of them; the rest is empty. */
const itemsOf = (list: z.core.$ZodArray, items: readonly unknown[]): Read => {
  const { element } = list._zod.def
  const whole = compiled(element as z.ZodType)
  let unfit = 0
  const value = items.slice(0, mostItemsOf(list)).map((item) => {
    // The parse itself: a ZodError would word every issue.
    const result = whole._zod.run({ value: item, issues: [] }, { async: false })
    if (!(result instanceof Promise) && result.issues.length === 0) return result.value
    unfit += 1
    return (unfit <= mostIssues && partOf(element, item)?.value) || {}
  })
  return { value }
}

/** Undefined when nothing of the value fits. */
const partOf = (schema: z.core.$ZodType, given: unknown): Read | undefined => {
  const value = preprocessed(schema, given)
  const inner = innermost(schema)
  const { def } = (inner as z.core.$ZodTypes)._zod
  if (def.type === 'array' && Array.isArray(value)) return itemsOf(inner as z.core.$ZodArray, value)
  if (def.type === 'object' && isRecord(value)) {
    const fields = Object.entries(def.shape).flatMap(([name, each]) => {
      const read = partOf(each, value[name])
      return read ? [[name, read.value] as const] : []
    })
    return { value: Object.fromEntries(fields) }
  }
  const read = z.safeParse(schema, given)
  return read.success ? { value: read.data } : undefined
}

/** What of a value fits; fields that do not are left out. */
export const fittingOf = (schema: z.core.$ZodType, value: unknown): unknown =>
  partOf(schema, value)?.value
