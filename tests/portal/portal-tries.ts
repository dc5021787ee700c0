import type { StaffAction } from '../../domain/merchant/staff-roles.ts'
import { developerTries } from './developer-tries.ts'

export type Try = {
  readonly method: 'GET' | 'POST'
  /** After `/portal/<merchant>/`; of `sandbox`, `TID` is an authorised payment, `CODE` a code. */
  readonly path: string
  readonly action: StaffAction
  readonly form?: Readonly<Record<string, string>>
  /** Its subject does not exist, so that even permitted visitors get a 404. */
  readonly isEmpty?: true
}

const change = (change: string, form: Readonly<Record<string, string>> = {}): Try => ({
  method: 'POST',
  path: 'staff',
  action: 'change_staff',
  form: { change, ...form },
})

const look = (path: string, action: StaffAction): Try => ({ method: 'GET', path, action })

/** The form of an action, made for another state of the payment. */
const act = (action: 'capture' | 'release' | 'renew' | 'refund'): readonly Try[] => [
  look(`payments/TID/${action}`, action),
  { method: 'POST', path: `payments/TID/${action}`, action, form: { mark: 'old', had: '0' } },
]

const report = 'money/ledgers/default/reports/1'
const points = (path: string, form: Readonly<Record<string, string>>): readonly Try[] => [
  look(`points-of-sale/${path}`, 'change_points_of_sale'),
  { method: 'POST', path: `points-of-sale/${path}`, action: 'change_points_of_sale', form },
]

/** Every address of a merchant's portal, including new ones. The forms change nothing when sent. */
export const portalTries: readonly Try[] = [
  look('', 'see_overview'),
  { method: 'POST', path: '', action: 'see_overview', form: {} },
  look('events?after=0', 'see_overview'),
  look('search?q=1', 'see_overview'),
  look('take', 'take_payment'),
  { method: 'POST', path: 'take', action: 'take_payment', form: { amount: '0' } },
  look('take/TID', 'take_payment'),
  { method: 'POST', path: 'take/TID', action: 'take_payment' },
  look('links', 'take_payment'),
  look('new-link', 'take_payment'),
  { method: 'POST', path: 'new-link', action: 'take_payment', form: { amount: '0' } },
  { ...look('links/none', 'take_payment'), isEmpty: true },
  ...(['stock', 'end'] as const).map((change): Try => ({
    ...{ method: 'POST', path: 'links/none', action: 'take_payment' },
    ...{ form: { change }, isEmpty: true },
  })),
  look('messages', 'see_messages'),
  look('payments', 'see_payments'),
  look('payments.csv', 'download'),
  look('payments-events?at=none', 'see_payments'),
  look('payments/TID', 'see_payments'),
  look('payments/TID/events?at=none', 'see_payments'),
  { ...look('payments/TID/proof.json', 'see_payments'), isEmpty: true },
  { ...look('payments/TID/attachment/none', 'see_payments'), isEmpty: true },
  {
    ...{ method: 'POST', path: 'payments/TID/disputes/1', action: 'refund' },
    ...{ form: {}, isEmpty: true },
  },
  ...(['capture', 'release', 'renew', 'refund'] as const).flatMap(act),
  look('money', 'see_money'),
  look('money/terms', 'see_money'),
  look('money/unsettled?before=9', 'see_money'),
  look('money/coming?day=2026-12-01', 'see_money'),
  look('money/arrived?before=9', 'see_money'),
  look('money/account', 'see_money'),
  look('money/times', 'change_settlement_account'),
  {
    ...{ method: 'POST', path: 'money/times', action: 'change_settlement_account' },
    form: { frequency: 'none' },
  },
  look('money/ledgers/default?before=2', 'see_money'),
  { method: 'POST', path: 'money/ledgers/default', action: 'close_report', form: { closes: 'x' } },
  { ...look('money/settlements/1', 'see_money'), isEmpty: true },
  { ...look('money/payouts/1', 'see_money'), isEmpty: true },
  look('money/payouts.csv', 'download'),
  look('money/payouts.xlsx', 'download'),
  { ...look('money/settlements/1/transactions-1.csv', 'download'), isEmpty: true },
  look(`${report}?close`, 'see_money'),
  { ...look(`${report}/transactions-1.csv`, 'download'), isEmpty: true },
  look(`${report}/transactions-so-far.csv`, 'download'),
  look(`${report}/transactions-so-far.xlsx`, 'download'),
  { ...look(`${report}/scopes-so-far.csv`, 'download'), isEmpty: true },
  { method: 'POST', path: report, action: 'close_report', form: { decision: 'none' } },
  {
    ...{ method: 'POST', path: 'money/account', action: 'change_settlement_account' },
    form: { decision: 'ask', account: 'none' },
  },
  look('points-of-sale', 'see_points_of_sale'),
  ...points('new', { id: 'a b' }),
  ...points('pos/till-1', { name: '' }),
  ...points('new-code', { callback_uri: 'none' }),
  look('points-of-sale/code/CODE', 'see_points_of_sale'),
  look('points-of-sale/code/CODE/poster', 'see_points_of_sale'),
  look('points-of-sale/code/CODE/labels?texts=1', 'see_points_of_sale'),
  ...points('code/CODE/change', { callback_uri: 'none' }),
  look('staff', 'see_staff'),
  look('staff?invite', 'change_staff'),
  change('invite', { phone: 'none' }),
  { method: 'POST', path: 'messages', action: 'see_messages', form: { notice: 'none' } },
  ...developerTries,
]
