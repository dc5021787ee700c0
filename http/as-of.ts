import { z } from 'zod'
import { momentForms, readMoment, type MomentRequest } from '../audit/as-of/asked-moment.ts'
import type { Instant } from '../domain/time.ts'
import { merchantPrefix } from './addresses.ts'
import { callerOf, type Call } from './call.ts'
import type { Route } from './route.ts'

/** The merchant interface as it was: its clock, and its routes by path. */
export type Past = {
  readonly at: Instant
  readonly routes: ReadonlyMap<string, Route>
}

export type AsOfNeeds = {
  /** @throws Refusal when the moment has not come yet */
  readonly checkMoment: (request: MomentRequest) => Promise<void>
  /** @throws Refusal when it has not come yet, or who asks has asked for too many */
  readonly answerAsOf: <Answer>(
    request: MomentRequest,
    who: string,
    answer: (past: Past) => Promise<Answer>,
  ) => Promise<Answer>
}

const moment = z
  .string()
  .transform((text, context) => {
    const found = readMoment(text)
    if (found) return found
    context.addIssue(`Must be ${momentForms}.`)
    return z.NEVER
  })
  .optional()
  .meta({
    description: `Answers as it would have then: ${momentForms}. See /docs/as-of.`,
  })

type Asking = { readonly as_of?: MomentRequest | undefined }

/**
 * Has the reading routes of merchants take `as_of` (interface 17). They know nothing of it: the
 * same routes answer, over what was known then.
 */
export const takingAsOf =
  ({ checkMoment, answerAsOf }: AsOfNeeds) =>
  (original: Route): Route => {
    const { method, path, access } = original
    if (method !== 'GET' || !path.startsWith(`${merchantPrefix}/`)) return original
    const query = (original.query ?? z.object({})).extend({ as_of: moment })

    const answerThen = async (call: Call, request: MomentRequest): Promise<unknown> => {
      // What anybody may read never changes.
      if (access === 'OPEN') {
        await checkMoment(request)
        return original.handle(call)
      }
      const { merchant, actor } = callerOf(call)
      return answerAsOf(request, merchant || actor, async ({ at, routes }) => {
        const then = routes.get(path)
        if (!then) throw new Error(`${path} is not known as of a moment`)
        return then.handle({ ...call, at })
      })
    }

    const handle = (call: Call): unknown => {
      const { as_of: request } = call.query as Asking
      return request === undefined ? original.handle(call) : answerThen(call, request)
    }
    return { ...original, query, handle }
  }
