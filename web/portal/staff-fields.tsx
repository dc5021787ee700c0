import type { Html } from '../ui/components.tsx'
import { z } from 'zod'
import { staffRoles, staffTerms, type StaffTerms } from '../../domain/merchant/staff-roles.ts'
import { formatAmount } from '../../domain/money/money.ts'
import { fieldOf, fieldsOf, type FormOf } from '../../http/forms.ts'
import { type Problems, hidden, plainForm, typed, Check, Field } from '../ui/fields.tsx'
import { minorText, typedAmount } from '../ui/money.tsx'
import type { PortalVisitor } from './page.tsx'
import { textsIn } from '../../texts/catalogue.ts'
import type { Catalogue } from '../../texts/generated/texts.ts'

const changes = ['invite', 'role', 'remove', 'leave', 'end_session', 'withdraw'] as const

export const staffForm = plainForm.extend({
  change: z.enum(changes).meta({ description: 'Hidden in the form: what is changed.' }),
  member: hidden('whose role is changed, or who is removed.').optional(),
  attempt: hidden('a form that is sent twice asks once.').optional(),
  session: hidden('which of the own sessions ends.').optional(),
  phone: typed('Who is invited.', '+4799999901').optional(),
  role: z.enum(staffRoles as [string, ...string[]]).optional(),
  pos: z.array(z.string()).optional().meta({ description: 'The points of sale of a cashier.' }),
  refund_limit: typed('What support may refund of one payment.', '500').optional(),
  code: typed('A one-time code, to make or remove an owner.').optional(),
})

export type StaffForm = FormOf<typeof staffForm>

export type Pos = { readonly id: string; readonly name: string }

/** What was typed as a role with its bounds, or what is wrong with it. */
export const readTerms = (
  body: StaffForm,
  { currency }: { readonly currency: string },
  known: readonly Pos[],
  texts: Catalogue['staff'],
): { readonly terms: StaffTerms } | { readonly problems: Problems } => {
  const role = fieldOf(body, 'role')
  const pointsOfSale = fieldsOf(body, 'pos').filter((id) => known.some((one) => one.id === id))
  const limit = typedAmount(fieldOf(body, 'refund_limit'), currency)
  if (role === 'cashier' && pointsOfSale.length === 0) return { problems: { pos: texts.wrongPos } }
  if (role === 'support' && (limit === undefined || fieldOf(body, 'refund_limit') === ''))
    return { problems: { refund_limit: texts.wrongLimit } }
  const values = { role, pointsOfSale, refundLimit: { currency, amount: limit ?? 0 } }
  const read = staffTerms.safeParse(values)
  return read.success ? { terms: read.data } : { problems: { role: texts.wrongRole } }
}

/** A role, and within which bounds, as a reader sees it. */
export const termsText = (
  { language, locale }: PortalVisitor,
  terms: StaffTerms,
  pointsOfSale: readonly Pos[],
): string => {
  const texts = textsIn[language].staff
  if (terms.role === 'cashier') {
    const nameOf = (id: string) => pointsOfSale.find((one) => one.id === id)?.name ?? id
    return terms.pointsOfSale.map(nameOf).join(', ')
  }
  if (terms.role !== 'support') return ''
  const { amount, currency } = terms.refundLimit
  return texts.upTo({ amount: minorText(amount, currency, locale) })
}

export type TermsForm = {
  readonly role?: string
  readonly pos?: readonly string[]
  readonly limit?: string
  /** Whose role is changed. */
  readonly isOwner?: boolean
}

/** Terms as the fields of a form hold them. */
export const termsForm = (terms: StaffTerms): TermsForm => ({
  role: terms.role,
  isOwner: terms.role === 'owner',
  ...(terms.role === 'cashier' && { pos: terms.pointsOfSale }),
  ...(terms.role === 'support' && {
    limit: formatAmount(terms.refundLimit.amount, terms.refundLimit.currency),
  }),
})

/** The role, and its bounds where the role has any. */
export const termsFields = (
  visitor: PortalVisitor,
  known: readonly Pos[],
  { role, pos = [], limit = '', isOwner = false }: TermsForm,
  problems: Problems = {},
): Html => {
  const { shop, language } = visitor
  const texts = textsIn[language].staff
  const posProblem = problems['pos'] ? <p class="wrong small">{problems['pos']}</p> : null
  return [
    <fieldset class="choice roles">
      <legend>{texts.role}</legend>
      {problems['role'] ? (
        <p class="wrong small" role="alert">
          {problems['role']}
        </p>
      ) : null}
      {staffRoles.map((one) => (
        <Check
          type="radio"
          name="role"
          value={one}
          isChosen={one === role}
          isRequired
          text={textsIn[language].portal[`role_${one}`]}
          what={texts[`roleWhat_${one}`]}
        />
      ))}
    </fieldset>,
    <fieldset class="of-cashier">
      <legend>{texts.pos}</legend>
      {posProblem}
      <p class="quiet small">{known.length === 0 ? texts.posNone : texts.posHint}</p>
      {known.map(({ id, name }) => (
        <label class="check">
          <input type="checkbox" name="pos" value={id} checked={pos.includes(id)} />
          {name} <span class="quiet small">{id}</span>
        </label>
      ))}
    </fieldset>,
    <div class="of-support">
      <Field
        name="refund_limit"
        label={texts.limit}
        hint={texts.limitHint({ currency: shop.currency })}
        problem={problems['refund_limit']}
        inputmode="decimal"
        autocomplete="off"
        maxlength={20}
        value={limit}
      />
    </div>,
    ownerCode(visitor, problems, isOwner),
  ]
}

/** Owners are made and removed with the second factor. */
export const ownerCode = (
  { language, texts }: PortalVisitor,
  problems: Problems = {},
  isAlways = true,
): Html => (
  <div class={`of-owner ${isAlways ? 'always' : ''}`}>
    <Field
      name="code"
      label={texts.code}
      hint={textsIn[language].staff.codeHint}
      problem={problems['code']}
      inputmode="numeric"
      autocomplete="one-time-code"
      maxlength={30}
    />
  </div>
)
