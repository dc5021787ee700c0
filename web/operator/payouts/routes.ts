import type { Context, Handle } from '../../../application/handle.ts'
import { bankEntries } from '../../../domain/aggregates.ts'
import { refuse } from '../../../domain/refusal.ts'
import { malformed } from '../../../http/errors.ts'
import { fieldOf } from '../../../http/forms.ts'
import { hidden, plainForm, typed } from '../../ui/fields.tsx'
import type { Visits } from '../../payer/session.tsx'
import type { Route } from '../../../http/route.ts'
import { codeProblem } from '../../staff/guard.tsx'
import { operatorPath } from '../areas.ts'
import {
  contextOfOperator,
  operatorPages,
  type OperatorNeeds,
  type OperatorPages,
} from '../pages.tsx'
import {
  bankPage,
  bankQuery,
  entryPage,
  entryParams,
  largestBankFile,
  type BankPageNeeds,
} from './bank.tsx'
import { importedPage, type ImportNeeds } from './imported.tsx'
import { payoutListPage, payoutListQuery, type PayoutListNeeds } from './list.tsx'
import {
  messageParams,
  messageQuery,
  payoutMessageFile,
  payoutMessagePage,
  type PayoutMessageNeeds,
} from './message.tsx'

type OperatorPayoutNeeds = OperatorNeeds &
  PayoutListNeeds &
  PayoutMessageNeeds &
  BankPageNeeds &
  ImportNeeds & {
    readonly handle: Handle
    /** Orders what is due under a message; twice orders nothing more. */
    readonly orderDue: (
      messageId: string,
      contextOf: (merchant: string) => Context,
      /** Only what came back of this one. */
      settlementId?: string,
    ) => Promise<{ readonly ordered: number }>
  }

const seeing = { action: 'see_payouts', area: 'payouts' } as const

const acting = { action: 'order_payouts', area: 'payouts' } as const

const root = '/operator/payouts'

const listRoutes = (
  needs: OperatorPayoutNeeds,
  visits: Visits,
  { page, form, confirm }: OperatorPages,
): Route[] => [
  page(
    {
      ...seeing,
      path: root,
      summary: 'Payouts of all merchants: due, ordered, paid, returned',
      ownQuery: payoutListQuery,
    },
    async (visitor, call) => payoutListPage(needs, visitor, call),
  ),
  form(
    {
      ...acting,
      path: root,
      summary: 'Order every payout that is due under one payment message, or what came back of one',
      ownForm: plainForm.extend({
        message: hidden('the id of the message, so that nothing is ordered twice.'),
        only: hidden('a settlement, if only what came back of it is ordered.').optional(),
        code: typed('A one-time code.'),
      }),
    },
    async (visitor, call) => {
      const messageId = fieldOf(call.body, 'message')
      if (!messageParams.shape.message.safeParse(messageId).success)
        throw malformed({ issues: [{ path: ['message'], message: 'message is missing.' }] })
      if (!needs.canOrder) return refuse('resource_is_unknown')
      const only = fieldOf(call.body, 'only') || undefined
      const problem = await codeProblem(confirm, visitor, call)
      if (problem !== undefined)
        return payoutListPage(needs, visitor, call, { message: messageId, problem, only })
      const isThere = () => needs.payoutOrders.orderedAt(messageId) !== undefined
      // The bank may have its file already: what is due by now goes under another id.
      const contextOf = (merchant: string) => contextOfOperator(call, visitor, merchant)
      if (!isThere()) await needs.orderDue(messageId, contextOf, only)
      await needs.caughtUp()
      return visits.go(
        visitor,
        operatorPath(isThere() ? `payouts/messages/${messageId}` : 'payouts'),
      )
    },
  ),
]

const messageRoutes = (needs: OperatorPayoutNeeds, { page }: OperatorPages): Route[] => {
  const path = `${root}/messages/:message`
  return [
    page(
      {
        ...seeing,
        path,
        summary: 'What a payment message orders',
        params: messageParams,
        ownQuery: messageQuery,
      },
      async (visitor, call) => payoutMessagePage(needs, visitor, call, call.params.message),
    ),
    page(
      {
        ...acting,
        path: `${path}/pain001.xml`,
        summary: 'The file of a payment message (ISO 20022 pain.001)',
        params: messageParams,
        replyTypes: ['application/xml', 'text/html'],
      },
      async (_, call) => payoutMessageFile(needs, call.params.message),
    ),
  ]
}

const bankRoutes = (
  needs: OperatorPayoutNeeds,
  visits: Visits,
  { page, form, upload }: OperatorPages,
): Route[] => {
  const path = `${root}/bank`
  return [
    page(
      { ...seeing, path, summary: 'What the bank says of payouts', ownQuery: bankQuery },
      async (visitor, call) => bankPage(needs, visitor, call),
    ),
    upload(
      {
        ...acting,
        path,
        summary: 'Import a statement, a notification or a status report of the bank',
        largest: largestBankFile,
        fileType: 'application/xml',
      },
      (visitor, parts, call) =>
        importedPage(needs, visitor, parts, (merchant) =>
          contextOfOperator(call, visitor, merchant),
        ),
    ),
    page(
      {
        ...seeing,
        path: `${path}/:entry`,
        summary: 'An entry of a statement that is that of no payout',
        params: entryParams,
      },
      async (visitor, call) => entryPage(needs, visitor, call.params.entry),
    ),
    form(
      {
        ...acting,
        path: `${path}/:entry`,
        summary: 'Take an entry that has nothing to do with payouts off the list',
        params: entryParams,
        ownForm: plainForm.extend({ note: typed('What it is.') }),
      },
      async (visitor, call) => {
        const note = fieldOf(call.body, 'note')
        if (!needs.bankEntries.find(call.params.entry)) return refuse('resource_is_unknown')
        if (note === '')
          throw malformed({ issues: [{ path: ['note'], message: 'note is missing.' }] })
        const command = { type: 'DismissEntry', note } as const
        const context = contextOfOperator(call, visitor)
        await needs.handle(bankEntries, call.params.entry, command, context)
        return visits.go(visitor, operatorPath('payouts/bank'))
      },
    ),
  ]
}

/** Payouts of all merchants: the order, its file, and what the bank says of it. */
export const operatorPayoutRoutes = (needs: OperatorPayoutNeeds, visits: Visits): Route[] => {
  const pages = operatorPages(needs, visits)
  return [
    ...listRoutes(needs, visits, pages),
    ...messageRoutes(needs, pages),
    ...bankRoutes(needs, visits, pages),
  ]
}
