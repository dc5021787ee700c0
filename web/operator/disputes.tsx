import { Actions, Card, Facts, Form, Quiet, Table, Title, Wrong } from '../ui/components.tsx'
import type { Html, Row } from '../ui/components.tsx'
import { z } from 'zod'
import type { SealedBlobs } from '../../application/blobs.ts'
import { operateDisputes, requestedPayment } from '../../application/disputes.ts'
import type { FindTerms } from '../../application/fee-book.ts'
import type { Deciding } from '../../application/handle.ts'
import { operatorMayDo } from '../../domain/people/operator-roles.ts'
import { disputeId, isClosed, longestReason } from '../../domain/payment/dispute.ts'
import {
  refundable,
  type Dispute,
  type RequestedPayment,
} from '../../domain/payment/payment-state.ts'
import { refuse } from '../../domain/refusal.ts'
import { dayMs } from '../../domain/time.ts'
import { generatedId } from '../../http/addresses.ts'
import { searchOf, type Call } from '../../http/call.ts'
import { fieldOf, type FormOf } from '../../http/forms.ts'
import type { Names } from '../../http/assets.ts'
import { mediaTypesOf } from '../../http/merchant/attachment-content.ts'
import { fileNames } from '../../http/merchant/attachment.ts'
import type { Route } from '../../http/route.ts'
import type { Queries } from '../../projections/read-models.ts'
import { textsIn } from '../../texts/catalogue.ts'
import type { Visits } from '../payer/session.tsx'
import { disputeBadge } from '../portal/payments/disputes.tsx'
import { grossOf } from '../portal/payments/preview.tsx'
import { codeProblem } from '../staff/guard.tsx'
import { codeField, Field, hidden, plainForm, anyText, typed } from '../ui/fields.tsx'
import { minorText, utcTime, typedAmount } from '../ui/money.tsx'
import { pageHeaders } from '../ui/page.tsx'
import { operatorPath } from './areas.ts'
import { storyHref } from './payouts/list.tsx'
import {
  contextOfOperator,
  operatorPages,
  type OperatorNeeds,
  type OperatorPage,
  type OperatorVisitor,
} from './pages.tsx'

type DisputeNeeds = OperatorNeeds &
  Deciding &
  Pick<Queries['payments'], 'disputes'> & {
    readonly names: Names
    readonly findTerms: FindTerms
    readonly attachedContents: Pick<SealedBlobs, 'get'>
    readonly shopName: (merchant: string) => string
  }

const seeing = { action: 'see_journal', area: 'disputes' } as const

const path = '/operator/payment'

const mostListed = 200

const paymentHref = (tid: string): string => operatorPath(`payment?tid=${tid}`)

/** What is typed to open a dispute, or a click that closes one. */
const disputeForm = plainForm.extend({
  tid: hidden('the payment.'),
  number: hidden('the number of the dispute: a repeat does nothing.'),
  act: hidden('open, won or lost.'),
  amount: typed('How much; else all that is left.').optional(),
  fee: typed('What it costs the merchant.').optional(),
  reason: typed('Shown to the merchant.').optional(),
  due: typed('The last day for evidence, YYYY-MM-DD.').optional(),
  code: typed('A one-time code.'),
})

type DisputeForm = FormOf<typeof disputeForm>

type DisputeView = {
  readonly visitor: OperatorVisitor
  readonly tid: string
  readonly payment: RequestedPayment
}

const listPage = ({ disputes, shopName }: DisputeNeeds, visitor: OperatorVisitor): OperatorPage => {
  const texts = textsIn[visitor.language].disputes
  const rows = disputes
    .open(mostListed)
    .map(({ tid, merchant, currency, dispute }): Row => [
      { head: utcTime(dispute.due, visitor.locale) },
      <a href={paymentHref(tid)}>{shopName(merchant)}</a>,
      { number: minorText(grossOf(dispute), currency, visitor.locale) },
      disputeBadge(texts, dispute),
      dispute.reason,
    ])
  const heads = [texts.due, texts.merchant, { number: texts.amount }, texts.state, texts.reason]
  return {
    title: texts.title,
    body: [
      <Title text={texts.title} />,
      <form class="choices" method="get" action={path}>
        <div>
          <label for="tid">{texts.tid}</label>
          <input id="tid" name="tid" autocapitalize="none" required />
        </div>
        <button class="second">{texts.find}</button>
      </form>,
      rows.length === 0 ? (
        <Quiet text={texts.none} />
      ) : (
        <Table label={texts.title} kind="grid stacks" heads={heads} rows={rows} />
      ),
    ],
  }
}

