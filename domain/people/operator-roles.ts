import { z } from 'zod'
import type { Member, Members } from '../staff-members.ts'
import { staffRegister } from '../staff-register.ts'

/** Actions in the operator's pages. */
export const operatorActions = [
  'see_overview',
  'see_merchants',
  'approve_merchants',
  'switch_merchants',
  'set_fees',
  'see_payouts',
  'order_payouts',
  'decide_disputes',
  'decide_corrections',
  'see_journal',
  'see_health',
  'see_security',
  'see_keys',
  'rotate_keys',
  'see_staff',
  'change_staff',
] as const

export type OperatorAction = (typeof operatorActions)[number]

const allowed = {
  admin: operatorActions,
  finance: [
    'see_overview',
    'see_merchants',
    'set_fees',
    'see_payouts',
    'order_payouts',
    'decide_disputes',
    'decide_corrections',
    'see_journal',
  ],
  support: ['see_overview', 'see_merchants', 'see_health'],
  security: ['see_overview', 'see_health', 'see_security', 'see_keys', 'rotate_keys', 'see_staff'],
} as const satisfies Readonly<Record<string, readonly OperatorAction[]>>

export type OperatorRole = keyof typeof allowed

export const operatorRoles = Object.keys(allowed) as readonly OperatorRole[]

export const operatorTerms = z.object({
  role: z.enum(operatorRoles as [OperatorRole, ...OperatorRole[]]),
})

export type OperatorTerms = z.output<typeof operatorTerms>

export const operatorMayDo = ({ role }: OperatorTerms, action: OperatorAction): boolean =>
  (allowed[role] as readonly OperatorAction[]).includes(action)

/** The operator's own staff and their roles. One stream. */
export const operatorRegister = staffRegister('Operator', operatorTerms, {
  mayChange: (terms) => operatorMayDo(terms, 'change_staff'),
  leads: ({ role }) => role === 'admin',
  lastLeads: 'last_admin_is_needed',
})

export type Operator = Member<OperatorTerms>

export type Operators = Members<OperatorTerms>
