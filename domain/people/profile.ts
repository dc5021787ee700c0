import { z } from 'zod'

const text = z.string().min(1).max(200)

export const nationalIdPattern = /^\d{11}$/

export const postalAddress = z.object({
  street: text,
  postalCode: z.string().min(1).max(20),
  locality: text,
  /** Two letters. */
  country: z.string().regex(/^[A-Z]{2}$/),
})

const identityProof = z.object({
  issuer: z.string(),
  method: z.string(),
  /** `YYYY-MM-DD`. */
  date: z.string(),
})

/** A payer's data; stored only sealed. */
export const profile = z.object({
  name: text,
  /** With country code. */
  phone: z.string().regex(/^\d{8,15}$/),
  isPhoneVerified: z.boolean(),
  email: z.email().max(200).nullable(),
  isEmailVerified: z.boolean(),
  address: postalAddress.nullable(),
  shippingAddress: postalAddress.extend({ name: text }).nullable(),
  nationalId: z
    .object({ id: z.string().regex(nationalIdPattern), proofs: z.array(identityProof) })
    .nullable(),
})

export type Profile = z.output<typeof profile>
export type PostalAddress = z.output<typeof postalAddress>

/** The profile of somebody who has proved a phone number. */
export const plainProfile = (name: string, phone: string): Profile => ({
  name,
  phone,
  isPhoneVerified: true,
  email: null,
  isEmailVerified: false,
  address: null,
  shippingAddress: null,
  nationalId: null,
})
