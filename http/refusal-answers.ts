import { maxDisputes } from '../domain/payment/dispute.ts'
import { maxParts } from '../domain/payment/payment-actions.ts'
import type { Refusal, RefusalCode } from '../domain/refusal.ts'
import { answerTo, answerToMalformed, malformed, type Malformed } from './errors.ts'

/** A 401 must name its scheme (RFC 9110, 11.6.1). */
export const payerChallenge = { 'WWW-Authenticate': 'Bearer realm="payer"' }

type Texts = { readonly [Code in RefusalCode]?: string }

const byStatus = {
  401: { sign_in_is_wrong: 'The phone number, the PIN or the code is wrong.' },
  403: {
    refunds_are_not_yours_to_give:
      'This user may refund, and you may not: an owner changes it in the portal.',
    role_forbids_it: 'Your role does not allow this.',
    user_may_not_refund: 'This user may not refund: an owner allows it in the portal.',
  },
  404: {
    no_checkpoint_covers_it:
      'No signed checkpoint covers it yet. One is signed within ten seconds: ask again.',
    resource_is_unknown: 'There is no such resource.',
  },
  409: {
    account_change_is_waiting:
      'Another change of the settlement account waits already. Withdraw it first.',
    attachments_are_too_many: 'This payment cannot have so many attachments.',
    authorization_is_answered: 'This request has been answered already.',
    authorization_is_expired: 'This request has expired. Please start again.',
    authorization_is_not_allowed: 'This request has not been allowed.',
    callback_has_no_address:
      'Its resource has no address: set a callback_uri, or read the message in the feed.',
    capture_id_used_with_other_amounts: 'This capture_id has been used with other amounts.',
    captures_are_too_many:
      `A payment can have ${maxParts} captures: ` +
      'release what is left, or request another payment.',
    change_is_older:
      'A later change of this resource is there. To make this one too, sign it again.',
    conflicting_changes: 'Others changed this resource at the same time. Please try again.',
    correction_is_decided: 'The correction is approved or turned down already.',
    default_ledger_cannot_be_disabled:
      'The default ledger stays: requests that name no ledger are written to it.',
    dispute_is_closed: 'The dispute is closed.',
    dispute_is_past_due: 'It is too late: the deadline of the dispute has passed.',
    disputes_are_too_many: `A payment can have ${maxDisputes} disputes.`,
    entry_is_matched: 'The entry of the bank is that of a payout.',
    event_destinations_are_too_many: 'A merchant can have 20 event destinations.',
    factors_changed_lately:
      'Your phone number, PIN or authenticator has changed within 24 hours. Please wait.',
    grant_is_expired: 'The permission has expired.',
    grant_is_revoked: 'The permission has been withdrawn.',
    id_used_with_other_data: 'A resource with this id exists with other data.',
    last_admin_is_needed: 'This is the last admin: make somebody else one first.',
    last_owner_is_needed: 'This is the last owner: make somebody else one first.',
    last_superuser_is_needed:
      'This is the last superuser with a public key: make another one first.',
    merchant_is_disabled:
      'The merchant is disabled: it takes no payments and gets no permissions now.',
    merchants_are_too_many:
      'You have signed up as many merchants as one person may: ask the operator.',
    nothing_is_owed: 'The merchant owes nothing from earlier settlements.',
    nothing_is_left_to_capture: 'Nothing is left to capture: all has been captured or released.',
    offer_is_sold_out: 'What this link sells is sold out.',
    organization_is_claimed: 'Another merchant has this organisation number.',
    owner_change_is_waiting: 'Another change of an owner waits already. Withdraw it first.',
    owner_change_must_wait: 'An owner is removed or lowered only after the other owners were told.',
    payer_exists: 'There is a payer with this phone number already.',
    payment_is_amended_too_much: 'All amendments of this payment together have become too large.',
    payment_is_answered: 'The payer has answered: line_items and links can no longer be changed.',
    payment_is_expired: 'The payment request has expired.',
    payment_is_for_another_payer: 'The payment request is for another payer.',
    payment_is_not_authorized: 'The payment is not authorised, or no longer.',
    payment_is_not_pending:
      'The payment request has been answered already, or the merchant has aborted it.',
    payment_is_not_picked_up: 'No payer has scanned the code of this payment request yet.',
    payment_is_not_releasable: 'Nothing is left that could be released.',
    payment_is_picked_up: 'A payer has picked up this payment request already.',
    payout_is_not_paid: 'No bank statement has the payout so far.',
    payout_is_not_returned: 'No payout of this settlement came back, or it is ordered again.',
    payout_is_paid: 'A bank statement has the payout already.',
    permission_is_expired: 'The permission request has expired.',
    permission_is_for_another_payer: 'The permission request is for another payer.',
    permission_is_not_pending: 'The permission request has been answered already.',
    person_is_on_the_staff_already: 'This person is on the staff already: change the role instead.',
    pos_tid_used_with_other_data: 'This pos_tid has been used for another request of the POS.',
    refund_id_used_with_other_amounts: 'This refund_id has been used with other amounts.',
    refunds_are_too_many: `A payment can have ${maxParts} refunds.`,
    second_person_is_needed: 'Whoever proposed it does not approve it: somebody else has to.',
    serial_number_is_claimed: 'This serial number has been claimed already.',
    sign_in_is_too_old: 'The application asks for a new sign-in. Please start again.',
    staff_is_too_large: 'A staff can have 200 people.',
  },
  410: { offer_is_over: 'This payment link has ended.' },
  429: {
    moments_are_too_many: 'You ask for too many earlier moments. Please wait for Retry-After.',
    secrets_are_wrong_too_often:
      'Too many wrong secrets for this name or from this address. Please wait for Retry-After.',
    sign_in_is_locked: 'Too many attempts to sign in. Please wait before the next one.',
    too_much_is_waiting:
      'Too many secrets of this address wait to be checked. Please try again soon.',
  },
  503: {
    messages_cannot_be_sent:
      'No codes can be sent to phone numbers: the operator must set MESSAGE_URL.',
    moment_is_being_made:
      'What was known then is being put together. Please ask again after Retry-After.',
  },
} satisfies Record<number, Texts>

