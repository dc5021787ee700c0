import type { BetterSQLite3Database } from 'drizzle-orm/better-sqlite3'
import { channel } from '../domain/merchant/channel.ts'
import { integrator, signingKey, requestLimit } from '../domain/merchant/registers.ts'
import { user } from '../domain/merchant/user.ts'
import { application } from '../domain/people/application.ts'
import { auditorRegister } from '../domain/people/auditor.ts'
import { checkpointKey } from '../domain/transparency/checkpoints.ts'
import {
  accountChangeProjection,
  accountChangeQueries,
  ownerChangeProjection,
  ownerChangeQueries,
} from './waiting-changes.ts'
import { auditRowQueries } from './audit-rows.ts'
import { bankEntryProjection, bankEntryQueries } from './bank-entries.ts'
import { attachmentProjection, attachmentQueries } from './attachments.ts'
import {
  callbackDestinationProjection,
  callbackDestinationQueries,
} from './callback-destinations.ts'
import { callbackMessageProjection, callbackMessageQueries } from './callback-messages.ts'
import { callbackQueueQueries, callbackQueueProjection } from './callback-queue.ts'
import { checkpointProjection, checkpointQueries } from './checkpoints.ts'
import { correctionProjection, correctionQueries } from './corrections.ts'
import { countedAmountProjection, countedAmountQueries } from './counted-amounts.ts'
import { eventDestinationReadModel } from './event-destinations.ts'
import { expiringQueries } from './prepared.ts'
import { disputeProjection, disputeQueries } from './disputes.ts'
import { gatheredMessageProjection } from './gathered-messages.ts'
import {
  grantProjection,
  grantQueries,
  accessTokenProjection,
  refreshTokenProjection,
} from './grants.ts'
import {
  journalDayProjection,
  journalDayQueries,
  journalProjection,
  journalQueries,
} from './journal.ts'
import { invoiceProjection, invoiceQueries } from './invoices.ts'
import { journalEntryProjection, journalEntryQueries } from './journal-entries.ts'
import {
  fundedHalfProjection,
  fundingDayProjection,
  fundingDifferenceProjection,
  fundingQueries,
  fundingReceiptProjection,
} from './funding.ts'
import { ledgerProjection, ledgerQueries } from './ledgers.ts'
import {
  ledgerBalanceProjection,
  logFileProjection,
  logFileQueries,
  transactionLineProjection,
  transactionLineQueries,
} from './transaction-lines.ts'
import {
  merchantListProjection,
  merchantListQueries,
  merchantLookupProjection,
  merchantLookupQuery,
} from './merchant-list.ts'
import { merchantNewsProjection, merchantNewsQueries } from './merchant-news.ts'
import { dailyReaderProjection, dailyReaderQueries } from './daily-readers.ts'
import { offerHoldProjection, offerProjection, offerQueries } from './offers.ts'
import { ownerMessageProjection, ownerMessageQueries } from './owner-messages.ts'
import { payerInboxQueries, payerSessionProjection, payerSessionQueries } from './payer-inbox.ts'
import { paymentListQueries } from './payment-list.ts'
import { paymentTextProjection, paymentTextQueries } from './payment-texts.ts'
import { paymentProjection, paymentQueries } from './payments.ts'
import { permissionProjection, permissionQueries } from './permissions.ts'
import { payoutOrderProjection, payoutOrderQueries } from './payout-orders.ts'
import { payoutProjection, payoutQueries } from './payouts.ts'
import { pickUpProjection, pickUpQueries } from './pick-ups.ts'
import type { Projection } from './projection.ts'
import {
  merchantRegister,
  posRegister,
  registerReadModel,
  shortlinkRegister,
  staffProjection,
  staffQueries,
} from './registers.ts'
import {
  reportScheduleProjection,
  reportScheduleQueries,
  reportProjection,
  reportQueries,
} from './reports.ts'
import { scanCountProjection, scanCountQueries, scanProjection, scanQueries } from './scans.ts'
import { settledTurnoverProjection, settledTurnoverQueries } from './settled-turnover.ts'
import { settlementAccountProjection, settlementAccountQueries } from './settlement-accounts.ts'
import { settlementFeeProjection } from './settlement-fees.ts'
import { settlementProjection, settlementQueries } from './settlements.ts'
import { transactionSumProjection, transactionSumQueries } from './transaction-sums.ts'
import { transactionQueries } from './transactions.ts'
import { turnoverProjection, turnoverQueries } from './turnover.ts'

/**
 * Every read model, with its projections and queries, by slice. Tables, folding, queries and
 * rebuild follow.
 */
