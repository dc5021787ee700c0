import { callbackQueueProjection } from './callback-queue.ts'
import { journalProjection } from './journal.ts'
import { ledgerProjection } from './ledgers.ts'
import { logFileProjection } from './log-files.ts'
import { paymentOutcomeProjection } from './payment-outcomes.ts'
import { paymentRequestProjection } from './payment-requests.ts'
import type { Projection } from './projection.ts'
import {
  merchantProjection,
  payerProjection,
  posProjection,
  signingKeyProjection,
  userProjection,
} from './registers.ts'
import { reportProjection } from './reports.ts'
import { settlementAccountProjection } from './settlement-accounts.ts'
import { settlementProjection } from './settlements.ts'
import { transactionLineProjection } from './transaction-lines.ts'

/** Everything that is read is folded by one of these. */
export const projections = [
  merchantProjection,
  userProjection,
  posProjection,
  payerProjection,
  signingKeyProjection,
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
