import type { OperatorAction } from '../../domain/people/operator-roles.ts'

export type OperatorTry = {
  readonly method: 'GET' | 'POST'
  /** After `/operator/`. */
  readonly path: string
  readonly action: OperatorAction
  readonly form?: Readonly<Record<string, string>>
  /** Its subject does not exist, so that even permitted visitors get a 404. */
  readonly isEmpty?: true
}

const look = (path: string, action: OperatorAction): OperatorTry => ({
  method: 'GET',
  path,
  action,
})

const send = (path: string, action: OperatorAction, form = {}): OperatorTry => ({
  ...{ method: 'POST', path, action, form },
})

const empty = (one: OperatorTry): OperatorTry => ({ ...one, isEmpty: true })

const entry = 'payouts/bank/00000000000000000000000000000000'

const moneyTries = [
  look('payouts', 'see_payouts'),
  // BANK_ACCOUNT is not set.
  empty(send('payouts', 'order_payouts', { message: 'NONE' })),
  empty(look('payouts/messages/NONE', 'see_payouts')),
  empty(look('payouts/messages/NONE/pain001.xml', 'order_payouts')),
  look('payouts/bank', 'see_payouts'),
  send('payouts/bank', 'order_payouts'),
  empty(look(entry, 'see_payouts')),
  empty(send(entry, 'order_payouts', { note: 'nothing' })),
  look('funding', 'see_payouts'),
  empty(look('funding/2026-11-30-NOK', 'see_payouts')),
  empty(send('funding/2026-11-30-NOK', 'order_payouts', { act: 'take' })),
  look('disputes', 'see_journal'),
  empty(look('disputes/nothing-1/evidence/1', 'see_journal')),
  empty(look('payment?tid=nothing', 'see_journal')),
  empty(send('payment', 'decide_disputes', { tid: 'nothing', act: 'won', number: '1' })),
  look('corrections', 'see_journal'),
  empty(send('corrections', 'decide_corrections', { id: 'not an id', act: 'approve' })),
  look('invoices', 'see_journal'),
  send('invoices', 'decide_corrections', { merchant: 'sandbox', currency: 'NOK', owed: '1' }),
  empty(look('invoices/none', 'see_journal')),
  empty(send('invoices/none', 'decide_corrections')),
  look('journal', 'see_journal'),
  look('journal/entries', 'see_journal'),
  look('journal/entries.csv', 'see_journal'),
  empty(look('story?subject=nothing', 'see_journal')),
  empty(look('events/999999', 'see_journal')),
]

const both = (...[path, action, form]: Parameters<typeof send>): readonly OperatorTry[] => [
  look(path, action),
  send(path, action, form),
]

const watchTries = [
  look('health', 'see_health'),
  look('security', 'see_security'),
  look('keys', 'see_keys'),
  look('keys/callbacks', 'rotate_keys'),
  send('keys/callbacks', 'rotate_keys'),
]

/** Every address of the operator's pages. No form has a one-time code, so none succeeds. */
export const operatorTries: readonly OperatorTry[] = [
  look('', 'see_overview'),
  look('merchants?q=sand&state=disabled', 'see_merchants'),
  look('merchants/sandbox', 'see_merchants'),
  { ...look('merchants/nobody', 'see_merchants'), isEmpty: true },
  // It did not sign up itself.
  ...['approve', 'reject'].flatMap((way) =>
    both(`merchants/sandbox/${way}`, 'approve_merchants').map(
      (one) => ({ ...one, isEmpty: true }) as const,
    ),
  ),
  ...both('merchants/sandbox/disable', 'switch_merchants'),
  ...both('merchants/sandbox/enable', 'switch_merchants'),
  ...both('merchants/sandbox/fees', 'set_fees', { step: 'back' }),
  ...moneyTries,
  ...watchTries,
  look('staff', 'see_staff'),
  look('staff?add', 'change_staff'),
  send('staff', 'change_staff', { change: 'add', phone: 'none' }),
]
