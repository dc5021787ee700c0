import type { Causes } from './causes.ts'
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
import type { NoticeEvent, Notices, NoticeCommand } from '../../domain/merchant/notice.ts'
import { type ScanEvent, type ScanCommand, scans } from '../../domain/merchant/scans.ts'
import type { StickerEvent, Sticker, StickerCommand } from '../../domain/merchant/sticker.ts'
import type {
  OrganizationEvent,
  OrganizationCommand,
  Organization,
} from '../../domain/merchant/organization.ts'

export const attachmentCauses: Causes<AttachmentCommand, AttachmentEvent, readonly Attachment[]> = {
  AttachmentsUploaded: ({ attachments }) => [
    { type: 'UploadAttachments', contents: attachments.map(({ id: _, ...content }) => content) },
  ],
}

export const callbackSecretCauses: Causes<
  CallbackSecretCommand,
  CallbackSecretEvent,
  CallbackSecretState
> = {
  CallbackSecretRotated: (_, { at }) => [{ type: 'RotateCallbackSecret', at }],
}

export const noticeCauses: Causes<NoticeCommand, NoticeEvent, Notices> = {
  NoticeRaised: (data) => [{ type: 'RaiseNotice', ...data }],
  NoticeSettled: (data) => [{ type: 'SettleNotice', ...data }],
}

export const scanCauses: Causes<ScanCommand, ScanEvent, (typeof scans)['initial']> = {
  ShortlinkScanned: ({ tokenDigest, ...scan }, { at }) => [
    { type: 'RecordScan', scan: { ...scan, scannedAt: at }, tokenDigest },
  ],
  ScanAwaited: (listener, { at }) => [{ type: 'AwaitScan', at, listener }],
  ScanMatched: () => 'a scan is matched when it is made, awaited or given up, not later',
  MatchConfirmed: ({ tid, scan }) => [{ type: 'ConfirmMatch', tid, scan }],
  ScanAwaitingEnded: ({ tid }, { at }) => [{ type: 'EndAwaiting', at, tid }],
}

export const stickerCauses: Causes<StickerCommand, StickerEvent, Sticker> = {
  StickerAdded: () => [{ type: 'AddSticker' }],
  StickerClaimed: (data) => [{ type: 'ClaimSticker', ...data }],
}

export const organizationCauses: Causes<OrganizationCommand, OrganizationEvent, Organization> = {
  OrganizationClaimed: ({ merchant, instead }) => [
    { type: 'ClaimOrganization', merchant, freed: instead },
  ],
}
