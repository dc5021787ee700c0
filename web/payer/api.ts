import { z } from 'zod'
import type { InboxEntry } from '../../projections/payer-inbox.ts'
import { contextOfPayer } from '../../http/call.ts'
import { RequestError } from '../../http/errors.ts'
import { listPage, listQuery, listReply } from '../../http/lists.ts'
import type { Route } from '../../http/route.ts'
import { makePayerAccess, type ApiAccessNeeds } from './api-access.ts'
import { ofPayer, payerPrefix } from './api-fields.ts'
import { payerAccountRoutes, type PayerApiAccountNeeds } from './api-account.ts'
import { payerApiPaymentRoutes, type PayerApiPaymentNeeds } from './api-payment.ts'
import { payerApiPermissionRoutes } from './api-permission.ts'
import { payerApiProfileRoutes } from './api-profile.ts'
import type { EnteringNeeds } from './entering.ts'
import type { PayerHomeNeeds } from './home.ts'
import type { PayerPermissionNeeds } from './permission.ts'
import type { PayerPermissionsNeeds } from './permissions.ts'
import { followCode, type ScannedCodeNeeds } from './scanned-code.ts'

type PayerApiNeeds = ApiAccessNeeds &
  EnteringNeeds &
  PayerApiAccountNeeds &
  PayerApiPaymentNeeds &
  PayerPermissionNeeds &
  PayerPermissionsNeeds &
  PayerHomeNeeds &
  ScannedCodeNeeds

/** The payers' pages as JSON for apps. */
export const payerApiRoutes = (needs: PayerApiNeeds): Route[] => {
  const access = makePayerAccess(needs)
  const { links } = needs
  const follow = followCode(needs)

  const pathOf = ({ kind, id }: InboxEntry): string => `${payerPrefix}/${kind}_request/${id}/`

  return [
    ...payerApiProfileRoutes(needs, access),
    ofPayer.get(`${payerPrefix}/request/`, {
      summary: 'What waits for an answer of the payer, newest first',
      query: listQuery,
      reply: listReply,
      handle: async (call) => {
        const { payer } = await access(call)
        await needs.caughtUp()
        const waiting = (before: number, limit: number) =>
          needs.inbox.waiting(payer, call.at, before, limit)
        return listPage(links, `${payerPrefix}/request/`, call.query.next, waiting, pathOf)
      },
    }),
    ofPayer.get(`${payerPrefix}/history/`, {
      summary: 'What the payer has answered, newest first',
      query: listQuery,
      reply: listReply,
      handle: async (call) => {
        const { payer } = await access(call)
        await needs.caughtUp()
        const history = (before: number, limit: number) => needs.inbox.history(payer, before, limit)
        return listPage(links, `${payerPrefix}/history/`, call.query.next, history, pathOf)
      },
    }),
    ...payerAccountRoutes(needs, access),
    ...payerApiPaymentRoutes(needs, access),
    ...payerApiPermissionRoutes(needs, access),
    ofPayer.post(`${payerPrefix}/scan/`, {
      summary: 'Scan a code: answers the page that it leads to',
      body: z.object({ text: z.string().max(2048).default('') }).meta({ id: 'PayerScan' }),
      errors: { 404: 'The code is none of this service.' },
      reply: z.object({ uri: z.string() }).meta({ id: 'PayerScanned' }),
      handle: async (call) => {
        const { payer } = await access(call)
        const path = await follow(call.body.text, payer, contextOfPayer(call, payer))
        if (path === undefined) throw new RequestError(404, 'This code is none of this service.')
        return { uri: links.inBody(path) }
      },
    }),
  ]
}
