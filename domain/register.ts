import { z } from 'zod'
import { changed, type Changes } from './changes.ts'
import type { Decider } from './decider.ts'
import { refuse } from './refusal.ts'
import { jsonEquals } from './json-equality.ts'

/** Whose the entry must be: one of another merchant is unknown. Absent where that is not asked. */
type Owned = { readonly merchant?: string }

/** An entry of a register (a POS, a user …): made once under an id of its own, changed, removed. */
export type RegisterCommand<Data> =
  | { readonly type: 'Register'; readonly data: Data }
  /** Names only what is to be different, so that nobody's change undoes what another has just made. */
  | (Owned & { readonly type: 'Change'; readonly changes: Changes<Data> })
  | (Owned & { readonly type: 'Remove' })

type RegisterEvent<Name extends string, Data> =
  | { readonly type: `${Name}Registered`; readonly data: Data }
  | { readonly type: `${Name}Changed`; readonly data: Data }
  | { readonly type: `${Name}Removed`; readonly data: Readonly<Record<string, never>> }

export type Entry<Data> =
  | { readonly status: 'absent' | 'removed' }
  /** `registered` is the data of its registration: what a repeated registration is compared with. */
  | { readonly status: 'present'; readonly registered: Data; readonly data: Data }

const present = <Data extends object>(entry: Entry<Data>, { merchant }: Owned): Data => {
  if (entry.status !== 'present') return refuse('resource_is_unknown')
  const { data } = entry
  const isTheirs = merchant === undefined || ('merchant' in data && data.merchant === merchant)
  return isTheirs ? data : refuse('resource_is_unknown')
}

/**
 * The decider that all registers share, and the events of one of them. A repeated command answers with no event; an id
 * that was removed may be registered anew. `check` refuses an entry that may not be as it would become.
 */
export const register = <Name extends string, Schema extends z.ZodObject>(
  name: Name,
  schema: Schema,
  check: (data: z.output<Schema>) => void = () => {},
) => {
  type Data = z.output<Schema>
  type Event = RegisterEvent<Name, Data>
  const eventsOf = (suffix: 'Registered' | 'Changed' | 'Removed', data: Data | object) =>
    [{ type: `${name}${suffix}`, data }] as unknown as readonly Event[]

  const decider: Decider<RegisterCommand<Data>, Event, Entry<Data>> = {
    initial: { status: 'absent' },
    decide(command, entry) {
      switch (command.type) {
        case 'Register':
          check(command.data)
          if (entry.status !== 'present') return eventsOf('Registered', command.data)
          return jsonEquals(entry.registered, command.data) ? [] : refuse('id_used_with_other_data')
        case 'Change': {
          const before = present(entry, command)
          const data = changed(before, command.changes)
          if (jsonEquals(before, data)) return []
          check(data)
          return eventsOf('Changed', data)
        }
        case 'Remove':
          present(entry, command)
          return eventsOf('Removed', {})
      }
    },
    evolve(entry, { type, data }) {
      if (type === `${name}Removed`) return { status: 'removed' }
      const registered = entry.status === 'present' ? entry.registered : (data as Data)
      return { status: 'present', registered, data: data as Data }
    },
  }
  const events = {
    [`${name}Registered`]: schema,
    [`${name}Changed`]: schema,
    [`${name}Removed`]: z.object({}),
  } as Record<`${Name}Registered` | `${Name}Changed`, Schema> &
    Record<`${Name}Removed`, z.ZodObject<Record<never, never>>>
  return { name, events, decider }
}
