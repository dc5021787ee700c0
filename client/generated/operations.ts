// Printed from the routes by docs/client-operations.ts (`npm run docs`).
import type { CallOptions, List, Pages } from '../options.ts'

/** Exact decimal text, such as `'12.50'`: never a binary fraction. */
export type Money = string
/** UTC, `YYYY-MM-DD hh:mm:ss`. */
export type DateTime = string

export type LedgerInput = {
  /** Made by the service when it is absent. */
  readonly id?: string | undefined
  /** ISO 4217 code, in any case. */
  readonly currency: string
  readonly description?: string | null | undefined
  /** When reports close by themselves: at the start of each day, of Mondays, or of the first day of a month, in the time zone of the merchant. They can be closed by hand as well. Default: "by_hand". */
  readonly closes?: 'by_hand' | 'daily' | 'weekly' | 'monthly' | undefined
}

export type Created = {
  readonly id: string
}

export type Ledger = {
  readonly id: string
  readonly currency: string
  readonly description: string | null
  /** When reports close by themselves: at the start of each day, of Mondays, or of the first day of a month, in the time zone of the merchant. They can be closed by hand as well. */
  readonly closes: 'by_hand' | 'daily' | 'weekly' | 'monthly'
  readonly enabled: boolean
  readonly open_report_uri: string
  readonly last_closed_report_uri: string | null
}

export type LedgerUpdate = {
  /** Absent or null leaves it, an empty text takes it away. */
  readonly description?: string | null | undefined
  /** When reports close by themselves: at the start of each day, of Mondays, or of the first day of a month, in the time zone of the merchant. They can be closed by hand as well. */
  readonly closes?: 'by_hand' | 'daily' | 'weekly' | 'monthly' | undefined
  /** true enables a disabled ledger again; false disables it, as DELETE does. */
  readonly enabled?: boolean | undefined
}

export type Report = {
  /** 1, 2, 3 … in its ledger. */
  readonly id: string
  readonly status: 'open' | 'closing' | 'closed'
  readonly date_created: DateTime
  readonly time_closed: DateTime | null
  readonly callback_uri: string | null
  readonly previous_report_uri: string | null
  /** So far, while the report is open or closing. */
  readonly report_summary: readonly Summary[]
  readonly payment_request_count: number
  readonly payment_auth_count: number
  /** Without authorisations of which a part was captured: these are released. */
  readonly payment_expire_count: number
  readonly payment_capture_count: number
  readonly payment_refund_count: number
  /** With what is left of partly captured authorisations when these expire. */
  readonly payment_release_count: number
  readonly payment_fail_count: number
  readonly payment_abort_count: number
  readonly permission_request_count: number
  readonly permission_answered_count: number
  readonly permission_fail_count: number
  /** Signed links, valid for 30 days and renewed by each GET. */
  readonly transaction_log_uris: readonly string[]
  /** Signed links, valid for 30 days and renewed by each GET. */
  readonly scope_log_uris: readonly string[]
  /** The entries of the log that it covers, the last one excepted. The next report or settlement begins with that one. */
  readonly log_range?:
    | {
        readonly from: number
        readonly to: number
      }
    | undefined
  /** Of the log up to there, which every later signed checkpoint continues. */
  readonly checkpoint?:
    | {
        readonly size: number
        readonly root: string
      }
    | undefined
  /** The receipt: the proofs of all its events. */
  readonly proof_uri?: string | undefined
}

export type Summary = {
  readonly currency: string
  readonly taxcode: string
  readonly gross: Money
  readonly amount_total: Money
  readonly additional_amount_total: Money
  readonly fees: readonly Fee[]
  /** The same figure as among `fees`. */
  readonly interchange: Money
  /** Gross less all fees. */
  readonly net: Money
}

/** A fee that is not zero; interchange among them. */
export type Fee = {
  readonly type:
    | 'transaction_fee'
    | 'transaction_fee_vat'
    | 'interchange'
    | 'scope_fee'
    | 'scope_fee_vat'
    | 'settlement_fee'
    | 'settlement_fee_vat'
  readonly amount: Money
}

export type ReportClosing = {
  readonly callback_uri?: string | null | undefined
}

export type Merchant = {
  readonly id: string
  readonly business_name: string
  readonly organization_id: string | null
  /** ISO 3166, two letters. */
  readonly jurisdiction: string | null
  /** Merchant category code, four digits. */
  readonly mcc: string | null
  readonly netmask: string | null
  /** IANA. Days of settlements and reports begin by its clocks. */
  readonly time_zone: string
  readonly location: {
    readonly latitude: number | null
    readonly longitude: number | null
    readonly accuracy: number | null
  } | null
  readonly settlement_account_id: string
  readonly address: {
    readonly first_address_line: string | null
    readonly second_address_line: string | null
    readonly postal_code: string | null
    readonly country: string | null
  }
  readonly profile: {
    readonly first_address_line: string | null
    readonly second_address_line: string | null
    readonly postal_code: string | null
    readonly country: string | null
    readonly description: string | null
    readonly phone_number: string | null
    readonly email: string | null
    readonly url: string | null
    readonly logo_url: string | null
  }
}

export type PaymentRequestInput = {
  readonly pos_id: string
  readonly pos_tid: string
  /** In any case. The payer is told that the amount is reserved, or that it is paid; a sale must still be captured. */
  readonly action: 'auth' | 'sale'
  /** ISO 4217 code, in any case. */
  readonly currency: string
  readonly amount: Money
  readonly additional_amount?: Money | null | undefined
  /** Default: false. */
  readonly additional_edit?: boolean | null | undefined
  readonly allow_credit: boolean
  /** An access token that the payer has granted; a phone number, with `+` or `msisdn:` before it or without; `shortlink_id:<id>` or `shortlink_sn:<serial number>` for whoever scans that code; `token:<digits>` of a scan, for one day. Without one, anybody may pay on the checkout page at `uri` of the answer. */
  readonly customer?: string | null | undefined
  /** Seconds before the request within which a scan of the code still counts. Default: 60. */
  readonly max_scan_age?: number | null | undefined
  /** Seconds that the payer has to answer. Default: 21600. */
  readonly expires_in?: number | null | undefined
  readonly text?: string | null | undefined
  /** Default: "default". */
  readonly ledger?: string | null | undefined
  readonly callback_uri?: string | null | undefined
  readonly display_message_uri?: string | null | undefined
  readonly success_return_uri?: string | null | undefined
  /** Where the payer goes when the request has failed, and who goes back before signing in: it is still pending then. */
  readonly failure_return_uri?: string | null | undefined
  readonly required_scope?: string | null | undefined
  readonly required_scope_text?: string | null | undefined
  readonly line_items?: readonly LineItem[] | null | undefined
  readonly links?: readonly Link[] | null | undefined
}

export type LineItem = {
  readonly product_id: string
  readonly description?: string | null | undefined
  readonly quantity: string | number
  /** Price of one unit: decimal text with at most four more decimals than the currency; negative for what is taken off. */
  readonly item_cost: Money
  /** Money: decimal text with at most the decimals of the currency; negative for what is taken off. */
  readonly total: Money
  readonly vat?: Money | null | undefined
  /** In per cent: `25` or `"12.5"`. */
  readonly vat_rate?: string | number | null | undefined
  readonly metadata?:
    | readonly {
        readonly key: string
        readonly value?: string | undefined
      }[]
    | undefined
}

export type Link = {
  readonly uri: string
  readonly caption: string
  readonly show_on: readonly ('pending' | 'ok' | 'fail')[]
}

export type PaymentRequestCreated = {
  readonly id: string
  readonly uri: string | null
}

export type PaymentRequest = {
  readonly id: string
  readonly uri: string | null
  readonly pos_id: string
  readonly pos_tid: string
  readonly currency: string
  readonly amount: Money
  readonly additional_amount: Money
  readonly additional_edit: boolean
  readonly allow_credit: boolean
  readonly customer: string | null
  readonly max_scan_age: number
  readonly date_expires: DateTime
  readonly text: string | null
  readonly ledger: string
  readonly callback_uri: string | null
  readonly display_message_uri: string | null
  readonly success_return_uri: string | null
  readonly failure_return_uri: string | null
  readonly required_scope: string | null
  readonly required_scope_text: string | null
  readonly line_items: readonly {
    readonly product_id: string
    readonly description: string | null
    readonly quantity: string
    /** Price of one unit: money, with up to four more decimals where it is finer. */
    readonly item_cost: Money
    readonly total: Money
    readonly vat: Money | null
    /** In per cent: `25` or `"12.5"`. */
    readonly vat_rate: string | null
    readonly metadata: readonly {
      readonly key: string
      readonly value: string
    }[]
  }[]
  readonly links: readonly {
    readonly uri: string
    readonly caption: string
    readonly show_on: readonly ('pending' | 'ok' | 'fail')[]
  }[]
}

