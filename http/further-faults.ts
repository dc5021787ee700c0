import type { MaybePromise } from '../application/maybe-promise.ts'
import { nextTurn } from '../application/next-turn.ts'
import { StoreUnavailable } from '../application/event-store.ts'
import { Refusal } from '../domain/refusal.ts'
import type { Names } from './brand.ts'
import type { Call } from './call.ts'
import { crossFieldIssues, readableOf } from './checking.ts'
import { Malformed, RequestError, withFurther, type Issue } from './errors.ts'
import { givenIn, isForm } from './parsing.ts'
import { smallBody } from './reading.ts'
import { malformedBy } from './refusal-answers.ts'
import type { Route } from './route.ts'

/** Who may not ask, or asks about what is not there, is told of the body alone. */
const findFaults = async (find: () => MaybePromise<readonly Issue[]>) => {
  try {
    return await find()
  } catch (error) {
    const isExpected =
      error instanceof Refusal || error instanceof RequestError || error instanceof StoreUnavailable
    if (isExpected) return []
    throw error
  }
}

const problemsIn = (error: unknown): Malformed | undefined => {
  if (error instanceof Malformed) return error
  return error instanceof Refusal ? malformedBy(error) : undefined
}

/** All that is wrong with a body, given what was found first (interface 2). */
export const withFurtherFaults = async (
  { furtherFaults, ...route }: Pick<Route, 'body' | 'takesForm' | 'furtherFaults'>,
  call: Call,
  error: unknown,
  names: Names,
): Promise<unknown> => {
  const problems = problemsIn(error)
  const contentType = call.request.header('content-type')
  if (!problems || !route.body || isForm(route, contentType)) return error
  if (call.request.body.byteLength > smallBody) await nextTurn()
  const given = givenIn(route.body, call.request.body, contentType, names)
  const body = readableOf(route.body, given)
  const issues = crossFieldIssues(route.body, body)
  const further = furtherFaults && (() => furtherFaults({ ...call, body }))
  return withFurther(problems, [...issues, ...(further ? await findFaults(further) : [])])
}
