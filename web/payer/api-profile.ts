import { z } from 'zod'
import { postalAddress } from '../../domain/people/profile.ts'
import { refuse } from '../../domain/refusal.ts'
import { contextOfPayer } from '../../http/call.ts'
import { removable } from '../../http/nothing.ts'
import type { Route } from '../../http/route.ts'
import { type PayerAccess } from './api-access.ts'
import type { EnteringNeeds } from './entering.ts'
import { fullName, ofPayer, payerPrefix } from './api-fields.ts'

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

export const payerApiProfileRoutes = (needs: EnteringNeeds, access: PayerAccess): Route[] => {
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