export type PaymentUpdate = {
  /** In any case; absent to change details. */
  readonly action?: 'capture' | 'abort' | 'release' | 'reauth' | 'refund' | undefined
  readonly amount?: Money | null | undefined
  readonly additional_amount?: Money | null | undefined
  readonly currency?: string | null | undefined
  readonly capture_id?: string | null | undefined
  readonly refund_id?: string | null | undefined
  /** Reason of a refund. */
  readonly text?: string | null | undefined
  readonly ledger?: string | undefined
  /** Absent or null leaves it, an empty text takes it away. */
  readonly callback_uri?: string | null | undefined
  /** Gets a display_message with a text when the payer scans, accepts or declines, over http too. Absent or null leaves it, an empty text takes it away. */
  readonly display_message_uri?: string | null | undefined
  readonly links?: readonly Link[] | undefined
  readonly line_items?: readonly LineItem[] | undefined
}

export type PaymentOutcome = {
  readonly currency: string
  readonly amount: Money
  readonly additional_amount: Money
  readonly auth_amount: Money
  readonly auth_additional_amount: Money
  readonly released_amount: Money
  readonly released_additional_amount: Money
  readonly captures: readonly Capture[]
  readonly refunds: readonly Refund[]
  readonly status: 'pending' | 'auth' | 'ok' | 'fail'
  readonly status_code: number
  readonly customer: string | null
  readonly date_modified: DateTime
  readonly date_expires: DateTime
  readonly credit: boolean
  readonly interchange_fee: Money
  readonly transaction_fee: Money
  readonly report_id: string | null
  readonly report_uri: string | null
  readonly ledger: string | null
  /** Where to upload attachments for one hour; absent while pending, after fail, and once the payer is erased. */
  readonly attachment_uri?: string | undefined
  readonly pos_id: string
  readonly pos_tid: string
  readonly tid: string
  readonly permissions: GrantedPermissions | null
}

export type Capture = {
  /** The capture_id; null for a capture of all that was left. */
  readonly id: string | null
  readonly amount: Money
  readonly additional_amount: Money
  readonly date: DateTime
  readonly transaction_fee: Money
  readonly interchange_fee: Money
}

export type Refund = {
  /** The refund_id; null for a refund of all that was left. */
  readonly id: string | null
  readonly amount: Money
  readonly additional_amount: Money
  readonly text: string | null
  readonly date: DateTime
}

export type GrantedPermissions = {
  readonly access_token: string | null
  readonly id_token: string | null
  readonly token_type: string
  /** Seconds. */
  readonly expires_in: number | null
  readonly refresh_token: string | null
  /** Space-delimited. */
  readonly scope: string | null
  readonly currency: null
  readonly fee: string
  readonly report_id: null
  /** Every claim of the granted scopes, as far as it is known. */
  readonly user_info: GrantedClaims | null
}

export type GrantedClaims = {
  /** The payer, as this merchant and no other knows them. */
  readonly sub: string
  /** With the scope `profile`, if it is known. */
  readonly name?: string | undefined
  /** With the scope `openid` and `email`, if it is known. */
  readonly email?: string | undefined
  readonly email_verified?: boolean | undefined
  /** With the scope `openid` and `phone`, if it is known. */
  readonly phone_number?: string | undefined
  readonly phone_number_verified?: boolean | undefined
  /** With the scope `openid` and `address`, if it is known. */
  readonly address?:
    | {
        readonly street_address: string
        readonly postal_code: string
        readonly locality: string
        /** Two letters (ISO 3166-1). */
        readonly country: string
      }
    | undefined
  /** With the scope `shipping_address`, if it is known. */
  readonly shipping_address?:
    | {
        readonly name: string
        readonly street_address: string
        readonly postal_code: string
        readonly locality: string
        /** Two letters (ISO 3166-1). */
        readonly country: string
      }
    | undefined
  /** The Norwegian national id, with the scope `fodselsnummer`; with `bankid` alone, the proof of the bank identity scheme only. */
  readonly personal_id?: NationalId | undefined
}

export type NationalId = {
  readonly jurisdiction: string
  readonly id: string
  readonly proofs: readonly {
    /** Who has verified the id. */
    readonly issuer: string
    readonly method: string
    readonly date: string
  }[]
}

export type Attachment = {
  readonly id: string
  readonly uri: string
  readonly kind: 'itemlist' | 'receipt' | 'png'
  readonly content_type: string
  /** Bytes. */
  readonly size: number
  readonly sha256: string
  readonly date: DateTime
}

/** Newest first, 100 a page. */
export type DisputeList = {
  readonly uris: readonly string[]
  readonly next: string | null
  readonly disputes: readonly Dispute[]
}

export type Dispute = {
  readonly id: string
  readonly uri: string
  readonly tid: string
  /** Taken from the ledger until the dispute is won. */
  readonly amount: Money
  readonly currency: string
  /** What the dispute costs, without VAT. */
  readonly fee: Money
  readonly reason: string
  readonly state: 'open' | 'evidence_sent' | 'won' | 'lost'
  /** Until when evidence is taken. */
  readonly due: string
  readonly evidence_uri: string
  readonly evidence_count: number
  readonly date_opened: DateTime
  readonly date_closed: DateTime | null
}

/** The id of the newest, and those of all. */
export type EvidenceSent = {
  readonly id: string
  readonly ids: readonly string[]
}

export type PermissionRequestInput = {
  readonly pos_id: string
  readonly pos_tid: string
  /** As the customer of a payment request: an access token, a phone number or a code. */
  readonly customer: string
  /** Space-delimited, out of openid address bankid email fodselsnummer phone profile shipping_address; others are ignored. */
  readonly scope: string
  readonly text?: string | null | undefined
  readonly callback_uri?: string | null | undefined
  /** Seconds that the payer has to answer. Default: 21600. */
  readonly expires_in?: number | null | undefined
}

export type PermissionRequest = {
  readonly id: string
  readonly pos_id: string
  readonly pos_tid: string
  readonly customer: string | null
  readonly scope: string
  readonly text: string | null
  readonly callback_uri: string | null
  readonly date_expires: DateTime
}

export type PermissionOutcome = {
  readonly access_token: string | null
  readonly id_token: string | null
  readonly token_type: string
  /** Seconds. */
  readonly expires_in: number | null
  readonly refresh_token: string | null
  /** Space-delimited. */
  readonly scope: string | null
  /** Of the fee. */
  readonly currency: string
  /** Once it is answered; without VAT. */
  readonly transaction_fee: Money
  readonly report_id: string | null
  readonly report_uri: string | null
  readonly ledger_id: null
  readonly status: 'pending' | 'ok' | 'fail'
  readonly status_code: number
  readonly pos_id: string
  readonly pos_tid: string
  readonly rid: string
  /** Every claim of the granted scopes, as far as it is known. */
  readonly user_info: GrantedClaims | null
}

export type PosInput = {
  /** Shown to the payer. */
  readonly name: string
  readonly type: 'store' | 'webshop' | 'mobile' | 'vending' | 'poster'
  readonly location?: Location | null | undefined
  /** A payment can only name one of letters, digits and _ . -, at most 64. */
  readonly id: string
}

export type Location = {
  readonly latitude?: number | null | undefined
  readonly longitude?: number | null | undefined
  /** Meters. */
  readonly accuracy?: number | null | undefined
}

export type Pos = {
  readonly id: string
  readonly name: string
  readonly type: 'store' | 'webshop' | 'mobile' | 'vending' | 'poster'
  readonly location: {
    readonly latitude: number | null
    readonly longitude: number | null
    readonly accuracy: number | null
  } | null
}

export type PosUpdate = {
  /** Shown to the payer. */
  readonly name: string
  readonly type: 'store' | 'webshop' | 'mobile' | 'vending' | 'poster'
  /** Absent or null leaves it, an empty text takes it away. */
  readonly location?: Location | null | undefined
}

