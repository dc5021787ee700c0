import { maxParts } from '../domain/payment/payment-capture.ts'
import type { Refusal, RefusalCode } from '../domain/refusal.ts'
import {
  answerTo,
  answerToMalformed,
  malformed,
  type ErrorAnswer,
  type Malformed,
} from './errors.ts'

type Answer = {
  readonly status: 401 | 403 | 404 | 409 | 429 | 503
  readonly text: string
  readonly headers?: Readonly<Record<string, string>>
}
type FieldAnswer = { readonly field: string; readonly text: string }

/** A 401 must name its scheme (RFC 9110, 11.6.1). */
export const payerChallenge = { 'WWW-Authenticate': 'Bearer realm="payer"' }

/** The status of each refusal, or the field at fault (400). */
const refusalAnswers = {
  additional_amount_is_not_confirmed: {
    field: 'confirmed',
    text: 'The additional amount is above the amount itself: ask the payer again, then send true.',
  },
  additional_amount_is_not_editable: {
    field: 'additional_amount',
    text: 'The payer may not change the additional amount of this request.',
  },
  additional_amount_is_too_high: {
    field: 'additional_amount',
    text: 'Must be at most ten times the amount.',
  },
  amount_has_too_many_decimals: { field: 'amount', text: 'Has more decimals than its currency.' },
  amount_has_too_many_digits: {
    field: 'amount',
    text: 'Must have at most 12 digits before the period.',
  },
  amount_is_malformed: { field: 'amount', text: 'Is no amount.' },
  amount_is_too_large: { field: 'amount', text: 'Is too large.' },
  as_of_is_beyond_the_log: { field: 'as_of', text: 'The log has no such position yet.' },
  as_of_is_in_the_future: { field: 'as_of', text: 'Is later than now.' },
  attachments_are_too_many: {
    status: 409,
    text: 'This payment cannot have so many attachments.',
  },
  authorization_is_answered: { status: 409, text: 'This request has been answered already.' },
  authorization_is_expired: { status: 409, text: 'This request has expired. Please start again.' },
  authorization_is_not_allowed: { status: 409, text: 'This request has not been allowed.' },
  callback_has_no_address: {
    status: 409,
    text: 'Its resource has no address: set a callback_uri, or read the message in the feed.',
  },
  capture_exceeds_additional_amount: {
    field: 'additional_amount',
    text: 'More than what is left of the additional amount of the authorisation.',
  },
  capture_exceeds_authorization: {
    field: 'amount',
    text: 'More than what is left of the amount of the authorisation.',
  },
  capture_id_is_missing: {
    field: 'capture_id',
    text: 'Required for a part: only a capture of all that is left needs none.',
  },
  capture_id_used_with_other_amounts: {
    status: 409,
    text: 'This capture_id has been used with other amounts.',
  },
  capture_is_nothing: { field: 'amount', text: 'Must be larger than 0.' },
  captures_are_too_many: {
    status: 409,
    text: `A payment can have ${maxParts} captures: release what is left, or request another payment.`,
  },
  change_is_older: {
    status: 409,
    text: 'A later change of this resource is there. To make this one too, sign it again.',
  },
  clock_is_beyond_its_end: { field: 'now', text: 'The clock ends with the year 9998.' },
  clock_moves_forward_only: { field: 'now', text: 'The clock moves forward only.' },
  code_is_invalid: { field: 'code', text: 'Is unknown, expired, or for another client.' },
  code_is_used: { field: 'code', text: 'Has been used; what it gave is revoked.' },
  entry_is_matched: { status: 409, text: 'The entry of the bank is that of a payout.' },
  account_change_is_waiting: {
    status: 409,
    text: 'Another change of the settlement account waits already. Withdraw it first.',
  },
  conflicting_changes: {
    status: 409,
    text: 'Others changed this resource at the same time. Please try again.',
  },
  credit_is_not_allowed: { field: 'credit', text: 'This request does not allow credit.' },
  currency_differs_from_payment: {
    field: 'currency',
    text: 'Must be the currency of the payment.',
  },
  default_ledger_cannot_be_disabled: {
    status: 409,
    text: 'The default ledger stays: requests that name no ledger are written to it.',
  },
  fees_are_malformed: { field: 'fees', text: 'A rate is from 0 to 1, a fixed part at least 0.' },
  grant_is_expired: { status: 409, text: 'The permission has expired.' },
  grant_is_revoked: { status: 409, text: 'The permission has been withdrawn.' },
  id_used_with_other_data: {
    status: 409,
    text: 'A resource with this id exists with other data.',
  },
  last_admin_is_needed: {
    status: 409,
    text: 'This is the last admin: make somebody else one first.',
  },
  last_owner_is_needed: {
    status: 409,
    text: 'This is the last owner: make somebody else one first.',
  },
  last_superuser_is_needed: {
    status: 409,
    text: 'This is the last superuser with a public key: make another one first.',
  },
  ledger_is_unknown: { field: 'ledger', text: 'There is no such ledger, or it is disabled.' },
  line_items_do_not_add_up: {
    field: 'line_items',
    text: 'The totals of the line items must add up to the amount.',
  },
  merchant_is_disabled: {
    status: 409,
    text: 'The merchant is disabled: it takes no payments and gets no permissions now.',
  },
  merchant_is_unknown: { field: 'merchant', text: 'There is no such merchant.' },
  merchants_are_too_many: {
    status: 409,
    text: 'You have signed up as many merchants as one person may: ask the operator.',
  },
  messages_cannot_be_sent: {
    status: 503,
    text: 'No codes can be sent to phone numbers: the operator must set MESSAGE_URL.',
  },
  moment_is_being_made: {
    status: 503,
    text: 'What was known then is being put together. Please ask again after Retry-After.',
  },
  moments_are_too_many: {
    status: 429,
    text: 'You ask for too many earlier moments. Please wait for Retry-After.',
  },
  no_checkpoint_covers_it: {
    status: 404,
    text: 'No signed checkpoint covers it yet. One is signed within ten seconds: ask again.',
  },
  nothing_is_captured: { field: 'action', text: 'Nothing is captured that could be refunded.' },
  nothing_is_left_to_capture: {
    status: 409,
    text: 'Nothing is left to capture: all has been captured or released.',
  },
  payer_exists: { status: 409, text: 'There is a payer with this phone number already.' },
  payer_is_unknown: { field: 'payer', text: 'There is no such payer.' },
  payment_is_amended_too_much: {
    status: 409,
    text: 'All amendments of this payment together have become too large.',
  },
  payment_is_answered: {
    status: 409,
    text: 'The payer has answered: line_items and links can no longer be changed.',
  },
  payment_is_expired: { status: 409, text: 'The payment request has expired.' },
  payment_is_for_another_payer: {
    status: 409,
    text: 'The payment request is for another payer.',
  },
  payout_is_not_paid: { status: 409, text: 'No bank statement has the payout so far.' },
  payout_is_paid: { status: 409, text: 'A bank statement has the payout already.' },
  payment_is_not_authorized: {
    status: 409,
    text: 'The payment is not authorised, or no longer.',
  },
  payment_is_not_pending: {
    status: 409,
    text: 'The payment request has been answered already, or the merchant has aborted it.',
  },
  payment_is_not_picked_up: {
    status: 409,
    text: 'No payer has scanned the code of this payment request yet.',
  },
  payment_is_not_releasable: { status: 409, text: 'Nothing is left that could be released.' },
  payment_is_picked_up: {
    status: 409,
    text: 'A payer has picked up this payment request already.',
  },
  person_is_on_the_staff_already: {
    status: 409,
    text: 'This person is on the staff already: change the role instead.',
  },
  permission_is_expired: { status: 409, text: 'The permission request has expired.' },
  permission_is_for_another_payer: {
    status: 409,
    text: 'The permission request is for another payer.',
  },
  permission_is_not_pending: {
    status: 409,
    text: 'The permission request has been answered already.',
  },
  pos_is_unknown: { field: 'pos_id', text: 'There is no such POS.' },
  pos_tid_used_with_other_data: {
    status: 409,
    text: 'This pos_tid has been used for another request of the POS.',
  },
  refund_exceeds_additional_amount: {
    field: 'additional_amount',
    text: 'More than what is captured of the additional amount and not refunded.',
  },
  refund_exceeds_captures: {
    field: 'amount',
    text: 'More than what is captured of the amount and not refunded.',
  },
  refund_id_is_missing: {
    field: 'refund_id',
    text: 'Required for a part: only a refund of all that can be refunded needs none.',
  },
  refund_id_used_with_other_amounts: {
    status: 409,
    text: 'This refund_id has been used with other amounts.',
  },
  refund_is_nothing: { field: 'amount', text: 'Nothing is left to refund, or the amount is 0.' },
  refunds_are_too_many: { status: 409, text: `A payment can have ${maxParts} refunds.` },
  resource_is_unknown: { status: 404, text: 'There is no such resource.' },
  role_forbids_it: { status: 403, text: 'Your role does not allow this.' },
  scope_is_too_wide: { field: 'scope', text: 'More than what was asked for or granted.' },
  second_factor_is_needed: {
    field: 'code',
    text: 'The operator asks for a one-time code again for so high an amount.',
  },
  serial_number_is_claimed: { status: 409, text: 'This serial number has been claimed already.' },
  serial_number_is_unknown: {
    field: 'serial_number',
    text: 'There is no sticker with this serial number.',
  },
  secrets_are_wrong_too_often: {
    status: 429,
    text: 'Too many wrong secrets for this name or from this address. Please wait for Retry-After.',
  },
  sign_in_is_locked: {
    status: 429,
    text: 'Too many attempts to sign in. Please wait before the next one.',
  },
  sign_in_is_too_old: {
    status: 409,
    text: 'The application asks for a new sign-in. Please start again.',
  },
  sign_in_is_wrong: {
    status: 401,
    text: 'The phone number, the PIN or the code is wrong.',
    headers: payerChallenge,
  },
  staff_is_too_large: { status: 409, text: 'A staff can have 200 people.' },
  token_is_bound_to_another_key: {
    field: 'refresh_token',
    text: 'Is bound to another key: prove that one.',
  },
  too_much_is_waiting: {
    status: 429,
    text: 'Too many secrets of this address wait to be checked. Please try again soon.',
  },
  user_has_no_credentials: { field: 'secret', text: 'A user needs a secret, a pubkey or both.' },
} as const satisfies Record<RefusalCode, Answer | FieldAnswer>

