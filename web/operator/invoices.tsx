import {
  Actions,
  Card,
  Crumbs,
  Facts,
  Form,
  Quiet,
  Table,
  Title,
  Wrong,
} from '../ui/components.tsx'
import type { Html, Row } from '../ui/components.tsx'
import { z } from 'zod'
import { operateCorrections, owedBy, type Owed } from '../../application/corrections.ts'
import type { FindTerms } from '../../application/fee-book.ts'
import type { Deciding } from '../../application/handle.ts'
import { billDebts } from '../../application/invoices.ts'
import { longestReason } from '../../domain/accounting/correction.ts'
import { defaultLedger } from '../../domain/accounting/ledger.ts'
import { settlements } from '../../domain/aggregates.ts'
import { showsSomething } from '../../domain/blanks.ts'
import { addUp, formatAmount, negated } from '../../domain/money/money.ts'
import { operatorMayDo } from '../../domain/people/operator-roles.ts'
import { refuse } from '../../domain/refusal.ts'
import { streamOf } from '../../domain/stream.ts'
import { dayMs, isDay } from '../../domain/time.ts'
import { fieldOf, type FormOf } from '../../http/forms.ts'
import type { Route } from '../../http/route.ts'
import type { InvoiceRow } from '../../projections/invoices.ts'
import type { Queries } from '../../projections/read-models.ts'
import { textsIn } from '../../texts/catalogue.ts'
import type { Visits } from '../payer/session.tsx'
import { dayText, sumText } from '../portal/money-parts.tsx'
import { codeProblem } from '../staff/guard.tsx'
import { codeField, Field, hidden, plainForm, typed } from '../ui/fields.tsx'
import { utcTime, typedAmount } from '../ui/money.tsx'
import { operatorPath } from './areas.ts'
import { merchantPath } from './merchants.tsx'
import { storyHref } from './payouts/list.tsx'
import {
  contextOfOperator,
  operatorPages,
  problemOf,
  type OperatorNeeds,
  type OperatorPage,
  type OperatorVisitor,
} from './pages.tsx'

type InvoiceNeeds = OperatorNeeds &
  Deciding &
  Pick<Queries['accounting'], 'invoices' | 'journal' | 'settlements'> & {
    readonly newId: () => string
    readonly findTerms: FindTerms
    readonly shopName: (merchant: string) => string
  }

const path = '/operator/invoices'

const mostListed = 100

const billForm = plainForm.extend({
  merchant: hidden('who owes it.'),
  currency: hidden('of the debt.'),
  owed: hidden('what is owed: nothing is invoiced if it is another sum by now.'),
  code: typed('A one-time code.'),
})

/** What came in for an invoice, or what of it is written off: another person approves. */
const payForm = plainForm.extend({
  id: hidden('of the correction: a repeat does nothing.'),
  act: z.enum(['pay', 'off']).meta({ description: 'Hidden in the form: what is proposed.' }),
  amount: typed('What came in.').optional(),
  day: typed("The bank's booking day, YYYY-MM-DD.").optional(),
  reference: typed('What names the payment: each counts once; or why it is not paid.').optional(),
  code: typed('A one-time code.'),
})

type PayForm = FormOf<typeof payForm>

const textsOf = ({ language }: OperatorVisitor) => ({
  texts: textsIn[language].invoices,
  words: textsIn[language].corrections,
  ages: textsIn[language].funding,
})

const mayAct = ({ me }: OperatorVisitor): boolean => operatorMayDo(me.terms, 'decide_corrections')

const hrefOf = ({ id }: Pick<InvoiceRow, 'id'>): string => operatorPath(`invoices/${id}`)

const debtHtml = ({ shopName }: InvoiceNeeds, visitor: OperatorVisitor, debt: Owed): Html => {
  const { texts, words } = textsOf(visitor)
  const { merchant, currency, owed } = debt
  const shop = <a href={merchantPath(merchant)}>{shopName(merchant)}</a>
  return (
    <Card title={sumText(owed, currency, visitor)}>
      <Facts kind="money-facts" of={[[words.merchant, shop]]} />
      {mayAct(visitor) && (
        <Form action={path} hidden={{ csrf: visitor.csrf, merchant, currency, owed }}>
          {codeField(visitor.texts, undefined, { 'aria-label': texts.bill })}
          <Actions button={texts.bill} />
        </Form>
      )}
    </Card>
  )
}

