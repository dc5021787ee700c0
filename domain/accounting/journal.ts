import { addUp, negated, type MinorUnits, type Sum } from '../money/money.ts'
import { settlementFeesIn } from './settlement.ts'
import { heldAfter, type HeldIn, type PayoutPaid } from './payout-events.ts'
import type {
  DebtBilled,
  DebtWrittenOff,
  InvoicePaid,
  SettlementEvent,
  SettlementMade,
} from './settlement-events.ts'
import type { Books, DifferenceEvent, ReceiptEvent } from './funding-receipt.ts'
import { movesMoney, type LineAction, type TransactionLine } from './transaction-line.ts'
import type { Recorded } from '../events.ts'
import { dayOf, type Instant } from '../time.ts'

/** The chart of accounts. Payables and unsettled sums have one account per merchant. */
export const accounts = [
  'payer_clearing',
  'merchant_payable',
  'payouts_payable',
  'payout_clearing',
  'fee_income',
  'interchange',
  'vat',
  'bank',
  'unsettled_fees',
  'unsettled_refunds',
  'corrections',
  'written_off',
  'invoices',
  'funding_fees',
  'unexplained',
  'funding_differences',
] as const

export type Account = (typeof accounts)[number]

/** Debits are positive, credits negative. */
export type Posting = {
  readonly account: Account
  /** Null for accounts that are not per merchant. */
  readonly merchant: string | null
  readonly currency: string
  readonly amount: Sum
}

/** A journal entry does not balance: a bug that stops the read models. */
export class Unbalanced extends Error {
  override readonly name = 'Unbalanced'
}

/** Drops zero postings. @throws Unbalanced when a currency does not sum to zero */
export const balanced = (postings: readonly Posting[]): readonly Posting[] => {
  for (const currency of new Set(postings.map((posting) => posting.currency))) {
    const own = postings.filter((posting) => posting.currency === currency)
    const rest = addUp(...own.map(({ amount }) => amount))
    if (rest !== '0') throw new Unbalanced(`an entry is off by ${rest} minor units of ${currency}`)
  }
  return postings.filter(({ amount }) => amount !== '0')
}

/** What the journal needs of a line. */
type PostedLine = Pick<
  TransactionLine,
  'action' | 'merchant' | 'currency' | 'amount' | 'additionalAmount' | 'charge'
>

/**
 * Debits the payer with the gross and credits merchant, fees, interchange and VAT; a refund is the
 * reverse. A correction is the operator's own cost, or income.
 */
export const postingsOfLine = (line: PostedLine): readonly Posting[] => {
  if (!movesMoney(line)) return []
  const { currency, merchant, charge, amount, additionalAmount } = line
  const gross = amount + additionalAmount
  const net = gross - charge.fee - charge.interchange - charge.vat
  const post = (account: Account, minor: MinorUnits, of: string | null = null): Posting => ({
    account,
    merchant: of,
    currency,
    amount: String(minor),
  })
  // Not a unary minus: -0 is not a valid amount.
  return balanced([
    post(line.action === 'correction' ? 'corrections' : 'payer_clearing', gross),
    post('merchant_payable', 0 - net, merchant),
    post('fee_income', 0 - charge.fee),
    post('interchange', 0 - charge.interchange),
    post('vat', 0 - charge.vat),
  ])
}

/**
 * Moves the merchant's payable into a payout, less the settlement fee. A shortfall becomes a claim
 * on the merchant.
 */
export const postingsOfSettlement = (
  merchant: string,
  { totals, payouts }: SettlementMade,
): readonly Posting[] =>
  balanced(
    payouts.flatMap((made) => {
      const { currency, net, payout, unsettledFeesBefore, unsettledFeesAfter } = made
      const { unsettledRefundsBefore = '0', unsettledRefundsAfter = '0' } = made
      // What was billed has left these accounts already.
      const { billed, billedRefunds = '0' } = made
      const billedFees = addUp(billed, negated(billedRefunds))
      const { fee, vat } = settlementFeesIn(totals, currency)
      const post = (account: Account, amount: Sum, of: string | null = null): Posting => ({
        account,
        merchant: of,
        currency,
        amount,
      })
      return [
        post('merchant_payable', addUp(net, fee, vat), merchant),
        post('fee_income', negated(fee)),
        post('vat', negated(vat)),
        post('payouts_payable', negated(payout), merchant),
        post(
          'unsettled_fees',
          addUp(unsettledFeesBefore, billedFees, negated(unsettledFeesAfter)),
          merchant,
        ),
        post(
          'unsettled_refunds',
          addUp(unsettledRefundsBefore, billedRefunds, negated(unsettledRefundsAfter)),
          merchant,
        ),
      ]
    }),
  )

