import type { Member, Members } from '../staff-members.ts'
import { staffRegister } from '../staff-register.ts'
import { operatorMayDo, operatorTerms, type OperatorTerms } from './operator-roles.ts'

/** The operator's own staff and their roles. One stream. */
export const operatorRegister = staffRegister('Operator', operatorTerms, {
  mayChange: (terms) => operatorMayDo(terms, 'change_staff'),
  leads: ({ role }) => role === 'admin',
  lastLeads: 'last_admin_is_needed',
})

export type Operator = Member<OperatorTerms>
export type Operators = Members<OperatorTerms>
