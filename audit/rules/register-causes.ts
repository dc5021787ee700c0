import type { Recorded } from '../../domain/events.ts'
import type { Instant } from '../../domain/time.ts'
import { waitMs } from '../../domain/waiting-change.ts'

type Data = Readonly<Record<string, unknown>>
type Following = { readonly next: readonly Pick<Recorded, 'type' | 'data'>[] }

/** An addition is an invitation that is accepted at the same moment. */
const invitationOf = (data: Data, { next }: Following) => {
  const isAdded = next.some(
    ({ type, data: joined }) =>
      type.endsWith('Joined') && (joined as Data)['member'] === data['member'],
  )
  return [{ type: isAdded ? 'Add' : 'Invite', ...data }]
}

/** The command behind each event of a register, by the end of the event's name. */
const commands = {
  Registered: (data: Data) => [{ type: 'Register', data }],
  RoleChanged: (data: Data) => [{ type: 'ChangeRole', ...data }],
  Changed: (changes: Data) => [{ type: 'Change', changes }],
  Removed: (data: Data) => [{ type: 'Remove', ...data }],
  Disabled: () => [{ type: 'Disable' }],
  Enabled: () => [{ type: 'Enable' }],
  Invited: invitationOf,
  Joined: (data: Data) => [{ type: 'Join', ...data }],
  Left: (data: Data) => [{ type: 'Leave', ...data }],
  Visited: (data: Data) => [{ type: 'Visit', ...data }],
  SignedIn: (data: Data) => [{ type: 'SignIn', ...data }],
  SignedOut: (data: Data) => [{ type: 'SignOut', ...data }],
} as const

/** The commands behind a change that waits (`domain/waiting-change.ts`). */
export const waitingCauses = (name: string) => ({
  [`${name}Asked`]: ({ takesEffectAt, ...about }: Data) => [
    { type: `Ask${name}`, at: Number(takesEffectAt) - waitMs, ...about },
  ],
  [`${name}Announced`]: (data: Data) => [{ type: `Announce${name}`, ...data }],
  [`${name}Withdrawn`]: (data: Data) => [{ type: `Withdraw${name}`, ...data }],
  [`${name}Done`]: (data: Data, { at }: { readonly at: Instant }) => [
    { type: `Finish${name}`, ...data, at },
  ],
})

/** The type of an event that has the same cause in every register. */
export type RegisterEventType = `${string}${keyof typeof commands}`

/** The causes of events whose names end as those of registers do. @throws Error for others */
export const registerCauses = (events: Readonly<Record<string, unknown>>) =>
  Object.fromEntries(
    Object.keys(events).map((type) => {
      const found = Object.entries(commands).find(([end]) => type.endsWith(end))
      if (!found) throw new Error(`audit/rules: no command causes ${type}`)
      return [type, found[1]]
    }),
  )
