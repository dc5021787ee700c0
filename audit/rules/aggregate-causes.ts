import * as aggregates from '../../domain/aggregates.ts'
import { bankEntryCauses } from '../../domain/accounting/bank-entry.ts'
import { feeCauses, taxcodeCauses } from './fees-causes.ts'
import { ledgerCauses } from './ledger-causes.ts'
import { seriesCauses } from '../../domain/accounting/series.ts'
import { settlementCauses } from './settlement-causes.ts'
import { callbackCauses } from './callback-causes.ts'
import { destinationCauses } from '../../domain/callback-destination.ts'
import type { Causes } from '../../domain/causes.ts'
import { clockCauses } from '../../domain/clock.ts'
import type { Decider } from '../../domain/decider.ts'
import { installationCauses } from '../../domain/installation.ts'
import { attachmentCauses } from '../../domain/merchant/attachment.ts'
import { callbackSecretCauses } from '../../domain/merchant/callback-secret.ts'
import { scanCauses } from '../../domain/merchant/scans.ts'
import { stickerCauses } from '../../domain/merchant/sticker.ts'
import { fundingCauses } from '../../domain/payment/funding.ts'
import { paymentCauses } from '../../domain/payment/payment.ts'
import { authorizationCauses } from './authorization-causes.ts'
import { grantCauses } from './grant-causes.ts'
import { payerCauses } from './payer-causes.ts'
import { permissionCauses } from './permission-causes.ts'
import { checkpointCauses } from '../../domain/transparency/checkpoints.ts'

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
