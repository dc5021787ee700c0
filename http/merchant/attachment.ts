import { z } from 'zod'
import { attachmentsOfPayments, payments } from '../../domain/aggregates.ts'
import type { SealedBlobs } from '../../application/blobs.ts'
import type { SealedContents } from '../../application/disputes.ts'
import { dryRun, type Find } from '../../application/find-state.ts'
import type { Handle } from '../../application/handle.ts'
import { idsOf, attachmentKinds } from '../../domain/merchant/attachment.ts'
import type { PaymentStatus } from '../../domain/payment/status.ts'
import { refuse } from '../../domain/refusal.ts'
import { secondsAfter, type Instant } from '../../domain/time.ts'
import type { AttachmentEntry } from '../../projections/attachments.ts'
import { merchantPrefix, tidParams, type Signing, type Links } from '../addresses.ts'
import type { Names } from '../assets.ts'
import { callerOf, contextBy, type Call } from '../call.ts'
import { nextTurn } from '../../application/time-budget.ts'
import type { Queries } from '../../projections/read-models.ts'
import { partsOf, type Part } from '../forms.ts'
import {
  type Route,
  routesOf,
  type Group,
  type AccessLevel,
  type Guard,
  type UploadForm,
} from '../route.ts'
import { createdReply, dateTime } from '../wire.ts'
import { checkParts, mediaTypesOf } from './attachment-content.ts'
import { itemList, receipt } from './attachment-fields.ts'
import { RequestError } from '../errors.ts'
import { accepts } from '../negotiation.ts'

const linkLifetime = 3600

export const largestUpload = 10 * 1_048_576

const purpose = 'attachment'

const isOpenFor = (status: PaymentStatus | 'unrequested'): boolean =>
  status === 'auth' || status === 'ok'

/**
 * The `attachment_uri` of an outcome: an upload link, signed for one hour. Null while the payment
 * is pending and after it has failed (interface 4.6).
 */
export const makeAttachmentLink =
  ({ links, sign }: Signing) =>
  (
    { tid, status }: { readonly tid: string; readonly status: PaymentStatus },
    at: Instant,
  ): { readonly attachment_uri?: string } => {
    if (!isOpenFor(status)) return {}
    const expires = String(secondsAfter(at, linkLifetime) / 1000)
    const signature = sign(purpose, tid, expires)
    return { attachment_uri: links.inBody(`/attachment/v1/${tid}/${expires}/${signature}/`) }
  }

export type AttachmentLink = ReturnType<typeof makeAttachmentLink>

type AttachmentNeeds = Signing &
  Pick<Queries['payments'], 'attachments'> & {
    readonly names: Names
    readonly handle: Handle
    readonly find: Find
    readonly caughtUp: () => Promise<void>
    readonly attachedContents: SealedBlobs
    /** What is wrong with a picture; null for nothing. */
    readonly problemOfPng: (content: Uint8Array) => Promise<string | null>
    readonly isSigned: (signature: string, ...parts: readonly string[]) => boolean
    readonly findRequested: (merchant: string, tid: string) => Promise<object | undefined>
  }

export const uploadedReply = createdReply
  .extend({ ids: z.array(z.string()) })
  .meta({ id: 'Uploaded', description: 'The id of the first, and those of all.' })

/** What may be uploaded. */
export const partTypes = (names: Names): UploadForm['parts'] => [
  { type: names.itemList, schema: itemList },
  { type: names.receipt, schema: receipt },
  { type: 'image/png' },
]

export type SealingNeeds = Parameters<typeof checkParts>[1] & {
  readonly attachedContents: Pick<SealedBlobs, 'seal'>
}

/** Checks parts, and seals them with the payer's key. `keep` stores them. @throws Malformed */
export const sealParts = async (
  needs: SealingNeeds,
  parts: readonly Part[],
  payer: string,
  currency: string,
): Promise<SealedContents> => {
  const contents = []
  const keeps: (() => Promise<unknown>)[] = []
  for (const { kind, content } of await checkParts(parts, needs, currency)) {
    const { hash, sealedHash, keep } = await needs.attachedContents.seal(content, payer)
    contents.push({ kind, hash, sealedHash, size: content.byteLength })
    keeps.push(keep)
  }
  const keep = async (): Promise<void> => {
    for (const one of keeps) await one()
  }
  return { contents, keep }
}

const group = 'Attachment'

const { post } = routesOf({ access: 'OPEN', group })

const listPath = (tid: string): string => `${merchantPrefix}/payment_request/${tid}/attachment/`

