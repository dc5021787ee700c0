import type { SigningTime } from './decider.ts'
import type { Instant, Seconds } from './time.ts'

/** A sentence that is true when the command is refused. */
export type RefusalCode =
  | 'account_change_is_waiting'
  | 'additional_amount_is_not_confirmed'
  | 'additional_amount_is_not_editable'
  | 'additional_amount_is_too_high'
  | 'amount_has_too_many_decimals'
  | 'amount_has_too_many_digits'
  | 'amount_is_disputed'
  | 'amount_is_malformed'
  | 'amount_is_too_large'
  | 'as_of_is_beyond_the_log'
  | 'as_of_is_in_the_future'
  | 'attachments_are_too_many'
  | 'authorization_is_answered'
  | 'authorization_is_expired'
  | 'authorization_is_not_allowed'
  | 'callback_has_no_address'
  | 'capture_exceeds_additional_amount'
  | 'capture_exceeds_authorization'
  | 'capture_id_is_missing'
  | 'capture_id_used_with_other_amounts'
  | 'capture_is_nothing'
  | 'captures_are_too_many'
  | 'change_is_older'
  | 'clock_is_beyond_its_end'
  | 'clock_moves_forward_only'
  | 'code_is_invalid'
  | 'code_is_used'
  | 'conflicting_changes'
  | 'correction_is_decided'
  | 'correction_is_nothing'
  | 'credit_is_not_allowed'
  | 'currency_differs_from_payment'
  | 'default_ledger_cannot_be_disabled'
  | 'dispute_exceeds_captures'
  | 'dispute_is_closed'
  | 'dispute_is_past_due'
  | 'disputes_are_too_many'
  | 'due_is_past'
  | 'entry_is_matched'
  | 'event_destinations_are_too_many'
  | 'factors_changed_lately'
  | 'fees_are_malformed'
  | 'grant_is_expired'
  | 'grant_is_revoked'
  | 'id_used_with_other_data'
  | 'last_admin_is_needed'
  | 'last_owner_is_needed'
  | 'last_superuser_is_needed'
  | 'ledger_is_unknown'
  | 'line_items_do_not_add_up'
  | 'merchant_is_disabled'
  | 'merchant_is_unknown'
  | 'merchants_are_too_many'
  | 'moment_is_being_made'
  | 'moments_are_too_many'
  | 'messages_cannot_be_sent'
  | 'no_checkpoint_covers_it'
  | 'nothing_is_captured'
  | 'nothing_is_left_to_capture'
  | 'nothing_is_owed'
  | 'offer_is_over'
  | 'offer_is_sold_out'
  | 'organization_is_claimed'
  | 'owner_change_is_waiting'
  | 'owner_change_must_wait'
  | 'payer_exists'
  | 'payer_is_unknown'
  | 'payment_exceeds_invoice'
  | 'payment_is_amended_too_much'
  | 'payment_is_answered'
  | 'payment_is_expired'
  | 'payment_is_for_another_payer'
  | 'payment_is_not_authorized'
  | 'payment_is_not_pending'
  | 'payment_is_not_picked_up'
  | 'payment_is_not_releasable'
  | 'payment_is_picked_up'
  | 'payout_is_not_paid'
  | 'payout_is_not_returned'
  | 'payout_is_paid'
  | 'person_is_on_the_staff_already'
  | 'permission_is_expired'
  | 'permission_is_for_another_payer'
  | 'permission_is_not_pending'
  | 'pos_is_unknown'
  | 'pos_tid_used_with_other_data'
  | 'refund_exceeds_additional_amount'
  | 'refund_exceeds_captures'
  | 'refund_id_is_missing'
  | 'refund_id_used_with_other_amounts'
  | 'refund_is_nothing'
  | 'refunds_are_not_yours_to_give'
  | 'refunds_are_too_many'
  | 'resource_is_unknown'
  | 'role_forbids_it'
  | 'scope_is_too_wide'
  | 'second_factor_is_needed'
  | 'second_person_is_needed'
  | 'serial_number_is_claimed'
  | 'serial_number_is_unknown'
  | 'secrets_are_wrong_too_often'
  | 'since_is_in_the_future'
  | 'sign_in_is_locked'
  | 'sign_in_is_too_old'
  | 'sign_in_is_wrong'
  | 'staff_is_too_large'
  | 'token_is_bound_to_another_key'
  | 'too_much_is_waiting'
  | 'user_has_no_credentials'
  | 'user_may_not_refund'
  | 'write_off_exceeds_debt'

/** A decision, recorded so that it can be repeated. */
export type RefusedDecision = {
  readonly stream: string
  readonly command: object
  /** Revision of the state decided on, -1 for none; absent if not recorded. */
  readonly revision?: number | undefined
  readonly asked?: SigningTime | undefined
  /** Absent for dry runs. */
  readonly context?:
    { readonly at: Instant; readonly merchant: string | null; readonly actor: string } | undefined
}

/**
 * The rules forbid a command; nothing has changed. `http/refusal-answers.ts` maps codes to answers.
 */
export class Refusal extends Error {
  override readonly name = 'Refusal'
  /** Set by the handler that decided. */
  decision: RefusedDecision | undefined = undefined
  constructor(
    readonly code: RefusalCode,
    /** Delay after which a retry may succeed. */
    readonly retryAfter: Seconds | null = null,
    readonly others: readonly RefusalCode[] = [],
  ) {
    super(code.replaceAll('_', ' '))
  }
}

export const refuse = (code: RefusalCode, retryAfter?: Seconds): never => {
  throw new Refusal(code, retryAfter)
}

type Reasons = Partial<Readonly<Record<RefusalCode, boolean | undefined>>>

export const holding = (reasons: Reasons): readonly RefusalCode[] =>
  (Object.keys(reasons) as RefusalCode[]).filter((each) => reasons[each])

/** Refuses for all the given reasons at once, if there are any. */
export const refuseFor = ([code, ...others]: readonly RefusalCode[]): void => {
  if (code !== undefined) throw new Refusal(code, null, others)
}

/** Refuses for every reason that holds. */
export const refuseIf = (reasons: Reasons): void => refuseFor(holding(reasons))

/** For commands that may have been carried out before. */
export const ignoreRefusal = (error: unknown): void => {
  if (!(error instanceof Refusal)) throw error
}
