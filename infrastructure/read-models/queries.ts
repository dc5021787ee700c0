import type { BetterSQLite3Database } from 'drizzle-orm/better-sqlite3'
import { attachmentQueries } from '../../projections/attachments.ts'
import { callbackQueueQueries } from '../../projections/callback-queries.ts'
import { grantQueries } from '../../projections/grants.ts'
import { journalQueries } from '../../projections/journal.ts'
import { ledgerQueries } from '../../projections/ledgers.ts'
import { logFileQueries } from '../../projections/log-files.ts'
import { merchantLookupQuery } from '../../projections/merchant-lookups.ts'
import { payerInboxQueries } from '../../projections/payer-inbox.ts'
import { payerSessionQueries } from '../../projections/payer-sessions.ts'
import { paymentQueries } from '../../projections/payments.ts'
import { permissionQueries } from '../../projections/permissions.ts'
import { pickUpQueries } from '../../projections/pick-ups.ts'
import {
  applicationProjection,
  integratorProjection,
  merchantProjection,
  posProjection,
  registerQueries,
  shortlinkProjection,
  signingKeyProjection,
  userProjection,
} from '../../projections/registers.ts'
import { reportQueries } from '../../projections/reports.ts'
import { scanQueries } from '../../projections/scans.ts'
import { settlementAccountQueries } from '../../projections/settlement-accounts.ts'
import { settlementQueries } from '../../projections/settlements.ts'

/** What can be asked of the read models; payments' outcomes are folded from their streams instead. */
export const queriesOf = (db: BetterSQLite3Database) => ({
  payments: paymentQueries(db),
  permissions: permissionQueries(db),
  grants: grantQueries(db),
  sessions: payerSessionQueries(db),
  inbox: payerInboxQueries(db),
  scans: scanQueries(db),
  pickUps: pickUpQueries(db),
  attachments: attachmentQueries(db),
  queue: callbackQueueQueries(db),

  ledgers: ledgerQueries(db),
  reports: reportQueries(db),
  settlements: settlementQueries(db),
  settlementAccounts: settlementAccountQueries(db),
  logSources: logFileQueries(db),
  journal: journalQueries(db),

  merchants: registerQueries(db, merchantProjection),
  lookUpMerchant: merchantLookupQuery(db),
  integrators: registerQueries(db, integratorProjection),
  users: registerQueries(db, userProjection),
  poses: registerQueries(db, posProjection),
  shortlinks: registerQueries(db, shortlinkProjection),
  applications: registerQueries(db, applicationProjection),
  signingKeys: registerQueries(db, signingKeyProjection),
})
