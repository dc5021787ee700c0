import { attachmentProjection } from './attachments.ts'
import { callbackQueueProjection } from './callback-queue.ts'
import { accessTokenProjection, grantProjection, refreshTokenProjection } from './grants.ts'
import { journalProjection } from './journal.ts'
import { ledgerProjection } from './ledgers.ts'
import { logFileProjection } from './log-files.ts'
import { merchantLookupProjection } from './merchant-lookups.ts'
import { payerSessionProjection } from './payer-sessions.ts'
import { paymentProjection } from './payments.ts'
import { permissionProjection } from './permissions.ts'
import { pickUpProjection } from './pick-ups.ts'
import type { Projection } from './projection.ts'
import {
  applicationProjection,
  integratorProjection,
  merchantProjection,
  posProjection,
  shortlinkProjection,
  signingKeyProjection,
  userProjection,
} from './registers.ts'
import { reportProjection } from './reports.ts'
import { scanProjection } from './scans.ts'
import { settlementAccountProjection } from './settlement-accounts.ts'
import { settlementProjection } from './settlements.ts'
import { transactionLineProjection } from './transaction-lines.ts'

/** What is looked for among many is folded by one of these; what has become of one payment, from its stream. */
export const projections = [
  merchantProjection,
  merchantLookupProjection,
  userProjection,
  posProjection,
  signingKeyProjection,
  integratorProjection,
  shortlinkProjection,
  scanProjection,
  pickUpProjection,
  attachmentProjection,
  payerSessionProjection,
  paymentProjection,
  permissionProjection,
  grantProjection,
  accessTokenProjection,
  refreshTokenProjection,
  applicationProjection,
  callbackQueueProjection,
  transactionLineProjection,
  ledgerProjection,
  reportProjection,
  settlementAccountProjection,
  settlementProjection,
  logFileProjection,
  journalProjection,
] as readonly unknown[] as readonly Projection[]
