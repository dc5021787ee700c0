import type { Find } from '../../application/find-state.ts'
import type { Handle } from '../../application/handle.ts'
import type { RequestedAccountChange } from '../../domain/accounting/settlement-account.ts'
import type { Sum } from '../../domain/money/money.ts'
import type { LedgerRow } from '../../projections/ledgers.ts'
import type { CurrencySum } from '../../projections/prepared.ts'
import type { LineRange } from '../../projections/log-lines.ts'
import type { Queries } from '../../projections/read-models.ts'
import type { ReportRow } from '../../projections/reports.ts'
import type { SettlementAccountRow } from '../../projections/settlement-accounts.ts'
import type { SettlementRow } from '../../projections/settlements.ts'
import type { TransactionPage } from '../../projections/transactions.ts'
import type { TransactionPlace } from '../../projections/transaction-row.ts'
import type { ActorNeeds } from './actors.ts'
import type { PortalNeeds } from './guard.ts'
import type { NextPayoutNeeds } from './next-payout.tsx'

export type Sheet = {
  readonly name: string
  readonly rows?: readonly (readonly (string | number | null)[])[]
  readonly csv?: Uint8Array
}

export type MoneyNeeds = PortalNeeds &
  ActorNeeds &
  NextPayoutNeeds & {
    readonly handle: Handle
    readonly find: Find
    readonly newId: () => string
    /** The newest event of a merchant that this process knows of. */
    readonly newestOf: (merchant: string) => number
    readonly settlements: {
      find(merchant: string, serial: number): SettlementRow | undefined
      list(merchant: string, before: number, limit: number): readonly SettlementRow[]
    }
    /** Lines of money that a settlement took, or none has taken, newest first. */
    readonly moneyLines: (
      about: {
        readonly merchant: string
        readonly serial: number | undefined
        readonly posTid?: string | undefined
        readonly currency?: string
      },
      behind: TransactionPlace | null,
      size: number,
    ) => Promise<TransactionPage>
    readonly ledgers: {
      find(merchant: string, id: string): LedgerRow | undefined
      idsOf(merchant: string): readonly string[]
    }
    readonly reports: {
      find(merchant: string, ledger: string, number: number): ReportRow | undefined
    }
    /** Whether the house has an account to pay from. */
    readonly canOrderPayouts: boolean
    readonly settlementAccounts: { find(merchant: string): SettlementAccountRow | undefined }
    readonly accountChanges: {
      find(merchant: string): { readonly asked: RequestedAccountChange } | undefined
    }
    readonly settledTurnover: {
      /** What a settlement took, in minor units. */
      of(
        merchant: string,
        serial: number,
      ): (currency: string, action: 'capture' | 'refund' | 'dispute' | 'correction') => Sum
    }
    readonly invoices: Pick<Queries['accounting']['invoices'], 'list'>
    /** What is owed from earlier settlements. */
    readonly owedOf: (merchant: string) => readonly CurrencySum[]
    readonly corrections: Pick<Queries['accounting']['corrections'], 'approved' | 'find'>
    readonly readLog: (sha256: string) => Promise<ReadableStream | undefined>
    /** A log of an open report, as far as it is. */
    readonly readOpenLog: (
      range: Omit<LineRange, 'before'>,
      name: 'transactions' | 'scopes',
    ) => ReadableStream
    /** Undefined where it takes too long. */
    readonly makeSpreadsheet: (
      sheets: readonly Sheet[],
    ) => Promise<Uint8Array<ArrayBuffer> | undefined>
    /** An account as it is kept; undefined for what is none. */
    readonly readAccount: (text: string) => string | undefined
    /** Undefined where the operator has set up no way to send any. */
    readonly sendMessage: ((to: string, text: string) => void) | undefined
    readonly invitedNumber: (phone: string) => string | undefined
  }
