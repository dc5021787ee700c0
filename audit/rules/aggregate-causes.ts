import * as aggregates from '../../domain/aggregates.ts'
import {
  bankEntryCauses,
  differenceCauses,
  receiptCauses,
  correctionCauses,
  seriesCauses,
  feeCauses,
  taxcodeCauses,
  ledgerCauses,
  settlementCauses,
} from './accounting-causes.ts'
import type { Causes, Circumstances } from './causes.ts'
import type { Decider, EventsOf } from '../../domain/decider.ts'
import { fundingCauses, offerCauses, paymentCauses } from './payment-causes.ts'
import { payerCauses } from './payer-causes.ts'
import type { ClockEvent, Clock, ClockCommand } from '../../domain/clock.ts'
import type {
  InstallationEvent,
  Installation,
  InstallationCommand,
} from '../../domain/installation.ts'
import type {
  CheckpointEvent,
  CheckpointCommand,
  CheckpointsOfDay,
} from '../../domain/transparency/checkpoints.ts'
import type { Recorded } from '../../domain/events.ts'
import type { Instant } from '../../domain/time.ts'
import { waitMs } from '../../domain/waiting-change.ts'
import type {
  AttachmentEvent,
  Attachment,
  AttachmentCommand,
} from '../../domain/merchant/attachment.ts'
import type {
  CallbackSecretCommand,
  CallbackSecretState,
  CallbackSecretEvent,
} from '../../domain/merchant/callback-secret.ts'
import type {
  EventFeed,
  EventFeedCommand,
  EventFeedEvent,
} from '../../domain/merchant/event-destination.ts'
import type { NoticeEvent, Notices, NoticeCommand } from '../../domain/merchant/notice.ts'
import type {
  OwnerMessage,
  OwnerMessageCommand,
  OwnerMessageEvent,
} from '../../domain/merchant/owner-message.ts'
import { type ScanEvent, type ScanCommand, scans } from '../../domain/merchant/scans.ts'
import type { StickerEvent, Sticker, StickerCommand } from '../../domain/merchant/sticker.ts'
import type {
  OrganizationEvent,
  OrganizationCommand,
  Organization,
} from '../../domain/merchant/organization.ts'
import {
  withAttempt,
  type callback,
  type CallbackEvent,
  type Message,
  jitterOf,
} from '../../domain/callback.ts'
import {
  type DestinationCommand,
  type DestinationEvent,
  type Destination,
  hasFailedTooLong,
} from '../../domain/callback-destination.ts'
import {
  authorizationRequestLifetime,
  type Authorization,
  type AuthorizationCommand,
  type AuthorizationEvent,
} from '../../domain/people/authorization.ts'
import type { grant, grantEvents } from '../../domain/people/grant.ts'
import type { permission, PermissionEvent } from '../../domain/people/permission.ts'

const authorizationCauses: Causes<AuthorizationCommand, AuthorizationEvent, Authorization> = {
  AuthorizationRequested: ({ request, browserHash, qrHash, expiresAt }, { at }) => {
    // Recorded only after a payer has signed in.
    const startedAt = Math.min(at, expiresAt - authorizationRequestLifetime * 1000)
    return [{ type: 'RequestAuthorization', at: startedAt, request, browserHash, qrHash }]
  },
  AuthorizationAllowed: ({ payer, scope, signedInAt, channel, isStanding }, { at }) => {
    const answer = { payer, scope, signedInAt, channel, ...(isStanding && { isStanding }) }
    return [{ type: 'AllowAuthorization', at, ...answer }]
  },
  AuthorizationDenied: ({ payer }) => [{ type: 'DenyAuthorization', payer }],
  CodeIssued: ({ codeHash }, { at }) => [{ type: 'IssueCode', at, codeHash }],
  CodeRedeemed: ({ client, permissions }, { at, state }) => {
    if (state.status === 'unrequested' || !state.code) return 'no code was issued'
    // The code and verifier are not recorded, so the required ones are assumed.
    const { redirectUri, isRedirectUriGiven, codeChallenge } = state.request
    const { codeHash } = state.code
    const presented = {
      codeHash,
      redirectUri: isRedirectUriGiven ? redirectUri : null,
      codeChallenge,
    }
    return [{ type: 'RedeemCode', at, client, ...presented, tokens: permissions.tokens }]
  },
}

