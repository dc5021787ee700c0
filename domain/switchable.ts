import { z } from 'zod'
import type { Decider } from './decider.ts'
import {
  isEnabled,
  present,
  register,
  type Entry,
  type Owned,
  type RegisterCommand,
} from './register.ts'
import { refuse } from './refusal.ts'

/** How often it was switched when the caller saw it, to detect concurrent changes. */
type Seen = { readonly seen?: number | undefined }

export type SwitchCommand =
  (Owned & Seen & { readonly type: 'Disable' }) | (Owned & Seen & { readonly type: 'Enable' })

export const switchedIn = (entry: Entry<unknown>): number =>
  (entry.status === 'present' && entry.switched) || 0

/** @throws Refusal conflicting_changes if it was switched since the caller saw it */
export const checkSeen = (entry: Entry<unknown>, { seen }: Seen): void => {
  if (seen !== undefined && seen !== switchedIn(entry)) refuse('conflicting_changes')
}

type SwitchEvent<Name extends string> = {
  readonly type: `${Name}Disabled` | `${Name}Enabled`
  readonly data: Readonly<Record<string, never>>
}

/**
 * A register whose entries can be disabled and enabled again. A disabled entry keeps its data and
 * can be changed. Repeated commands give no events.
 */
export const switchable = <Name extends string, Schema extends z.ZodObject>(
  name: Name,
  schema: Schema,
  check?: (data: z.output<Schema>) => void,
) => {
  const { events, decider: base } = register(name, schema, check)
  type Data = z.output<Schema>
  type Event = ReturnType<typeof base.decide>[number] | SwitchEvent<Name>
  const disabled = `${name}Disabled` as const
  const enabled = `${name}Enabled` as const
  const isSwitch = (event: Event): event is SwitchEvent<Name> =>
    event.type === disabled || event.type === enabled

  const decider: Decider<RegisterCommand<Data> | SwitchCommand, Event, Entry<Data>> = {
    initial: base.initial,
    decide(command, entry) {
      if (command.type !== 'Disable' && command.type !== 'Enable')
        return base.decide(command, entry)
      present(entry, command)
      if (isEnabled(entry) === (command.type === 'Enable')) return []
      checkSeen(entry, command)
      return [{ type: command.type === 'Disable' ? disabled : enabled, data: {} }]
    },
    evolve(entry, event, place) {
      if (!isSwitch(event)) return base.evolve(entry, event, place)
      if (entry.status !== 'present') return entry
      const { isDisabled: _, ...kept } = entry
      const now = { ...kept, switched: switchedIn(entry) + 1 }
      return event.type === disabled ? { ...now, isDisabled: true } : now
    },
  }
  const switches = { [disabled]: z.object({}), [enabled]: z.object({}) } as Record<
    SwitchEvent<Name>['type'],
    z.ZodObject<Record<never, never>>
  >
  return { name, events: { ...events, ...switches }, decider }
}