const readModels = {
  payments: {
    payments: { projections: [paymentProjection], queries: paymentQueries },
    lists: { projections: [], queries: paymentListQueries },
    texts: { projections: [paymentTextProjection], queries: paymentTextQueries },
    /** Uses the rows of payments. */
    expiring: { projections: [], queries: expiringQueries },
    disputes: { projections: [disputeProjection], queries: disputeQueries },
    attachments: { projections: [attachmentProjection], queries: attachmentQueries },
    countedAmounts: { projections: [countedAmountProjection], queries: countedAmountQueries },
  },
  accounting: {
    transactionLines: {
      projections: [ledgerBalanceProjection, transactionLineProjection],
      queries: transactionLineQueries,
    },
    invoices: { projections: [invoiceProjection], queries: invoiceQueries },
    corrections: { projections: [correctionProjection], queries: correctionQueries },
    transactions: { projections: [settlementFeeProjection], queries: transactionQueries },
    transactionSums: {
      projections: [transactionSumProjection],
      queries: transactionSumQueries,
    },
    ledgers: { projections: [ledgerProjection], queries: ledgerQueries },
    reports: { projections: [reportProjection], queries: reportQueries },
    reportSchedules: {
      projections: [reportScheduleProjection],
      queries: reportScheduleQueries,
    },
    settlementAccounts: {
      projections: [settlementAccountProjection],
      queries: settlementAccountQueries,
    },
    settlements: { projections: [settlementProjection], queries: settlementQueries },
    accountChanges: { projections: [accountChangeProjection], queries: accountChangeQueries },
    bankEntries: { projections: [bankEntryProjection], queries: bankEntryQueries },
    funding: {
      projections: [
        fundedHalfProjection,
        fundingReceiptProjection,
        fundingDayProjection,
        fundingDifferenceProjection,
      ],
      queries: fundingQueries,
    },
    logSources: { projections: [logFileProjection], queries: logFileQueries },
    journal: { projections: [journalProjection], queries: journalQueries },
    journalDays: { projections: [journalDayProjection], queries: journalDayQueries },
    journalEntries: { projections: [journalEntryProjection], queries: journalEntryQueries },
    payouts: { projections: [payoutProjection], queries: payoutQueries },
    payoutOrders: { projections: [payoutOrderProjection], queries: payoutOrderQueries },
    turnover: { projections: [turnoverProjection], queries: turnoverQueries },
    settledTurnover: {
      projections: [settledTurnoverProjection],
      queries: settledTurnoverQueries,
    },
  },
  merchants: {
    merchants: merchantRegister,
    list: { projections: [merchantListProjection], queries: merchantListQueries },
    lookUpMerchant: { projections: [merchantLookupProjection], queries: merchantLookupQuery },
    users: registerReadModel('users', user),
    pointsOfSale: posRegister,
    news: { projections: [merchantNewsProjection], queries: merchantNewsQueries },
    dailyReaders: { projections: [dailyReaderProjection], queries: dailyReaderQueries },
    ownerMessages: { projections: [ownerMessageProjection], queries: ownerMessageQueries },
    ownerChanges: { projections: [ownerChangeProjection], queries: ownerChangeQueries },
    staff: { projections: [staffProjection], queries: staffQueries },
    requestLimits: registerReadModel('request_limits', requestLimit),
    integrators: registerReadModel('integrators', integrator),
    shortlinks: shortlinkRegister,
    scans: { projections: [scanProjection], queries: scanQueries },
    scanCounts: { projections: [scanCountProjection], queries: scanCountQueries },
    offers: { projections: [offerProjection, offerHoldProjection], queries: offerQueries },
    pickUps: { projections: [pickUpProjection], queries: pickUpQueries },
  },
  people: {
    sessions: { projections: [payerSessionProjection], queries: payerSessionQueries },
    permissions: { projections: [permissionProjection], queries: permissionQueries },
    /** Uses the indexes of payments and permissions. */
    inbox: { projections: [], queries: payerInboxQueries },
    grants: {
      projections: [grantProjection, accessTokenProjection, refreshTokenProjection],
      queries: grantQueries,
    },
    applications: registerReadModel('applications', application),
    auditors: registerReadModel('auditors', auditorRegister),
  },
  callbacks: {
    queue: { projections: [callbackQueueProjection], queries: callbackQueueQueries },
    destinations: {
      projections: [callbackDestinationProjection],
      queries: callbackDestinationQueries,
    },
    messages: {
      projections: [callbackMessageProjection, gatheredMessageProjection],
      queries: callbackMessageQueries,
    },
    eventDestinations: eventDestinationReadModel,
    signingKeys: registerReadModel('signing_keys', signingKey),
    channels: registerReadModel('channels', channel),
  },
  audit: {
    /** Uses lines, settlements and the journal. */
    rows: { projections: [], queries: auditRowQueries },
  },
  transparency: {
    checkpoints: { projections: [checkpointProjection], queries: checkpointQueries },
    keys: registerReadModel('checkpoint_keys', checkpointKey),
  },
} as const

type ReadModels = typeof readModels

/** The queries of each read model, by slice. */
export type Queries = {
  readonly [Slice in keyof ReadModels]: {
    readonly [Name in keyof ReadModels[Slice]]: ReadModels[Slice][Name] extends {
      readonly queries: (db: BetterSQLite3Database) => infer Rows
    }
      ? Rows
      : never
  }
}

type Models = Readonly<
  Record<string, { readonly projections: readonly unknown[]; readonly queries: QueriesOf }>
>

type QueriesOf = (db: BetterSQLite3Database) => unknown

const slices: Readonly<Record<string, Models>> = readModels

export const projections = Object.values(slices).flatMap((models) =>
  Object.values(models).flatMap((model) => model.projections),
) as readonly Projection[]

export const queriesOf = (db: BetterSQLite3Database): Queries => {
  const ofSlice = (models: Models) =>
    Object.fromEntries(Object.entries(models).map(([name, { queries }]) => [name, queries(db)]))
  const bySlice = Object.entries(slices).map(([slice, models]) => [slice, ofSlice(models)])
  return Object.fromEntries(bySlice) as Queries
}
