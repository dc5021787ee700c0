import { z } from 'zod'
import { compiled } from '../domain/compiled.ts'
import { malformed, mostIssues } from './errors.ts'
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

/** Problems across fields are looked for in so many items of a list. */
const mostItems = mostIssues

const fittingOf = (schema: z.core.$ZodType, value: unknown): unknown => {
  const { def } = (innermost(schema) as z.core.$ZodTypes)._zod
  if (def.type === 'array' && Array.isArray(value))
    return value.slice(0, mostItems).map((item) => fittingOf(def.element, item) ?? {})
  if (def.type === 'object' && isRecord(value)) {
    const fields = Object.entries(def.shape).map(([name, each]) => [
      name,
      fittingOf(each, value[name]),
    ])
    return Object.fromEntries(fields)
  }
  const read = z.safeParse(schema, value)
  return read.success ? read.data : undefined
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

const worded = (issue: z.core.$ZodRawIssue) =>
  z.core.util.finalizeIssue(issue, { error: reworded }, z.core.config())

/** @throws Malformed */
export const checked = <Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
): z.output<Schema> => {
  // The parse itself: a ZodError would word every issue, and there may be thousands.
  const result = compiled(schema)._zod.run({ value, issues: [] }, { async: false })
  if (result instanceof Promise) throw new Error('a schema of a request must be synchronous')
  const { issues } = result
  if (issues.length === 0) return result.value as z.output<Schema>
  const found = issues.slice(0, mostIssues).map(worded)
  const further = furtherIssues(schema, value, found)
  throw malformed({ issues: [...found, ...further], unlisted: issues.length - found.length })
}