/** Attachments of payments, such as receipts (interface 15.2). */
export const attachmentRoutes = (needs: AttachmentNeeds): Route[] => {
  const { handle, find, links } = needs

  const entriesFor = async (call: Call, tid: string): Promise<readonly AttachmentEntry[]> => {
    if (!(await needs.findRequested(callerOf(call).merchant, tid)))
      return refuse('resource_is_unknown')
    await needs.caughtUp()
    return needs.attachments.of(tid)
  }

  return [
    post('/attachment/v1/:tid/:expires/:signature/', {
      summary: 'Upload attachments, by the attachment_uri of an outcome',
      description:
        'One to 20 parts, each with its own Content-Type: an item list or a receipt (JSON of at ' +
        'most 1,000,000 bytes) or image/png (at most 1,000,000 bytes and 4096 × 4096 pixels). ' +
        'All are kept, or none. The body may have 10 MiB. The same content again adds nothing. A ' +
        'payment can have 100 attachments.',
      params: tidParams.extend({ expires: z.string().regex(/^\d{1,12}$/), signature: z.string() }),
      upload: {
        admits: ({ tid = '', expires = '', signature = '' }, at) =>
          needs.isSigned(signature, purpose, tid, expires) && at < Number(expires) * 1000,
        of: ({ tid = '' }) => tid,
        largest: largestUpload,
        parts: partTypes(needs.names),
      },
      success: 'created',
      reply: uploadedReply,
      handle: async (call) => {
        const { tid } = call.params
        // From the log: another process may have recorded the payer's answer.
        const payment = await find(payments, tid, 'log')
        if (payment.status === 'unrequested' || !isOpenFor(payment.status))
          return refuse('resource_is_unknown')
        const { request, payer, expiresAt } = payment
        // Expired, whether recorded yet or not.
        if (payer === null || (payment.status === 'auth' && call.at >= expiresAt))
          return refuse('resource_is_unknown')
        const { merchant, currency } = request
        const { body, header } = call.request
        await nextTurn()
        const parts = partsOf(body, header('content-type'))
        const { contents, keep } = await sealParts(needs, parts, payer, currency)
        const context = contextBy(call, 'attachment_uri', merchant)
        const command = { type: 'UploadAttachments', contents } as const
        // Check before keeping content, and keep it before recording, so readers always find it.
        await dryRun(find, attachmentsOfPayments, tid, command)
        await keep()
        const { state } = await handle(attachmentsOfPayments, tid, command, context)
        const ids = idsOf(contents, state)
        const [id = ''] = ids
        return { location: links.full(listPath(tid)), value: { id, ids: [...ids] } }
      },
    }),
    ...attachmentReadingRoutes(needs, { listPath, access: 'SECRET', group, entriesFor }),
  ]
}

export type Needs = {
  readonly names: Names
  readonly links: Links
  readonly attachedContents: Pick<SealedBlobs, 'get'>
}

/** One reader: the merchant or the payer. */
export type Reader = {
  readonly listPath: (id: string) => string
  readonly access: AccessLevel
  readonly guard?: Guard
  readonly group: Group
  /** What has attachments, and its parameter; by default a payment request, `tid`. */
  readonly of?: { readonly what: string; readonly name: string; readonly id: z.ZodType<string> }
  /** @throws Refusal resource_is_unknown for another's */
  readonly entriesFor: (call: Call, id: string) => Promise<readonly AttachmentEntry[]>
}

export const attachmentReply = z
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

export const listReply = z
  .object({ uris: z.array(z.string()), next: z.null(), attachments: z.array(attachmentReply) })
  .meta({ id: 'AttachmentList', description: 'All of them on one page, newest first.' })

/** Names of ours: whoever uploads gives none. */
export const fileNames = {
  itemlist: 'item-list.json',
  receipt: 'receipt.json',
  png: 'image.png',
} as const

const ofPayments = { what: 'payment request', name: 'tid', id: tidParams.shape.tid }

export const attachmentReadingRoutes = (needs: Needs, reader: Reader): Route[] => {
  const { links, attachedContents } = needs
  const { listPath, entriesFor, of = ofPayments, ...who } = reader
  const params = z.object({ [of.name]: of.id })
  const idIn = (call: Call): string =>
    (call.params as Readonly<Record<string, string>>)[of.name] ?? ''
  const { get } = routesOf(who)
  const types = mediaTypesOf(needs.names)

  return [
    get(listPath(`:${of.name}`), {
      summary: `List the attachments of a ${of.what}`,
      params,
      reply: listReply,
      handle: async (call) => {
        const id = idIn(call)
        const entries = await entriesFor(call, id)
        const attachments = entries.toReversed().map(({ kind, hash, size, at, ...entry }) => ({
          id: entry.id,
          uri: links.inBody(`${listPath(id)}${entry.id}/`),
          kind,
          content_type: types[kind],
          size,
          sha256: hash,
          date: at,
        }))
        return { uris: attachments.map(({ uri }) => uri), next: null, attachments }
      },
    }),
    get(`${listPath(`:${of.name}`)}:attachment_id/`, {
      summary: 'Read an attachment as it was uploaded; none once the payer has been erased',
      params: params.extend({ attachment_id: z.string() }),
      success: 'raw',
      replyTypes: Object.values(types),
      handle: async (call) => {
        const { attachment_id } = call.params
        const entries = await entriesFor(call, idIn(call))
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