const evidenceHref = (id: string, number: string): string =>
  operatorPath(`disputes/${id}/evidence/${number}`)

const closeForm = ({ visitor, tid }: DisputeView, number: number, act: 'won' | 'lost'): Html => {
  const texts = textsIn[visitor.language].disputes
  return (
    <Form action={path} hidden={{ csrf: visitor.csrf, tid, number: String(number), act }}>
      {codeField(visitor.texts, undefined, { 'aria-label': texts[`close_${act}`] })}
      <Actions kind="second" button={texts[`close_${act}`]} />
    </Form>
  )
}

const oneHtml = (view: DisputeView, dispute: Dispute, number: number): Html => {
  const { visitor, tid, payment } = view
  const { locale, language } = visitor
  const texts = textsIn[language].disputes
  const id = disputeId(tid, number)
  const amount = (minor: number) => minorText(minor, payment.request.currency, locale)
  const mayClose = !isClosed(dispute) && operatorMayDo(visitor.me.terms, 'decide_disputes')
  return (
    <Card title={[id, ' ', disputeBadge(texts, dispute)]}>
      <Facts
        kind="money-facts"
        of={[
          [texts.amount, amount(grossOf(dispute))],
          [texts.fee, amount(dispute.charge.fee)],
          [texts.reason, dispute.reason],
          [texts.due, utcTime(dispute.due, locale)],
          [
            dispute.evidence.length === 0
              ? texts.evidenceNone
              : texts.evidence({ count: dispute.evidence.length }),
            dispute.evidence.map((one) => [
              <a href={evidenceHref(id, one.id)}>{fileNames[one.kind]}</a>,
              ' ',
            ]),
          ],
        ]}
      />
      {mayClose && [closeForm(view, number, 'won'), closeForm(view, number, 'lost')]}
    </Card>
  )
}

const openForm = ({ visitor, tid, payment }: DisputeView, values: DisputeForm): Html => {
  const texts = textsIn[visitor.language].disputes
  const { currency } = payment.request
  const left = minorText(grossOf(refundable(payment)), currency, visitor.locale)
  const number = String(payment.disputes.length + 1)
  const money = { inputmode: 'decimal', maxlength: 20 } as const
  const value = (name: 'amount' | 'fee' | 'reason' | 'due') => fieldOf(values, name)
  return (
    <Form
      class="card narrow-card"
      action={path}
      hidden={{ csrf: visitor.csrf, tid, number, act: 'open' }}
    >
      <h2>{texts.open}</h2>
      <p class="quiet">{texts.openWhat}</p>
      <Field
        {...money}
        name="amount"
        label={texts.amount}
        hint={texts.amountWhat({ amount: left })}
        value={value('amount')}
      />
      <Field {...money} name="fee" label={texts.fee} hint={texts.feeWhat} value={value('fee')} />
      <Field
        name="reason"
        label={texts.reason}
        value={value('reason')}
        maxlength={longestReason}
        required
      />
      <Field
        name="due"
        type="date"
        label={texts.due}
        hint={texts.dueWhat}
        value={value('due')}
        required
      />
      {codeField(visitor.texts)}
      <Actions button={texts.open} />
    </Form>
  )
}

const paymentPage = (
  view: DisputeView,
  values: DisputeForm = {},
  problem?: string,
): OperatorPage => {
  const { visitor, tid, payment } = view
  const { language, locale } = visitor
  const [texts, words] = [textsIn[language].disputes, textsIn[language].payments]
  const { request, captured, refunded, disputed, disputes } = payment
  const amount = (pots: RequestedPayment['captured']) =>
    minorText(grossOf(pots), request.currency, locale)
  const mayOpen =
    operatorMayDo(visitor.me.terms, 'decide_disputes') && grossOf(refundable(payment)) > 0
  return {
    title: texts.payment({ order: request.posTid }),
    status: problem === undefined ? 200 : 400,
    body: [
      <Title text={texts.payment({ order: request.posTid })} />,
      <Wrong text={problem} />,
      <section class="card">
        <Facts
          kind="money-facts"
          of={[
            [texts.merchant, request.merchant],
            [
              texts.tid,
              <a href={storyHref(tid)}>
                <code>{tid}</code>
              </a>,
            ],
            [words.captured, amount(captured)],
            [words.refunded, amount(refunded)],
            [words.disputed, amount(disputed)],
          ]}
        />
      </section>,
      disputes.map((dispute, index) => oneHtml(view, dispute, index + 1)),
      mayOpen && openForm(view, values),
    ],
  }
}