type GrantCommand = Parameters<(typeof grant)['decide']>[0]

type GrantState = (typeof grant)['initial']

const grantCauses: Causes<GrantCommand, EventsOf<typeof grantEvents>, GrantState> = {
  GrantRefreshed: ({ generation, scope, tokens }, { id, at, facts }) => {
    const granted = facts.grantedBy(id)
    if (!granted) return 'nothing was granted there'
    const refresh = { granted, presented: generation - 1, scope, next: tokens }
    return [{ type: 'RefreshGrant', at, ...refresh }]
  },
  GrantRevoked: ({ by }) => [{ type: 'RevokeGrant', by }],
}

type PermissionCommand = Parameters<(typeof permission)['decide']>[0]

type PermissionState = (typeof permission)['initial']

const termsOf = ({ state, facts }: Circumstances<PermissionEvent, PermissionState>) =>
  state.status === 'unrequested' ? [] : facts.termsOf(state.request.merchant, state.currency)

const permissionCauses: Causes<PermissionCommand, PermissionEvent, PermissionState> = {
  PermissionRequested: ({ request, payer }, { id, at, facts }) => {
    const { merchant, posId, posTid } = request
    if (facts.ridOf(merchant, posId, posTid) !== id) return 'the request is not that of its pos_tid'
    const posIsKnown = facts.posIsKnown(merchant, posId)
    const currency = facts.currencyOf(merchant)
    if (currency === undefined) return `there is no merchant ${merchant}`
    const known = { payer, posIsKnown, currency }
    return [{ type: 'RequestPermission', at, request, facts: known }]
  },
  PermissionGranted: ({ payer, permissions }, about) =>
    termsOf(about).map((terms) => {
      const answer = { payer, permissions, terms }
      return { type: 'GrantPermission', at: about.at, ...answer }
    }),
  PermissionDeclined: ({ payer }, about) =>
    termsOf(about).map((terms) => ({ type: 'DeclinePermission', at: about.at, payer, terms })),
  PermissionFailed: () => 'only a request fails because the customer is unknown, at once',
  PermissionExpired: (_, { at }) => [{ type: 'ExpirePermission', at }],
}

type Command = Parameters<(typeof callback)['decide']>[0]

type State = (typeof callback)['initial']

/** Why the log announces no such message; undefined if it does. */
const whyNotAnnounced = (
  { subject, revision, event }: Message,
  { id, facts }: Circumstances<CallbackEvent, State>,
): string | undefined => {
  const announced = facts.announcedBy(subject, revision)
  if (announced?.id !== id) return `it is not about revision ${revision} of ${subject}`
  return announced.event === event ? undefined : `that event tells ${announced.event}, not ${event}`
}

const callbackCauses: Causes<Command, CallbackEvent, State> = {
  CallbackAttempted: ({ nextAttemptAt, ...attempt }, about) => {
    const problem = whyNotAnnounced(attempt, about)
    if (problem !== undefined) return problem
    const { attempts } = withAttempt(about.state, attempt)
    const { attemptedAt: at, retryAfterMs } = attempt
    // The retry time shows the jitter; the last attempt has none.
    const jitter = nextAttemptAt === null ? 1 : jitterOf(attempts, at, nextAttemptAt, retryAfterMs)
    return [{ type: 'RecordAttempt', attempt, after: about.state.attempts, jitter }]
  },
  CallbackRetryRequested: (data, about) => {
    const { subject, revision, event, seqno } = data
    const problem = whyNotAnnounced(data, about)
    if (problem !== undefined) return problem
    const message = { subject, revision, event, seqno }
    const announced = about.facts.announcedBy(subject, revision)
    // Early requests, and those of the service itself, do not record the position.
    const announcement = data.position !== undefined &&
      announced && { position: announced.position, toldAt: announced.at }
    const retry = { type: 'RequestRetry', at: about.at, message: { ...message, ...announcement } }
    return [retry as Command]
  },
  CallbackTestRequested: ({ uri }) => [{ type: 'RequestTest', uri }],
}

