import type { Account, Posting } from '../../domain/accounting/journal.ts'

/** An account's names in other accounting systems. */
type Named = {
  /** First part of its name in a plain-text ledger, which determines its type. */
  readonly kind: 'assets' | 'liabilities' | 'income'
  readonly description: string
  /** Number, and grouping code in Skatteetaten's list for SAF-T ("naeringsspesifikasjon"). */
  readonly number: string
  readonly category: string
  readonly code: string
}

const current = { kind: 'assets', category: 'balanseverdiForOmloepsmiddel' } as const
const debt = { kind: 'liabilities', category: 'kortsiktigGjeld' } as const

export const chart: Readonly<Record<Account, Named>> = {
  payer_clearing: { ...current, number: '1570', code: '1570', description: 'Payer clearing' },
  unsettled_fees: { ...current, number: '1571', code: '1570', description: 'Unsettled fees' },
  unsettled_refunds: { ...current, number: '1572', code: '1570', description: 'Unsettled refunds' },
  bank: { ...current, number: '1920', code: '1920', description: 'Bank' },
  vat: { ...debt, number: '2740', code: '2740', description: 'VAT on fees' },
  merchant_payable: { ...debt, number: '2991', code: '2990', description: 'Payable to merchant' },
  payouts_payable: { ...debt, number: '2992', code: '2990', description: 'Payouts to merchant' },
  payout_clearing: { ...debt, number: '2994', code: '2990', description: 'Payouts under way' },
  interchange: { ...debt, number: '2993', code: '2990', description: 'Interchange' },
  fee_income: {
    kind: 'income',
    number: '3000',
    category: 'salgsinntekt',
    code: '3000',
    description: 'Fees',
  },
}

type Owned = Pick<Posting, 'account' | 'merchant'>

/** `liabilities:merchant_payable:shop` */
export const ledgerName = ({ account, merchant }: Owned): string =>
  [chart[account].kind, account, ...(merchant === null ? [] : [merchant])].join(':')

/** `2991:shop`, at most 70 characters. */
export const saftNumber = ({ account, merchant }: Owned): string =>
  [chart[account].number, ...(merchant === null ? [] : [merchant])].join(':')
