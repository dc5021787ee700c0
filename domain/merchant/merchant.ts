import { z } from 'zod'
import type { Decider } from '../decider.ts'
import { refuse } from '../refusal.ts'
import { isDisabled, present, type Entry, type RegisterCommand } from '../register.ts'
import { checkSeen, switchable, switchedIn, type SwitchCommand } from '../switchable.ts'
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
const base = switchable(
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
    /** IANA name; settlements and reports use the days and times of this zone. */
    timeZone: z.string().default(utc),
    location: location.nullable().default(null),
    settlementAccountId: z.string().default('default'),
    profile: profile.prefault({}),
    /** SHA-256 of its logo, a PNG. */
    logo: text,
    /** Address for messages about resources without an address of their own. */
    callbackUri: text,
    /** It signed up in the portal; in production it is disabled until approved. */
    hasSignedUp: z.literal(true).optional(),
  }),
)

const { MerchantRegistered: merchantData } = base.events
export type MerchantData = z.output<typeof merchantData>

/** Whether it signed up itself and has been neither approved nor rejected. */
export const waits = (entry: Entry<MerchantData>): boolean =>
  entry.status === 'present' &&
  entry.data.hasSignedUp === true &&
  isDisabled(entry) &&
  switchedIn(entry) === 1

/** Whether it signed up itself and was rejected, and not enabled since. */
export const isTurnedDown = (entry: Entry<MerchantData>): boolean =>
  entry.status === 'present' &&
  entry.data.hasSignedUp === true &&
  isDisabled(entry) &&
  switchedIn(entry) === 2

/** Why it cannot be approved; undefined if it can, or has been. */
export const whyNotApproved = (
  entry: Entry<MerchantData>,
): 'has_not_signed_up' | 'was_disabled' | undefined => {
  if (entry.status !== 'present') return undefined
  if (entry.data.hasSignedUp !== true) return 'has_not_signed_up'
  return isDisabled(entry) && !waits(entry) ? 'was_disabled' : undefined
}

type Approval =
  | { readonly type: 'AwaitApproval' }
  | (Pick<SwitchCommand, 'seen'> & { readonly type: 'Approve' })
  /** Of one that waits; `reason` is for its owners. */
  | (Pick<SwitchCommand, 'seen'> & { readonly type: 'TurnDown'; readonly reason: string })
type MerchantCommand = RegisterCommand<MerchantData> | SwitchCommand | Approval
type MerchantEvent =
  | ReturnType<typeof base.decider.decide>[number]
  | { readonly type: 'MerchantDisabled'; readonly data: { readonly reason: string } }

const decider: Decider<MerchantCommand, MerchantEvent, Entry<MerchantData>> = {
  ...base.decider,
  decide(command, entry) {
    switch (command.type) {
      case 'AwaitApproval':
        present(entry, {})
        // The sign-up form may be submitted again long after the approval.
        return switchedIn(entry) > 0 ? [] : base.decider.decide({ type: 'Disable' }, entry)
      case 'Approve':
        if (whyNotApproved(entry)) return refuse('resource_is_unknown')
        return base.decider.decide({ ...command, type: 'Enable' }, entry)
      case 'Disable':
        if (!waits(entry)) return base.decider.decide(command, entry)
        checkSeen(entry, command)
        // It was rejected; an approval in progress no longer applies.
        return [{ type: 'MerchantDisabled', data: {} }]
      case 'TurnDown':
        if (!waits(entry)) return refuse('resource_is_unknown')
        checkSeen(entry, command)
        return [{ type: 'MerchantDisabled', data: { reason: command.reason } }]
      default:
        return base.decider.decide(command, entry)
    }
  },
}

const events = { ...base.events, MerchantDisabled: z.object({ reason: z.string().optional() }) }

export const merchant = { ...base, events, decider }

/** Fills in defaults. */
export const newMerchant = (known: z.input<typeof merchantData>): MerchantData =>
  merchantData.parse(known)

/** A currency code begins with its country, unless several countries share it. */
export const jurisdictionOf = (currency: string): string | null =>
  /^(?:X|EU)/.test(currency) ? null : currency.slice(0, 2)