export type Settlement = {
  readonly id: string
  /** As logs and bank statements name it: <series>-<YYYY-MM-DD>-<serial>. */
  readonly settlement_id: string
  readonly date_created: DateTime
  readonly settlement_summary: readonly SettlementSummary[]
  readonly payout_details: readonly PayoutDetail[]
  /** Signed links, valid for 30 days and renewed by each GET. */
  readonly transaction_log_uris: readonly string[]
  /** Signed links, valid for 30 days and renewed by each GET. */
  readonly scope_log_uris: readonly string[]
  /** The entries of the log that it covers, the last one excepted. The next report or settlement begins with that one. */
  readonly log_range?:
    | {
        readonly from: number
        readonly to: number
      }
    | undefined
  /** Of the log up to there, which every later signed checkpoint continues. */
  readonly checkpoint?:
    | {
        readonly size: number
        readonly root: string
      }
    | undefined
  /** The receipt: the proofs of all its events. */
  readonly proof_uri?: string | undefined
}

export type SettlementSummary = {
  readonly currency: string
  readonly taxcode: string
  readonly gross: Money
  readonly amount_total: Money
  readonly additional_amount_total: Money
  readonly fees: readonly Fee[]
  /** The same figure as among `fees`. */
  readonly interchange: Money
  /** Gross less all fees. */
  readonly net: Money
  /** It stands in `fees`. */
  readonly settlement_fee: Money
  /** It stands in `fees`. */
  readonly scope_fee: Money
  /** It stands in `fees`. */
  readonly transaction_fee: Money
}

export type PayoutDetail = {
  readonly currency: string
  readonly gross: Money
  readonly net: Money
  /** Zero or below: what the merchant owes for fees. before + net − payout + billed = after, of fees and refunds together. */
  readonly unsettled_fees_before: Money
  /** Zero or below: what the merchant owes for fees. before + net − payout + billed = after, of fees and refunds together. */
  readonly unsettled_fees_after: Money
  /** Below zero: what refunds took beyond the captures, which later ones pay. Absent when that is nothing. */
  readonly unsettled_refunds_before?: Money | undefined
  /** Below zero: what refunds took beyond the captures, which later ones pay. Absent when that is nothing. */
  readonly unsettled_refunds_after?: Money | undefined
  /** Never below zero. */
  readonly payout: Money
  readonly billed: Money
  readonly invoice_id: string | null
  /** Of a payout above zero: due, ordered (the bank is asked), paid (on its statement) or returned (it came back or was refused, and is due again). Absent in messages. */
  readonly status?: 'returned' | 'due' | 'ordered' | 'paid' | undefined
  /** YYYY-MM-DD: when it is to be paid. Never a weekend or bank holiday. */
  readonly payout_day?: string | undefined
  /** YYYY-MM-DD, by the bank. */
  readonly paid_on?: string | undefined
  /** Why it came back: the code of ISO 20022, the words of the bank, or both. */
  readonly return_reason?: string | undefined
}

export type SettlementAccount = {
  readonly id: string
  readonly currency: string
  /** IBAN or national number. */
  readonly payout_account: string | null
  /** On weekdays, on Mondays, or on the first weekday of a month. */
  readonly frequency: 'daily' | 'weekly' | 'monthly'
  /** hh:mm, in the time zone of the merchant. */
  readonly start_of_day: string
  /** Weekdays from the settlement to the payout. */
  readonly payout_delay: number
}

export type ShortlinkInput = {
  readonly callback_uri?: string | null | undefined
  readonly description?: string | null | undefined
  /** Of a printed sticker; it can be claimed once. */
  readonly serial_number?: string | null | undefined
}

export type Shortlink = {
  readonly id: string
  readonly callback_uri: string | null
  readonly description: string | null
  readonly serial_number: string | null
  /** The text of the code; what follows it is the argstring of a scan. */
  readonly shortlink_value: string
}

export type ShortlinkUpdate = {
  /** Gets a shortlink_scanned for each scan. Absent or null leaves it, an empty text takes it away. */
  readonly callback_uri?: string | null | undefined
  /** Absent or null leaves it, an empty text takes it away. */
  readonly description?: string | null | undefined
}

export type Scan = {
  readonly id: string
  readonly argstring: string
}

export type StatusCode = {
  readonly code: number
  readonly name: string
  readonly description: string
}

export type UserInput = {
  /** `user` when a new user has none. Absent leaves them. */
  readonly roles?: readonly ('user' | 'superuser')[] | undefined
  /** CIDR (IPv4 or IPv6) of the addresses that requests may come from. Absent or null leaves it, an empty text takes it away. */
  readonly netmask?: string | null | undefined
  /** Kept as a hash only. Absent or null leaves it, an empty text takes it away. */
  readonly secret?: string | null | undefined
  /** RSA public key, 2048 to 4096 bits, PEM or OpenSSH. Absent or null leaves it, an empty text takes it away. */
  readonly pubkey?: string | null | undefined
  readonly id: string
}

export type User = {
  readonly id: string
  readonly roles: readonly ('user' | 'superuser')[]
  readonly netmask: string | null
  readonly has_secret: boolean
  readonly pubkey: string | null
}

export type UserUpdate = {
  /** `user` when a new user has none. Absent leaves them. */
  readonly roles?: readonly ('user' | 'superuser')[] | undefined
  /** CIDR (IPv4 or IPv6) of the addresses that requests may come from. Absent or null leaves it, an empty text takes it away. */
  readonly netmask?: string | null | undefined
  /** Kept as a hash only. Absent or null leaves it, an empty text takes it away. */
  readonly secret?: string | null | undefined
  /** RSA public key, 2048 to 4096 bits, PEM or OpenSSH. Absent or null leaves it, an empty text takes it away. */
  readonly pubkey?: string | null | undefined
}

export type FeeSchedules = {
  readonly fee_schedules: readonly FeeSchedule[]
}

export type FeeSchedule = {
  readonly currency: string
  readonly valid_from: DateTime
  /** Whether it is charged now. */
  readonly in_force: boolean
  /** A part of one, such as 0.009. */
  readonly transaction_rate: string
  /** For each capture. */
  readonly transaction_fixed: Money
  /** Of the gross of each credit capture. */
  readonly interchange_rate: string
  /** For each answered permission request. */
  readonly permission_fixed: Money
  /** For each settlement. */
  readonly settlement_fixed: Money
  readonly refunds_return_fees: boolean
  readonly taxcode: string
  /** By the taxcode, on fees of each kind. */
  readonly vat: {
    /** A part of one, such as 0.009. */
    readonly transaction: string
    /** A part of one, such as 0.009. */
    readonly permission: string
    /** A part of one, such as 0.009. */
    readonly settlement: string
  }
}

export type TransactionList = {
  readonly transactions: readonly Transaction[]
  readonly next: string | null
  /** At the end of `oldest`: the `cursor` from which later lines follow. */
  readonly next_since: string | null
}

export type Transaction = {
  /** Never changes. */
  readonly id: string
  readonly kind:
    'capture' | 'refund' | 'permission_fee' | 'settlement_fee' | 'correction' | 'dispute'
  readonly date: DateTime
  /** Null for settlement fees, which no ledger has. */
  readonly ledger: string | null
  readonly report: string | null
  readonly currency: string
  /** Negative for refunds. */
  readonly gross: Money
  readonly fee: Money
  readonly interchange: Money
  readonly vat: Money
  readonly taxcode: string
  /** Gross less fee, interchange and VAT. */
  readonly net: Money
  /** Of the ledger in this currency, by net. */
  readonly balance_before: Money
  readonly balance_after: Money
  readonly tid: string | null
  readonly rid: string | null
  readonly pos_id: string | null
  readonly pos_tid: string | null
  readonly capture_id: string | null
  readonly refund_id: string | null
  /** As logs and bank statements name it. */
  readonly settlement_id: string | null
  /** YYYY-MM-DD: when the bank paid the settlement. */
  readonly paid_out: string | null
}

export type TransactionDayList = {
  readonly days: readonly TransactionDay[]
  readonly next: string | null
}

export type TransactionDay = {
  /** YYYY-MM-DD, in the time zone of the merchant. */
  readonly date: string
  readonly currency: string
  readonly gross: Money
  readonly fee: Money
  readonly interchange: Money
  readonly vat: Money
  readonly net: Money
  readonly count: number
}

export type PaymentList = {
  readonly payments: readonly PaymentSummary[]
  readonly next: string | null
}