/** What a refusal is answered with; undefined for anything else. */
export const textOfRefusal = (code: string): string | undefined =>
  Object.hasOwn(refusalAnswers, code) ? refusalAnswers[code as RefusalCode].text : undefined

/** The fields at fault, of refusals that are about a field. */
export const issuesOf = (codes: readonly RefusalCode[]) =>
  codes.flatMap((code) => {
    const answer: Answer | FieldAnswer = refusalAnswers[code]
    return 'field' in answer ? [{ path: [answer.field], message: answer.text }] : []
  })

const asMalformed = (refusal: Refusal): Malformed =>
  malformed({ issues: issuesOf([refusal.code, ...refusal.others]), cause: refusal })

/** A refusal about fields as their problems; undefined for any other. */
export const malformedBy = (refusal: Refusal): Malformed | undefined =>
  'field' in refusalAnswers[refusal.code] ? asMalformed(refusal) : undefined

/** Adds Retry-After where known (RFC 6585, 4; RFC 9110, 10.2.3). */
export const answerToRefusal = (refusal: Refusal): ErrorAnswer => {
  const { code, retryAfter } = refusal
  const answer: Answer | FieldAnswer = refusalAnswers[code]
  if ('field' in answer) return answerToMalformed(asMalformed(refusal))
  const { status, text, headers = {} } = answer
  const wait = retryAfter === null ? {} : { 'Retry-After': String(retryAfter) }
  return { ...answerTo(status, text), headers: { ...headers, ...wait } }
}
