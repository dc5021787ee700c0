import type { Fields } from '../forms.ts'
import { OAuthError } from './reply.ts'

/** Parameters may not repeat, and an empty one counts as absent (RFC 6749, 3.2). */
export const parameter = <Name extends string>(
  form: Fields<Name>,
  name: NoInfer<Name>,
): string | undefined => {
  const value = form[name]
  if (value === undefined || value === '') return undefined
  if (typeof value !== 'string') throw new OAuthError('invalid_request', `${name} is repeated.`)
  return value
}

/** @throws OAuthError when it is missing */
export const requiredParameter = <Name extends string>(
  form: Fields<Name>,
  name: NoInfer<Name>,
): string => {
  const value = parameter(form, name)
  if (value === undefined) throw new OAuthError('invalid_request', `${name} is missing.`)
  return value
}