export type PaymentSummary = {
  readonly tid: string
  readonly uri: string
  readonly pos_id: string
  readonly pos_tid: string
  readonly status: 'pending' | 'auth' | 'ok' | 'fail'
  readonly status_code: number
  readonly currency: string
  /** As requested, without an additional amount. */
  readonly amount: Money
  /** With additional amounts; so is `refunded`. */
  readonly captured: Money
  readonly refunded: Money
  readonly customer: string | null
  readonly date_created: DateTime
  readonly date_modified: DateTime
}

export type Proof = {
  readonly format: string
  readonly merchant: string
  /** `payment`, or `ledger` and `report`, or `settlement`. */
  readonly about: Readonly<Record<string, string | number>>
  /** The signed note that all proofs lead to. */
  readonly checkpoint: string
  /** Events that are newer than the checkpoint: ask again in ten seconds. */
  readonly not_covered_yet: number
  /** That it continues the checkpoint of the document, and the one of `from`. */
  readonly consistency: readonly ConsistencyProof[]
  readonly entries: readonly ProvedEntry[]
}

export type ConsistencyProof = {
  readonly old_size: number
  readonly size: number
  /** Base64, as RFC 6962, 2.1.2. */
  readonly hashes: readonly string[]
}

export type ProvedEntry = {
  /** Its number in the log, from 0. */
  readonly index: number
  readonly type: string
  readonly entry?: string | undefined
  /** Where the entry holds its digest alone. */
  readonly data?: string | undefined
  readonly metadata?: string | undefined
  /** The hash of an entry that is withheld. */
  readonly leaf?: string | undefined
  readonly withheld?: string | undefined
  readonly line?: ProvedLine | undefined
  /** The content of a `.tlog-proof`. */
  readonly proof: string
}

/** What it adds to the sums, in minor units. */
export type ProvedLine = {
  readonly action:
    | 'request'
    | 'auth'
    | 'capture'
    | 'release'
    | 'abort'
    | 'expire'
    | 'fail'
    | 'refund'
    | 'fee'
    | 'dispute'
    | 'correction'
    | 'permission_request'
    | 'permission_answered'
    | 'permission_fail'
  readonly currency: string
  readonly amount: number
  readonly additional_amount: number
  readonly charge: {
    readonly fee: number
    readonly interchange: number
    readonly vat: number
    readonly taxcode: string
  } | null
}

export type CallbackFeed = {
  readonly messages: readonly FeedMessage[]
  /** The cursor to go on with, always. */
  readonly next: string
}

export type CallbackSummary = {
  /** As in `meta`. */
  readonly id: string
  readonly event: string
  /** What it is about. */
  readonly resource: string | null
  readonly seqno: number
  readonly timestamp: DateTime
  /** `unaddressed`: there was no address when it was told, the feed has it; `waiting`: it will be sent; `delivered`; `abandoned`: given up, it can be tried again. */
  readonly status: 'unaddressed' | 'waiting' | 'delivered' | 'abandoned'
  readonly attempts: number
  /** Where it goes now. */
  readonly callback_uri: string | null
  readonly next_attempt: DateTime | null
}

export type CallbackDetail = {
  /** As in `meta`. */
  readonly id: string
  readonly event: string
  /** What it is about. */
  readonly resource: string | null
  readonly seqno: number
  readonly timestamp: DateTime
  /** `unaddressed`: there was no address when it was told, the feed has it; `waiting`: it will be sent; `delivered`; `abandoned`: given up, it can be tried again. */
  readonly status: 'unaddressed' | 'waiting' | 'delivered' | 'abandoned'
  /** Where it goes now. */
  readonly callback_uri: string | null
  readonly next_attempt: DateTime | null
  /** Oldest first. */
  readonly attempts: readonly CallbackAttempt[]
  /** The message as it is sent, byte for byte. */
  readonly body: string
}

export type CallbackAttempt = {
  readonly time: DateTime
  readonly callback_uri: string
  readonly result: 'delivered' | 'failed' | 'gone'
  readonly http_status: number | null
  /** In words; null when it arrived. */
  readonly problem: string | null
  /** Null for attempts of old. */
  readonly duration_ms: number | null
}

export type CallbackSecret = {
  /** Signs each message as `v1` of Standard Webhooks. */
  readonly secret: string
  /** They sign as well until then. */
  readonly earlier: readonly {
    readonly secret: string
    readonly valid_until: DateTime
  }[]
}

export type EventDestinationInput = {
  /** Made by the service when it is absent. */
  readonly id?: string | undefined
  /** Gets messages as a `callback_uri` does: over http without the object. */
  readonly uri: string
  /** Names of callback events, or `*` for all. Default: ["*"]. */
  readonly events?:
    | readonly (
        | '*'
        | 'payment_authorized'
        | 'payment_captured'
        | 'payment_auth_released'
        | 'payment_aborted_by_customer'
        | 'payment_aborted_by_merchant'
        | 'payment_authorization_renewed'
        | 'payment_authorization_expired'
        | 'payment_refunded'
        | 'payment_request_expired'
        | 'dispute_opened'
        | 'dispute_closed'
        | 'permission_request_answered'
        | 'permission_request_expired'
        | 'report_closed'
        | 'settlement_made'
        | 'callback_address_rested'
        | 'portal'
        | 'shortlink_scanned'
      )[]
    | undefined
  /** Only messages about these; empty for all. */
  readonly ledgers?: readonly string[] | undefined
  /** Only messages about these; empty for all. */
  readonly pos_ids?: readonly string[] | undefined
  /** `hmac`: Standard Webhooks `v1` with a secret of its own; `rsa`: signed as callbacks are. Default: "hmac". */
  readonly signature?: 'rsa' | 'hmac' | undefined
  /** While it is false, messages wait. Default: true. */
  readonly enabled?: boolean | undefined
}

export type EventDestinationCreated = {
  readonly id: string
  readonly secret: string | null
}

export type EventDestination = {
  readonly id: string
  readonly uri: string
  readonly events: readonly string[]
  readonly ledgers: readonly string[]
  readonly pos_ids: readonly string[]
  readonly signature: 'rsa' | 'hmac'
  readonly enabled: boolean
  readonly health: {
    readonly last_success: DateTime | null
    /** Time of its event. */
    readonly oldest_waiting: DateTime | null
    readonly failing_since: DateTime | null
    /** The last problem, in words. */
    readonly reason: string | null
  }
}

export type EventDestinationUpdate = {
  /** Gets messages as a `callback_uri` does: over http without the object. */
  readonly uri?: string | undefined
  /** Names of callback events, or `*` for all. */
  readonly events?:
    | readonly (
        | '*'
        | 'payment_authorized'
        | 'payment_captured'
        | 'payment_auth_released'
        | 'payment_aborted_by_customer'
        | 'payment_aborted_by_merchant'
        | 'payment_authorization_renewed'
        | 'payment_authorization_expired'
        | 'payment_refunded'
        | 'payment_request_expired'
        | 'dispute_opened'
        | 'dispute_closed'
        | 'permission_request_answered'
        | 'permission_request_expired'
        | 'report_closed'
        | 'settlement_made'
        | 'callback_address_rested'
        | 'portal'
        | 'shortlink_scanned'
      )[]
    | undefined
  /** Only messages about these; empty for all. */
  readonly ledgers?: readonly string[] | undefined
  /** Only messages about these; empty for all. */
  readonly pos_ids?: readonly string[] | undefined
  /** `hmac`: Standard Webhooks `v1` with a secret of its own; `rsa`: signed as callbacks are. */
  readonly signature?: 'rsa' | 'hmac' | undefined
  /** While it is false, messages wait. */
  readonly enabled?: boolean | undefined
}

export type EventReplay = {
  readonly since: DateTime
}

export type EventDestinationSecret = {
  /** Shown this once. */
  readonly secret: string
}

export type CallbackAddresses = {
  readonly addresses: readonly {
    readonly kind: string
    readonly uri: string
    /** `request`: payments or reports name it; shown, to the host, while it fails. */
    readonly of: 'merchant' | 'shortlink' | 'request'
    /** False while it rests. */
    readonly enabled: boolean
    readonly health: {
      /** Time of its event. */
      readonly oldest_waiting: DateTime | null
      readonly failing_since: DateTime | null
      /** The last problem, in words. */
      readonly reason: string | null
    }
  }[]
}

export type PusherAuthorization = {
  readonly socket_id: string
  readonly channel_name: string
}

export type PusherAuth = {
  /** The client library sends it on. */
  readonly auth: string
}

export type ApplicationInput = {
  /** Shown to the payer. */
  readonly name: string
  readonly redirect_uris: readonly string[]
  /** Has no secret. Default: false. */
  readonly public?: boolean | undefined
  /** RFC 9449, 5.2: token requests must prove a key, to which tokens are bound. Default: false. */
  readonly dpop_bound_access_tokens?: boolean | undefined
}

