// Long because it is a table of cases.
import { paths } from '../support/http-service.ts'
import { paymentInput } from '../../harness/register-merchant.ts'

type FaultyBody = readonly [
  title: string,
  who: 'pos1' | 'admin' | 'payer',
  method: string,
  /** Or a payment in a state; `accept` and `sandbox accept` are where a payer accepts. */
  path: string,
  body: object,
  fields: string,
]

export const permissions = '/merchant/v1/permission_request/'

export const shortlinks = '/merchant/v1/shortlink/'

/** A channel of another merchant. */
export const foreign = 'pusher:m-other-orders'

export const line = (total: string) => ({ product_id: 'bun', quantity: 1, item_cost: total, total })

export const permissionInput = {
  pos_id: 'till-1',
  pos_tid: 'p',
  customer: '4799999901',
  scope: 'openid',
}

/** Bodies with several faults, each found by another check, and the named fields. */
export const faultyBodies: readonly FaultyBody[] = [
  [
    'an action that is none, and lines that do not add up',
    'pos1',
    'POST',
    paths.payments,
    {
      ...paymentInput({ action: 'foo', amount: '1.00', line_items: [line('2.00')] }),
    },
    'action line_items',
  ],
  [
    'a POS that is not there, and an amount of nothing',
    'pos1',
    'POST',
    paths.payments,
    paymentInput({ pos_id: 'nope', amount: '0.00' }),
    'amount pos_id',
  ],
  [
    'everything that can be wrong of a payment at once',
    'pos1',
    'POST',
    paths.payments,
    {
      ...paymentInput({ pos_id: 'nope', ledger: 'nope', currency: 'XXZ', amount: '1.00' }),
      ...{ callback_uri: foreign, line_items: [line('2.00')] },
    },
    'callback_uri currency ledger line_items pos_id',
  ],
  [
    'a channel of another merchant, and a POS and lines, when each field fits',
    'pos1',
    'POST',
    paths.payments,
    {
      ...paymentInput({ pos_id: 'nope', callback_uri: foreign, line_items: [line('2.00')] }),
      display_message_uri: foreign,
    },
    'callback_uri display_message_uri line_items pos_id',
  ],
  [
    'a POS that is not there, and a scope of nothing',
    'pos1',
    'POST',
    permissions,
    { ...permissionInput, pos_id: 'nope', scope: ' ' },
    'pos_id scope',
  ],
  [
    'an address that is none, and a sticker that is not there',
    'pos1',
    'POST',
    shortlinks,
    { callback_uri: 'nope', serial_number: 'zzz' },
    'callback_uri serial_number',
  ],
  [
    'an unknown action, and what would be wrong with any',
    'pos1',
    'PUT',
    'pending',
    {
      ...{ action: 'nonsense', amount: '-1', currency: 'XXZ', capture_id: 'a b' },
      callback_uri: 'not of an action',
    },
    'action amount capture_id currency',
  ],
  [
    'an unknown action, and amounts that no currency or not this payment has',
    'pos1',
    'PUT',
    'pending',
    {
      action: 1,
      amount: '1.001',
      currency: 'NOK',
      refund_id: '',
    },
    'action amount',
  ],
  [
    'an id of another shape, and both amounts more than what is left',
    'pos1',
    'PUT',
    'authorized',
    {
      ...{ action: 'capture', amount: '100.01', additional_amount: '1', currency: 'NOK' },
      capture_id: 'a b',
    },
    'additional_amount amount capture_id',
  ],
  [
    'both amounts more than what is left, when each field fits',
    'pos1',
    'PUT',
    'authorized',
    {
      ...{ action: 'capture', amount: '100.01', additional_amount: '1', currency: 'NOK' },
      capture_id: 'ab',
    },
    'additional_amount amount',
  ],
  [
    'a refund of more than was captured, with an id of another shape',
    'admin',
    'PUT',
    'captured',
    {
      ...{ action: 'refund', amount: '100.01', currency: 'NOK', refund_id: 'a b' },
    },
    'amount refund_id',
  ],
  [
    'a refund of everything, where nothing was captured',
    'admin',
    'PUT',
    'authorized',
    { action: 'refund' },
    'action',
  ],
  [
    'details: an address, a ledger and lines',
    'pos1',
    'PUT',
    'pending',
    {
      ...{ callback_uri: 'nope', ledger: 'nope', line_items: [line('2.00')] },
      amount: 'of no action, so it does not count',
    },
    'callback_uri ledger line_items',
  ],
  [
    'a ledger that is not there, and lines finer than the currency, when each field fits',
    'pos1',
    'PUT',
    'pending',
    { ledger: 'nope', line_items: [line('2.001')] },
    'ledger line_items.0.total',
  ],
  [
    'a user without credentials, from no network',
    'admin',
    'POST',
    paths.users,
    { id: 'bare', netmask: 'nowhere' },
    'netmask secret',
  ],
  [
    'a user whose last credential is taken away, from no network',
    'admin',
    'PUT',
    `${paths.users}pos1/`,
    { secret: '', netmask: 'nowhere' },
    'netmask secret',
  ],
  [
    'a payer who adds what the shop does not take, on credit that is not allowed',
    'payer',
    'POST',
    'accept',
    { additional_amount: '1.00', credit: true },
    'additional_amount credit',
  ],
  [
    'a payer who adds what the currency does not have, on credit that is not allowed',
    'payer',
    'POST',
    'accept',
    { additional_amount: '1.001', credit: true, code: 'x' },
    'additional_amount code credit',
  ],
  [
    'a registration that is none, and a code that is none',
    'payer',
    'POST',
    '/payer/v1/payer/',
    { registration: 'none', number_code: 'x', code: 'y' },
    'code number_code registration',
  ],
  [
    'a recovery that is none, and a PIN that is none',
    'payer',
    'PUT',
    '/payer/v1/recovery/',
    { recovered: 'none', new_pin: 'x' },
    'new_pin recovered',
  ],
  [
    'a POS that no payment could name, of no type',
    'pos1',
    'POST',
    paths.pointsOfSale,
    { id: 'a b', name: 'B', type: 'stall' },
    'id type',
  ],
  [
    'a payer of the sandbox who is nobody, and adds what the currency does not have',
    'pos1',
    'POST',
    'sandbox accept',
    { payer: 'nobody', additional_amount: '1.001', credit: true },
    'additional_amount credit payer',
  ],
  [
    'a payer of the sandbox who is nobody, on credit that is not one or the other',
    'pos1',
    'POST',
    'sandbox accept',
    { payer: 'nobody', credit: 'maybe' },
    'credit payer',
  ],
  [
    'a test for a merchant that is not there, at an address that is none',
    'pos1',
    'POST',
    '/sandbox/v1/callback/',
    { merchant: 'nope', callback_uri: 'nowhere' },
    'callback_uri merchant',
  ],
]
