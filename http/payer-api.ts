import { z } from 'zod'
import { payments } from '../application/aggregates.ts'
import { streamOf } from '../application/handle.ts'
import { refuse } from '../domain/refusal.ts'
import { formatScope } from '../domain/scope.ts'
import type { Instant } from '../domain/time.ts'
import type { InboxRow } from '../projections/payer-inbox.ts'
import { attachmentReadingRoutes } from './attachment-reading.ts'
import type { Names } from './brand.ts'
import { RequestError } from './errors.ts'
import { listQuery } from './lists.ts'
import { makePayerAccess, payerPrefix, type ApiAccessNeeds } from './payer-api-access.ts'
import type { PayerHomeNeeds } from './payer-home.ts'
import { isFor, tidParams, type PayerPaymentNeeds, type ShownRequest } from './payer-payment.ts'
import type { PayerPermissionNeeds } from './payer-permission.ts'
import { scopeText } from './permission.ts'
import { contextOfPayer } from './payer-sign-in.ts'
import { route, type Call, type Route } from './route.ts'
import { amountIn, amountText, dateTime, money, read } from './wire.ts'

export type PayerApiNeeds = ApiAccessNeeds &
  PayerPaymentNeeds &
  PayerPermissionNeeds &
  PayerHomeNeeds & { readonly names: Names }

const group = 'Payer'

const paymentReply = z
  .object({
    tid: z.string(),
    merchant: z.string().meta({ description: 'Its business name.' }),
    status: z.string(),
    status_code: z.int(),
    currency: z.string(),
    amount: money,
    additional_amount: money,
    additional_edit: z.boolean(),
    allow_credit: z.boolean(),
    text: z.string().nullable(),
    required_scope: z.string().nullable(),
    required_scope_text: z.string().nullable(),
    date_modified: dateTime,
    date_expires: dateTime,
  })
  .meta({ id: 'PayerPaymentRequest' })

const permissionReply = z
  .object({
    rid: z.string(),
    merchant: z.string(),
    status: z.string(),
    status_code: z.int(),
    scope: z.string(),
    granted_scope: z.string().nullable(),
    text: z.string().nullable(),
    date_modified: dateTime,
    date_expires: dateTime,
  })
  .meta({ id: 'PayerPermissionRequest' })

const uris = z.array(z.string())
const ridParams = z.object({ rid: z.string().regex(/^[a-z0-9]{1,64}$/) })
const grantParams = z.object({ grant: z.string().regex(/^[a-z0-9_-]{1,100}$/) })
const historyPage = 100

