import { attachmentProjection } from './attachments.ts'
import { callbackQueueProjection } from './callback-queue.ts'
import { journalProjection } from './journal.ts'
import { ledgerProjection } from './ledgers.ts'
import { logFileProjection } from './log-files.ts'
import { paymentOutcomeProjection } from './payment-outcomes.ts'
import { paymentRequestProjection } from './payment-requests.ts'
import { pickUpProjection } from './pick-ups.ts'
import type { Projection } from './projection.ts'
import {
  integratorProjection,
  merchantProjection,
  payerProjection,
  posProjection,
  shortlinkProjection,
  signingKeyProjection,
  userProjection,
} from './registers.ts'
import { reportProjection } from './reports.ts'
import { settlementAccountProjection } from './settlement-accounts.ts'
import { settlementProjection } from './settlements.ts'
import { transactionLineProjection } from './transaction-lines.ts'
import { scanProjection } from './scans.ts'

/** Everything that is read is folded by one of these. */
export const projections = [
  merchantProjection,
  userProjection,
  posProjection,
  payerProjection,
  signingKeyProjection,
  integratorProjection,
  shortlinkProjection,
  scanProjection,
  pickUpProjection,
  attachmentProjection,
  paymentRequestProjection,
  paymentOutcomeProjection,
  callbackQueueProjection,
  transactionLineProjection,
  ledgerProjection,
  reportProjection,
  settlementAccountProjection,
  settlementProjection,
  logFileProjection,
  journalProjection,
] as readonly unknown[] as readonly Projection[]
