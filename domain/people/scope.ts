import { z } from 'zod'

/** What a payer can let a merchant know (interface 11.2). */
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

/** Reads a space-delimited list, in the order of the list above and each once. Unknown scopes are ignored (interface 11). */
export const parseScope = (text: string): readonly Scope[] => {
  const named = text.split(' ')
  return scopes.filter((name) => named.includes(name))
}

export const formatScope = (granted: readonly Scope[]): string => granted.join(' ')

export const isPartOf = (part: readonly Scope[], whole: readonly Scope[]): boolean =>
  part.every((name) => whole.includes(name))