export type ApplicationCreated = {
  readonly id: string
  readonly client_secret: string | null
}

export type Application = {
  /** The client id. */
  readonly id: string
  readonly name: string
  readonly redirect_uris: readonly string[]
  readonly public: boolean
  readonly dpop_bound_access_tokens: boolean
}

export type SandboxAccept = {
  /** Id or phone number; by default the payer named in the request, else alice. */
  readonly payer?: string | undefined
  readonly additional_amount?: Money | undefined
  /** Default: false. */
  readonly credit?: boolean | undefined
}

export type SandboxDecline = {
  /** Id or phone number; by default the payer named in the request, else alice. */
  readonly payer?: string | undefined
}

export type SandboxScan = {
  /** Id or phone number; by default the payer named in the request, else alice. */
  readonly payer?: string | undefined
  readonly argstring?: string | undefined
}

export type SandboxClock = {
  readonly advance_seconds?: number | undefined
  readonly now?: DateTime | undefined
}

export type SandboxTime = {
  readonly now: DateTime
}

export type SandboxSettlement = {
  readonly merchant: string
}

export type SandboxCallback = {
  readonly callback_uri: string
  /** Whose callback it is: its secret signs it. Default: "sandbox". */
  readonly merchant?: string | undefined
}

export type SandboxGrant = {
  /** Id or phone number; by default the payer named in the request, else alice. */
  readonly payer?: string | undefined
  /** Space-delimited, out of openid address bankid email fodselsnummer phone profile shipping_address; others are ignored. Absent or null grants all that was asked for, an empty text none of it. */
  readonly scope?: string | null | undefined
}

export type SandboxDeclinePermission = {
  /** Id or phone number; by default the payer named in the request, else alice. */
  readonly payer?: string | undefined
}

export type SandboxCode = {
  /** Six digits. */
  readonly code: string
}

export type SandboxMessages = {
  readonly messages: readonly {
    readonly to: string
    readonly text: string
    readonly date_sent: DateTime
  }[]
}

/** There is no object over http and on public channels. */
export type PaymentCallback = {
  readonly meta: CallbackMeta
  readonly object?: PaymentOutcome | undefined
}

export type CallbackMeta = {
  /** Stable over retries: what came before can be left out. */
  readonly id: string
  readonly event:
    | 'payment_authorized'
    | 'payment_aborted_by_customer'
    | 'payment_aborted_by_merchant'
    | 'payment_request_expired'
    | 'payment_captured'
    | 'payment_auth_released'
    | 'payment_authorization_renewed'
    | 'payment_authorization_expired'
    | 'payment_refunded'
    | 'dispute_opened'
    | 'dispute_closed'
    | 'permission_request_answered'
    | 'permission_request_expired'
    | 'report_closed'
    | 'settlement_made'
    | 'callback_address_rested'
    | 'portal'
    | 'shortlink_scanned'
    | 'display_message'
    | 'test_event'
  /** Full URL where the merchant can read the object as it is now; null without one. */
  readonly uri: string | null
  readonly timestamp: DateTime
  /** 1, 2, 3 … per resource; what a display is told is counted by itself. */
  readonly seqno: number
  /** Whose it is: a receiver takes its own only. */
  readonly merchant_id: string | null
}

/** There is no object over http and on public channels. */
export type DisputeCallback = {
  readonly meta: CallbackMeta
  readonly object?: Dispute | undefined
}

/** There is no object over http and on public channels. */
export type PermissionCallback = {
  readonly meta: CallbackMeta
  readonly object?: PermissionOutcome | undefined
}

/** There is no object over http and on public channels. */
export type ReportCallback = {
  readonly meta: CallbackMeta
  readonly object?: Report | undefined
}

/** There is no object over http and on public channels. */
export type SettlementCallback = {
  readonly meta: CallbackMeta
  readonly object?: Settlement | undefined
}

/** There is no object over http and on public channels. */
export type RestedCallback = {
  readonly meta: CallbackMeta
  readonly object?:
    | {
        /** Scheme and host. */
        readonly callback_address: string
        readonly failing_since: DateTime
        /** The last one, in words. */
        readonly problem: string | null
      }
    | undefined
}

/** There is no object over http and on public channels. */
export type NoticeCallback = {
  readonly meta: CallbackMeta
  readonly object?:
    | {
        readonly kind:
          | 'authorization_expires'
          | 'callback_address_rested'
          | 'event_destination_disabled'
          | 'payout_returned'
          | 'new_owner'
        /** The tid, address, settlement or member. */
        readonly about: string
        readonly currency: string | null
        /** What is not captured. */
        readonly amount: string | null
        /** When it is too late. */
        readonly date_until: DateTime | null
      }
    | undefined
}

export type ScanCallback = {
  readonly meta: CallbackMeta
  readonly object: {
    /** The `customer` of a payment request, for one day. */
    readonly id: string
    /** What follows the shortlink_value in the code. */
    readonly argstring: string
  }
}

/** There is no object on public channels. */
export type DisplayCallback = {
  readonly meta: CallbackMeta
  readonly object?:
    | {
        readonly text: string
      }
    | undefined
}

/** There is no object on public channels. */
export type TestCallback = {
  readonly meta: CallbackMeta
  readonly object?:
    | {
        readonly text: string
      }
    | undefined
}

/** What each event tells. */
export type CallbackEvents = {
  payment_authorized: PaymentCallback
  payment_captured: PaymentCallback
  payment_auth_released: PaymentCallback
  payment_aborted_by_customer: PaymentCallback
  payment_aborted_by_merchant: PaymentCallback
  payment_authorization_renewed: PaymentCallback
  payment_authorization_expired: PaymentCallback
  payment_refunded: PaymentCallback
  payment_request_expired: PaymentCallback
  dispute_opened: DisputeCallback
  dispute_closed: DisputeCallback
  permission_request_answered: PermissionCallback
  permission_request_expired: PermissionCallback
  report_closed: ReportCallback
  settlement_made: SettlementCallback
  callback_address_rested: RestedCallback
  portal: NoticeCallback
  shortlink_scanned: ScanCallback
  display_message: DisplayCallback
  test_event: TestCallback
}

/** As the feed gives it; `meta.event` says what it tells. */
export type FeedMessage = CallbackEvents[keyof CallbackEvents]

