import { z } from 'zod'
import { withoutBlanks } from '../blanks.ts'
import type { Decider, EventsOf } from '../decider.ts'
import { refuse } from '../refusal.ts'

/** The same in whatever spelling, so that each business is here once. */
export const organizationNumber = (text: string): string =>
  withoutBlanks(text).replaceAll('-', '').toUpperCase()

/** Streams `organization-<number>`, so that a number is that of one merchant. */
const organizationEvents = {
  /** `instead`: the merchant that had the number, which was turned down or never made. */
  OrganizationClaimed: z.object({ merchant: z.string(), instead: z.string().nullable() }),
} as const

export type OrganizationEvent = EventsOf<typeof organizationEvents>

export type OrganizationCommand = {
  readonly type: 'ClaimOrganization'
  readonly merchant: string
  /** A merchant that keeps the number from nobody. */
  readonly freed: string | null
}

export type Organization = { readonly merchant: string | null; readonly since: number }

const decider: Decider<OrganizationCommand, OrganizationEvent, Organization> = {
  initial: { merchant: null, since: 0 },
  decide({ merchant, freed }, { merchant: instead }) {
    if (instead === merchant) return []
    if (instead !== null && instead !== freed) return refuse('organization_is_claimed')
    return [{ type: 'OrganizationClaimed', data: { merchant, instead } }]
  },
  evolve: (_, { data }, { at }) => ({ merchant: data.merchant, since: at }),
}

export const organization = { decider, events: organizationEvents }