/** What was typed, or what is wrong with it. */
const readDispute = ({ visitor, payment }: DisputeView, form: DisputeForm) => {
  const texts = textsIn[visitor.language].disputes
  const { currency } = payment.request
  const [amount, reason, day] = [
    fieldOf(form, 'amount'),
    fieldOf(form, 'reason'),
    fieldOf(form, 'due'),
  ]
  const [gross, fee] = [typedAmount(amount, currency), typedAmount(fieldOf(form, 'fee'), currency)]
  if (gross === undefined || fee === undefined) return { problem: texts.wrongAmount }
  if (reason === '') return { problem: texts.wrongReason }
  const due = /^\d{4}-\d\d-\d\d$/.test(day) ? Date.parse(`${day}T00:00:00Z`) + dayMs : Number.NaN
  if (Number.isNaN(due)) return { problem: texts.wrongDue }
  const about = { fee, reason: reason.slice(0, longestReason), due }
  return { wanted: { gross: amount === '' ? null : gross, ...about } }
}

const carryOut = async (
  needs: DisputeNeeds,
  view: DisputeView,
  call: Call<unknown, undefined, DisputeForm>,
): Promise<string | undefined> => {
  const { visitor, tid } = view
  const form = call.body
  const contextOf = (merchant: string) => contextOfOperator(call, visitor, merchant)
  const { openDispute, closeDispute } = operateDisputes(needs)
  const [act, number] = [fieldOf(form, 'act'), Number(fieldOf(form, 'number'))]
  if (act === 'won' || act === 'lost') {
    await closeDispute(disputeId(tid, number), act, contextOf)
    return undefined
  }
  const read = readDispute(view, form)
  if ('problem' in read) return read.problem
  await openDispute(tid, { number, ...read.wanted }, contextOf)
  return undefined
}

const evidenceRoute = (needs: DisputeNeeds, { page }: ReturnType<typeof operatorPages>): Route => {
  const types = mediaTypesOf(needs.names)
  return page(
    {
      ...seeing,
      path: '/operator/disputes/:dispute/evidence/:attachment',
      summary: 'What a merchant has sent as evidence',
      params: z.object({ dispute: z.string().max(80), attachment: z.string().max(3) }),
      replyTypes: [...Object.values(types), 'text/html'],
    },
    async (_, { params: { dispute: id, attachment } }) => {
      const { dispute } = needs.disputes.find(id) ?? refuse('resource_is_unknown')
      const entry =
        dispute.evidence.find((one) => one.id === attachment) ?? refuse('resource_is_unknown')
      const body = (await needs.attachedContents.get(entry)) ?? refuse('resource_is_unknown')
      const name = `attachment; filename="${fileNames[entry.kind]}"`
      const headers = { ...pageHeaders(needs.isSecure), 'Content-Disposition': name }
      return { type: types[entry.kind], body, headers }
    },
  )
}

/** Disputes: the open ones, and those of a payment, which are opened and closed here. */
export const operatorDisputeRoutes = (needs: DisputeNeeds, visits: Visits): Route[] => {
  const pages = operatorPages(needs, visits)
  const { page, form, confirm } = pages
  const viewFor = async (visitor: OperatorVisitor, tid: string): Promise<DisputeView> =>
    generatedId.safeParse(tid).success
      ? { visitor, tid, payment: await requestedPayment(needs.find, tid) }
      : refuse('resource_is_unknown')
  return [
    page({ ...seeing, path: '/operator/disputes', summary: 'Open disputes' }, async (visitor) =>
      listPage(needs, visitor),
    ),
    page(
      {
        ...seeing,
        path,
        ownQuery: z.object({ tid: anyText('The payment.') }),
        summary: 'A payment and its disputes',
      },
      async (visitor, call) =>
        paymentPage(await viewFor(visitor, (searchOf(call).get('tid') ?? '').trim())),
    ),
    form(
      {
        action: 'decide_disputes',
        area: 'disputes',
        path,
        ownForm: disputeForm,
        summary: 'Open a dispute, or close one',
        hasNextPage: true,
      },
      async (visitor, call) => {
        const view = await viewFor(visitor, fieldOf(call.body, 'tid'))
        const problem = await codeProblem(confirm, visitor, call)
        if (problem !== undefined) return paymentPage(view, call.body, problem)
        const wrong = await carryOut(needs, view, call)
        if (wrong !== undefined) return paymentPage(view, call.body, wrong)
        return visits.go(visitor, paymentHref(view.tid))
      },
    ),
    evidenceRoute(needs, pages),
  ]
}
