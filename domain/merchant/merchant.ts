import { z } from 'zod'
import { switchable } from '../switchable.ts'
import { utc } from '../time-zone.ts'
import { location } from './location.ts'

const text = z.string().nullable().default(null)

/** How a merchant presents itself: the fields of the interface's profile. */
const profile = z.object({
  addressLines: z.array(z.string()).max(2).default([]),
  postalCode: text,
  /** ISO 3166, two letters. */
  country: text,
  description: text,
  phoneNumber: text,
  email: text,
  url: text,
})

/** Absent fields are empty. */
export const merchant = switchable(
  'Merchant',
  z.object({
    id: z.string(),
    businessName: z.string(),
    currency: z.string(),
    /** Secondary ids for lookups by integrators. */
    lookupIds: z.array(z.string()),
    /** CIDR that requests must come from; null allows all. */
    netmask: z.string().nullable(),
    organizationId: text,
    /** ISO 3166, two letters. */
    jurisdiction: text,
    /** Merchant category code (ISO 18245), four digits. */
    mcc: text,
    /** IANA; days and times of settlements and reports are those of its clocks. */
    timeZone: z.string().default(utc),
    location: location.nullable().default(null),
    settlementAccountId: z.string().default('default'),
    profile: profile.prefault({}),
    /** SHA-256 of its logo, a PNG. */
    logo: text,
    /** Address for messages about no resource with an address of its own. */
    callbackUri: text,
    /** It has signed up in the portal; in production it is disabled until it is approved. */
    hasSignedUp: z.literal(true).optional(),
  }),
)

const { MerchantRegistered: merchantData } = merchant.events
export type MerchantData = z.output<typeof merchantData>

/** Fills in defaults. */
export const newMerchant = (known: z.input<typeof merchantData>): MerchantData =>
  merchantData.parse(known)

/** A currency code begins with its country, unless several countries share it. */
export const jurisdictionOf = (currency: string): string | null =>
  /^(?:X|EU)/.test(currency) ? null : currency.slice(0, 2)
