import type { Group } from '../groups.ts'
import { z } from 'zod'
import type { SealedBlobs } from '../../application/blobs.ts'
import { attachmentKinds } from '../../domain/merchant/attachment.ts'
import { refuse } from '../../domain/refusal.ts'
import type { AttachmentEntry } from '../../projections/attachments.ts'
import { tidParams, type Links } from '../addresses.ts'
import type { Names } from '../assets.ts'
import type { Call } from '../call.ts'
import { RequestError } from '../errors.ts'
import { accepts } from '../negotiation.ts'
import { type AccessLevel, type Guard, type Route, routesOf } from '../route.ts'
import { dateTime } from '../wire.ts'
import { mediaTypesOf } from './attachment-content.ts'

type Needs = {
  readonly names: Names
  readonly links: Links
  readonly attachedContents: Pick<SealedBlobs, 'get'>
}

/** One reader: the merchant or the payer. */
type Reader = {
  readonly listPath: (tid: string) => string
  readonly access: AccessLevel
  readonly guard?: Guard
  readonly group: Group
  /** @throws Refusal resource_is_unknown for another's payment */
  readonly entriesFor: (call: Call, tid: string) => Promise<readonly AttachmentEntry[]>
}

const attachmentReply = z
  .object({
    id: z.string(),
    uri: z.string(),
    kind: z.enum(attachmentKinds),
    content_type: z.string(),
    size: z.int().meta({ description: 'Bytes.' }),
    sha256: z.string(),
    date: dateTime,
  })
  .meta({ id: 'Attachment' })

const listReply = z
  .object({ uris: z.array(z.string()), next: z.null(), attachments: z.array(attachmentReply) })
  .meta({ id: 'AttachmentList', description: 'All of them on one page, newest first.' })

/** Names of ours: whoever uploads gives none. */
const fileNames = {
  itemlist: 'item-list.json',
  receipt: 'receipt.json',
  png: 'image.png',
} as const

export const attachmentReadingRoutes = (needs: Needs, reader: Reader): Route[] => {
  const { links, attachedContents } = needs
  const { listPath, entriesFor, ...who } = reader
  const { get } = routesOf(who)
  const types = mediaTypesOf(needs.names)

  return [
    get(listPath(':tid'), {
      summary: 'List the attachments of a payment request',
      params: tidParams,
      reply: listReply,
      handle: async (call) => {
        const { tid } = call.params
        const entries = await entriesFor(call, tid)
        const attachments = entries.toReversed().map(({ id, kind, hash, size, at }) => ({
          id,
          uri: links.inBody(`${listPath(tid)}${id}/`),
          kind,
          content_type: types[kind],
          size,
          sha256: hash,
          date: at,
        }))
        return { uris: attachments.map(({ uri }) => uri), next: null, attachments }
      },
    }),
    get(`${listPath(':tid')}:attachment_id/`, {
      summary: 'Read an attachment as it was uploaded; none once the payer has been erased',
      params: tidParams.extend({ attachment_id: z.string() }),
      success: 'raw',
      replyTypes: Object.values(types),
      handle: async (call) => {
        const { tid, attachment_id } = call.params
        const entries = await entriesFor(call, tid)
        const entry =
          entries.find(({ id }) => id === attachment_id) ?? refuse('resource_is_unknown')
        const type = types[entry.kind]
        if (!accepts(call.accept, [type]))
          throw new RequestError(406, `This resource is answered as ${type}.`)
        const body = (await attachedContents.get(entry)) ?? refuse('resource_is_unknown')
        return {
          type,
          body,
          headers: {
            'Content-Disposition': `attachment; filename="${fileNames[entry.kind]}"`,
            'Content-Security-Policy': "default-src 'none'; sandbox",
            'X-Content-Type-Options': 'nosniff',
            'Cache-Control': 'private, no-store',
          },
        }
      },
    }),
  ]
}
