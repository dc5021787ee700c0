import type { Html } from '../ui/components.tsx'
import { nationalId } from '../../application/claims.ts'
import type { PostalAddress, Profile } from '../../domain/people/profile.ts'
import type { Scope } from '../../domain/people/scope.ts'
import { countryName } from '../ui/countries.ts'
import type { Problems } from '../ui/fields.tsx'
import {
  addressFields,
  emailField,
  type TypedProfile,
  readProfile,
  typedProfile,
  type profileForm,
} from './profile-fields.tsx'
import type { Visitor, SignedIn } from './session.tsx'
import type { Texts } from '../ui/texts.ts'
import type { changeProfile } from '../../application/payers.ts'
import type { Context } from '../../application/handle.ts'
import { refuse } from '../../domain/refusal.ts'
import type { FormOf } from '../../http/forms.ts'

/** Identity first, sensitive data last. */
const scopeOrder = [
  'openid',
  'profile',
  'phone',
  'email',
  'address',
  'shipping_address',
  'fodselsnummer',
  'bankid',
] as const satisfies readonly Scope[]

const inScopeOrder = (scope: readonly Scope[]): readonly Scope[] =>
  scopeOrder.filter((name) => scope.includes(name))

const sensitive: readonly Scope[] = ['fodselsnummer', 'bankid']

export const addressText = (address: PostalAddress, locale: string): string => {
  const { street, postalCode, locality, country } = address
  return `${street}, ${postalCode} ${locality}, ${countryName(country, locale)}`
}

/** The value a scope shares: null when there is none, undefined when the scope's name says it. */
const valueOf = (name: Scope, profile: Profile, locale: string): string | null | undefined => {
  const { address, shippingAddress: shipping } = profile
  switch (name) {
    case 'openid':
      return undefined
    case 'profile':
      return profile.name
    case 'phone':
      return `+${profile.phone}`
    case 'email':
      return profile.email
    case 'address':
      return address && addressText(address, locale)
    case 'shipping_address':
      return shipping && `${shipping.name}, ${addressText(shipping, locale)}`
    case 'fodselsnummer':
      return nationalId(profile, 'id')?.id ?? null
    case 'bankid':
      return nationalId(profile, 'bankid')?.id ?? null
  }
}

type Row = {
  readonly name: Scope
  readonly label: string
  readonly value: string | null | undefined
}

/** Scopes with their values, each value once. */
const rowsOf = (
  { texts, locale }: Visitor,
  scope: readonly Scope[],
  profile: Profile,
): readonly Row[] =>
  inScopeOrder(scope).map((name) => {
    const value = valueOf(name, profile, locale)
    const isRepeated = name === 'bankid' && scope.includes('fodselsnummer') && value !== null
    return { name, label: texts[`scope_${name}`], value: isRepeated ? texts.sameNumber : value }
  })

/** Scopes with values, read-only. */
export const scopeList = (
  visitor: Visitor,
  scope: readonly Scope[],
  profile: Profile | undefined,
): Html => {
  const { texts } = visitor
  const rows = profile
    ? rowsOf(visitor, scope, profile)
    : inScopeOrder(scope).map((name) => ({ label: texts[`scope_${name}`], value: undefined }))
  return (
    <ul class="scopes">
      {rows.map(({ label, value }) => (
        <li>
          {label}
          {value !== undefined && <span class="value">{value ?? texts.nothingYet}</span>}
        </li>
      ))}
    </ul>
  )
}

/** Whether the payer can enter the missing value. */
const isToEnter = ({ name, value }: Row): boolean => value === null && !sensitive.includes(name)

const noteOf = (texts: Texts, { name, value }: Row): Html => {
  if (value === null)
    return (
      <span class="value">{sensitive.includes(name) ? texts.notVerified : texts.notEntered}</span>
    )
  return [
    value !== undefined && <span class="value">{value}</span>,
    sensitive.includes(name) && <span class="value">{texts.sensitive}</span>,
  ]
}

const fieldsFor = (
  visitor: Visitor,
  { name }: Row,
  typed: TypedProfile,
  problems: Problems,
): Html => {
  if (name === 'email') return emailField(visitor, typed, problems)
  if (name === 'address') return addressFields(visitor, '', typed, problems)
  return name === 'shipping_address' ? addressFields(visitor, 'shipping_', typed, problems) : null
}

/** What the payer ticked and typed so far, and the problems. */
export type ChoiceSoFar = {
  readonly ticked: readonly Scope[]
  readonly typed: TypedProfile
  readonly problems: Problems
}

/** Scopes to tick; identity is the basis of all others. */
export const scopeChoice = (
  visitor: Visitor,
  scope: readonly Scope[],
  profile: Profile,
  soFar?: ChoiceSoFar,
): Html => {
  const { texts } = visitor
  if (scope.length === 0) return <p>{texts.asksNothing}</p>
  const isTicked = ({ name }: Row): boolean => {
    if (name === 'openid') return true
    if (soFar) return soFar.ticked.includes(name)
    return !sensitive.includes(name)
  }
  return (
    <fieldset class="choice">
      <legend>{texts.scopes}</legend>
      <p class="quiet small">{texts.tickOnly}</p>
      {rowsOf(visitor, scope, profile).map((row) => {
        const { name, label, value } = row
        const cannot = name === 'openid' || (value === null && sensitive.includes(name))
        return [
          <label class="check">
            {name === 'openid' && <input type="hidden" name="scope" value="openid" />}
            <input
              type="checkbox"
              {...(name === 'openid' ? {} : { name: 'scope', value: name })}
              checked={isTicked(row)}
              disabled={cannot}
            />
            <span>
              {label}
              {noteOf(texts, row)}
            </span>
          </label>,
          isToEnter(row) && (
            <div class="entry">
              {fieldsFor(visitor, row, soFar?.typed ?? {}, soFar?.problems ?? {})}
            </div>
          ),
        ]
      })}
    </fieldset>
  )
}

export type EnteringNeeds = {
  readonly findProfile: (payer: string) => Promise<Profile | undefined>
  readonly changeProfile: ReturnType<typeof changeProfile>
}

/** Stores missing data that the payer entered to share it; returns the problems. */
export const enterMissing =
  ({ findProfile, changeProfile }: EnteringNeeds) =>
  async (
    { session: { payer }, texts }: SignedIn,
    form: FormOf<typeof profileForm>,
    ticked: readonly Scope[],
    context: Context,
  ): Promise<ChoiceSoFar | undefined> => {
    const typed = typedProfile(form)
    const known = (await findProfile(payer)) ?? refuse('payer_is_unknown')
    const read = readProfile(typed, known, texts)
    if ('problems' in read) return { ticked, typed, problems: read.problems }
    const { email, address, shippingAddress } = read.changes
    const isNew = (scope: Scope, before: unknown, now: unknown) =>
      ticked.includes(scope) && before === null && now !== null
    const changes = {
      ...(isNew('email', known.email, email) && { email }),
      ...(isNew('address', known.address, address) && { address }),
      ...(isNew('shipping_address', known.shippingAddress, shippingAddress) && { shippingAddress }),
    }
    if (Object.keys(changes).length > 0) await changeProfile(payer, changes, context)
    return undefined
  }
