import { z } from 'zod'
import type { Decider } from './decider.ts'
import { refuse } from './refusal.ts'
import { jsonEquals } from './json-equality.ts'
import type { Instant } from './time.ts'

/** Absent and undefined fields stay; groups of fields change field by field. */
export type Changes<Value> = Value extends readonly (infer Item)[]
  ? readonly Item[]
  : { readonly [Field in keyof Value]?: Changes<Value[Field]> | undefined }

export type Fields = Readonly<Record<string, unknown>>

export const isGroup = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

export const changed = <Value>(value: Value, changes: Changes<Value> | undefined): Value => {
  if (changes === undefined) return value
  if (!isGroup(value) || !isGroup(changes)) return changes as Value
  const fields = Object.entries<unknown>(changes).map(([field, change]) => [
    field,
    changed((value as Fields)[field], change as Changes<unknown>),
  ])
  return { ...value, ...Object.fromEntries(fields) }
}

/** The required owner; entries of other merchants are unknown. Absent means any owner. */
export type Owned = { readonly merchant?: string }

/** Register, change and remove an entry such as a POS or a user. */
export type RegisterCommand<Data> =
  | { readonly type: 'Register'; readonly data: Data }
  /** Holds changed fields only, so that concurrent changes do not undo each other. */
  | (Owned & { readonly type: 'Change'; readonly changes: Changes<Data> })
  | (Owned & { readonly type: 'Remove' })

type RegisterEvent<Name extends string, Data> =
  | { readonly type: `${Name}Registered`; readonly data: Data }
  | { readonly type: `${Name}Changed`; readonly data: Data }
  | { readonly type: `${Name}Removed`; readonly data: Readonly<Record<string, never>> }

/** Time of the newest change, and the signatures of that second. */
export type LastSigning = { readonly at: Instant; readonly signatures: readonly string[] }

export type WithSigning = {
  /** Only in ordered registers. */
  readonly asked?: LastSigning | undefined
}

export type Entry<Data> = WithSigning &
  (
    | { readonly status: 'absent' | 'removed' }
    /** `registered` is the original data, to recognise repeated registrations. */
    | {
        readonly status: 'present'
        readonly registered: Data
        readonly data: Data
        /** Only in switchable registers. */
        readonly isDisabled?: true
        /** How often it was disabled or enabled; absent for never. */
        readonly switched?: number
      }
  )

export const isEnabled = <Data>(
  entry: Entry<Data>,
): entry is Extract<Entry<Data>, { status: 'present' }> =>
  entry.status === 'present' && !entry.isDisabled

export const isDisabled = (entry: Entry<unknown>): boolean =>
  entry.status === 'present' && entry.isDisabled === true

/** @throws Refusal resource_is_unknown */
export const present = <Data extends object>(entry: Entry<Data>, { merchant }: Owned): Data => {
  if (entry.status !== 'present') return refuse('resource_is_unknown')
  const { data } = entry
  const isTheirs = merchant === undefined || ('merchant' in data && data.merchant === merchant)
  return isTheirs ? data : refuse('resource_is_unknown')
}

/**
 * The decider and events of a register. Repeated commands give no events, and removed ids may be
 * registered again. `check` refuses invalid entries.
 */
export const register = <Name extends string, Schema extends z.ZodObject>(
  name: Name,
  schema: Schema,
  check: (data: z.output<Schema>) => void = () => {},
) => {
  type Data = z.output<Schema>
  type Event = RegisterEvent<Name, Data>
  const eventsOf = (suffix: 'Registered' | 'Changed' | 'Removed', data: Data | object) =>
    [{ type: `${name}${suffix}`, data }] as readonly Event[]

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
      if (entry.status === 'present') return { ...entry, data: data as Data }
      return { status: 'present', registered: data as Data, data: data as Data }
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
