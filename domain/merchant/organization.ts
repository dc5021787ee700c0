import { z } from 'zod'
import { withoutBlanks } from '../blanks.ts'
import type { Decider, EventsOf } from '../decider.ts'
import { refuse } from '../refusal.ts'

/** The same in whatever spelling, so that each business is here once. */
export const organizationNumber = (text: string): string =>
  withoutBlanks(text).replaceAll('-', '').toUpperCase()

/** Streams `organization-<number>`, so that a number is that of one merchant. */
const organizationEvents = {
  /**
   * `instead`: the merchant that had it, which was turned down or never made. `isAgain`: the
   * claiming one was turned down, and is about to be enabled.
   */
  OrganizationClaimed: z.object({
    merchant: z.string(),
    instead: z.string().nullable(),
    isAgain: z.literal(true).optional(),
  }),
} as const

export type OrganizationEvent = EventsOf<typeof organizationEvents>

export type OrganizationCommand = {
  readonly type: 'ClaimOrganization'
  readonly merchant: string
  /** The claim that keeps the number from nobody, as it was found. */
  readonly freed: Pick<Organization, 'merchant' | 'claims'>
  /** Reserves it once more for the merchant that has it. */
  readonly isAgain: boolean
}

export type Organization = {
  readonly merchant: string | null
  readonly since: number
  /** How often it was claimed. */
  readonly claims: number
  /** Reserved by a merchant that is about to be enabled. */
  readonly isReserved: boolean
}

const decider: Decider<OrganizationCommand, OrganizationEvent, Organization> = {
  initial: { merchant: null, since: 0, claims: 0, isReserved: false },
  decide({ merchant, freed, isAgain }, { merchant: instead, claims }) {
    if (instead === merchant && !isAgain) return []
    const isAsFound = instead === freed.merchant && claims === freed.claims
    if (instead !== null && instead !== merchant && !isAsFound)
      return refuse('organization_is_claimed')
    return [
      { type: 'OrganizationClaimed', data: { merchant, instead, ...(isAgain && { isAgain }) } },
    ]
  },
  evolve: ({ claims }, { data: { merchant, isAgain = false } }, { at }) => ({
    merchant,
    since: at,
    claims: claims + 1,
    isReserved: isAgain,
  }),
}

export const organization = { decider, events: organizationEvents }
