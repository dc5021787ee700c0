import { z } from 'zod'
import type { Decider, EventsOf } from '../decider.ts'
import { refuse } from '../refusal.ts'

export const attachmentKinds = ['itemlist', 'receipt', 'png'] as const

const content = z.object({
  kind: z.enum(attachmentKinds),
  /** SHA-256 in hex. */
  hash: z.string(),
  /**
   * Hash of the stored content, sealed with the payer's key; absent for old, unsealed attachments.
   */
  sealedHash: z.string().optional(),
  /** Bytes. */
  size: z.int(),
})

/** Events of the stream `attachments-<tid>`. */
export const attachmentEvents = {
  AttachmentsUploaded: z.object({ attachments: z.array(content.extend({ id: z.string() })) }),
} as const

export type AttachmentEvent = EventsOf<typeof attachmentEvents>

export type AttachmentKind = (typeof attachmentKinds)[number]

type AttachmentContent = z.output<typeof content>

export type Attachment = AttachmentEvent['data']['attachments'][number]

export type AttachmentCommand = {
  readonly type: 'UploadAttachments'
  readonly contents: readonly AttachmentContent[]
}

/** Per payment. */
const maxAttachments = 100

const isSame = (a: AttachmentContent, b: AttachmentContent): boolean =>
  a.kind === b.kind && a.hash === b.hash

/** The ids of the attachments with these contents, in upload order. */
export const idsOf = (
  contents: readonly AttachmentContent[],
  attached: readonly Attachment[],
): readonly string[] =>
  attached
    .filter((attachment) => contents.some((content) => isSame(attachment, content)))
    .map(({ id }) => id)

/** Attachments of a payment, numbered from 1; repeated content adds nothing. */
export const attachments: Decider<AttachmentCommand, AttachmentEvent, readonly Attachment[]> = {
  initial: [],
  decide({ contents }, known) {
    const all: Attachment[] = [...known]
    for (const content of contents)
      if (!all.some((other) => isSame(other, content)))
        all.push({ ...content, id: String(all.length + 1) })
    if (all.length === known.length) return []
    if (all.length > maxAttachments) return refuse('attachments_are_too_many')
    return [{ type: 'AttachmentsUploaded', data: { attachments: all.slice(known.length) } }]
  },
  evolve: (known, { data }) => [...known, ...data.attachments],
}
