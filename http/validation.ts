import { z } from 'zod'
import { compiled } from '../domain/compiled.ts'
import { malformed, mostIssues, type Unlisted } from './errors.ts'
import { inexactNumber } from './exact-json.ts'
import { fittingOf, type Fitting } from './valid-parts.ts'

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
export const readableOf = (schema: z.ZodType, given: unknown): unknown =>
  fittingOf(checks.get(schema)?.fields ?? schema, given)

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
