import { Actions, Form, Link, Title, Wrong, type Html } from '../../ui/components.tsx'
import { z } from 'zod'
import { portalPos } from '../../../application/take-payment.ts'
import { pointsOfSaleOf, type StaffTerms } from '../../../domain/merchant/staff-roles.ts'
import { fieldOf, type FormOf } from '../../../http/forms.ts'
import {
  Check,
  Choice,
  Field,
  hasProblems,
  hidden,
  phoneField,
  plainForm,
  readInvited,
  typed,
  type Problems,
} from '../../ui/fields.tsx'
import { typedAmount } from '../../ui/money.tsx'
import { portalPath } from '../areas.ts'
import type { PortalPage, PortalVisitor } from '../page.tsx'
import { namesOfPos, type PosOf } from '../payments/query.ts'
import { textsIn } from '../../../texts/catalogue.ts'

/** How long the payer can answer, in seconds. */
const validities = ['900', '3600', '86400', '604800', '2592000'] as const

const validity = z.enum(validities)

const longestText = 200

const ways = ['phone', 'code'] as const

export const takeForm = plainForm.extend({
  attempt: hidden('a form that is sent twice takes one payment.'),
  amount: typed('In the currency of the merchant.', '125.50'),
  text: typed('What it is for.').optional(),
  how: z.enum(ways).meta({ description: 'From a phone number, or by a QR code and a link.' }),
  phone: typed('Who pays.', '+4799999901').optional(),
  valid: validity.meta({ description: 'How long the payer can answer, in seconds.' }).optional(),
  pos: typed('A point of sale of a cashier.').optional(),
  reserve: z.literal('yes').optional().meta({ description: 'Whether it is only reserved.' }),
})

export type TakeForm = FormOf<typeof takeForm>

/** As typed, or as the form begins. */
export type TakeFields = Readonly<
  Record<'amount' | 'text' | 'how' | 'phone' | 'valid' | 'pos', string>
> & {
  readonly isReserved: boolean
}

export const emptyFields: TakeFields = {
  amount: '',
  text: '',
  how: 'phone',
  phone: '',
  valid: validities[0],
  pos: '',
  isReserved: false,
}

export const fieldsIn = (body: TakeForm): TakeFields => ({
  amount: fieldOf(body, 'amount'),
  text: fieldOf(body, 'text').trim().slice(0, longestText),
  how: fieldOf(body, 'how'),
  phone: fieldOf(body, 'phone'),
  valid: fieldOf(body, 'valid'),
  pos: fieldOf(body, 'pos'),
  isReserved: fieldOf(body, 'reserve') === 'yes',
})

/** Where a member takes payments: a cashier at their own points of sale. */
export const posChoices = (terms: StaffTerms): readonly string[] =>
  pointsOfSaleOf(terms) ?? [portalPos]

/** The chosen one of these, else the first. */
export const posIdIn = (terms: StaffTerms, chosen: string): string => {
  const posIds = posChoices(terms)
  return posIds.find((id) => id === chosen) ?? posIds[0] ?? portalPos
}

/** What to request, or what is wrong with what was typed. */
export const readFields = (
  { shop, me, texts, language }: PortalVisitor,
  fields: TakeFields,
  readPhone: (typed: string) => string | undefined,
) => {
  const amount = typedAmount(fields.amount, shop.currency) ?? 0
  const invited =
    fields.how === 'code' ? { phone: null } : readInvited(texts, fields.phone, readPhone)
  const problems = {
    amount: amount > 0 ? undefined : textsIn[language].take.wrongAmount,
    phone: 'problem' in invited ? invited.problem : undefined,
  }
  if (hasProblems(problems) || 'problem' in invited) return { problems }
  const posId = posIdIn(me.terms, fields.pos)
  const expiresIn = Number(validity.catch(validities[0]).parse(fields.valid))
  const text = fields.text === '' ? null : fields.text
  const { phone } = invited
  return { taken: { amount, phone, posId, text, expiresIn, isReserved: fields.isReserved } }
}

/** Only a cashier with several points of sale chooses. */
export const posHtml = (
  needs: FormNeeds,
  { shop, me, language }: PortalVisitor,
  pos: string,
): Html => {
  const choices = posChoices(me.terms)
  if (choices.length < 2) return null
  const names = namesOfPos(needs, shop.merchant)
  return (
    <Choice
      name="pos"
      label={textsIn[language].take.pos}
      value={pos}
      of={choices.map((id) => [id, names.get(id) ?? id])}
    />
  )
}

const whoHtml = (
  { language, texts: own }: PortalVisitor,
  fields: TakeFields,
  problem: Html,
): Html => {
  const texts = textsIn[language].take
  return [
    <fieldset class="choice">
      <legend>{texts.how}</legend>
      {ways.map((way) => (
        <Check
          type="radio"
          name="how"
          value={way}
          isChosen={way === (fields.how === 'code' ? 'code' : 'phone')}
          isRequired
          text={texts[`how_${way}`]}
          what={texts[`howWhat_${way}`]}
        />
      ))}
    </fieldset>,
    <div class="of-phone">{phoneField(own, 'tel', fields.phone, problem, false)}</div>,
  ]
}

/** How much, and what for, which the payer sees. */
export const amountAndTextFields = (
  { shop, language }: PortalVisitor,
  fields: Pick<TakeFields, 'amount' | 'text'>,
  problems: Problems,
  label: string,
): Html => {
  const texts = textsIn[language].take
  return [
    <Field
      name="amount"
      label={texts.amount({ currency: shop.currency })}
      problem={problems['amount']}
      inputmode="decimal"
      autocomplete="off"
      maxlength={16}
      required
      value={fields.amount}
    />,
    <Field
      name="text"
      label={label}
      hint={texts.textHint}
      problem={problems['text']}
      autocomplete="off"
      maxlength={longestText}
      value={fields.text}
    />,
  ]
}

export type FormNeeds = { readonly posOf: PosOf }

export type FormView = {
  readonly fields: TakeFields
  readonly attempt: string
  readonly problems?: Problems
  /** What is wrong with all of it. */
  readonly problem?: string | undefined
  readonly status?: PortalPage['status'] | undefined
}

/** A payment to take: how much, what for, and from whom. */
export const takePage = (needs: FormNeeds, visitor: PortalVisitor, view: FormView): PortalPage => {
  const { shop, csrf, language } = visitor
  const { fields, attempt, problems = {}, problem, status } = view
  const texts = textsIn[language].take
  return {
    title: texts.title,
    status: status ?? (hasProblems(problems) ? 400 : 200),
    body: [
      <Title text={texts.title}>
        <Link class="button second" href={portalPath(shop.merchant, 'links')} text={texts.links} />
      </Title>,
      <Wrong text={problem} />,
      <Form
        class="card narrow-card take"
        action={portalPath(shop.merchant, 'take')}
        data-once=""
        hidden={{ csrf, attempt }}
      >
        {amountAndTextFields(visitor, fields, problems, texts.text)}
        {whoHtml(visitor, fields, problems['phone'])}
        {posHtml(needs, visitor, fields.pos)}
        <Choice
          name="valid"
          label={texts.valid}
          value={fields.valid}
          of={validities.map((seconds) => [seconds, texts[`valid_${seconds}`]])}
        />
        <Check
          type="checkbox"
          name="reserve"
          value="yes"
          isChosen={fields.isReserved}
          text={texts.reserve}
          what={texts.reserveWhat}
        />
        <Actions button={texts.button} />
      </Form>,
    ],
  }
}
