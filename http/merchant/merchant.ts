import { z } from 'zod'
import { merchants } from '../../domain/aggregates.ts'
import type { Blobs } from '../../application/blobs.ts'
import type { MerchantData } from '../../domain/merchant/merchant.ts'
import { refuse } from '../../domain/refusal.ts'
import { streamOf } from '../../domain/stream.ts'
import type { Queries } from '../../projections/read-models.ts'
import { merchantPrefix, type Links } from '../addresses.ts'
import { callerOf, type Call } from '../call.ts'
import { route, type Route, routesOf } from '../route.ts'
import { locationReply } from './pos.ts'

const text = z.string().nullable()

const postalAddress = {
  first_address_line: text,
  second_address_line: text,
  postal_code: text,
  country: text,
}

const merchantReply = z
  .object({
    id: z.string(),
    business_name: z.string(),
    organization_id: text,
    jurisdiction: text.meta({ description: 'ISO 3166, two letters.' }),
    mcc: text.meta({ description: 'Merchant category code, four digits.' }),
    netmask: text,
    time_zone: z.string().meta({
      description: 'IANA. Days of settlements and reports begin by its clocks.',
    }),
    location: locationReply.nullable(),
    settlement_account_id: z.string(),
    address: z.object(postalAddress),
    profile: z.object({
      ...postalAddress,
      description: text,
      phone_number: text,
      email: text,
      url: text,
      logo_url: text,
    }),
  })
  .meta({ id: 'Merchant' })

type MerchantNeeds = Pick<Queries['merchants'], 'merchants' | 'lookUpMerchant'> & {
  readonly links: Links
  readonly caughtUp: () => Promise<void>
  readonly blobs: Pick<Blobs, 'get'>
}

const detailPath = (id: string): string => `${merchantPrefix}/merchant/${id}/`

const merchantView = (links: Links, merchant: MerchantData): z.input<typeof merchantReply> => {
  const { profile } = merchant
  const [first, second] = profile.addressLines
  const address = {
    first_address_line: first ?? null,
    second_address_line: second ?? null,
    postal_code: profile.postalCode,
    country: profile.country,
  }
  return {
    id: merchant.id,
    business_name: merchant.businessName,
    organization_id: merchant.organizationId,
    jurisdiction: merchant.jurisdiction,
    mcc: merchant.mcc,
    netmask: merchant.netmask,
    time_zone: merchant.timeZone,
    location: merchant.location,
    settlement_account_id: merchant.settlementAccountId,
    address,
    profile: {
      ...address,
      description: profile.description,
      phone_number: profile.phoneNumber,
      email: profile.email,
      url: profile.url,
      logo_url: merchant.logo === null ? null : links.inBody(`${detailPath(merchant.id)}logo`),
    },
  }
}

const merchantParams = z.object({ merchant_id: z.string() })

const group = 'Merchant'

const { get } = routesOf({ access: 'SECRET', group })

/** The merchant itself (interface 7.1). */
export const merchantRoutes = (needs: MerchantNeeds): Route[] => {
  const { links, caughtUp } = needs

  /** Do not reveal whether another merchant exists. */
  const own = async (call: Call<{ readonly merchant_id: string }>): Promise<MerchantData> => {
    await caughtUp()
    const { merchant } = callerOf(call)
    if (call.params.merchant_id !== merchant) return refuse('resource_is_unknown')
    const row = needs.merchants.find(streamOf(merchants, merchant))
    return row?.data ?? refuse('resource_is_unknown')
  }

  const logoHeaders = {
    'Content-Disposition': 'inline; filename="logo.png"',
    'X-Content-Type-Options': 'nosniff',
  }
  const logoRoute = (path: string): Route =>
    get(path, {
      summary: 'Read the logo of the merchant; 404 when it has none',
      params: merchantParams,
      success: 'raw',
      replyTypes: ['image/png'],
      handle: async (call) => {
        const { logo } = await own(call)
        if (logo === null) return refuse('resource_is_unknown')
        const body = await needs.blobs.get(logo)
        if (!body) throw new Error(`the blob ${logo} is missing`)
        return { type: 'image/png', body, headers: logoHeaders }
      },
    })

  return [
    get(detailPath(':merchant_id'), {
      summary: 'Read the merchant',
      params: merchantParams,
      reply: merchantReply,
      handle: async (call) => merchantView(links, await own(call)),
    }),
    logoRoute(`${detailPath(':merchant_id')}logo`),
    // Also with a trailing slash, which some clients always write.
    logoRoute(`${detailPath(':merchant_id')}logo/`),
    route({
      method: 'GET',
      path: `${merchantPrefix}/merchant_lookup/:lookup_id/`,
      access: 'INTEGRATOR',
      group,
      summary: 'Find a merchant by organisation number or another secondary id',
      description: 'For integrators only; the request needs no merchant header.',
      params: z.object({ lookup_id: z.string() }),
      reply: merchantReply,
      handle: async (call) => {
        await caughtUp()
        const row = needs.lookUpMerchant(call.params.lookup_id)
        return merchantView(links, (row ?? refuse('resource_is_unknown')).data)
      },
    }),
  ]
}