/** Refusals by the field at fault (400). */
const byField = {
  action: { nothing_is_captured: 'Nothing is captured that could be refunded.' },
  additional_amount: {
    additional_amount_is_not_editable:
      'The payer may not change the additional amount of this request.',
    additional_amount_is_too_high: 'Must be at most ten times the amount.',
    capture_exceeds_additional_amount:
      'More than what is left of the additional amount of the authorisation.',
    refund_exceeds_additional_amount:
      'More than what is captured of the additional amount and not refunded.',
  },
  amount: {
    amount_has_too_many_decimals: 'Has more decimals than its currency.',
    amount_is_disputed: 'Is disputed: what is left can be refunded.',
    amount_has_too_many_digits: 'Must have at most 12 digits before the period.',
    amount_is_malformed: 'Is no amount.',
    amount_is_too_large: 'Is too large.',
    capture_exceeds_authorization: 'More than what is left of the amount of the authorisation.',
    capture_is_nothing: 'Must be larger than 0.',
    correction_is_nothing: 'Must be more or less than 0, and more if it is written off.',
    dispute_exceeds_captures:
      'More than what is captured and neither refunded nor disputed, or nothing.',
    payment_exceeds_invoice: 'More than what is open of the invoice.',
    refund_exceeds_captures: 'More than what is captured of the amount and not refunded.',
    refund_is_nothing: 'Nothing is left to refund, or the amount is 0.',
    write_off_exceeds_debt: 'More than what the merchant owes from earlier settlements.',
  },
  as_of: {
    as_of_is_beyond_the_log: 'The log has no such position yet.',
    as_of_is_in_the_future: 'Is later than now.',
  },
  capture_id: {
    capture_id_is_missing: 'Required for a part: only a capture of all that is left needs none.',
  },
  code: {
    code_is_invalid: 'Is unknown, expired, or for another client.',
    code_is_used: 'Has been used; what it gave is revoked.',
    second_factor_is_needed: 'The operator asks for a one-time code again for so high an amount.',
  },
  confirmed: {
    additional_amount_is_not_confirmed:
      'The additional amount is above the amount itself: ask the payer again, then send true.',
  },
  credit: { credit_is_not_allowed: 'This request does not allow credit.' },
  currency: { currency_differs_from_payment: 'Must be the currency of the payment.' },
  due: { due_is_past: 'Must be later than now.' },
  fees: { fees_are_malformed: 'A rate is from 0 to 1, a fixed part at least 0.' },
  ledger: { ledger_is_unknown: 'There is no such ledger, or it is disabled.' },
  line_items: {
    line_items_do_not_add_up: 'The totals of the line items must add up to the amount.',
  },
  merchant: { merchant_is_unknown: 'There is no such merchant.' },
  now: {
    clock_is_beyond_its_end: 'The clock ends with the year 9998.',
    clock_moves_forward_only: 'The clock moves forward only.',
  },
  payer: { payer_is_unknown: 'There is no such payer.' },
  pos_id: { pos_is_unknown: 'There is no such POS.' },
  refresh_token: { token_is_bound_to_another_key: 'Is bound to another key: prove that one.' },
  refund_id: {
    refund_id_is_missing:
      'Required for a part: only a refund of all that can be refunded needs none.',
  },
  scope: { scope_is_too_wide: 'More than what was asked for or granted.' },
  secret: { user_has_no_credentials: 'A user needs a secret, a pubkey or both.' },
  serial_number: { serial_number_is_unknown: 'There is no sticker with this serial number.' },
  since: { since_is_in_the_future: 'Is later than now.' },
} satisfies Record<string, Texts>

