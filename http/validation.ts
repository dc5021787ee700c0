import { z } from 'zod'
import { compiled } from '../domain/compiled.ts'
import { malformed, mostIssues, type Unlisted } from './errors.ts'
import { inexactNumber } from './exact-json.ts'
import { innerOf } from './empty-values.ts'

export type Issues = { issues: z.core.$ZodRawIssue[] }

type CrossFieldCheck = {
  readonly fields: z.ZodType
  /** A method, so that a check may declare the type that `fields` gives. */
  check(fitting: unknown, context: Issues): void
}

const checks = new WeakMap<z.ZodType, CrossFieldCheck>()

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

/** What of a body can be read, before the check across its fields. */
export const readableOf = (schema: z.ZodType, input: unknown): unknown =>
  fittingOf(checks.get(schema)?.fields ?? schema, input)

/** Problems across fields of what can be read. */
export const crossFieldIssues = (schema: z.ZodType, readable: unknown): Issues['issues'] => {
  const context: Issues = { issues: [] }
  checks.get(schema)?.check(readable, context)
  return context.issues
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
  readonly keys?: readonly string[] | undefined
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

/** The value that fits. @throws Malformed */
export const valueOf = <Value>(checked: Checked<Value>): Value => {
  if ('value' in checked) return checked.value
  const { problems: issues, unlisted } = checked
  throw malformed({ issues, unlisted })
}

/** @throws Malformed */
export const checked = <Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
): z.output<Schema> => valueOf(check(schema, value))

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
export const preprocessed = (schema: z.core.$ZodType, value: unknown): unknown => {
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

export type Read = { readonly value: unknown }

/** Items that do not fit are read field by field, the first fifty of them; the rest is empty. */
export const itemsOf = (list: z.core.$ZodArray, items: readonly unknown[]): Read => {
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
export const partOf = (schema: z.core.$ZodType, input: unknown): Read | undefined => {
  const value = preprocessed(schema, input)
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
  const read = z.safeParse(schema, input)
  return read.success ? { value: read.data } : undefined
}

/** What of a value fits; fields that do not are left out. */
export const fittingOf = (schema: z.core.$ZodType, value: unknown): unknown =>
  partOf(schema, value)?.value
