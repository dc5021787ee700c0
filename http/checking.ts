import { z } from 'zod'
import { compiled } from '../domain/compiled.ts'
import { malformed } from './errors.ts'
import { inexactNumber } from './exact-json.ts'
import { innerOf } from './nothing.ts'

/** The parts of a value that fit its schema, without the fields and items that do not. */
export type Fitting<Value> = Value extends readonly (infer Item)[]
  ? readonly Fitting<Item>[]
  : Value extends object
    ? { readonly [Field in keyof Value]?: Fitting<Value[Field]> | undefined }
    : Value

export type Issues = { issues: z.core.$ZodRawIssue[] }

type Check = (fitting: never, context: Issues) => void
const checks = new WeakMap<z.ZodType, { readonly fields: z.ZodType; readonly check: Check }>()

/**
 * Reports problems across fields even when other fields are at fault; a schema checks the whole
 * only when each field fits. `fields` is the schema before that check.
 */
export const withCrossFieldCheck = <Schema extends z.ZodType, Fields extends z.ZodType>(
  schema: Schema,
  fields: Fields,
  check: (fitting: Fitting<z.output<Fields>>, context: Issues) => void,
): Schema => {
  checks.set(schema, { fields, check })
  return schema
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null

const innermost = (schema: z.core.$ZodType): z.core.$ZodType => {
  const inner = innerOf(schema)
  return inner ? innermost(inner) : schema
}

const fittingOf = (schema: z.core.$ZodType, value: unknown): unknown => {
  const read = z.safeParse(schema, value)
  if (read.success) return read.data
  const { def } = (innermost(schema) as z.core.$ZodTypes)._zod
  if (def.type === 'array' && Array.isArray(value))
    return value.map((item) => fittingOf(def.element, item) ?? {})
  if (def.type !== 'object' || !isRecord(value)) return undefined
  const fields = Object.entries(def.shape).map(([name, each]) => [
    name,
    fittingOf(each, value[name]),
  ])
  return Object.fromEntries(fields)
}

type Issue = { readonly path?: readonly PropertyKey[] | undefined }

const isWithin = (path: readonly PropertyKey[], whole: readonly PropertyKey[]): boolean =>
  whole.every((step, index) => path[index] === step)

/** Problems across fields, without those already reported. */
const furtherIssues = (schema: z.ZodType, value: unknown, reported: readonly Issue[]) => {
  const together = checks.get(schema)
  if (!together) return []
  const { fields, check } = together
  const context: Issues = { issues: [] }
  check(fittingOf(fields, value) as never, context)
  return context.issues.filter(
    ({ path = [] }) => !reported.some((issue) => isWithin(path, issue.path ?? [])),
  )
}

/** Our own wording where the checker would expose internals. */
const reworded = (issue: { readonly input?: unknown; readonly expected?: unknown }) => {
  if (issue.input === undefined) return 'Is required.'
  return inexactNumber(issue.input) !== undefined && typeof issue.expected === 'string'
    ? `Invalid input: expected ${issue.expected}, received number`
    : undefined
}

/** With more problems than this, keep the checker's wording: no second pass. */
const mostReworded = 1_000

/** @throws Malformed */
export const checked = <Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
): z.output<Schema> => {
  const result = compiled(schema).safeParse(value)
  if (result.success) return result.data
  if (result.error.issues.length > mostReworded) throw malformed(result.error)
  // Our wording is slow, so parse again with it only after a failure.
  const { issues } = schema.safeParse(value, { error: reworded }).error ?? result.error
  throw malformed({ issues: [...issues, ...furtherIssues(schema, value, issues)] })
}