/** The merchant interface, by the names of its operations. */
export type Operations = {
  /** Go to the newest settlement: `GET /merchant/v1/last_settlement/` (SECRET). */
  getLastSettlement(options?: CallOptions): Promise<Settlement>
  /** List the ledgers: `GET /merchant/v1/ledger/` (SECRET). */
  listLedgers(options?: CallOptions): List<Ledger>
  /** Register a ledger: `POST /merchant/v1/ledger/` (SECRET). */
  createLedger(body: LedgerInput, options?: CallOptions): Promise<Created>
  /** Read a ledger: `GET /merchant/v1/ledger/{ledger_id}/` (SECRET). */
  getLedger(ledger_id: string, options?: CallOptions): Promise<Ledger>
  /** Change a ledger, or enable it again: `PUT /merchant/v1/ledger/{ledger_id}/` (SECRET). */
  updateLedger(ledger_id: string, body?: LedgerUpdate, options?: CallOptions): Promise<void>
  /** Disable a ledger: `DELETE /merchant/v1/ledger/{ledger_id}/` (SECRET). */
  deleteLedger(ledger_id: string, options?: CallOptions): Promise<void>
  /** List the reports of a ledger, the open one first: `GET /merchant/v1/ledger/{ledger_id}/report/` (SECRET). */
  listLedgerReports(ledger_id: string, options?: CallOptions): List<Report>
  /** Read a report: `GET /merchant/v1/ledger/{ledger_id}/report/{report_id}/` (SECRET). */
  getLedgerReport(ledger_id: string, report_id: string, options?: CallOptions): Promise<Report>
  /** Close the open report of a ledger: `PUT /merchant/v1/ledger/{ledger_id}/report/{report_id}/` (SECRET). */
  closeLedgerReport(
    ledger_id: string,
    report_id: string,
    body?: ReportClosing,
    options?: CallOptions,
  ): Promise<void>
  /** Read the merchant: `GET /merchant/v1/merchant/{merchant_id}/` (SECRET). */
  getMerchant(merchant_id: string, options?: CallOptions): Promise<Merchant>
  /** Read the logo of the merchant; 404 when it has none: `GET /merchant/v1/merchant/{merchant_id}/logo` (SECRET). */
  getMerchantLogo(merchant_id: string, options?: CallOptions): Promise<Uint8Array>
  /** Find a merchant by organisation number or another secondary id: `GET /merchant/v1/merchant_lookup/{lookup_id}/` (KEY). */
  findMerchant(lookup_id: string, options?: CallOptions): Promise<Merchant>
  /** Request a payment: `POST /merchant/v1/payment_request/` (SECRET). */
  createPaymentRequest(
    body: PaymentRequestInput,
    options?: CallOptions,
  ): Promise<PaymentRequestCreated>
  /** Read a payment request: `GET /merchant/v1/payment_request/{tid}/` (SECRET). */
  getPaymentRequest(tid: string, options?: CallOptions): Promise<PaymentRequest>
  /** Capture, release, renew, refund or amend a payment: `PUT /merchant/v1/payment_request/{tid}/` (SECRET). */
  updatePaymentRequest(tid: string, body?: PaymentUpdate, options?: CallOptions): Promise<void>
  /** Read the outcome of a payment request: `GET /merchant/v1/payment_request/{tid}/outcome/` (SECRET). */
  getPaymentRequestOutcome(tid: string, options?: CallOptions): Promise<PaymentOutcome>
  /** List the attachments of a payment request: `GET /merchant/v1/payment_request/{tid}/attachment/` (SECRET). */
  listPaymentRequestAttachments(tid: string, options?: CallOptions): List<Attachment>
  /** Read an attachment as it was uploaded; none once the payer has been erased: `GET /merchant/v1/payment_request/{tid}/attachment/{attachment_id}/` (SECRET). */
  getPaymentRequestAttachment(
    tid: string,
    attachment_id: string,
    options?: CallOptions,
  ): Promise<Readonly<Record<string, unknown>> | Uint8Array>
  /** List the disputes: `GET /merchant/v1/dispute/` (SECRET). */
  listDisputes(options?: CallOptions): List<Dispute>
  /** Read a dispute: `GET /merchant/v1/dispute/{dispute_id}/` (SECRET). */
  getDispute(dispute_id: string, options?: CallOptions): Promise<Dispute>
  /** Send evidence in a dispute: `POST /merchant/v1/dispute/{dispute_id}/evidence/` (SECRET). */
  sendDisputeEvidence(
    dispute_id: string,
    form: FormData,
    options?: CallOptions,
  ): Promise<EvidenceSent>
  /** List the attachments of a dispute: `GET /merchant/v1/dispute/{dispute_id}/evidence/` (SECRET). */
  listDisputeEvidence(dispute_id: string, options?: CallOptions): List<Attachment>
  /** Read an attachment as it was uploaded; none once the payer has been erased: `GET /merchant/v1/dispute/{dispute_id}/evidence/{attachment_id}/` (SECRET). */
  getDisputeEvidence(
    dispute_id: string,
    attachment_id: string,
    options?: CallOptions,
  ): Promise<Readonly<Record<string, unknown>> | Uint8Array>
  /** Ask a payer for permissions: `POST /merchant/v1/permission_request/` (SECRET). */
  createPermissionRequest(body: PermissionRequestInput, options?: CallOptions): Promise<Created>
  /** Read a permission request: `GET /merchant/v1/permission_request/{rid}/` (SECRET). */
  getPermissionRequest(rid: string, options?: CallOptions): Promise<PermissionRequest>
  /** Read the outcome of a permission request: `GET /merchant/v1/permission_request/{rid}/outcome/` (SECRET). */
  getPermissionRequestOutcome(rid: string, options?: CallOptions): Promise<PermissionOutcome>
  /** List the points of sale: `GET /merchant/v1/pos/` (SECRET). */
  listPos(options?: CallOptions): List<Pos>
  /** Register a point of sale: `POST /merchant/v1/pos/` (SECRET). */
  createPos(body: PosInput, options?: CallOptions): Promise<Created>
  /** Read a point of sale: `GET /merchant/v1/pos/{pos_id}/` (SECRET). */
  getPos(pos_id: string, options?: CallOptions): Promise<Pos>
  /** Change a point of sale: `PUT /merchant/v1/pos/{pos_id}/` (SECRET). */
  updatePos(pos_id: string, body: PosUpdate, options?: CallOptions): Promise<void>
  /** Delete a point of sale: `DELETE /merchant/v1/pos/{pos_id}/` (KEY). */
  deletePos(pos_id: string, options?: CallOptions): Promise<void>
  /** List the settlements: `GET /merchant/v1/settlement/` (SECRET). */
  listSettlements(options?: CallOptions): List<Settlement>
  /** Read a settlement: `GET /merchant/v1/settlement/{settlement_id}/` (SECRET). */
  getSettlement(settlement_id: string, options?: CallOptions): Promise<Settlement>
  /** Read a settlement account: `GET /merchant/v1/settlement_account/{settlement_account_id}/` (SECRET). */
  getSettlementAccount(
    settlement_account_id: string,
    options?: CallOptions,
  ): Promise<SettlementAccount>
  /** List the shortlinks: `GET /merchant/v1/shortlink/` (SECRET). */
  listShortlinks(options?: CallOptions): List<Shortlink>
  /** Register a shortlink: `POST /merchant/v1/shortlink/` (SECRET). */
  createShortlink(body?: ShortlinkInput, options?: CallOptions): Promise<Created>
  /** Read a shortlink: `GET /merchant/v1/shortlink/{shortlink_id}/` (SECRET). */
  getShortlink(shortlink_id: string, options?: CallOptions): Promise<Shortlink>
  /** Change a shortlink: `PUT /merchant/v1/shortlink/{shortlink_id}/` (SECRET). */
  updateShortlink(
    shortlink_id: string,
    body?: ShortlinkUpdate,
    options?: CallOptions,
  ): Promise<void>
  /** Delete a shortlink: `DELETE /merchant/v1/shortlink/{shortlink_id}/` (SECRET). */
  deleteShortlink(shortlink_id: string, options?: CallOptions): Promise<void>
  /** Read the latest scan of a shortlink; 204 when none is young enough: `GET /merchant/v1/shortlink/{shortlink_id}/last_scan/` (SECRET). */
  getShortlinkLastScan(
    shortlink_id: string,
    options?: CallOptions & {
      /** Seconds; older scans do not count. */
      readonly ttl?: number | undefined
    },
  ): Promise<Scan | undefined>
  /** List the status codes: `GET /merchant/v1/status_code/` (OPEN). */
  listStatusCodes(options?: CallOptions): Promise<readonly StatusCode[]>
  /** Read a status code: `GET /merchant/v1/status_code/{value}/` (OPEN). */
  getStatusCode(value: string, options?: CallOptions): Promise<StatusCode>
  /** Register an API user: `POST /merchant/v1/user/` (KEY). */
  createUser(body: UserInput, options?: CallOptions): Promise<Created>
  /** Read an API user: `GET /merchant/v1/user/{user_id}/` (SECRET). */
  getUser(user_id: string, options?: CallOptions): Promise<User>
  /** Change an API user: `PUT /merchant/v1/user/{user_id}/` (KEY). */
  updateUser(user_id: string, body?: UserUpdate, options?: CallOptions): Promise<void>
  /** Delete an API user: `DELETE /merchant/v1/user/{user_id}/` (KEY). */
  deleteUser(user_id: string, options?: CallOptions): Promise<void>
  /** Read what the service charges: `GET /merchant/v1/fee_schedule/` (SECRET). */
  getFeeSchedule(options?: CallOptions): Promise<FeeSchedules>
  /** List the lines that move money: `GET /merchant/v1/transaction/` (SECRET). */
  listTransactions(
    options?: CallOptions & {
      readonly order?: 'oldest' | 'newest' | undefined
      /** Elements of a page: 1 to 1,000. */
      readonly size?: number | undefined
      readonly ledger?: string | undefined
      readonly report?: number | undefined
      readonly pos_id?: string | undefined
      readonly kind?:
        | 'capture'
        | 'refund'
        | 'permission_fee'
        | 'settlement_fee'
        | 'correction'
        | 'dispute'
        | undefined
      /** ISO 4217 code, in any case. */
      readonly currency?: string | undefined
      readonly tid?: string | undefined
      readonly pos_tid?: string | undefined
      readonly capture_id?: string | undefined
      readonly refund_id?: string | undefined
      /** As the lines name it, or its `id`. */
      readonly settlement_id?: string | undefined
      /** From this time on. */
      readonly since?: string | undefined
      /** Before this time. */
      readonly until?: string | undefined
      /** Opaque: out of `next` of the page before. */
      readonly cursor?: string | undefined
    },
  ): Pages<Transaction, TransactionList>
  /** List days with the sums of their lines: `GET /merchant/v1/transaction/days/` (SECRET). */
  listTransactionDays(
    options?: CallOptions & {
      readonly order?: 'oldest' | 'newest' | undefined
      /** Elements of a page: 1 to 1,000. */
      readonly size?: number | undefined
      readonly ledger?: string | undefined
      /** ISO 4217 code, in any case. */
      readonly currency?: string | undefined
      /** From this time on. */
      readonly since?: string | undefined
      /** Before this time. */
      readonly until?: string | undefined
      /** Opaque: out of `next` of the page before. */
      readonly cursor?: string | undefined
    },
  ): Pages<TransactionDay, TransactionDayList>
  /** Find payments: `GET /merchant/v1/payments/` (SECRET). */
  listPayments(
    options?: CallOptions & {
      readonly pos_id?: string | undefined
      readonly pos_tid?: string | undefined
      readonly status?: 'pending' | 'auth' | 'ok' | 'fail' | undefined
      /** DateTime: UTC, YYYY-MM-DD hh:mm:ss. */
      readonly since?: string | undefined
      /** DateTime: UTC, YYYY-MM-DD hh:mm:ss. */
      readonly until?: string | undefined
      readonly ledger?: string | undefined
      /** As your requests name them. */
      readonly customer?: string | undefined
      /** Elements of a page: 1 to 1,000. */
      readonly size?: number | undefined
      /** Opaque: out of `next` of the page before. */
      readonly cursor?: string | undefined
    },
  ): Pages<PaymentSummary, PaymentList>
  /** Prove a payment: `GET /merchant/v1/payment_request/{tid}/proof/` (SECRET). */
  getPaymentRequestProof(
    tid: string,
    options?: CallOptions & {
      /** The size of a checkpoint that you have kept, for the proof that it is continued. */
      readonly from?: string | undefined
    },
  ): Promise<Proof>
  /** Prove a closed report: `GET /merchant/v1/ledger/{ledger_id}/report/{report_id}/proof/` (SECRET). */
  getLedgerReportProof(
    ledger_id: string,
    report_id: string,
    options?: CallOptions & {
      /** The size of a checkpoint that you have kept, for the proof that it is continued. */
      readonly from?: string | undefined
    },
  ): Promise<Proof>
  /** Prove a settlement: `GET /merchant/v1/settlement/{settlement_id}/proof/` (SECRET). */
  getSettlementProof(
    settlement_id: string,
    options?: CallOptions & {
      /** The size of a checkpoint that you have kept, for the proof that it is continued. */
      readonly from?: string | undefined
    },
  ): Promise<Proof>
  /** Read your messages in order, or wait for the next: `GET /merchant/v1/callback/feed/` (SECRET). */
  readCallbackFeed(
    options?: CallOptions & {
      /** Opaque: `next` of the answer before. Absent: from the first message; `now`: later ones. */
      readonly after?: string | undefined
      /** Seconds to wait for a message when there is none. */
      readonly wait?: number | undefined
    },
  ): Promise<CallbackFeed>
  /** List your callbacks: `GET /merchant/v1/callback/` (SECRET). */
  listCallbacks(
    options?: CallOptions & {
      /** The URI of a resource, or its id. */
      readonly resource?: string | undefined
      /** `unaddressed`: there was no address when it was told, the feed has it; `waiting`: it will be sent; `delivered`; `abandoned`: given up, it can be tried again. */
      readonly status?: 'unaddressed' | 'waiting' | 'delivered' | 'abandoned' | undefined
    },
  ): List<CallbackSummary>
  /** Read a callback with its attempts: `GET /merchant/v1/callback/{callback_id}/` (SECRET). */
  getCallback(callback_id: string, options?: CallOptions): Promise<CallbackDetail>
  /** Send a callback now, delivered or not: `POST /merchant/v1/callback/{callback_id}/retry/` (SECRET). */
  retryCallback(callback_id: string, options?: CallOptions): Promise<void>
  /** Read the secret that signs your callbacks: `GET /merchant/v1/callback_secret/` (KEY). */
  getCallbackSecret(options?: CallOptions): Promise<CallbackSecret>
  /** Replace the secret that signs your callbacks: `POST /merchant/v1/callback_secret/` (KEY). */
  createCallbackSecret(options?: CallOptions): Promise<CallbackSecret>
  /** List the event destinations: `GET /merchant/v1/event_destination/` (SECRET). */
  listEventDestinations(options?: CallOptions): List<EventDestination>
  /** Register an event destination: `POST /merchant/v1/event_destination/` (SECRET). */
  createEventDestination(
    body: EventDestinationInput,
    options?: CallOptions,
  ): Promise<EventDestinationCreated>
  /** Read an event destination: `GET /merchant/v1/event_destination/{event_destination_id}/` (SECRET). */
  getEventDestination(
    event_destination_id: string,
    options?: CallOptions,
  ): Promise<EventDestination>
  /** Change an event destination: `PUT /merchant/v1/event_destination/{event_destination_id}/` (SECRET). */
  updateEventDestination(
    event_destination_id: string,
    body?: EventDestinationUpdate,
    options?: CallOptions,
  ): Promise<void>
  /** Delete an event destination: `DELETE /merchant/v1/event_destination/{event_destination_id}/` (KEY). */
  deleteEventDestination(event_destination_id: string, options?: CallOptions): Promise<void>
  /** Send the messages since a time again, behind fresh ones: `POST /merchant/v1/event_destination/{event_destination_id}/replay/` (SECRET). */
  createEventDestinationReplay(
    event_destination_id: string,
    body: EventReplay,
    options?: CallOptions,
  ): Promise<void>
  /** Replace the secret of an event destination: `POST /merchant/v1/event_destination/{event_destination_id}/secret/` (KEY). */
  createEventDestinationSecret(
    event_destination_id: string,
    options?: CallOptions,
  ): Promise<EventDestinationSecret>
  /** The addresses that get messages beside event destinations, with their health: `GET /merchant/v1/callback_address/` (SECRET). */
  getCallbackAddresses(options?: CallOptions): Promise<CallbackAddresses>
  /** Authorise a Pusher client to listen to a private channel: `POST /merchant/v1/pusher_auth/` (SECRET). */
  authorizePusherChannel(body: PusherAuthorization, options?: CallOptions): Promise<PusherAuth>
  /** List the applications: `GET /merchant/v1/application/` (SECRET). */
  listApplications(options?: CallOptions): List<Application>
  /** Register an application; its secret is shown this once: `POST /merchant/v1/application/` (SECRET). */
  createApplication(body: ApplicationInput, options?: CallOptions): Promise<ApplicationCreated>
  /** Read an application: `GET /merchant/v1/application/{client_id}/` (SECRET). */
  getApplication(client_id: string, options?: CallOptions): Promise<Application>
  /** Remove an application: it gets no more tokens: `DELETE /merchant/v1/application/{client_id}/` (SECRET). */
  deleteApplication(client_id: string, options?: CallOptions): Promise<void>
  /** The payer accepts: `POST /sandbox/v1/payment_request/{tid}/accept/` (OPEN). */
  acceptSandboxPaymentRequest(
    tid: string,
    body?: SandboxAccept,
    options?: CallOptions,
  ): Promise<void>
  /** The payer declines: `POST /sandbox/v1/payment_request/{tid}/decline/` (OPEN). */
  declineSandboxPaymentRequest(
    tid: string,
    body?: SandboxDecline,
    options?: CallOptions,
  ): Promise<void>
  /** A payer scans a shortlink: `POST /sandbox/v1/shortlink/{shortlink_id}/scan/` (OPEN). */
  scanSandboxShortlink(
    shortlink_id: string,
    body?: SandboxScan,
    options?: CallOptions,
  ): Promise<{
    /** token:<digits> */
    readonly id: string
  }>
  /** Move the clock of the service forward: `POST /sandbox/v1/clock/` (OPEN). */
  advanceSandboxClock(body: SandboxClock, options?: CallOptions): Promise<SandboxTime>
  /** Settle a merchant now: `POST /sandbox/v1/settlement/` (OPEN). */
  createSandboxSettlement(body: SandboxSettlement, options?: CallOptions): Promise<void>
  /** Send a test_event to an address: `POST /sandbox/v1/callback/` (OPEN). */
  sendSandboxCallback(body: SandboxCallback, options?: CallOptions): Promise<void>
  /** The payer grants what was asked for, or a part of it: `POST /sandbox/v1/permission_request/{rid}/accept/` (OPEN). */
  acceptSandboxPermissionRequest(
    rid: string,
    body?: SandboxGrant,
    options?: CallOptions,
  ): Promise<void>
  /** The payer declines to grant anything: `POST /sandbox/v1/permission_request/{rid}/decline/` (OPEN). */
  declineSandboxPermissionRequest(
    rid: string,
    body?: SandboxDeclinePermission,
    options?: CallOptions,
  ): Promise<void>
  /** The one-time code that a payer's authenticator shows now: `GET /sandbox/v1/payer/{payer}/code/` (OPEN). */
  getSandboxPayerCode(payer: string, options?: CallOptions): Promise<SandboxCode>
  /** The messages that phones and mailboxes would have received, newest first: `GET /sandbox/v1/message/` (OPEN). */
  getSandboxMessage(
    options?: CallOptions & {
      /** A phone number or an e-mail address; by default all. */
      readonly to?: string | undefined
    },
  ): Promise<SandboxMessages>
}

