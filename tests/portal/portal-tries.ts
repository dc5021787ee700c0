import type { StaffAction } from '../../domain/merchant/staff-roles.ts'

export type Try = {
  readonly method: 'GET' | 'POST'
  /** After `/portal/<merchant>/`. */
  readonly path: string
  readonly action: StaffAction
  readonly form?: Readonly<Record<string, string>>
}

const change = (change: string, form: Readonly<Record<string, string>> = {}): Try => ({
  method: 'POST',
  path: 'staff',
  action: 'change_staff',
  form: { change, ...form },
})

const look = (path: string, action: StaffAction): Try => ({ method: 'GET', path, action })

/** Every address of a merchant's portal, new ones too. The forms change nothing when sent. */
export const portalTries: readonly Try[] = [
  look('', 'see_overview'),
  look('events?after=0', 'see_overview'),
  look('messages', 'see_messages'),
  look('staff', 'see_staff'),
  look('staff?invite', 'change_staff'),
  change('invite', { phone: 'none' }),
  { method: 'POST', path: 'messages', action: 'see_messages', form: { notice: 'none' } },
]
