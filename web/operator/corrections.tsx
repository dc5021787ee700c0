import { Actions, Card, Facts, Form, Quiet, Table, Title, Wrong } from '../ui/components.tsx'
import type { Html, Row } from '../ui/components.tsx'
import { operateCorrections, owedBy } from '../../application/corrections.ts'
import type { FindTerms } from '../../application/fee-book.ts'
import type { Deciding } from '../../application/handle.ts'
import { operatorActor, type OperatorWork } from '../../application/operators.ts'
import { longestReason, type KnownCorrection } from '../../domain/accounting/correction.ts'
import { defaultLedger } from '../../domain/accounting/ledger.ts'
import { merchants } from '../../domain/aggregates.ts'
import { showsSomething } from '../../domain/blanks.ts'
import { isCurrency } from '../../domain/money/currency.ts'
import { operatorMayDo } from '../../domain/people/operator-roles.ts'
import { refuse } from '../../domain/refusal.ts'
import { generatedId } from '../../http/addresses.ts'
import { fieldOf, type FormOf } from '../../http/forms.ts'
import type { Route } from '../../http/route.ts'
import type { CorrectionRow } from '../../projections/corrections.ts'
import type { Queries } from '../../projections/read-models.ts'
import { textsIn } from '../../texts/catalogue.ts'
import type { Visits } from '../payer/session.tsx'
import { sumText } from '../portal/money-parts.tsx'
import { codeProblem } from '../staff/guard.tsx'
import { Check, codeField, Field, hidden, plainForm, typed } from '../ui/fields.tsx'
import { minorText, utcTime, typedSigned } from '../ui/money.tsx'
import { operatorPath } from './areas.ts'
import { merchantPath } from './merchants.tsx'
import { storyHref } from './payouts/list.tsx'
import {
  contextOfOperator,
  nameFor,
  operatorPages,
  problemOf,
  type OperatorNeeds,
  type OperatorPage,
  type OperatorVisitor,
} from './pages.tsx'

type CorrectionNeeds = OperatorNeeds &
  Deciding &
  Pick<OperatorWork, 'nameOf'> &
  Pick<Queries['accounting'], 'corrections' | 'journal'> & {
    readonly newId: () => string
    readonly findTerms: FindTerms
    readonly shopName: (merchant: string) => string
  }

const path = '/operator/corrections'

const mostListed = 100

/** What is typed to propose a correction, or a click that decides one. */
const correctionForm = plainForm.extend({
  id: hidden('of the correction: a repeat does nothing.'),
  act: hidden('propose, approve or reject.'),
  merchant: typed('Whose it is.').optional(),
  ledger: typed('Which gets the line.').optional(),
  amount: typed('Below zero to take it.').optional(),
  currency: typed('Else that of the merchant.').optional(),
  write_off: typed('yes: write off a debt.').optional(),
  reason: typed('Shown to the merchant.').optional(),
  code: typed('A one-time code.'),
})

type CorrectionForm = FormOf<typeof correctionForm>

const textsOf = ({ language }: OperatorVisitor) => textsIn[language].corrections

const placeText = (
  { ledger, isWriteOff, invoice }: KnownCorrection,
  visitor: OperatorVisitor,
): string => {
  const texts = textsOf(visitor)
  if (invoice) return texts.invoice({ id: invoice.id, day: invoice.paid?.day ?? 'none' })
  return isWriteOff ? texts.writeOff : texts.ledgerOf({ ledger })
}

const amountText = ({ amount, currency }: KnownCorrection, { locale }: OperatorVisitor): string =>
  minorText(amount, currency, locale)

const decideForm = (visitor: OperatorVisitor, id: string, act: 'approve' | 'reject'): Html => {
  const texts = textsOf(visitor)
  return (
    <Form action={path} hidden={{ csrf: visitor.csrf, id, act }}>
      {codeField(visitor.texts, undefined, { 'aria-label': texts[act] })}
      <Actions kind={act === 'approve' ? '' : 'second'} button={texts[act]} />
    </Form>
  )
}