const destinationCauses: Causes<DestinationCommand, DestinationEvent, Destination> = {
  DestinationRested: (data, { at }) =>
    hasFailedTooLong(data.failingSince, at)
      ? [{ type: 'Rest', ...data }]
      : 'it has not failed for five days',
  DestinationWoken: ({ destination }) => [{ type: 'Wake', destination }],
}

const attachmentCauses: Causes<AttachmentCommand, AttachmentEvent, readonly Attachment[]> = {
  AttachmentsUploaded: ({ attachments }) => [
    { type: 'UploadAttachments', contents: attachments.map(({ id: _, ...content }) => content) },
  ],
}

const callbackSecretCauses: Causes<
  CallbackSecretCommand,
  CallbackSecretEvent,
  CallbackSecretState
> = {
  CallbackSecretRotated: (_, { at }) => [{ type: 'RotateCallbackSecret', at }],
}

const eventFeedCauses: Causes<EventFeedCommand, EventFeedEvent, EventFeed> = {
  EventsQueued: (data, { state }) => [{ type: 'QueueEvents', after: state.place, ...data }],
  EventReplayRequested: (data) => [{ type: 'RequestEventReplay', ...data }],
  EventsReplayed: (data, { state }) =>
    state.replay
      ? [{ type: 'ReplayEvents', after: state.replay.place, ...data }]
      : 'no replay was asked for',
}

const ownerMessageCauses: Causes<OwnerMessageCommand, OwnerMessageEvent, OwnerMessage> = {
  StaffMessageOwed: (data) => [{ type: 'OweMessage', ...data }],
  OwnersNotified: (data) => [{ type: 'NotifyOwners', ...data }],
}

const noticeCauses: Causes<NoticeCommand, NoticeEvent, Notices> = {
  NoticeRaised: (data) => [{ type: 'RaiseNotice', ...data }],
  NoticeSettled: (data) => [{ type: 'SettleNotice', ...data }],
}

const scanCauses: Causes<ScanCommand, ScanEvent, (typeof scans)['initial']> = {
  ShortlinkScanned: ({ tokenDigest, ...scan }, { at }) => [
    { type: 'RecordScan', scan: { ...scan, scannedAt: at }, tokenDigest },
  ],
  ScanAwaited: (listener, { at }) => [{ type: 'AwaitScan', at, listener }],
  ScanMatched: () => 'a scan is matched when it is made, awaited or given up, not later',
  MatchConfirmed: ({ tid, scan }) => [{ type: 'ConfirmMatch', tid, scan }],
  ScanAwaitingEnded: ({ tid }, { at }) => [{ type: 'EndAwaiting', at, tid }],
}

const stickerCauses: Causes<StickerCommand, StickerEvent, Sticker> = {
  StickerAdded: () => [{ type: 'AddSticker' }],
  StickerClaimed: (data) => [{ type: 'ClaimSticker', ...data }],
}

const organizationCauses: Causes<OrganizationCommand, OrganizationEvent, Organization> = {
  OrganizationClaimed: ({ merchant, isAgain = false }, { state }) => [
    { type: 'ClaimOrganization', merchant, freed: state, isAgain },
  ],
}

type Data = Readonly<Record<string, unknown>>

type Following = { readonly next: readonly Pick<Recorded, 'type' | 'data'>[] }

/** An addition is an invitation that is accepted at the same moment. */
const invitationOf = (data: Data, { next }: Following) => {
  const isAdded = next.some(
    ({ type, data: joined }) =>
      type.endsWith('Joined') && (joined as Data)['member'] === data['member'],
  )
  return [{ type: isAdded ? 'Add' : 'Invite', ...data }]
}

