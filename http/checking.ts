import { z } from 'zod'
import { compiled } from '../domain/compiled.ts'
import { malformed, mostIssues, type Unlisted } from './errors.ts'
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

export const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null

export const innermost = (schema: z.core.$ZodType): z.core.$ZodType => {
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

export type Problem = {
  readonly path: readonly PropertyKey[]
  readonly code?: string | undefined
  readonly message: string
}

export type Checked<Value> =
  | { readonly value: Value }
  /** The first fifty. */
  | { readonly problems: readonly Problem[]; readonly unlisted: Unlisted }

/** Words no more problems than are told: there may be thousands. */
export const check = <Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
): Checked<z.output<Schema>> => {
  // The parse itself: a ZodError would word every issue.
  const result = compiled(schema)._zod.run({ value, issues: [] }, { async: false })
  if (result instanceof Promise) throw new Error('a schema of a request must be synchronous')
  const { issues } = result
  if (issues.length === 0) return { value: result.value as z.output<Schema> }
  const problems = issues.slice(0, mostIssues).map(worded)
  return { problems, unlisted: issues.length - problems.length }
}

/** The value that fits. @throws Malformed, with the problems across fields too */
export const valueOf = <Value>(
  schema: z.ZodType,
  given: unknown,
  checked: Checked<Value>,
): Value => {
  if ('value' in checked) return checked.value
  const { problems, unlisted } = checked
  throw malformed({ issues: [...problems, ...furtherIssues(schema, given, problems)], unlisted })
}

/** @throws Malformed */
export const checked = <Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
): z.output<Schema> => valueOf(schema, value, check(schema, value))
