import { z } from 'zod'
import { sendEvidence, type KnownDispute } from '../../application/disputes.ts'
import type { SealedBlobs } from '../../application/blobs.ts'
import { nextTurn } from '../../application/time-budget.ts'
import { grossOf } from '../../domain/accounting/fees.ts'
import { refuse } from '../../domain/refusal.ts'
import type { DisputeRow } from '../../projections/disputes.ts'
import type { Queries } from '../../projections/read-models.ts'
import { merchantPrefix, type Links } from '../addresses.ts'
import { callerOf, contextOf, type Call } from '../call.ts'
import { partsOf } from '../forms.ts'
import { linkedPage, listQuery, listReply } from '../lists.ts'
import { type Route, routesOf } from '../route.ts'
import { createdReply, dateTime, money, moneyIn } from '../wire.ts'
import {
  attachmentReadingRoutes,
  largestUpload,
  partTypes,
  sealParts,
  type SealingNeeds,
} from './attachment.ts'

const states = ['open', 'evidence_sent', 'won', 'lost'] as const

export const disputeReply = z
  .object({
    id: z.string(),
    uri: z.string(),
    tid: z.string(),
    amount: money.meta({ description: 'Taken from the ledger until the dispute is won.' }),
    currency: z.string(),
    fee: money.meta({ description: 'What the dispute costs, without VAT.' }),
    reason: z.string(),
    state: z.enum(states),
    due: dateTime.meta({ description: 'Until when evidence is taken.' }),
    evidence_uri: z.string(),
    evidence_count: z.int(),
    date_opened: dateTime,
    date_closed: dateTime.nullable(),
  })
  .meta({ id: 'Dispute' })

const listPath = `${merchantPrefix}/dispute/`

export const disputePath = (id: string): string => `${listPath}${id}/`

const evidencePath = (id: string): string => `${disputePath(id)}evidence/`

export const disputeView = (
  links: Links,
  { id, tid, currency, dispute }: KnownDispute,
): z.input<typeof disputeReply> => {
  const amount = moneyIn(currency)
  return {
    id,
    uri: links.inBody(disputePath(id)),
    tid,
    amount: amount(grossOf(dispute)),
    currency,
    fee: amount(dispute.charge.fee),
    reason: dispute.reason,
    state: dispute.state,
    due: dispute.due,
    evidence_uri: links.inBody(evidencePath(id)),
    evidence_count: dispute.evidence.length,
    date_opened: dispute.openedAt,
    date_closed: dispute.closedAt,
  }
}

type DisputeNeeds = SealingNeeds &
  Parameters<typeof sendEvidence>[0] &
  Pick<Queries['payments'], 'disputes'> & {
    readonly links: Links
    readonly attachedContents: SealedBlobs
    readonly caughtUp: () => Promise<void>
  }

const group = 'Dispute'

const { get, post } = routesOf({ access: 'SECRET', group })

const disputeId = z.string().regex(/^[a-z0-9]{1,64}-[1-9]\d{0,2}$/)

const disputeParams = z.object({ dispute_id: disputeId })

const disputeList = listReply
  .extend({ disputes: z.array(disputeReply) })
  .meta({ id: 'DisputeList', description: 'Newest first, 100 a page.' })

const evidenceReply = createdReply
  .extend({ ids: z.array(z.string()) })
  .meta({ id: 'EvidenceSent', description: 'The id of the newest, and those of all.' })

const evidenceRoute = (needs: DisputeNeeds): Route =>
  post(`${listPath}:dispute_id/evidence/`, {
    summary: 'Send evidence in a dispute',
    description:
      'As attachments are uploaded: one to 20 parts, each an item list, a receipt or a picture. ' +
      'Until the dispute is due or closed. The same content again adds nothing.',
    params: disputeParams,
    upload: {
      admits: () => true,
      of: ({ dispute_id: id = '' }) => id,
      largest: largestUpload,
      parts: partTypes(needs.names),
    },
    success: 'created',
    reply: evidenceReply,
    errors: { 409: 'The dispute is closed, or its deadline has passed.' },
    handle: async (call) => {
      const { dispute_id: id } = call.params
      const { body, header } = call.request
      const send = sendEvidence(needs)
      const { dispute } = await send(
        id,
        async ({ payer, request }) => {
          await nextTurn()
          const parts = partsOf(body, header('content-type'))
          return sealParts(needs, parts, payer ?? '', request.currency)
        },
        contextOf(call),
      )
      const ids = dispute.evidence.map((one) => one.id)
      const location = needs.links.full(evidencePath(id))
      return { location, value: { id: ids.at(-1) ?? '', ids } }
    },
  })

/** What payers or their banks have disputed; opened and closed by the operator. */
export const disputeRoutes = (needs: DisputeNeeds): Route[] => {
  const { links, disputes, caughtUp } = needs

  const own = async (call: Call, id: string): Promise<DisputeRow> => {
    await caughtUp()
    const row = disputes.find(id)
    return row?.merchant === callerOf(call).merchant ? row : refuse('resource_is_unknown')
  }

  return [
    get(listPath, {
      summary: 'List the disputes',
      query: listQuery,
      reply: disputeList,
      handle: async (call) => {
        await caughtUp()
        const { merchant } = callerOf(call)
        const list = (before: number, limit: number) => disputes.list(merchant, before, limit)
        const { rows, next } = linkedPage(links, listPath, call.query.next, list)
        const views = rows.map((row) => disputeView(links, row))
        return { uris: views.map(({ uri }) => uri), next, disputes: views }
      },
    }),
    get(`${listPath}:dispute_id/`, {
      summary: 'Read a dispute',
      params: disputeParams,
      reply: disputeReply,
      handle: async (call) => disputeView(links, await own(call, call.params.dispute_id)),
    }),
    evidenceRoute(needs),
    ...attachmentReadingRoutes(needs, {
      access: 'SECRET',
      group,
      listPath: evidencePath,
      of: { what: 'dispute', name: 'dispute_id', id: disputeId },
      entriesFor: async (call, id) => (await own(call, id)).dispute.evidence,
    }),
  ]
}
