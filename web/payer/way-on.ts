import { searchOf, type Call } from '../../http/call.ts'

const isOwn = (next: string): boolean =>
  /^\/(payer|oauth2|portal|operator)\/[\x21-\x5b\x5d-\x7e]*$/.test(next)

/** Only pages of this service, to prevent open redirects; `..` leads nowhere else. */
const ownPath = (next: string | null | undefined): string =>
  next && isOwn(next) && isOwn(new URL(next, 'https://own.invalid').pathname) ? next : '/payer/'

/** The page to return to after signing in or up. */
export const nextOf = (call: Call): string => ownPath(searchOf(call).get('next'))

export const signInPath = (next: string): string =>
  `/payer/sign-in?next=${encodeURIComponent(next)}`

export const signUpPath = (next: string): string =>
  `/payer/sign-up?next=${encodeURIComponent(next)}`