/** Method, path and what is special: see `Trait` of the client. */
export const operations = {
  getLastSettlement: 'GET /merchant/v1/last_settlement/',
  listLedgers: 'GET /merchant/v1/ledger/ list',
  createLedger: 'POST /merchant/v1/ledger/ body names-itself',
  getLedger: 'GET /merchant/v1/ledger/{ledger_id}/',
  updateLedger: 'PUT /merchant/v1/ledger/{ledger_id}/ body',
  deleteLedger: 'DELETE /merchant/v1/ledger/{ledger_id}/',
  listLedgerReports: 'GET /merchant/v1/ledger/{ledger_id}/report/ list',
  getLedgerReport: 'GET /merchant/v1/ledger/{ledger_id}/report/{report_id}/',
  closeLedgerReport: 'PUT /merchant/v1/ledger/{ledger_id}/report/{report_id}/ body',
  getMerchant: 'GET /merchant/v1/merchant/{merchant_id}/',
  getMerchantLogo: 'GET /merchant/v1/merchant/{merchant_id}/logo',
  findMerchant: 'GET /merchant/v1/merchant_lookup/{lookup_id}/',
  createPaymentRequest: 'POST /merchant/v1/payment_request/ body',
  getPaymentRequest: 'GET /merchant/v1/payment_request/{tid}/',
  updatePaymentRequest: 'PUT /merchant/v1/payment_request/{tid}/ body',
  getPaymentRequestOutcome: 'GET /merchant/v1/payment_request/{tid}/outcome/',
  listPaymentRequestAttachments: 'GET /merchant/v1/payment_request/{tid}/attachment/ list',
  getPaymentRequestAttachment: 'GET /merchant/v1/payment_request/{tid}/attachment/{attachment_id}/',
  listDisputes: 'GET /merchant/v1/dispute/ list',
  getDispute: 'GET /merchant/v1/dispute/{dispute_id}/',
  sendDisputeEvidence: 'POST /merchant/v1/dispute/{dispute_id}/evidence/ body',
  listDisputeEvidence: 'GET /merchant/v1/dispute/{dispute_id}/evidence/ list',
  getDisputeEvidence: 'GET /merchant/v1/dispute/{dispute_id}/evidence/{attachment_id}/',
  createPermissionRequest: 'POST /merchant/v1/permission_request/ body',
  getPermissionRequest: 'GET /merchant/v1/permission_request/{rid}/',
  getPermissionRequestOutcome: 'GET /merchant/v1/permission_request/{rid}/outcome/',
  listPos: 'GET /merchant/v1/pos/ list',
  createPos: 'POST /merchant/v1/pos/ body',
  getPos: 'GET /merchant/v1/pos/{pos_id}/',
  updatePos: 'PUT /merchant/v1/pos/{pos_id}/ body',
  deletePos: 'DELETE /merchant/v1/pos/{pos_id}/',
  listSettlements: 'GET /merchant/v1/settlement/ list',
  getSettlement: 'GET /merchant/v1/settlement/{settlement_id}/',
  getSettlementAccount: 'GET /merchant/v1/settlement_account/{settlement_account_id}/',
  listShortlinks: 'GET /merchant/v1/shortlink/ list',
  createShortlink: 'POST /merchant/v1/shortlink/ body anew',
  getShortlink: 'GET /merchant/v1/shortlink/{shortlink_id}/',
  updateShortlink: 'PUT /merchant/v1/shortlink/{shortlink_id}/ body',
  deleteShortlink: 'DELETE /merchant/v1/shortlink/{shortlink_id}/',
  getShortlinkLastScan: 'GET /merchant/v1/shortlink/{shortlink_id}/last_scan/',
  listStatusCodes: 'GET /merchant/v1/status_code/',
  getStatusCode: 'GET /merchant/v1/status_code/{value}/',
  createUser: 'POST /merchant/v1/user/ body',
  getUser: 'GET /merchant/v1/user/{user_id}/',
  updateUser: 'PUT /merchant/v1/user/{user_id}/ body',
  deleteUser: 'DELETE /merchant/v1/user/{user_id}/',
  getFeeSchedule: 'GET /merchant/v1/fee_schedule/',
  listTransactions: 'GET /merchant/v1/transaction/ list',
  listTransactionDays: 'GET /merchant/v1/transaction/days/ list',
  listPayments: 'GET /merchant/v1/payments/ list',
  getPaymentRequestProof: 'GET /merchant/v1/payment_request/{tid}/proof/',
  getLedgerReportProof: 'GET /merchant/v1/ledger/{ledger_id}/report/{report_id}/proof/',
  getSettlementProof: 'GET /merchant/v1/settlement/{settlement_id}/proof/',
  readCallbackFeed: 'GET /merchant/v1/callback/feed/',
  listCallbacks: 'GET /merchant/v1/callback/ list',
  getCallback: 'GET /merchant/v1/callback/{callback_id}/',
  retryCallback: 'POST /merchant/v1/callback/{callback_id}/retry/',
  getCallbackSecret: 'GET /merchant/v1/callback_secret/',
  createCallbackSecret: 'POST /merchant/v1/callback_secret/',
  listEventDestinations: 'GET /merchant/v1/event_destination/ list',
  createEventDestination: 'POST /merchant/v1/event_destination/ body names-itself',
  getEventDestination: 'GET /merchant/v1/event_destination/{event_destination_id}/',
  updateEventDestination: 'PUT /merchant/v1/event_destination/{event_destination_id}/ body',
  deleteEventDestination: 'DELETE /merchant/v1/event_destination/{event_destination_id}/',
  createEventDestinationReplay:
    'POST /merchant/v1/event_destination/{event_destination_id}/replay/ body',
  createEventDestinationSecret:
    'POST /merchant/v1/event_destination/{event_destination_id}/secret/',
  getCallbackAddresses: 'GET /merchant/v1/callback_address/',
  authorizePusherChannel: 'POST /merchant/v1/pusher_auth/ body',
  listApplications: 'GET /merchant/v1/application/ list',
  createApplication: 'POST /merchant/v1/application/ body anew',
  getApplication: 'GET /merchant/v1/application/{client_id}/',
  deleteApplication: 'DELETE /merchant/v1/application/{client_id}/',
  acceptSandboxPaymentRequest: 'POST /sandbox/v1/payment_request/{tid}/accept/ body anew',
  declineSandboxPaymentRequest: 'POST /sandbox/v1/payment_request/{tid}/decline/ body anew',
  scanSandboxShortlink: 'POST /sandbox/v1/shortlink/{shortlink_id}/scan/ body anew',
  advanceSandboxClock: 'POST /sandbox/v1/clock/ body anew',
  createSandboxSettlement: 'POST /sandbox/v1/settlement/ body anew',
  sendSandboxCallback: 'POST /sandbox/v1/callback/ body anew',
  acceptSandboxPermissionRequest: 'POST /sandbox/v1/permission_request/{rid}/accept/ body anew',
  declineSandboxPermissionRequest: 'POST /sandbox/v1/permission_request/{rid}/decline/ body anew',
  getSandboxPayerCode: 'GET /sandbox/v1/payer/{payer}/code/',
  getSandboxMessage: 'GET /sandbox/v1/message/',
} as const