type Table = Readonly<Record<string, Texts>>
type CodesIn<Some extends Table> = { [Group in keyof Some]: keyof Some[Group] }[keyof Some]

const answersIn = <Some extends Table, Answer>(
  table: Some,
  answer: (group: string, text: string) => Answer,
) =>
  Object.fromEntries(
    Object.entries(table).flatMap(([group, texts]) =>
      Object.entries(texts).map(([code, text]) => [code, answer(group, text)]),
    ),
  ) as Record<CodesIn<Some>, Answer>

type Status = keyof typeof byStatus
type RefusalText = { readonly text: string } & (
  { readonly field: string } | { readonly status: Status }
)

const refusalAnswers: Readonly<Record<RefusalCode, RefusalText>> = {
  ...answersIn(byField, (field, text) => ({ field, text })),
  ...answersIn(byStatus, (status, text) => ({ status: Number(status) as Status, text })),
}

/** What a refusal is answered with; undefined for anything else. */
export const textOfRefusal = (code: string): string | undefined =>
  Object.hasOwn(refusalAnswers, code) ? refusalAnswers[code as RefusalCode].text : undefined

/** The fields at fault, of refusals that are about a field. */
export const issuesOf = (codes: readonly RefusalCode[]) =>
  codes.flatMap((code) => {
    const answer = refusalAnswers[code]
    return 'field' in answer ? [{ path: [answer.field], message: answer.text }] : []
  })

const asMalformed = (refusal: Refusal): Malformed =>
  malformed({ issues: issuesOf([refusal.code, ...refusal.others]), cause: refusal })

/** A refusal about fields as their problems; undefined for any other. */
export const malformedBy = (refusal: Refusal): Malformed | undefined =>
  'field' in refusalAnswers[refusal.code] ? asMalformed(refusal) : undefined

/** Adds Retry-After where known (RFC 6585, 4; RFC 9110, 10.2.3). */
export const answerToRefusal = (refusal: Refusal) => {
  const { code, retryAfter } = refusal
  const answer = refusalAnswers[code]
  if ('field' in answer) return answerToMalformed(asMalformed(refusal))
  const { status, text } = answer
  const wait = retryAfter === null ? {} : { 'Retry-After': String(retryAfter) }
  const challenge = status === 401 ? payerChallenge : {}
  return { ...answerTo(status, text), headers: { ...challenge, ...wait } }
}