/** The claim on the merchant becomes a loss, or an invoice; or the invoice becomes a loss. */
const postingsOfDebt = (
  merchant: string,
  account: 'written_off' | 'invoices',
  { currency, fees, refunds, invoiceId }: DebtWrittenOff | DebtBilled,
): readonly Posting[] => [
  {
    account,
    merchant: account === 'invoices' ? merchant : null,
    currency,
    amount: addUp(fees, refunds),
  },
  {
    account: account === 'written_off' && invoiceId !== undefined ? 'invoices' : 'unsettled_fees',
    merchant,
    currency,
    amount: negated(fees),
  },
  { account: 'unsettled_refunds', merchant, currency, amount: negated(refunds) },
]

const postingsOfInvoice = (
  merchant: string,
  { currency, amount }: InvoicePaid,
): readonly Posting[] => [
  { account: 'bank', merchant: null, currency, amount },
  { account: 'invoices', merchant, currency, amount: negated(amount) },
]

type Held = Pick<PayoutPaid, 'currency' | 'amount'>

/** Moves a payout between two accounts. */
const moved = (
  merchant: string,
  from: HeldIn,
  to: HeldIn,
  { currency, amount }: Held,
): readonly Posting[] => {
  if (from === to) return []
  const post = (account: HeldIn, moves: Sum): Posting => ({
    account,
    merchant: account === 'payouts_payable' ? merchant : null,
    currency,
    amount: moves,
  })
  return [post(from, amount), post(to, negated(amount))]
}

/** Ordered: to clearing. Paid: from clearing to the bank. Returned: back to the payable. */
const postingsOfPayout = (
  merchant: string,
  event: Extract<SettlementEvent, { type: 'PayoutOrdered' | 'PayoutPaid' | 'PayoutReturned' }>,
): readonly Posting[] => {
  const { type, data } = event
  switch (type) {
    case 'PayoutOrdered':
      return data.paid.flatMap((one) => moved(merchant, 'payouts_payable', heldAfter(data), one))
    case 'PayoutPaid':
      return moved(merchant, data.heldIn, 'bank', data)
    case 'PayoutReturned':
      return moved(merchant, data.heldIn, 'payouts_payable', data)
  }
}

/** Money that came in from payers, as it was booked when it was decided. */
const postingsOfFunding = ({
  currency,
  books = {},
}: {
  readonly currency: string
  readonly books?: Books | undefined
}): readonly Posting[] =>
  (Object.entries(books) as [Account, Sum][]).map(([account, amount]) => ({
    account,
    merchant: null,
    currency,
    amount,
  }))

/** Events that are journal entries themselves, rather than through their lines. */
const posting = [
  ...(['SettlementMade', 'PayoutOrdered', 'PayoutPaid', 'PayoutReturned'] as const),
  ...(['DebtWrittenOff', 'DebtBilled', 'InvoicePaid'] as const),
  ...(['FundingReceiptSeen', 'FundingReceiptPlaced'] as const),
  ...(['FundingFeeWithheld', 'FundingDifferenceClosed'] as const),
] as const

export type PostingEvent = Extract<
  SettlementEvent | ReceiptEvent | DifferenceEvent,
  { type: (typeof posting)[number] }
>

/** The settlement of an entry; null for money that came in. */
export const serialOf = ({ data }: PostingEvent): number | null =>
  'serial' in data ? data.serial : null

export const postingEvents: readonly PostingEvent['type'][] = posting

export const isPosting = <Event extends { readonly type: string }>(
  event: Event,
): event is Extract<Event, { type: PostingEvent['type'] }> =>
  (posting as readonly string[]).includes(event.type)

