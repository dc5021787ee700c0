import { callbackQueueProjection } from './callback-queue.ts'
import { paymentOutcomeProjection } from './payment-outcomes.ts'
import { paymentRequestProjection } from './payment-requests.ts'
import { accessTokenProjection, grantProjection, refreshTokenProjection } from './grants.ts'
import { payerInboxProjection } from './payer-inbox.ts'
import { payerSessionProjection } from './payer-sessions.ts'
import { permissionProjection } from './permissions.ts'
import type { Projection } from './projection.ts'
import {
  applicationProjection,
  merchantProjection,
  posProjection,
  signingKeyProjection,
  userProjection,
} from './registers.ts'

/** Everything that is read is folded by one of these. */
export const projections = [
  merchantProjection,
  userProjection,
  posProjection,
  signingKeyProjection,
  payerSessionProjection,
  payerInboxProjection,
  paymentRequestProjection,
  paymentOutcomeProjection,
  permissionProjection,
  grantProjection,
  accessTokenProjection,
  refreshTokenProjection,
  applicationProjection,
  callbackQueueProjection,
] as readonly unknown[] as readonly Projection[]
