import { z } from 'zod'
import { fold, type Decider } from '../decider.ts'
import { refuse } from '../refusal.ts'
import { isEnabled, type Entry } from '../register.ts'
import { switchable } from '../switchable.ts'
import { chosenId } from './chosen-id.ts'

export const roles = ['user', 'superuser'] as const

/** Used as a header value and as the last path segment. */
export const userId = chosenId(
  z.string().regex(/^[a-zA-Z0-9_.@-]+$/, 'Must be made of letters, digits and _ . @ -'),
)

/** Other characters do not survive an HTTP header. */
export const userSecret = z
  .string()
  .min(8)
  .max(64)
  .regex(/^[!-~](?:[ -~]*[!-~])?$/, 'Must be printable ASCII without blanks around it.')

/** Signs requests of a merchant. The secret is stored as a slow salted hash. */
const userRegister = switchable(
  'User',
  z.object({
    merchant: z.string(),
    id: z.string(),
    roles: z.array(z.enum(roles)),
    /** CIDR that requests must come from; null allows all. */
    netmask: z.string().nullable(),
    secretHash: z.string().nullable(),
    /** Keyed, of a secret that nobody can guess; good with that hash only. */
    secretDigest: z.string().optional(),
    /** RSA public key in PEM (SPKI). */
    publicKey: z.string().nullable(),
    /** Absent: it may. */
    mayRefund: z.boolean().optional(),
  }),
  ({ secretHash, publicKey }) => {
    if (secretHash === null && publicKey === null) refuse('user_has_no_credentials')
  },
)

const { decider: base } = userRegister
export type UserData = z.output<typeof userRegister.events.UserRegistered>
type UserEvent = ReturnType<typeof base.decide>[number]
type UserCommand = Parameters<typeof base.decide>[0] & {
  /** Whether another user of the merchant can manage users; absent for commands of the operator. */
  readonly othersManage?: boolean
  /** Whether who orders it may refund; absent for the operator and integrators. */
  readonly giverMayRefund?: boolean
}

/** A superuser with a key manages users, through signed requests. */
export const managesUsers = ({ roles, publicKey }: UserData, isDisabled: boolean): boolean =>
  !isDisabled && roles.includes('superuser') && publicKey !== null

export const mayRefund = ({
  mayRefund: may = true,
}: {
  readonly mayRefund?: boolean | undefined
}): boolean => may

const refunds = (entry: Entry<UserData>): boolean =>
  entry.status === 'present' && mayRefund(entry.data)

const manages = (entry: Entry<UserData>): boolean =>
  isEnabled(entry) && managesUsers(entry.data, false)

const decider: Decider<UserCommand, UserEvent, Entry<UserData>> = {
  ...base,
  decide(command, entry) {
    const events = base.decide(command, entry)
    const isLast = manages(entry) && command.othersManage === false
    const after = fold(base, events, entry)
    if (isLast && !manages(after)) return refuse('last_superuser_is_needed')
    // Nobody takes over or makes what may do more than they may.
    const isEnd = command.type === 'Disable' || command.type === 'Remove'
    const isMore = events.length > 0 && !isEnd && (refunds(entry) || refunds(after))
    if (isMore && command.giverMayRefund === false) return refuse('refunds_are_not_yours_to_give')
    return events
  },
}

/** A user register that keeps at least one user who manages users per merchant. */
export const user = { ...userRegister, decider }
