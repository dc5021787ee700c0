import type { Fields } from '../forms.ts'
import { OAuthError } from './reply.ts'

/** A parameter, if it is there (RFC 6749, 3.2): none comes more than once, and one without a value is as good as none. */
export const parameter = <Name extends string>(
  form: Fields<Name>,
  name: NoInfer<Name>,
): string | undefined => {
  const value = form[name]
  if (value === undefined || value === '') return undefined
  if (typeof value !== 'string') throw new OAuthError('invalid_request', `${name} is repeated.`)
  return value
}

/** @throws OAuthError when it is not there */
export const requiredParameter = <Name extends string>(
  form: Fields<Name>,
  name: NoInfer<Name>,
): string => {
  const value = parameter(form, name)
  if (value === undefined) throw new OAuthError('invalid_request', `${name} is missing.`)
  return value
}