const waitingHtml = async (
  needs: CorrectionNeeds,
  visitor: OperatorVisitor,
  { id, at, merchant, correction }: CorrectionRow,
): Promise<Html> => {
  const texts = textsOf(visitor)
  const isOwn = correction.by === operatorActor(visitor.me.member)
  const mayDecide = operatorMayDo(visitor.me.terms, 'decide_corrections')
  return (
    <Card title={amountText(correction, visitor)}>
      <Facts
        kind="money-facts"
        of={[
          [texts.merchant, <a href={merchantPath(merchant)}>{needs.shopName(merchant)}</a>],
          [texts.where, placeText(correction, visitor)],
          [texts.reason, correction.reason],
          [texts.proposedBy, await nameFor(needs, correction.by)],
          [texts.when, utcTime(at, visitor.locale)],
        ]}
      />
      {mayDecide && isOwn && <p class="quiet small">{texts.another}</p>}
      {mayDecide && !isOwn && decideForm(visitor, id, 'approve')}
      {mayDecide && decideForm(visitor, id, 'reject')}
    </Card>
  )
}

const decidedHtml = (
  { corrections, shopName }: CorrectionNeeds,
  visitor: OperatorVisitor,
): Html => {
  const texts = textsOf(visitor)
  const rows = (['approved', 'turned_down'] as const)
    .flatMap((status) => corrections.decided(status, Number.MAX_SAFE_INTEGER, mostListed))
    .sort((one, other) => other.position - one.position)
    .slice(0, mostListed)
    .map(({ id, at, merchant, status, correction }): Row => [
      { head: <a href={storyHref(`correction-${id}`)}>{utcTime(at, visitor.locale)}</a> },
      shopName(merchant),
      { number: amountText(correction, visitor) },
      placeText(correction, visitor),
      status === 'approved' ? texts.approved : texts.rejected,
      correction.reason,
    ])
  if (rows.length === 0) return null
  const columns = [texts.where, texts.state, texts.reason]
  const heads = [texts.when, texts.merchant, { number: texts.amount }, ...columns]
  return (
    <Card title={texts.decided}>
      <Table label={texts.decided} kind="grid stacks" heads={heads} rows={rows} />
    </Card>
  )
}

const debtsHtml = ({ journal, shopName }: CorrectionNeeds, visitor: OperatorVisitor): Html => {
  const texts = textsOf(visitor)
  const rows = owedBy(journal).map(({ merchant, currency, owed }): Row => [
    { head: <a href={merchantPath(merchant)}>{shopName(merchant)}</a> },
    { number: sumText(owed, currency, visitor) },
  ])
  if (rows.length === 0) return null
  const heads = [texts.merchant, { number: texts.amount }]
  return (
    <Card title={texts.debts}>
      <p class="quiet">{texts.debtsWhat}</p>
      <Table label={texts.debts} kind="grid" heads={heads} rows={rows} />
    </Card>
  )
}

const proposeForm = (visitor: OperatorVisitor, id: string, values: CorrectionForm): Html => {
  const texts = textsOf(visitor)
  const value = (name: 'merchant' | 'ledger' | 'amount' | 'currency' | 'reason') =>
    fieldOf(values, name)
  return (
    <Form
      class="card narrow-card"
      action={path}
      hidden={{ csrf: visitor.csrf, id, act: 'propose' }}
    >
      <h2>{texts.propose}</h2>
      <p class="quiet">{texts.proposeWhat}</p>
      <Field
        name="merchant"
        label={texts.merchantId}
        value={value('merchant')}
        autocapitalize="none"
        required
      />
      <Field
        name="amount"
        label={texts.amount}
        hint={texts.amountWhat}
        value={value('amount')}
        maxlength={20}
        required
      />
      <Field name="currency" label={texts.currency} value={value('currency')} maxlength={3} />
      <Field name="ledger" label={texts.ledger} value={value('ledger') || defaultLedger} />
      <Check
        type="checkbox"
        name="write_off"
        value="yes"
        isChosen={fieldOf(values, 'write_off') === 'yes'}
        text={texts.writeOff}
        what={texts.writeOffWhat}
      />
      <Field
        name="reason"
        label={texts.reason}
        value={value('reason')}
        maxlength={longestReason}
        required
      />
      {codeField(visitor.texts)}
      <Actions button={texts.propose} />
    </Form>
  )
}

