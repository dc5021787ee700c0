import type { PostalAddress, Profile } from '../domain/people/profile.ts'
import type { Scope } from '../domain/people/scope.ts'
import { shortlinks, stickers } from '../domain/aggregates.ts'
import { refuse } from '../domain/refusal.ts'
import { findRechecked } from './find-state.ts'
import type { Context, Deciding } from './handle.ts'

/**
 * Claims a sticker for a future shortlink, and returns the shortlink's id. If a crash leaves the
 * sticker without one, the same merchant can claim it again; a repeated request finds its own.
 * @throws Refusal serial_number_is_unknown, serial_number_is_claimed
 */
export const claimSticker =
  ({ handle, find }: Deciding) =>
  async (serial: string, shortlink: string, merchant: string, context: Context) => {
    const command = { type: 'ClaimSticker', merchant, shortlink } as const
    const { state } = await handle(stickers, serial, command, context)
    if (state.status !== 'claimed') return refuse('serial_number_is_unknown')
    const { status } = await find(shortlinks, state.shortlink, 'log')
    return status === 'removed' ? refuse('serial_number_is_claimed') : state.shortlink
  }

/** Whether the operator has registered a sticker with this serial number. */
export const isStickerKnown = async (
  { find }: Pick<Deciding, 'find'>,
  serial: string,
): Promise<boolean> => {
  const isKnown = ({ status }: { readonly status: string }) => status !== 'unknown'
  return isKnown(await findRechecked(find, stickers, serial, isKnown))
}

const addressOf = ({ street, postalCode, locality, country }: PostalAddress) => ({
  street_address: street,
  postal_code: postalCode,
  locality,
  country,
})

/** Claims that need the scope `openid` (interface 11.2). */
const openIdClaims = (profile: Profile, granted: readonly Scope[]) => ({
  ...(granted.includes('email') &&
    profile.email !== null && { email: profile.email, email_verified: profile.isEmailVerified }),
  ...(granted.includes('phone') && {
    phone_number: `+${profile.phone}`,
    phone_number_verified: profile.isPhoneVerified,
  }),
  ...(granted.includes('address') && profile.address && { address: addressOf(profile.address) }),
})

/** Either scope is enough for the userinfo endpoint. */
export const userInfoScopes: readonly Scope[] = ['openid', 'profile']

/** Granted standard claims (OpenID Connect Core, 5.1), as far as known. */
export const userInfo = (subject: string, profile: Profile, granted: readonly Scope[]) => ({
  sub: subject,
  ...(granted.includes('profile') && { name: profile.name }),
  ...(granted.includes('openid') && openIdClaims(profile, granted)),
})

export const shippingAddress = ({ shippingAddress: address }: Profile) =>
  address && { shipping_address: { name: address.name, ...addressOf(address) } }

/** With its proofs; `bankid` limits them to those from a bank identity. */
export const nationalId = ({ nationalId: known }: Profile, kind: 'id' | 'bankid') => {
  const proofs = known?.proofs.filter(({ issuer }) => kind === 'id' || issuer === 'bankid') ?? []
  return known && proofs.length > 0 ? { jurisdiction: 'NO' as const, id: known.id, proofs } : null
}

const personalId = (profile: Profile, granted: readonly Scope[]) => {
  if (granted.includes('fodselsnummer')) return nationalId(profile, 'id')
  return granted.includes('bankid') ? nationalId(profile, 'bankid') : null
}

/** Scopes that reveal claims without `openid`. */
const revealingScopes: readonly Scope[] = [
  ...userInfoScopes,
  'shipping_address',
  'fodselsnummer',
  'bankid',
]

export const revealClaims = (granted: readonly Scope[]): boolean =>
  revealingScopes.some((scope) => granted.includes(scope))

/** Every granted claim with a known value. */
export const grantedClaims = (subject: string, profile: Profile, granted: readonly Scope[]) => {
  const personal_id = personalId(profile, granted)
  return {
    ...userInfo(subject, profile, granted),
    ...(granted.includes('shipping_address') && shippingAddress(profile)),
    ...(personal_id && { personal_id }),
  }
}

export type GrantedClaims = ReturnType<typeof grantedClaims>
