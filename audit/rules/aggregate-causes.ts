import * as aggregates from '../../domain/aggregates.ts'
import {
  bankEntryCauses,
  seriesCauses,
  feeCauses,
  taxcodeCauses,
  ledgerCauses,
  settlementCauses,
} from './accounting-causes.ts'
import { callbackCauses, destinationCauses } from './callback-causes.ts'
import type { Causes } from './causes.ts'
import { clockCauses, installationCauses, checkpointCauses } from './log-causes.ts'
import { registerCauses, waitingCauses, type RegisterEventType } from './register-causes.ts'
import type { Decider } from '../../domain/decider.ts'
import {
  attachmentCauses,
  callbackSecretCauses,
  noticeCauses,
  scanCauses,
  stickerCauses,
} from './merchant-causes.ts'
import { fundingCauses, paymentCauses } from './payment-causes.ts'
import { authorizationCauses, grantCauses, permissionCauses } from './people-causes.ts'
import { payerCauses } from './payer-causes.ts'

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

/** Aggregates that are more than registers. */
type Own = {
  readonly [
    Name in keyof Aggregates as keyof Aggregates[Name]['events'] extends RegisterEventType
      ? never
      : Name
  ]: CausesOf<Aggregates[Name]>
}

const own: Own = {
  installations: installationCauses,
  clocks: clockCauses,
  noticesOfMerchants: noticeCauses,
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
  accountChanges: waitingCauses('AccountChange') as unknown as CausesOf<
    Aggregates['accountChanges']
  >,
  ownerChanges: waitingCauses('OwnerChange') as unknown as CausesOf<Aggregates['ownerChanges']>,
  organizations: organizationCauses,
  settlements: settlementCauses,
  payers: payerCauses,
  permissionRequests: permissionCauses,
  authorizations: authorizationCauses,
  grants: grantCauses,
  checkpoints: checkpointCauses,
}

type AnyCauses = Causes<unknown, { readonly type: string; readonly data: object }, unknown>

/** The possible commands behind the events of each aggregate. */
export const causes = Object.fromEntries(
  Object.entries(aggregates).map(([name, { events }]) => [
    name,
    (own as Partial<Record<string, AnyCauses>>)[name] ?? registerCauses(events),
  ]),
) as Readonly<Record<keyof Aggregates, AnyCauses>>
