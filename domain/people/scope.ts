import { z } from 'zod'

/** Interface 11.2. */
export const scopes = [
  'openid',
  'address',
  'bankid',
  'email',
  'fodselsnummer',
  'phone',
  'profile',
  'shipping_address',
] as const

export const scope = z.enum(scopes)
export type Scope = z.output<typeof scope>

/**
 * Unknown scopes are ignored (interface 11); the result is in the order of `scopes`, without
 * duplicates.
 */
export const parseScope = (text: string): readonly Scope[] => {
  const named = text.split(' ')
  return scopes.filter((name) => named.includes(name))
}

export const formatScope = (granted: readonly Scope[]): string => granted.join(' ')

export const isPartOf = (part: readonly Scope[], whole: readonly Scope[]): boolean =>
  part.every((name) => whole.includes(name))
