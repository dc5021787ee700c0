import { z } from 'zod'

const address = z.object({
  street_address: z.string(),
  postal_code: z.string(),
  locality: z.string(),
  country: z.string().meta({ description: 'Two letters (ISO 3166-1).' }),
})

const withScope = (...names: readonly string[]) => ({
  description: `With the scope \`${names.join('` and `')}\`, if it is known.`,
})

/** Standard claims (OpenID Connect Core, 5.1). */
export const userInfoClaims = z
  .object({
    sub: z.string().meta({ description: 'The payer, as this merchant and no other knows them.' }),
    name: z.string().optional().meta(withScope('profile')),
    email: z.string().optional().meta(withScope('openid', 'email')),
    email_verified: z.boolean().optional(),
    phone_number: z.string().optional().meta(withScope('openid', 'phone')),
    phone_number_verified: z.boolean().optional(),
    address: address.optional().meta(withScope('openid', 'address')),
  })
  .meta({ id: 'UserInfo' })

export const shippingAddressClaims = z
  .object({ shipping_address: z.object({ name: z.string(), ...address.shape }) })
  .meta({ id: 'ShippingAddress' })

const proof = z.object({
  issuer: z.string().meta({ description: 'Who has verified the id.' }),
  method: z.string(),
  date: z.iso.date(),
})

export const nationalIdClaims = z
  .object({ jurisdiction: z.literal('NO'), id: z.string(), proofs: z.array(proof).min(1) })
  .meta({ id: 'NationalId' })

/** Claims of all granted scopes. */
export const grantedClaims = userInfoClaims
  .extend({
    shipping_address: shippingAddressClaims.shape.shipping_address
      .optional()
      .meta(withScope('shipping_address')),
    personal_id: nationalIdClaims.optional().meta({
      description:
        'The Norwegian national id, with the scope `fodselsnummer`; with `bankid` alone, the ' +
        'proof of the bank identity scheme only.',
    }),
  })
  .meta({ id: 'GrantedClaims' })