/** Days since it was billed. */
const ageOf = ({ at }: InvoiceRow, { at: now }: OperatorVisitor): number =>
  Math.max(0, Math.floor((now - at) / dayMs))

const openTable = ({ invoices, shopName }: InvoiceNeeds, visitor: OperatorVisitor): Html => {
  const { texts, words, ages } = textsOf(visitor)
  const sum = (of: string, { currency }: InvoiceRow) => sumText(of, currency, visitor)
  const open = invoices
    .unpaid(mostListed)
    .map((row): Row => [
      { head: <a href={hrefOf(row)}>{row.id}</a> },
      shopName(row.merchant),
      { number: sum(row.amount, row) },
      { number: <b>{sum(row.open, row)}</b> },
      ages.days({ count: ageOf(row, visitor) }),
    ])
  const paid = invoices
    .paid(mostListed)
    .map((row): Row => [
      { head: <a href={hrefOf(row)}>{row.id}</a> },
      shopName(row.merchant),
      { number: sum(row.amount, row) },
      dayText(row.paidOn ?? '', visitor),
    ])
  const heads = [texts.number, words.merchant, { number: words.amount }]
  return [
    <Card title={texts.openList}>
      {open.length === 0 ? (
        <Quiet text={texts.none} />
      ) : (
        <Table
          label={texts.openList}
          kind="grid stacks"
          heads={[...heads, { number: ages.open }, ages.age]}
          rows={open}
        />
      )}
    </Card>,
    paid.length > 0 && (
      <Card title={texts.paidList}>
        <Table
          label={texts.paidList}
          kind="grid stacks"
          heads={[...heads, texts.paidOn]}
          rows={paid}
        />
      </Card>
    ),
  ]
}

const listPage = (
  needs: InvoiceNeeds,
  visitor: OperatorVisitor,
  problem?: string,
): OperatorPage => {
  const { texts, words } = textsOf(visitor)
  const debts = owedBy(needs.journal)
  return {
    title: texts.title,
    status: problem === undefined ? 200 : 400,
    body: [
      <Title text={texts.title} />,
      <Wrong text={problem} />,
      openTable(needs, visitor),
      debts.length > 0 && [
        <h2>{words.debts}</h2>,
        <p class="quiet">{texts.billWhat}</p>,
        debts.map((debt) => debtHtml(needs, visitor, debt)),
      ],
    ],
  }
}

const payHtml = (
  { newId }: InvoiceNeeds,
  visitor: OperatorVisitor,
  row: InvoiceRow,
  act: 'pay' | 'off',
  sent: PayForm,
): Html => {
  const { texts, words, ages } = textsOf(visitor)
  const values = sent.act === act ? sent : {}
  const id = fieldOf(values, 'id') || newId().replaceAll('-', '')
  return (
    <Form class="card narrow-card" action={hrefOf(row)} hidden={{ csrf: visitor.csrf, id, act }}>
      <h2>{texts[act]}</h2>
      <p class="quiet">{texts[`${act}What`]}</p>
      <Field
        name="amount"
        label={words.amount}
        inputmode="decimal"
        maxlength={20}
        value={fieldOf(values, 'amount') || formatAmount(row.open, row.currency)}
        required
      />
      {act === 'pay' && (
        <Field name="day" type="date" label={ages.day} value={fieldOf(values, 'day')} required />
      )}
      <Field
        name="reference"
        label={act === 'pay' ? ages.reference : words.reason}
        maxlength={act === 'pay' ? 140 : longestReason}
        value={fieldOf(values, 'reference')}
        required
      />
      {codeField(visitor.texts)}
      <Actions kind={act === 'pay' ? '' : 'second'} button={texts[act]} />
    </Form>
  )
}

const invoicePage = (
  needs: InvoiceNeeds,
  visitor: OperatorVisitor,
  row: InvoiceRow,
  values: PayForm = {},
  problem?: string,
): OperatorPage => {
  const { texts, words, ages } = textsOf(visitor)
  const { id, merchant, amount, open, currency, at } = row
  const title = texts.invoice({ id })
  const sum = (of: string) => sumText(of, currency, visitor)
  return {
    title,
    status: problem === undefined ? 200 : 400,
    body: [
      <Crumbs links={[[operatorPath('invoices'), texts.title]]} />,
      <Title text={title} />,
      <Wrong text={problem} />,
      <section class="card">
        <Facts
          kind="money-facts"
          of={[
            [words.merchant, <a href={merchantPath(merchant)}>{needs.shopName(merchant)}</a>],
            [words.when, utcTime(at, visitor.locale)],
            [words.amount, sum(amount)],
            [texts.paid, sum(addUp(amount, negated(open)))],
            [ages.open, <b>{sum(open)}</b>],
            [ages.story, <a href={storyHref(streamOf(settlements, merchant))}>{ages.show}</a>],
          ]}
        />
      </section>,
      open !== '0' &&
        mayAct(visitor) &&
        (['pay', 'off'] as const).map((act) => payHtml(needs, visitor, row, act, values)),
    ],
  }
}