export const postingsOfEvent = (merchant: string, event: PostingEvent): readonly Posting[] => {
  switch (event.type) {
    case 'SettlementMade':
      return postingsOfSettlement(merchant, event.data)
    case 'DebtWrittenOff':
      return balanced(postingsOfDebt(merchant, 'written_off', event.data))
    case 'DebtBilled':
      return balanced(postingsOfDebt(merchant, 'invoices', event.data))
    case 'InvoicePaid':
      return balanced(postingsOfInvoice(merchant, event.data))
    case 'FundingReceiptSeen':
    case 'FundingReceiptPlaced':
    case 'FundingFeeWithheld':
    case 'FundingDifferenceClosed':
      return balanced(postingsOfFunding(event.data))
    default:
      return balanced(postingsOfPayout(merchant, event))
  }
}

export const entryTags = ['ledger', 'tid', 'sub_id', 'pos_tid', 'settlement', 'message'] as const

/** What one event moves between accounts; each currency of it sums to zero. */
export type JournalEntry = {
  readonly position: number
  /** `YYYY-MM-DD`: the bank's booking date if known, else the date of the log in UTC. */
  readonly day: string
  /** When it was decided. */
  readonly at: Instant
  /** Business name of the merchant. */
  readonly payee: string
  readonly action: string
  readonly tags: Readonly<Record<(typeof entryTags)[number], string | null>>
  readonly postings: readonly Posting[]
}

export type Moved = Pick<JournalEntry, 'action' | 'tags' | 'postings'> & {
  /** The bank's booking date, if known. */
  readonly bankDay: string | undefined
}

/** A stored line that moves money. */
export type KeptLine = {
  readonly action: LineAction
  readonly ledger: string
  readonly tid: string
  readonly subId: string | null
  readonly merchant: string
  readonly currency: string
  readonly amount: number
  readonly additionalAmount: number
  readonly fee: number
  readonly interchange: number
  readonly vat: number
  readonly taxcode: string
  readonly posTid: string | null
}

export const movedByLine = ({ ledger, tid, subId, posTid, ...line }: KeptLine): Moved => ({
  action: line.action,
  tags: { ledger, tid, sub_id: subId, pos_tid: posTid, settlement: null, message: null },
  postings: postingsOfLine({ ...line, charge: line }),
  bankDay: undefined,
})

export const none = { ledger: null, tid: null, sub_id: null, pos_tid: null }

export const actions: Readonly<Record<PostingEvent['type'], string>> = {
  SettlementMade: 'settlement',
  PayoutOrdered: 'payout',
  PayoutPaid: 'payout_paid',
  PayoutReturned: 'payout_returned',
  DebtWrittenOff: 'write_off',
  DebtBilled: 'invoice',
  InvoicePaid: 'invoice_paid',
  FundingReceiptSeen: 'receipt',
  FundingReceiptPlaced: 'receipt',
  FundingFeeWithheld: 'funding_fee',
  FundingDifferenceClosed: 'difference_closed',
}

export const bankDayOf = ({ data }: PostingEvent): string | undefined =>
  'day' in data ? data.day : undefined

export const movedByEvent = (
  merchant: string,
  event: PostingEvent,
  settlement: string | null,
): Moved => {
  const { type, data } = event
  const message = 'messageId' in data ? data.messageId : null
  const postings = postingsOfEvent(merchant, event)
  const tid = type === 'FundingReceiptPlaced' ? (data.place?.tid ?? null) : null
  const tags = { ...none, tid, settlement, message }
  return { action: actions[type], tags, postings, bankDay: bankDayOf(event) }
}

/** The booking date, but no earlier than `firstDay` and no later than the log's date. */
export const entryDay = (
  { bankDay }: Pick<Moved, 'bankDay'>,
  logTime: Instant,
  firstDay = '',
): string => {
  const logDay = dayOf(logTime)
  if (bankDay === undefined || bankDay > logDay) return logDay
  return bankDay < firstDay ? firstDay : bankDay
}

export const bookingDay = (event: Recorded<PostingEvent>): string =>
  entryDay({ bankDay: bankDayOf(event) }, event.metadata.at)