/** The command behind each event of a register, by the end of the event's name. */
const commands = {
  Registered: (data: Data) => [{ type: 'Register', data }],
  RoleChanged: (data: Data) => [{ type: 'ChangeRole', ...data }],
  Changed: (changes: Data) => [{ type: 'Change', changes }],
  Removed: (data: Data) => [{ type: 'Remove', ...data }],
  Disabled: () => [{ type: 'Disable' }],
  Enabled: () => [{ type: 'Enable' }],
  Invited: invitationOf,
  Joined: (data: Data) => [{ type: 'Join', ...data }],
  Left: (data: Data) => [{ type: 'Leave', ...data }],
  Visited: (data: Data) => [{ type: 'Visit', ...data }],
  SignedIn: (data: Data) => [{ type: 'SignIn', ...data }],
  SignedOut: (data: Data) => [{ type: 'SignOut', ...data }],
} as const

/** The commands behind a change that waits (`domain/waiting-change.ts`). */
const waitingCauses = (name: string) => ({
  [`${name}Asked`]: ({ takesEffectAt, ...about }: Data) => [
    { type: `Ask${name}`, at: Number(takesEffectAt) - waitMs, ...about },
  ],
  [`${name}Announced`]: (data: Data) => [{ type: `Announce${name}`, ...data }],
  [`${name}Withdrawn`]: (data: Data) => [{ type: `Withdraw${name}`, ...data }],
  [`${name}Done`]: (data: Data, { at }: { readonly at: Instant }) => [
    { type: `Finish${name}`, ...data, at },
  ],
})

/** The type of an event that has the same cause in every register. */
type RegisterEventType = `${string}${keyof typeof commands}`

/** The causes of events whose names end as those of registers do. @throws Error for others */
const registerCauses = (events: Readonly<Record<string, unknown>>) =>
  Object.fromEntries(
    Object.keys(events).map((type) => {
      const found = Object.entries(commands).find(([end]) => type.endsWith(end))
      if (!found) throw new Error(`audit/rules: no command causes ${type}`)
      return [type, found[1]]
    }),
  )

const clockCauses: Causes<ClockCommand, ClockEvent, Clock> = {
  ClockAdvanced: ({ aheadBy }, { at, state }) => [
    { type: 'AdvanceClock', machine: at - state.aheadBy, by: aheadBy - state.aheadBy },
  ],
}

const installationCauses: Causes<InstallationCommand, InstallationEvent, Installation> = {
  InstallationMade: ({ key }) => [{ type: 'MakeInstallation', key }],
  VaultChosen: ({ vault }) => [{ type: 'ChooseVault', vault }],
  ProductionBegun: () => [{ type: 'BeginProduction' }],
  VaultRewrapped: ({ keyId }) => [{ type: 'NoteRewrap', keyId }],
  IdTokenKeyAdded: (data) => [{ type: 'NoteIdTokenKey', data }],
  LossAccepted: (data) => [{ type: 'AcceptLoss', data }],
}

const checkpointCauses: Causes<CheckpointCommand, CheckpointEvent, CheckpointsOfDay> = {
  CheckpointSigned: (data) => [{ type: 'SignCheckpoint', ...data }],
  CheckpointCosigned: (data) => [{ type: 'AddCosignature', ...data }],
}

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
  ownerMessages: ownerMessageCauses,
  noticesOfMerchants: noticeCauses,
  stickers: stickerCauses,
  scansOfShortlinks: scanCauses,
  offers: offerCauses,
  callbackSecrets: callbackSecretCauses,
  eventFeeds: eventFeedCauses,
  payments: paymentCauses,
  attachmentsOfPayments: attachmentCauses,
  fundings: fundingCauses,
  callbacks: callbackCauses,
  callbackDestinations: destinationCauses,
  feeSchedules: feeCauses,
  taxcodesOfOperator: taxcodeCauses,
  ledgers: ledgerCauses,
  bankEntries: bankEntryCauses,
  fundingReceipts: receiptCauses,
  fundingDifferences: differenceCauses,
  settlementSeries: seriesCauses,
  accountChanges: waitingCauses('AccountChange') as unknown as CausesOf<
    Aggregates['accountChanges']
  >,
  ownerChanges: waitingCauses('OwnerChange') as unknown as CausesOf<Aggregates['ownerChanges']>,
  organizations: organizationCauses,
  corrections: correctionCauses,
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
