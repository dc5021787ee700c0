import { addUp, negated, type MinorUnits, type Sum } from '../money/money.ts'
import { settlementFeesIn, type PayoutOrdered, type SettlementMade } from './settlement.ts'
import { movesMoney, type TransactionLine } from './transaction-line.ts'

/** The chart of accounts; what is owed to a merchant, and by it, has an account for each. */
export const accounts = [
  'payer_clearing',
  'merchant_payable',
  'payouts_payable',
  'fee_income',
  'interchange',
  'vat',
  'bank',
  'unsettled_fees',
  'unsettled_refunds',
] as const

export type Account = (typeof accounts)[number]

/** One side of an entry: debits are above zero, credits below. */
export type Posting = {
  readonly account: Account
  /** Of the accounts that each merchant has; else null. */
  readonly merchant: string | null
  readonly currency: string
  readonly amount: Sum
}

/** An entry whose two sides differ: a bug, and no read model goes on with it. */
export class Unbalanced extends Error {
  override readonly name = 'Unbalanced'
}

/** The postings that move something. @throws Unbalanced when they do not sum to zero in each currency */
export const balanced = (postings: readonly Posting[]): readonly Posting[] => {
  for (const currency of new Set(postings.map((posting) => posting.currency))) {
    const own = postings.filter((posting) => posting.currency === currency)
    const rest = addUp(...own.map(({ amount }) => amount))
    if (rest !== '0') throw new Unbalanced(`an entry is off by ${rest} minor units of ${currency}`)
  }
  return postings.filter(({ amount }) => amount !== '0')
}

/**
 * A capture: payers are debited the gross; the merchant is credited the net, we our fee, the schemes their interchange,
 * the state its VAT. A refund is the same with all signs turned.
 */
export const postingsOfLine = (
  line: Pick<TransactionLine, 'merchant' | 'currency' | 'amount' | 'additionalAmount' | 'charge'>,
): readonly Posting[] => {
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
  // Zero less something, because -0 is no number of minor units.
  return balanced([
    post('payer_clearing', gross),
    post('merchant_payable', 0 - net, merchant),
    post('fee_income', 0 - charge.fee),
    post('interchange', 0 - charge.interchange),
    post('vat', 0 - charge.vat),
  ])
}

/**
 * A settlement: what was payable to the merchant is debited, and becomes a payout that is to be made, less the settlement
 * fee and its VAT; what it does not cover becomes a claim on the merchant, which a later settlement takes back.
 */
export const postingsOfSettlement = (
  merchant: string,
  { totals, payouts }: SettlementMade,
): readonly Posting[] =>
  balanced(
    payouts.flatMap((made) => {
      const { currency, net, payout, unsettledFeesBefore, unsettledFeesAfter } = made
      const { unsettledRefundsBefore = '0', unsettledRefundsAfter = '0' } = made
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
        post('unsettled_fees', addUp(unsettledFeesBefore, negated(unsettledFeesAfter)), merchant),
        post(
          'unsettled_refunds',
          addUp(unsettledRefundsBefore, negated(unsettledRefundsAfter)),
          merchant,
        ),
      ]
    }),
  )

/** A payout: the bank is asked for what was to be paid out. */
export const postingsOfPayout = (merchant: string, { paid }: PayoutOrdered): readonly Posting[] =>
  balanced(
    paid.flatMap(({ currency, amount }): Posting[] => [
      { account: 'payouts_payable', merchant, currency, amount },
      { account: 'bank', merchant: null, currency, amount: negated(amount) },
    ]),
  )
