import type { Seconds } from '../domain/time.ts'
import { RequestError } from './errors.ts'
import { payerChallenge } from './refusal-answers.ts'
import type { Route } from './route.ts'
import type { ReceivedRequest } from './call.ts'

export type Headers = Pick<ReceivedRequest, 'header'>

/** The token of a payer's session. */
export const sessionTokenOf = ({ header }: Headers): string | undefined =>
  /^bearer +(\S+)$/i.exec(header('authorization') ?? '')?.[1]

export const toSignInFirst = (): RequestError =>
  new RequestError(401, 'Sign in first: a session token is needed.', null, payerChallenge)

/** Before the body is looked at. @throws RequestError 401 */
export const guardSession = ({ guard }: Pick<Route, 'guard'>, request: Headers): void => {
  if (guard === 'session' && sessionTokenOf(request) === undefined) throw toSignInFirst()
}

/** A cookie of our pages, which neither scripts nor other sites can read. */
export const ownCookie = (
  { isSecure, sameSite }: { readonly isSecure: boolean; readonly sameSite: 'Lax' | 'Strict' },
  shortName: string,
  pattern: RegExp,
) => {
  // With the prefix browsers refuse the cookie from other hosts and over http (RFC 6265bis, 4.1.3).
  const name = `${isSecure ? '__Host-' : ''}daybook-${shortName}`
  const attributes = `Path=/; HttpOnly; SameSite=${sameSite}${isSecure ? '; Secure' : ''}`
  return {
    find: (header = ''): string | undefined =>
      header
        .split(';')
        .map((part) => part.trim())
        .filter((part) => part.startsWith(`${name}=`))
        .map((part) => part.slice(name.length + 1))
        .find((value) => pattern.test(value)),
    /** Until the browser closes. */
    keep: (value: string): string => `${name}=${value}; ${attributes}`,
    keepFor: (value: string, lifetime: Seconds): string =>
      `${name}=${value}; Max-Age=${lifetime}; ${attributes}`,
    none: `${name}=; Max-Age=0; ${attributes}`,
  }
}
