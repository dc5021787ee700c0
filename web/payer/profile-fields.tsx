import type { Html } from '../ui/components.tsx'
import { z } from 'zod'
import {
  postalAddress,
  profile,
  type PostalAddress,
  type Profile,
} from '../../domain/people/profile.ts'
import { fieldOf, type FormOf } from '../../http/forms.ts'
import { fullName } from './api-fields.ts'
import { countriesIn } from '../ui/countries.ts'
import { type Problems, Field } from '../ui/fields.tsx'
import type { Visitor } from './session.tsx'
import type { Texts } from '../ui/texts.ts'

const text = z.string().optional()
const addressParts = ['street', 'postal_code', 'locality', 'country'] as const

/** What payers may enter about themselves in any form; empty fields are ignored. */
export const profileForm = z.object({
  email: text.meta({ description: 'The e-mail address.' }),
  street: text,
  postal_code: text,
  locality: text,
  country: text.meta({ description: 'Two letters.' }),
  shipping_name: text.meta({ description: 'To whom parcels go.' }),
  shipping_street: text,
  shipping_postal_code: text,
  shipping_locality: text,
  shipping_country: text.meta({ description: 'Two letters.' }),
})

type Form = FormOf<typeof profileForm>
type Name = keyof z.output<typeof profileForm>
export type TypedProfile = Partial<Record<Name, string>>

export const typedProfile = (form: Form): TypedProfile =>
  Object.fromEntries(
    (Object.keys(profileForm.shape) as Name[]).map((name) => [name, fieldOf(form, name)]),
  )

export const typedOf = ({ email, address, shippingAddress }: Profile): TypedProfile => ({
  email: email ?? '',
  street: address?.street ?? '',
  postal_code: address?.postalCode ?? '',
  locality: address?.locality ?? '',
  country: address?.country ?? '',
  shipping_name: shippingAddress?.name ?? '',
  shipping_street: shippingAddress?.street ?? '',
  shipping_postal_code: shippingAddress?.postalCode ?? '',
  shipping_locality: shippingAddress?.locality ?? '',
  shipping_country: shippingAddress?.country ?? '',
})

const readEmail = (typed: string, texts: Texts) => {
  const read = profile.shape.email.safeParse(typed === '' ? null : typed)
  return read.success ? { email: read.data } : { problem: texts.wrongEmail }
}

const addressIn = (
  typed: TypedProfile,
  prefix: '' | 'shipping_',
): PostalAddress | null | 'wrong' => {
  const [street, postalCode, locality, country] = addressParts.map(
    (part) => typed[`${prefix}${part}`] ?? '',
  )
  if ([street, postalCode, locality].every((part) => part === '')) return null
  return postalAddress.safeParse({ street, postalCode, locality, country }).data ?? 'wrong'
}

type Changes = Pick<Profile, 'email' | 'address' | 'shippingAddress'>

/** What the fields say, or what is wrong with them. */
export const readProfile = (
  typed: TypedProfile,
  { name }: Pick<Profile, 'name'>,
  texts: Texts,
): { readonly changes: Changes } | { readonly problems: Problems } => {
  const email = readEmail(typed.email ?? '', texts)
  const address = addressIn(typed, '')
  const shipping = addressIn(typed, 'shipping_')
  const recipient = typed.shipping_name || name
  const isRecipientWrong = shipping !== null && !fullName.safeParse(recipient).success
  if (!('email' in email) || address === 'wrong' || shipping === 'wrong' || isRecipientWrong)
    return {
      problems: {
        email: email.problem,
        ...(address === 'wrong' && { street: texts.wrongAddress }),
        ...(shipping === 'wrong' && { shipping_street: texts.wrongAddress }),
        ...(isRecipientWrong && { shipping_name: texts.wrongName }),
      },
    }
  const shippingAddress = shipping && { name: recipient, ...shipping }
  return { changes: { email: email.email, address, shippingAddress } }
}

export const emailField = (
  { texts }: Visitor,
  { email = '' }: TypedProfile = {},
  problems: Problems = {},
): Html => (
  <Field
    name="email"
    label={texts.email}
    problem={problems['email']}
    type="email"
    autocomplete="email"
    maxlength={200}
    value={email}
  />
)

const countryField = (
  { texts, locale }: Visitor,
  name: string,
  purpose: string,
  typed: string,
): Html => {
  const guess = typed || new Intl.Locale(locale).region
  return [
    <label for={name}>{texts.country}</label>,
    <select id={name} name={name} autocomplete={purpose}>
      <option value="">{texts.chooseCountry}</option>
      {countriesIn(locale).map(([code, country]) => (
        <option value={code} selected={code === guess}>
          {country}
        </option>
      ))}
    </select>,
  ]
}

/** The fields of the one address or the other. */
export const addressFields = (
  visitor: Visitor,
  prefix: '' | 'shipping_',
  typed: TypedProfile = {},
  problems: Problems = {},
): Html => {
  const { texts } = visitor
  const section = prefix === '' ? '' : 'shipping '
  const part = (name: Name, label: string, purpose: string, most: number) => (
    <Field
      name={name}
      label={label}
      problem={problems[name]}
      autocomplete={`${section}${purpose}`}
      maxlength={most}
      value={typed[name] ?? ''}
    />
  )
  const country = `${prefix}country` as const
  return [
    prefix !== '' && part('shipping_name', texts.recipient, 'name', 200),
    ' ',
    part(`${prefix}street`, texts.street, 'street-address', 200),
    <div class="pair">
      <div>{part(`${prefix}postal_code`, texts.postalCode, 'postal-code', 20)}</div>
      <div>{part(`${prefix}locality`, texts.locality, 'address-level2', 200)}</div>
    </div>,
    countryField(visitor, country, `${section}country`, typed[country] ?? ''),
  ]
}
