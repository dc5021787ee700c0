import type { Form } from '../payer/session.ts'
import { OAuthError } from './reply.ts'

/** A parameter, if it is there (RFC 6749, 3.2): none comes more than once, and one without a value is as good as none. */
export const parameter = (form: Form, name: string): string | undefined => {
  const value = form[name]
  if (Array.isArray(value)) throw new OAuthError('invalid_request', `${name} is repeated.`)
  return value === '' ? undefined : value
}

/** @throws OAuthError when it is not there */
export const requiredParameter = (form: Form, name: string): string => {
  const value = parameter(form, name)
  if (value === undefined) throw new OAuthError('invalid_request', `${name} is missing.`)
  return value
}
