import { z } from 'zod'
import type { MinorUnits } from '../money/money.ts'

/** Actions in a merchant's portal. */
export const staffActions = [
  'see_overview',
  'see_payments',
  'take_payment',
  'capture',
  'release',
  'renew',
  'refund',
  'see_money',
  'close_report',
  'download',
  'change_settlement_account',
  'see_points_of_sale',
  'change_points_of_sale',
  'see_developers',
  'change_api_users',
  'change_applications',
  'change_callbacks',
  'see_staff',
  'change_staff',
  'see_messages',
] as const

export type StaffAction = (typeof staffActions)[number]

const reads = [
  'see_overview',
  'see_payments',
  'see_money',
  'see_points_of_sale',
  'see_developers',
  'see_staff',
  'see_messages',
] as const

/** The actions of each role. Cashiers see and take payments of certain points of sale only. */
const allowed = {
  owner: staffActions,
  accountant: [...reads, 'close_report', 'download'],
  cashier: ['see_overview', 'see_payments', 'take_payment', 'capture', 'release', 'see_messages'],
  support: [
    'see_overview',
    'see_payments',
    'take_payment',
    'capture',
    'release',
    'renew',
    'refund',
    'see_messages',
  ],
  developer: [
    'see_overview',
    'see_payments',
    'see_points_of_sale',
    'see_developers',
    'change_api_users',
    'change_applications',
    'change_callbacks',
    'see_messages',
  ],
} as const satisfies Readonly<Record<string, readonly StaffAction[]>>

export type StaffRole = keyof typeof allowed

export const staffRoles = Object.keys(allowed) as readonly StaffRole[]

/** A role and its limits. */
export const staffTerms = z.discriminatedUnion('role', [
  z.object({ role: z.literal('owner') }),
  z.object({ role: z.literal('accountant') }),
  z.object({ role: z.literal('cashier'), pointsOfSale: z.array(z.string()).min(1).max(100) }),
  z.object({
    role: z.literal('support'),
    /** The maximum refunded total of one payment, in minor units. */
    refundLimit: z.object({ currency: z.string(), amount: z.int().min(0) }),
  }),
  z.object({ role: z.literal('developer') }),
])

export type StaffTerms = z.output<typeof staffTerms>

export const mayDo = ({ role }: Pick<StaffTerms, 'role'>, action: StaffAction): boolean =>
  (allowed[role] as readonly StaffAction[]).includes(action)

/** Null for all. */
export const pointsOfSaleOf = (terms: StaffTerms): readonly string[] | null =>
  terms.role === 'cashier' ? terms.pointsOfSale : null

/** Whether they may see payments of a point of sale. */
export const isTheirPos = (terms: StaffTerms, posId: string): boolean =>
  pointsOfSaleOf(terms)?.includes(posId) ?? true

/** Whether they may refund up to this total of a payment, earlier refunds included. */
export const mayRefund = (
  terms: StaffTerms,
  { currency, amount }: { readonly currency: string; readonly amount: MinorUnits },
): boolean => {
  if (!mayDo(terms, 'refund')) return false
  if (terms.role !== 'support') return true
  const { refundLimit } = terms
  return currency === refundLimit.currency && amount <= refundLimit.amount
}
