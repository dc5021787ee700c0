import * as aggregates from './aggregates.ts'
import { feeCauses, taxcodeCauses } from './accounting/fees-causes.ts'
import { ledgerCauses } from './accounting/ledger-causes.ts'
import { seriesCauses } from './accounting/series.ts'
import { settlementCauses } from './accounting/settlement-causes.ts'
import { callbackCauses } from './callback-causes.ts'
import { destinationCauses } from './callback-destination.ts'
import type { Causes } from './causes.ts'
import { clockCauses } from './clock.ts'
import type { Decider } from './decider.ts'
import { installationCauses } from './installation.ts'
import { attachmentCauses } from './merchant/attachment.ts'
import { callbackSecretCauses } from './merchant/callback-secret.ts'
import { scanCauses } from './merchant/scans-causes.ts'
import { stickerCauses } from './merchant/sticker.ts'
import { fundingCauses } from './payment/funding.ts'
import { paymentCauses } from './payment/payment-causes.ts'
import { authorizationCauses } from './people/authorization-causes.ts'
import { grantCauses } from './people/grant-causes.ts'
import { payerCauses } from './people/payer-causes.ts'
import { permissionCauses } from './people/permission-causes.ts'
import { checkpointCauses } from './transparency/checkpoints.ts'

type Aggregates = typeof aggregates
type CausesOf<Aggregate> = Aggregate extends {
  readonly decider: Decider<
    infer Command,
    infer Event extends { readonly type: string; readonly data: object },
    infer State
  >
}
  ? Causes<Command, Event, State>
  : never

/** The commands that can have led to the events of each aggregate. */
export const causes = {
  installations: installationCauses,
  clocks: clockCauses,
  merchants: aggregates.merchants.causes,
  users: aggregates.users.causes,
  pointsOfSale: aggregates.pointsOfSale.causes,
  shortlinks: aggregates.shortlinks.causes,
  stickers: stickerCauses,
  scansOfShortlinks: scanCauses,
  integrators: aggregates.integrators.causes,
  requestLimits: aggregates.requestLimits.causes,
  signingKeys: aggregates.signingKeys.causes,
  channels: aggregates.channels.causes,
  callbackSecrets: callbackSecretCauses,
  payments: paymentCauses,
  attachmentsOfPayments: attachmentCauses,
  fundings: fundingCauses,
  callbacks: callbackCauses,
  callbackDestinations: destinationCauses,
  feeSchedules: feeCauses,
  taxcodesOfOperator: taxcodeCauses,
  ledgers: ledgerCauses,
  settlementAccounts: aggregates.settlementAccounts.causes,
  settlementSeries: seriesCauses,
  settlements: settlementCauses,
  auditors: aggregates.auditors.causes,
  payers: payerCauses,
  applications: aggregates.applications.causes,
  permissionRequests: permissionCauses,
  authorizations: authorizationCauses,
  grants: grantCauses,
  checkpoints: checkpointCauses,
  checkpointKeys: aggregates.checkpointKeys.causes,
} satisfies { readonly [Name in keyof Aggregates]: CausesOf<Aggregates[Name]> }
