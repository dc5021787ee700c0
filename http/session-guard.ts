import { RequestError } from './errors.ts'
import { payerChallenge } from './refusal-answers.ts'
import type { Route } from './route.ts'
import type { ReceivedRequest } from './unauthenticated-request.ts'

type Headers = Pick<ReceivedRequest, 'header'>

/** The token of a payer's session. */
export const sessionTokenOf = ({ header }: Headers): string | undefined =>
  /^bearer +(\S+)$/i.exec(header('authorization') ?? '')?.[1]

export const toSignInFirst = (): RequestError =>
  new RequestError(401, 'Sign in first: a session token is needed.', null, payerChallenge)

/** Before the body is looked at. @throws RequestError 401 */
export const guardSession = ({ guard }: Pick<Route, 'guard'>, request: Headers): void => {
  if (guard === 'session' && sessionTokenOf(request) === undefined) throw toSignInFirst()
}