const pageOf = async (
  needs: CorrectionNeeds,
  visitor: OperatorVisitor,
  values: CorrectionForm = {},
  problem?: string,
): Promise<OperatorPage> => {
  const texts = textsOf(visitor)
  const waiting = needs.corrections.proposed(mostListed)
  const id = fieldOf(values, 'act') === 'propose' ? fieldOf(values, 'id') : ''
  return {
    title: texts.title,
    status: problem === undefined ? 200 : 400,
    body: [
      <Title text={texts.title} />,
      <Wrong text={problem} />,
      waiting.length === 0 && <Quiet text={texts.none} />,
      await Promise.all(waiting.map((row) => waitingHtml(needs, visitor, row))),
      operatorMayDo(visitor.me.terms, 'decide_corrections') &&
        proposeForm(visitor, id || needs.newId().replaceAll('-', ''), values),
      debtsHtml(needs, visitor),
      decidedHtml(needs, visitor),
    ],
  }
}

/** What was typed, or what is wrong with it. */
const readProposal = async (
  { find }: CorrectionNeeds,
  visitor: OperatorVisitor,
  form: CorrectionForm,
) => {
  const texts = textsOf(visitor)
  const merchant = fieldOf(form, 'merchant').trim()
  const shop = generatedId.safeParse(merchant).success && (await find(merchants, merchant, 'log'))
  if (!shop || shop.status !== 'present') return { problem: texts.wrongMerchant }
  const currency = fieldOf(form, 'currency').trim().toUpperCase() || shop.data.currency
  if (!isCurrency(currency)) return { problem: texts.wrongCurrency }
  const amount = typedSigned(fieldOf(form, 'amount'), currency)
  if (amount === undefined) return { problem: texts.wrongAmount }
  const reason = fieldOf(form, 'reason').trim().slice(0, longestReason)
  if (!showsSomething(reason)) return { problem: texts.wrongReason }
  const ledger = fieldOf(form, 'ledger').trim() || defaultLedger
  const isWriteOff = fieldOf(form, 'write_off') === 'yes'
  const about = { merchant, ledger, currency, amount, reason }
  return { wanted: { ...about, ...(isWriteOff && { isWriteOff: true as const }) } }
}

/** Proposes or decides. The reader corrects what is refused. */
export const operatorCorrectionRoutes = (needs: CorrectionNeeds, visits: Visits): Route[] => {
  const { page, form, confirm } = operatorPages(needs, visits)
  const { propose, approve, turnDown } = operateCorrections(needs)
  const place = { path, area: 'corrections' } as const
  const summary = 'Corrections that wait for a second person, and what merchants owe'
  return [
    page({ ...place, action: 'see_journal', summary }, async (visitor) => pageOf(needs, visitor)),
    form(
      {
        ...place,
        action: 'decide_corrections',
        ownForm: correctionForm,
        summary: 'Propose a correction, approve it or turn it down',
        hasNextPage: true,
      },
      async (visitor, call) => {
        const values = call.body
        const id = fieldOf(values, 'id')
        if (!/^[\w-]{1,35}$/.test(id)) return refuse('resource_is_unknown')
        const again = (problem: string) => pageOf(needs, visitor, values, problem)
        const code = await codeProblem(confirm, visitor, call)
        if (code !== undefined) return again(code)
        const contextOf = (merchant: string) => contextOfOperator(call, visitor, merchant)
        const act = fieldOf(values, 'act')
        const isProposal = act !== 'approve' && act !== 'reject'
        const read = isProposal ? await readProposal(needs, visitor, values) : undefined
        if (read && 'problem' in read) return again(read.problem)
        const problem = await problemOf(visitor, async () => {
          if (read) return propose(id, read.wanted, contextOf(read.wanted.merchant))
          return act === 'approve' ? approve(id, contextOf) : turnDown(id, contextOf)
        })
        if (problem !== undefined) return again(problem)
        return visits.go(visitor, operatorPath('corrections'))
      },
    ),
  ]
}
