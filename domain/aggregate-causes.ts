import * as aggregates from './aggregates.ts'
import { bankEntryCauses } from './accounting/bank-entry.ts'
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
import { scanCauses } from './merchant/scans.ts'
import { stickerCauses } from './merchant/sticker.ts'
import { fundingCauses } from './payment/funding.ts'
import { paymentCauses } from './payment/payment.ts'
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

/** Registers define their own. */
type Own = {
  readonly [
    Name in keyof Aggregates as Aggregates[Name] extends { readonly causes: unknown } ? never : Name
  ]: CausesOf<Aggregates[Name]>
}

const own: Own = {
  installations: installationCauses,
  clocks: clockCauses,
  stickers: stickerCauses,
  scansOfShortlinks: scanCauses,
  callbackSecrets: callbackSecretCauses,
  payments: paymentCauses,
  attachmentsOfPayments: attachmentCauses,
  fundings: fundingCauses,
  callbacks: callbackCauses,
  callbackDestinations: destinationCauses,
  feeSchedules: feeCauses,
  taxcodesOfOperator: taxcodeCauses,
  ledgers: ledgerCauses,
  bankEntries: bankEntryCauses,
  settlementSeries: seriesCauses,
  settlements: settlementCauses,
  payers: payerCauses,
  permissionRequests: permissionCauses,
  authorizations: authorizationCauses,
  grants: grantCauses,
  checkpoints: checkpointCauses,
}

type AnyCauses = Causes<unknown, { readonly type: string; readonly data: object }, unknown>

const ofRegisters = Object.fromEntries(
  Object.entries(aggregates).flatMap(([name, aggregate]) =>
    'causes' in aggregate ? [[name, aggregate.causes as AnyCauses]] : [],
  ),
)

/** The possible commands behind the events of each aggregate. */
export const causes: Readonly<Record<keyof Aggregates, AnyCauses>> = {
  ...(ofRegisters as Record<Exclude<keyof Aggregates, keyof Own>, AnyCauses>),
  ...(own as Record<keyof Own, AnyCauses>),
}
