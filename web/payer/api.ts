import { z } from 'zod'
import type { InboxEntry } from '../../projections/payer-inbox.ts'
import { contextOfPayer } from '../../http/call.ts'
import { RequestError } from '../../http/errors.ts'
import { listPage, listQuery, listReply } from '../../http/lists.ts'
import type { Route } from '../../http/route.ts'
import { makePayerAccess, type ApiAccessNeeds, type PayerAccess } from './api-access.ts'
import { ofPayer, payerPrefix, fullName } from './api-fields.ts'
import { payerAccountRoutes, type PayerApiAccountNeeds } from './api-account.ts'
import { payerApiPaymentRoutes, type PayerApiPaymentNeeds } from './api-payment.ts'
import { payerApiPermissionRoutes } from './api-permission.ts'
import type { EnteringNeeds } from './scope-choice.tsx'
import type { PayerHomeNeeds } from './home.tsx'
import type { PayerPermissionNeeds } from './permission.tsx'
import type { PayerPermissionsNeeds } from './permissions.tsx'
import { linkErrors } from './page-documentation.ts'
import { followCode, type ScannedCodeNeeds } from './scan.tsx'
import { postalAddress } from '../../domain/people/profile.ts'
import { refuse } from '../../domain/refusal.ts'
import { removable } from '../../http/empty-values.ts'

const addressReply = z.object({
  street: z.string(),
  postal_code: z.string(),
  locality: z.string(),
  country: z.string(),
})

const profileReply = z
  .object({
    name: z.string(),
    phone: z.string(),
    email: z.string().nullable(),
    address: addressReply.nullable(),
    shipping_address: addressReply.extend({ name: z.string() }).nullable(),
  })
  .meta({ id: 'PayerProfile' })

const { street, postalCode, locality, country } = postalAddress.shape

const addressInput = z.object({ street, postal_code: postalCode, locality, country })

const profileInput = z
  .object({
    name: fullName.optional(),
    email: removable(z.email().max(200)),
    address: removable(addressInput),
    shipping_address: removable(addressInput.extend({ name: fullName })),
  })
  .meta({ id: 'PayerProfileUpdate' })

const addressView = <A extends { readonly postalCode: string }>({ postalCode, ...rest }: A) => ({
  ...rest,
  postal_code: postalCode,
})

const addressOf = <A extends { readonly postal_code: string }>({ postal_code, ...rest }: A) => ({
  ...rest,
  postalCode: postal_code,
})

const payerApiProfileRoutes = (needs: EnteringNeeds, access: PayerAccess): Route[] => {
  const profileOf = async (payer: string) =>
    (await needs.findProfile(payer)) ?? refuse('payer_is_unknown')

  return [
    ofPayer.get(`${payerPrefix}/profile/`, {
      summary: 'What is known of the payer',
      reply: profileReply,
      handle: async (call) => {
        const { payer } = await access(call)
        const { address, shippingAddress, name, phone, email } = await profileOf(payer)
        return {
          name,
          phone,
          email,
          address: address && addressView(address),
          shipping_address: shippingAddress && addressView(shippingAddress),
        }
      },
    }),
    ofPayer.put(`${payerPrefix}/profile/`, {
      summary: 'Change what is known',
      body: profileInput,
      handle: async (call) => {
        const { payer } = await access(call)
        const { address, shipping_address: shipping, name, email } = call.body
        const changes = {
          ...(name !== undefined && { name }),
          ...(email !== undefined && { email }),
          ...(address !== undefined && { address: address && addressOf(address) }),
          ...(shipping !== undefined && { shippingAddress: shipping && addressOf(shipping) }),
        }
        await needs.changeProfile(payer, changes, contextOfPayer(call, payer))
      },
    }),
  ]
}

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
      errors: { 404: 'The code is none of this service.', ...linkErrors },
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
