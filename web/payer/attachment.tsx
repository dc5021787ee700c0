import { Table, type Html } from '../ui/components.tsx'
import { z } from 'zod'
import type { SealedBlobs } from '../../application/blobs.ts'
import { refuse } from '../../domain/refusal.ts'
import type { AttachmentEntry } from '../../projections/attachments.ts'
import { tidParams } from '../../http/addresses.ts'
import type { Call } from '../../http/call.ts'
import { nextTurn } from '../../application/time-budget.ts'
import type { Queries } from '../../projections/read-models.ts'
import { readSheet, type Sheet } from '../../http/merchant/attachment-sheet.ts'
import { route, type RawReply, type Route } from '../../http/route.ts'
import { moneyText } from '../ui/money.tsx'
import { pageAsks } from './page-documentation.ts'
import { pageHeaders } from '../ui/page.tsx'
import type { Visitor, Visits } from './session.tsx'

export type PayerAttachmentNeeds = Pick<Queries['payments'], 'attachments'> & {
  readonly isSecure: boolean
  readonly attachedContents: Pick<SealedBlobs, 'get'>
}

type Line = readonly [label: Html, amount: Sheet['items'][number]['total']]

const sheetHtml = ({ texts, locale }: Visitor, sheet: Sheet): Html => {
  const bought = sheet.items.map(({ quantity, unit, name, total }): Line => {
    const count = quantity === '1' && !unit ? '' : `${quantity}${unit ? ` ${unit}` : ''} × `
    return [`${count}${name}`, total]
  })
  const sums = (['discount', 'net', 'vat', 'total'] as const).flatMap((name): readonly Line[] => {
    const amount = sheet.sums[name]
    return amount ? [[texts[name], amount]] : []
  })
  const paid = sheet.payments.map(({ type, amount }): Line => [`${texts.paid}: ${type}`, amount])
  const rows = [...bought, ...sums, ...paid]
  const [name, ...about] = sheet.store
  return [
    <h2>{sheet.kind === 'itemlist' ? texts.bought : texts.receipt}</h2>,
    name !== undefined && <p>{name}</p>,
    about.length > 0 && <p class="quiet small">{about.join(', ')}</p>,
    <Table
      rows={rows.map(([label, { text, currency }]) => [label, moneyText(text, currency, locale)])}
    />,
  ]
}

const picturesOf = (tid: string): string => `/payer/payment/${tid}/attachment/`

const contentOf = async ({ attachedContents }: PayerAttachmentNeeds, entry: AttachmentEntry) =>
  (await attachedContents.get(entry)) ?? refuse('resource_is_unknown')

/** A payment's attachments, as its payer sees them. */
export const attachmentsHtml = async (
  needs: PayerAttachmentNeeds,
  visitor: Visitor,
  {
    tid,
    currency,
    pictures = picturesOf(tid),
  }: { readonly tid: string; readonly currency: string; readonly pictures?: string },
): Promise<Html[]> => {
  const entryHtml = async (entry: AttachmentEntry): Promise<Html> => {
    if (entry.kind === 'png') {
      const { attached } = visitor.texts
      return (
        <p>
          <img class="attached" src={`${pictures}${entry.id}`} alt={attached} />
        </p>
      )
    }
    const json: unknown = JSON.parse(new TextDecoder().decode(await contentOf(needs, entry)))
    const read = await readSheet(entry.kind, json, currency)
    if ('problems' in read) throw new Error(`attachment ${entry.id} of ${tid} cannot be read`)
    return sheetHtml(visitor, read.sheet)
  }
  const parts: Html[] = []
  // In the order of upload.
  for (const entry of needs.attachments.of(tid)) {
    parts.push(await entryHtml(entry))
    // Large lists take a second: let other requests run in between.
    await nextTurn()
  }
  return parts
}

/** @throws Refusal resource_is_unknown */
export const pictureReply = async (
  needs: PayerAttachmentNeeds,
  tid: string,
  attachment: string,
): Promise<RawReply> => {
  const isIt = ({ id, kind }: AttachmentEntry) => id === attachment && kind === 'png'
  const entry = needs.attachments.of(tid).find(isIt) ?? refuse('resource_is_unknown')
  const body = await contentOf(needs, entry)
  const name = { 'Content-Disposition': 'inline; filename="image.png"' }
  return { type: 'image/png', body, headers: { ...pageHeaders(needs.isSecure), ...name } }
}

/** The pictures on those pages; `checkOwner` refuses others than the payer. */
export const payerAttachmentRoute = (
  needs: PayerAttachmentNeeds,
  visits: Visits,
  checkOwner: (tid: string, payer: string, call: Call) => Promise<unknown>,
): Route =>
  route({
    method: 'GET',
    path: `${picturesOf(':tid')}:attachment_id`,
    access: 'OPEN',
    group: 'Pages',
    summary: 'A picture that the merchant has attached to a payment',
    params: tidParams.extend({ attachment_id: z.string() }),
    ...pageAsks.showAttachment,
    success: 'raw',
    replyTypes: ['image/png'],
    handle: (call) =>
      visits.signedInPage(call, async ({ session }) => {
        const { tid, attachment_id: attachment } = call.params
        await checkOwner(tid, session.payer, call)
        return pictureReply(needs, tid, attachment)
      }),
  })
