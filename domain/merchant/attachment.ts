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

export const signature = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]

/** CRC-32 by byte (PNG, annex D). */
export const crcTable = Uint32Array.from({ length: 256 }, (_, byte) => {
  let crc = byte
  for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? 0xedb88320 ^ (crc >>> 1) : crc >>> 1
  return crc
})

export const crcOf = (bytes: Uint8Array): number => {
  let crc = 0xffffffff
  for (const byte of bytes) crc = (crcTable[(crc ^ byte) & 0xff] ?? 0) ^ (crc >>> 8)
  return (crc ^ 0xffffffff) >>> 0
}

export const depthsByColourType: Readonly<Record<number, readonly number[]>> = {
  0: [1, 2, 4, 8, 16],
  2: [8, 16],
  3: [1, 2, 4, 8],
  4: [8, 16],
  6: [8, 16],
}

export const isHeader = (header: DataView): boolean =>
  header.byteLength === 13 &&
  header.getUint32(0) > 0 &&
  header.getUint32(4) > 0 &&
  (depthsByColourType[header.getUint8(9)] ?? []).includes(header.getUint8(8)) &&
  header.getUint8(10) === 0 &&
  header.getUint8(11) === 0 &&
  header.getUint8(12) <= 1

export const noPng = 'Is no PNG image.'

/** Maximum width and height; larger images are rejected. */
export const mostPixels = 4096

/** Header of a complete image. */
export type PngHeader = {
  readonly width: number
  readonly height: number
  readonly bitsPerPixel: number
}

export const channelsByColourType: Readonly<Record<number, number>> = {
  0: 1,
  2: 3,
  3: 1,
  4: 2,
  6: 4,
}

export type PngChunk = { readonly type: string; readonly start: number; readonly end: number }

export type PngStructure = { readonly header: PngHeader; readonly chunks: readonly PngChunk[] }

export const headerOf = (header: DataView): PngHeader => ({
  width: header.getUint32(0),
  height: header.getUint32(4),
  bitsPerPixel: header.getUint8(8) * (channelsByColourType[header.getUint8(9)] ?? 0),
})

export const isSignedAsPng = (bytes: Uint8Array): boolean =>
  signature.every((byte, index) => bytes[index] === byte)

/**
 * The PNG structure (ISO/IEC 15948): signature, chunk checksums, IHDR first, IDAT present, IEND
 * last. Pixels are not decoded. Undefined for anything else.
 */
export const readPng = (bytes: Uint8Array): PngStructure | undefined => {
  if (!isSignedAsPng(bytes)) return undefined
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const chunks: PngChunk[] = []
  let header: PngHeader | undefined
  for (let offset = signature.length; offset + 12 <= bytes.length;) {
    const length = view.getUint32(offset)
    const end = offset + 12 + length
    if (end > bytes.length) return undefined
    const type = String.fromCharCode(...bytes.subarray(offset + 4, offset + 8))
    if (crcOf(bytes.subarray(offset + 4, end - 4)) !== view.getUint32(end - 4)) return undefined
    if ((header === undefined) !== (type === 'IHDR')) return undefined
    const content = new DataView(bytes.buffer, bytes.byteOffset + offset + 8, length)
    if (header === undefined && !isHeader(content)) return undefined
    header ??= headerOf(content)
    chunks.push({ type, start: offset, end })
    if (type === 'IEND') {
      const hasImage = chunks.some(({ type }) => type === 'IDAT')
      return length === 0 && hasImage && end === bytes.length ? { header, chunks } : undefined
    }
    offset = end
  }
  return undefined
}