/** What payers do, as JSON for apps: the same as on their pages. */
export const payerApiRoutes = (needs: PayerApiNeeds): Route[] => {
  const access = makePayerAccess(needs)
  const { links } = needs

  const uriOf = ({ stream }: InboxRow): string => {
    const id = stream.slice(stream.indexOf('-') + 1)
    const kind = stream.startsWith(streamOf(payments, '')) ? 'payment' : 'permission'
    return links.inBody(`${payerPrefix}/${kind}_request/${id}/`)
  }

  const paymentFor = async (tid: string, payer: string, at: Instant): Promise<ShownRequest> => {
    await needs.caughtUp()
    const found = needs.findRequest(tid, at) ?? refuse('resource_is_unknown')
    return isFor(found, payer) ? found : refuse('resource_is_unknown')
  }

  const permissionFor = async (rid: string, payer: string, at: Instant) => {
    await needs.caughtUp()
    const found = needs.permissionOf(rid, at)
    return found?.payer === payer ? found : refuse('resource_is_unknown')
  }

  const decline = async (call: Call<{ readonly tid: string }>): Promise<void> => {
    const { tid } = call.params
    const { payer } = await access(call)
    const { request } = await paymentFor(tid, payer, call.at)
    const context = contextOfPayer(call, payer, request.merchant)
    await needs.handle(payments, tid, { type: 'DeclinePayment', at: call.at, payer }, context)
  }

  return [
    route({
      method: 'GET',
      path: `${payerPrefix}/request/`,
      access: 'OPEN',
      guard: 'session',
      group,
      summary: 'What waits for an answer of the payer',
      success: 'value',
      reply: z.object({ uris }).meta({ id: 'PayerRequests' }),
      handle: async (call) => {
        const { payer } = await access(call)
        await needs.caughtUp()
        const waiting = needs.inbox.waiting(payer).filter(({ expiresAt }) => call.at < expiresAt)
        return { uris: waiting.map(uriOf) }
      },
    }),
    route({
      method: 'GET',
      path: `${payerPrefix}/history/`,
      access: 'OPEN',
      guard: 'session',
      group,
      summary: 'What the payer has answered, newest first',
      query: listQuery,
      success: 'value',
      reply: z.object({ uris, next: z.string().nullable() }).meta({ id: 'PayerHistory' }),
      handle: async (call) => {
        const { payer } = await access(call)
        await needs.caughtUp()
        const before = call.query.next ?? Number.MAX_SAFE_INTEGER
        const rows = needs.inbox.history(payer, before, historyPage)
        const last = rows.length === historyPage ? rows.at(-1) : undefined
        const cursor = last && Buffer.from(String(last.position)).toString('base64url')
        const next = cursor ? links.inBody(`${payerPrefix}/history/?next=${cursor}`) : null
        return { uris: rows.map(uriOf), next }
      },
    }),
    route({
      method: 'GET',
      path: `${payerPrefix}/payment_request/:tid/`,
      access: 'OPEN',
      guard: 'session',
      group,
      summary: 'A payment request of the payer, or one that anyone may answer',
      params: tidParams,
      success: 'value',
      reply: paymentReply,
      handle: async (call) => {
        const { payer } = await access(call)
        const { tid, request, outcome, shop } = await paymentFor(call.params.tid, payer, call.at)
        const { currency, status } = outcome
        return {
          tid,
          merchant: shop,
          status,
          status_code: outcome.statusCode,
          currency,
          amount: { minor: outcome.amount, currency },
          additional_amount: { minor: outcome.additionalAmount, currency },
          additional_edit: request.additionalEdit,
          allow_credit: request.allowCredit,
          text: request.text,
          required_scope: request.requiredScope,
          required_scope_text: request.requiredScopeText,
          date_modified: outcome.modifiedAt,
          date_expires: outcome.expiresAt,
        }
      },
    }),
    route({
      method: 'POST',
      path: `${payerPrefix}/payment_request/:tid/accept/`,
      access: 'OPEN',
      guard: 'session',
      group,
      summary: 'Accept a payment request',
      params: tidParams,
      body: z
        .object({ additional_amount: amountText.optional(), credit: z.boolean().default(false) })
        .meta({ id: 'PayerAccept' }),
      success: 'nothing',
      handle: async (call) => {
        const { tid } = call.params
        const { payer } = await access(call)
        const { request } = await paymentFor(tid, payer, call.at)
        const { additional_amount: text, credit } = call.body
        const additionalAmount = read((context) =>
          text === undefined
            ? null
            : amountIn(context, ['additional_amount'], text, request.currency),
        )
        const context = contextOfPayer(call, payer, request.merchant)
        await needs.acceptPayment(tid, payer, { additionalAmount, credit }, context)
      },
    }),
    route({
      method: 'POST',
      path: `${payerPrefix}/payment_request/:tid/decline/`,
      access: 'OPEN',
      guard: 'session',
      group,
      summary: 'Decline a payment request',
      params: tidParams,
      success: 'nothing',
      handle: decline,
    }),
    ...attachmentReadingRoutes(needs, {
      listPath: (tid) => `${payerPrefix}/payment_request/${tid}/attachment/`,
      access: 'OPEN',
      guard: 'session',
      group,
      entriesFor: async (call, tid) => {
        const { payer } = await access(call)
        await paymentFor(tid, payer, call.at)
        return needs.attachments.of(tid)
      },
    }),
    route({
      method: 'GET',
      path: `${payerPrefix}/permission_request/:rid/`,
      access: 'OPEN',
      guard: 'session',
      group,
      summary: 'A permission request of the payer',
      params: ridParams,
      success: 'value',
      reply: permissionReply,
      handle: async (call) => {
        const { payer } = await access(call)
        const row = await permissionFor(call.params.rid, payer, call.at)
        return {
          rid: row.rid,
          merchant: needs.shopName(row.merchant),
          status: row.status,
          status_code: row.statusCode,
          scope: formatScope(row.request.scope),
          granted_scope: row.permissions && formatScope(row.permissions.scope),
          text: row.request.text,
          date_modified: row.modifiedAt,
          date_expires: row.expiresAt,
        }
      },
    }),
    route({
      method: 'POST',
      path: `${payerPrefix}/permission_request/:rid/accept/`,
      access: 'OPEN',
      guard: 'session',
      group,
      summary: 'Grant what was asked for, or a part of it',
      params: ridParams,
      body: z.object({ scope: scopeText.optional() }).meta({ id: 'PayerGrant' }),
      success: 'nothing',
      handle: async (call) => {
        const { rid } = call.params
        const { payer } = await access(call)
        const { merchant } = await permissionFor(rid, payer, call.at)
        const context = contextOfPayer(call, payer, merchant)
        await needs.grantPermission(rid, payer, call.body.scope ?? null, context)
      },
    }),
    route({
      method: 'POST',
      path: `${payerPrefix}/permission_request/:rid/decline/`,
      access: 'OPEN',
      guard: 'session',
      group,
      summary: 'Decline a permission request',
      params: ridParams,
      success: 'nothing',
      handle: async (call) => {
        const { rid } = call.params
        const { payer } = await access(call)
        const { merchant } = await permissionFor(rid, payer, call.at)
        await needs.declinePermission(rid, payer, contextOfPayer(call, payer, merchant))
      },
    }),
    route({
      method: 'POST',
      path: `${payerPrefix}/scan/`,
      access: 'OPEN',
      guard: 'session',
      group,
      summary: 'Scan a code: answers the page that it leads to',
      body: z.object({ text: z.string().max(2048).default('') }).meta({ id: 'PayerScan' }),
      success: 'value',
      errors: { 404: 'The code is none of this service.' },
      reply: z.object({ uri: z.string() }).meta({ id: 'PayerScanned' }),
      handle: async (call) => {
        const { payer } = await access(call)
        const path = await needs.scan(call.body.text, payer, contextOfPayer(call, payer))
        if (path === undefined) throw new RequestError(404, 'This code is none of this service.')
        return { uri: links.inBody(path) }
      },
    }),
    route({
      method: 'GET',
      path: `${payerPrefix}/permission/`,
      access: 'OPEN',
      guard: 'session',
      group,
      summary: 'Who knows what about the payer',
      success: 'value',
      reply: z
        .object({
          permissions: z.array(
            z.object({
              id: z.string(),
              merchant: z.string(),
              application: z.string().nullable(),
              scope: z.string(),
              date_granted: dateTime,
            }),
          ),
        })
        .meta({ id: 'PayerPermissions' }),
      handle: async (call) => {
        const { payer } = await access(call)
        await needs.caughtUp()
        const live = needs.grantsOf(payer).filter(({ isRevoked }) => !isRevoked)
        return {
          permissions: live.map(({ grant, merchant, client, scope, grantedAt }) => ({
            id: grant,
            merchant: needs.shopName(merchant),
            application: needs.applicationName(client) ?? null,
            scope: formatScope(scope),
            date_granted: grantedAt,
          })),
        }
      },
    }),
    route({
      method: 'DELETE',
      path: `${payerPrefix}/permission/:grant/`,
      access: 'OPEN',
      guard: 'session',
      group,
      summary: 'Withdraw a permission',
      params: grantParams,
      success: 'nothing',
      handle: async (call) => {
        const { payer } = await access(call)
        await needs.caughtUp()
        const { grant } = call.params
        const own = needs.grantsOf(payer).find((granted) => granted.grant === grant)
        if (!own) return refuse('resource_is_unknown')
        await needs.revokeGrant(grant, 'payer', contextOfPayer(call, payer, own.merchant))
      },
    }),
  ]
}
