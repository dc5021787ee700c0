import { Actions, Crumbs, Form, Title, type Html } from '../../ui/components.tsx'
import type { Offered } from '../../../domain/merchant/offer.ts'
import { dayIn, startOf } from '../../../domain/time-zone.ts'
import { fieldOf, type FormOf } from '../../../http/forms.ts'
import { textsIn } from '../../../texts/catalogue.ts'
import { Field, hasProblems, hidden, plainForm, typed, type Problems } from '../../ui/fields.tsx'
import { typedAmount } from '../../ui/money.tsx'
import { portalPath } from '../areas.ts'
import type { PortalPage, PortalVisitor } from '../page.tsx'
import { dayNumber, textOfDay } from '../payments/query.ts'
import { amountAndTextFields, posHtml, posIdIn, type FormNeeds } from './form.tsx'
import type { Instant } from '../../../domain/time.ts'

export const linkForm = plainForm.extend({
  attempt: hidden('a form that is sent twice makes one link.'),
  amount: typed('In the currency of the merchant.', '125.50'),
  text: typed('What is sold.'),
  until: typed('The last day, `YYYY-MM-DD`.').optional(),
  stock: typed('How many can pay.', '20').optional(),
  pos: typed('A point of sale of a cashier.').optional(),
})

export type LinkFields = Readonly<Record<'amount' | 'text' | 'until' | 'stock' | 'pos', string>>

export const noLink: LinkFields = { amount: '', text: '', until: '', stock: '', pos: '' }

export const linkFieldsIn = (body: FormOf<typeof linkForm>): LinkFields => ({
  amount: fieldOf(body, 'amount'),
  text: fieldOf(body, 'text').trim().slice(0, 200),
  until: fieldOf(body, 'until'),
  stock: fieldOf(body, 'stock').trim(),
  pos: fieldOf(body, 'pos'),
})

/** Null for any number, undefined for what is none. */
export const stockIn = (typed: string): number | null | undefined => {
  if (typed === '') return null
  return /^[1-9]\d{0,8}$/.test(typed) ? Number(typed) : undefined
}

/** What to offer, or what is wrong with what was typed. */
export const readLink = (
  { shop, me, language }: PortalVisitor,
  { amount: typed, text, until: lastDay, stock: many, pos }: LinkFields,
  at: Instant,
): { readonly offer?: Offered; readonly problems?: Problems } => {
  const texts = textsIn[language].take
  const { merchant, currency, timeZone } = shop
  const amount = typedAmount(typed, currency) ?? 0
  const day = lastDay === '' ? null : (dayNumber(lastDay) ?? -1)
  const stock = stockIn(many)
  const isLate = day === null || day >= dayIn(timeZone, at)
  const problems = {
    ...(amount <= 0 && { amount: texts.wrongAmount }),
    ...(text === '' && { text: texts.linkWrongText }),
    ...(!isLate && { until: texts.linkWrongDay }),
    ...(stock === undefined && { stock: texts.linkWrongStock }),
  }
  if (stock === undefined || hasProblems(problems)) return { problems }
  const until = day === null ? null : startOf(timeZone, day + 1)
  return {
    offer: { merchant, posId: posIdIn(me.terms, pos), currency, amount, text, until, stock },
  }
}

export const StockField = ({
  language,
  value,
  problem,
}: Pick<PortalVisitor, 'language'> & { readonly value: string; readonly problem?: Html }): Html => (
  <Field
    name="stock"
    label={textsIn[language].take.linkStock}
    hint={textsIn[language].take.linkStockHint}
    problem={problem}
    inputmode="numeric"
    autocomplete="off"
    maxlength={9}
    value={value}
  />
)

type LinkFormView = {
  readonly fields: LinkFields
  readonly attempt: string
  readonly at: Instant
  readonly problems?: Problems
}

export const newLinkPage = (
  needs: FormNeeds,
  visitor: PortalVisitor,
  { fields, attempt, at, problems = {} }: LinkFormView,
): PortalPage => {
  const { shop, csrf, language } = visitor
  const texts = textsIn[language].take
  const path = portalPath(shop.merchant, 'links')
  return {
    title: texts.linkNew,
    status: hasProblems(problems) ? 400 : 200,
    body: [
      <Crumbs links={[[path, texts.links]]} />,
      <Title text={texts.linkNew} />,
      <Form
        class="card narrow-card take"
        action={portalPath(shop.merchant, 'new-link')}
        data-once=""
        hidden={{ csrf, attempt }}
      >
        {amountAndTextFields(visitor, fields, problems, texts.linkText)}
        <Field
          name="until"
          type="date"
          label={texts.linkLastDay}
          hint={texts.linkLastDayHint}
          problem={problems['until']}
          min={textOfDay(dayIn(shop.timeZone, at))}
          value={fields.until}
        />
        <StockField language={language} value={fields.stock} problem={problems['stock']} />
        {posHtml(needs, visitor, fields.pos)}
        <Actions button={texts.linkMake} />
      </Form>,
    ],
  }
}