/** What was typed, or what is wrong with it. */
const readProposal = (row: InvoiceRow, visitor: OperatorVisitor, form: PayForm) => {
  const { id, merchant, currency } = row
  const { texts } = textsOf(visitor)
  const minor = typedAmount(fieldOf(form, 'amount'), currency)
  if (!minor) return { problem: textsIn[visitor.language].disputes.wrongAmount }
  const about = { merchant, ledger: defaultLedger, currency, amount: minor }
  const reason = fieldOf(form, 'reference').trim()
  if (form.act === 'off') {
    if (!showsSomething(reason)) return { problem: textsOf(visitor).words.wrongReason }
    const why = reason.slice(0, longestReason)
    return { wanted: { ...about, reason: why, isWriteOff: true as const, invoice: { id } } }
  }
  const day = fieldOf(form, 'day')
  if (!isDay(day)) return { problem: texts.wrongDay }
  const entry = reason.slice(0, 140)
  if (!showsSomething(entry)) return { problem: texts.wrongReference }
  return { wanted: { ...about, reason: entry, invoice: { id, paid: { day, entry } } } }
}

/** Debts and invoices of all merchants. */
export const operatorInvoiceRoutes = (needs: InvoiceNeeds, visits: Visits): Route[] => {
  const { page, form, confirm } = operatorPages(needs, visits)
  const bill = billDebts(needs)
  const { propose } = operateCorrections(needs)
  const seeing = { action: 'see_journal', area: 'invoices' } as const
  const acting = { action: 'decide_corrections', area: 'invoices', hasNextPage: true } as const
  const one = {
    path: `${path}/:invoice`,
    params: z.object({ invoice: z.string().regex(/^[\w-]{1,60}$/) }),
  }
  const find = (id: string) => needs.invoices.find(id) ?? refuse('resource_is_unknown')
  return [
    page({ ...seeing, path, summary: 'Invoices for what merchants owe' }, async (visitor) =>
      listPage(needs, visitor),
    ),
    form(
      { ...acting, path, ownForm: billForm, summary: 'Invoice what a merchant owes' },
      async (visitor, call) => {
        const code = await codeProblem(confirm, visitor, call)
        if (code !== undefined) return listPage(needs, visitor, code)
        const [merchant, currency] = [
          fieldOf(call.body, 'merchant'),
          fieldOf(call.body, 'currency'),
        ]
        const now = owedBy(needs.journal).find(
          (debt) => debt.merchant === merchant && debt.currency === currency,
        )
        // A form that is sent twice finds no debt, and its invoice.
        if (now && now.owed !== fieldOf(call.body, 'owed'))
          return listPage(needs, visitor, textsOf(visitor).texts.changed)
        const problem = await problemOf(visitor, () =>
          bill(merchant, currency, contextOfOperator(call, visitor, merchant)),
        )
        if (problem !== undefined) return listPage(needs, visitor, problem)
        return visits.go(visitor, path)
      },
    ),
    page({ ...seeing, ...one, summary: 'An invoice' }, async (visitor, call) =>
      invoicePage(needs, visitor, find(call.params.invoice)),
    ),
    form(
      { ...acting, ...one, ownForm: payForm, summary: 'Propose what came in, or is written off' },
      async (visitor, call) => {
        const row = find(call.params.invoice)
        const again = (problem: string) => invoicePage(needs, visitor, row, call.body, problem)
        const code = await codeProblem(confirm, visitor, call)
        if (code !== undefined) return again(code)
        const read = readProposal(row, visitor, call.body)
        if ('problem' in read) return again(read.problem)
        const context = contextOfOperator(call, visitor, row.merchant)
        const problem = await problemOf(visitor, () =>
          propose(fieldOf(call.body, 'id'), read.wanted, context),
        )
        const waiting = operatorPath('corrections')
        return problem === undefined ? visits.go(visitor, waiting) : again(problem)
      },
    ),
  ]
}
