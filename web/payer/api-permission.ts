import { z } from 'zod'
import { formatScope } from '../../domain/people/scope.ts'
import { ridParams, type Links } from '../../http/addresses.ts'
import { contextOfPayer } from '../../http/call.ts'
import { linkedPage, listQuery } from '../../http/lists.ts'
import { grantedText } from '../../http/merchant/permission.ts'
import type { Route } from '../../http/route.ts'
import { dateTime } from '../../http/wire.ts'
import type { PayerAccess } from './api-access.ts'
import { ofPayer, payerPrefix } from './api-fields.ts'
import { permissionFor, type PayerPermissionNeeds } from './permission.tsx'
import { withdrawal, type PayerPermissionsNeeds } from './permissions.tsx'

const permissionReply = z
  .object({
    rid: z.string(),
    merchant: z.string(),
    status: z.enum(['pending', 'ok', 'fail']),
    status_code: z.int(),
    scope: z.string(),
    granted_scope: z.string().nullable(),
    text: z.string().nullable(),
    date_modified: dateTime,
    date_expires: dateTime,
  })
  .meta({ id: 'PayerPermissionRequest' })

const clientParams = z.object({ client: z.string().max(100) })

type Needs = PayerPermissionNeeds & PayerPermissionsNeeds & { readonly links: Links }

export const payerApiPermissionRoutes = (needs: Needs, access: PayerAccess): Route[] => {
  const find = permissionFor(needs)
  const end = withdrawal(needs)

  return [
    ofPayer.get(`${payerPrefix}/permission_request/:rid/`, {
      summary: 'A permission request of the payer',
      params: ridParams,
      reply: permissionReply,
      handle: async (call) => {
        const { payer } = await access(call)
        const row = await find(call.params.rid, payer, call.at)
        return {
          rid: row.rid,
          merchant: needs.shopName(row.request.merchant),
          status: row.status,
          status_code: row.statusCode,
          scope: formatScope(row.request.scope),
          granted_scope: (row.permissions && formatScope(row.permissions.scope)) || null,
          text: row.request.text,
          date_modified: row.modifiedAt,
          date_expires: row.expiresAt,
        }
      },
    }),
    ofPayer.post(`${payerPrefix}/permission_request/:rid/accept/`, {
      summary: 'Grant what was asked for, or a part of it',
      params: ridParams,
      body: z.object({ scope: grantedText }).meta({ id: 'PayerGrant' }),
      handle: async (call) => {
        const { rid } = call.params
        const { payer } = await access(call)
        const { request } = await find(rid, payer, call.at)
        const context = contextOfPayer(call, payer, request.merchant)
        await needs.grantPermission(rid, payer, call.body.scope, context)
      },
    }),
    ofPayer.post(`${payerPrefix}/permission_request/:rid/decline/`, {
      summary: 'Decline a permission request',
      params: ridParams,
      handle: async (call) => {
        const { rid } = call.params
        const { payer } = await access(call)
        const { request } = await find(rid, payer, call.at)
        await needs.declinePermission(rid, payer, contextOfPayer(call, payer, request.merchant))
      },
    }),
    ofPayer.get(`${payerPrefix}/permission/`, {
      summary: 'Who knows what about the payer, newest first: one for each application or merchant',
      query: listQuery,
      reply: z
        .object({
          permissions: z.array(
            z.object({
              id: z.string(),
              merchant: z.string(),
              application: z
                .string()
                .nullable()
                .meta({ description: 'Null when it is the merchant itself.' }),
              scope: z
                .string()
                .nullable()
                .meta({ description: 'Everything that it may know; null when that is nothing.' }),
              date_granted: dateTime.meta({ description: 'When the first of it was granted.' }),
            }),
          ),
          next: z.string().nullable(),
        })
        .meta({
          id: 'PayerPermissions',
          description: 'Newest first, 100 a page; `next` is null on the last page.',
        }),
      handle: async (call) => {
        const { payer } = await access(call)
        await needs.caughtUp()
        const granted = (before: number, limit: number) => needs.consentsOf(payer, before, limit)
        const path = `${payerPrefix}/permission/`
        const { rows, next } = linkedPage(needs.links, path, call.query.next, granted)
        return {
          permissions: rows.map(({ merchant, client, scope, grantedAt }) => ({
            id: client,
            merchant: needs.shopName(merchant),
            application: needs.applicationName(client) ?? null,
            scope: formatScope(scope) || null,
            date_granted: grantedAt,
          })),
          next,
        }
      },
    }),
    ofPayer.remove(`${payerPrefix}/permission/:client/`, {
      summary: 'Withdraw all that an application or a merchant may know, with all its tokens',
      params: clientParams,
      handle: async (call) => {
        const { payer } = await access(call)
        await end(payer, call.params.client, call)
      },
    }),
  ]
}
