import { z } from 'zod'
import type { Decider } from './decider.ts'
import { refuse, type RefusalCode } from './refusal.ts'
import { instant, type Instant } from './time.ts'

/** How long owners can see a requested change before it takes effect. */
export const waitMs = 86_400_000

type Asking<Change> = Change & {
  readonly change: string
  /** The staff member who requested it. */
  readonly by: string
}
export type RequestedChange<Change> = Asking<Change> & { readonly takesEffectAt: Instant }

type OfChange = { readonly change: string }
type Announced = OfChange & { readonly members: readonly string[] }
export const whyWithdrawn = [
  'merchant_is_disabled',
  'asker_is_no_owner',
  'last_owner_is_needed',
] as const
export type WhyWithdrawn = (typeof whyWithdrawn)[number]

type Withdrawn = OfChange & { readonly by: string; readonly why?: WhyWithdrawn | undefined }

type WaitingCommand<Name extends string, Change> =
  | ({ readonly type: `Ask${Name}`; readonly at: Instant } & Asking<Change>)
  | ({ readonly type: `Announce${Name}` } & Announced)
  | ({ readonly type: `Withdraw${Name}` } & Withdrawn)
  | ({ readonly type: `Finish${Name}`; readonly at: Instant } & OfChange)

type WaitingEvent<Name extends string, Change> =
  | { readonly type: `${Name}Asked`; readonly data: RequestedChange<Change> }
  | { readonly type: `${Name}Announced`; readonly data: Announced }
  | { readonly type: `${Name}Withdrawn`; readonly data: Withdrawn }
  | { readonly type: `${Name}Done`; readonly data: OfChange }

type CommandData = Announced & Withdrawn & { readonly at: Instant }

type State<Change> = {
  readonly waiting: RequestedChange<Change> | null
  readonly isAnnounced: boolean
  readonly last: string | null
}

const eventsOf = (name: string, fields: z.ZodRawShape) => ({
  [`${name}Asked`]: z.object({
    change: z.string(),
    ...fields,
    by: z.string(),
    takesEffectAt: instant,
  }),
  /** All owners were notified. */
  [`${name}Announced`]: z.object({ change: z.string(), members: z.array(z.string()) }),
  [`${name}Withdrawn`]: z.object({
    change: z.string(),
    /** A staff member, or `daybook` if the change could not be applied when it fell due. */
    by: z.string(),
    why: z.enum(whyWithdrawn).optional(),
  }),
  /** The wait is over and the change is made. */
  [`${name}Done`]: z.object({ change: z.string() }),
})

/**
 * A merchant's staff requests what takes effect a day later, unless it is withdrawn. One at a time
 * waits for each merchant.
 */
export const waitingChange = <Name extends string, Shape extends z.ZodRawShape>(
  name: Name,
  shape: Shape,
  isWaiting: RefusalCode,
) => {
  type Change = z.output<z.ZodObject<Shape>>
  type Command = WaitingCommand<Name, Change>
  type Event = WaitingEvent<Name, Change>
  const event = (end: 'Asked' | 'Announced' | 'Withdrawn' | 'Done', data: object) =>
    [{ type: `${name}${end}`, data }] as unknown as readonly Event[]

  const ask = (command: Command, { waiting, last }: State<Change>): readonly Event[] => {
    const { type: _, at, ...about } = command as Asking<Change> & { type: string; at: Instant }
    if (last === about.change) return []
    if (waiting) return refuse(isWaiting)
    return event('Asked', { ...about, takesEffectAt: at + waitMs })
  }

  const decider: Decider<Command, Event, State<Change>> = {
    initial: { waiting: null, isAnnounced: false, last: null },
    decide(command, state) {
      if (command.type === `Ask${name}`) return ask(command, state)
      const { change, members, by, why, at } = command as unknown as CommandData
      const { waiting, isAnnounced } = state
      const isIt = waiting?.change === change
      if (command.type === `Withdraw${name}`)
        return isIt
          ? event('Withdrawn', { change, by, ...(why && { why }) })
          : refuse('resource_is_unknown')
      if (!isIt) return []
      if (command.type === `Announce${name}`)
        return isAnnounced ? [] : event('Announced', { change, members: [...members] })
      return at < waiting.takesEffectAt ? [] : event('Done', { change })
    },
    evolve(state, { type, data }) {
      if (type === `${name}Asked`)
        return { waiting: data as RequestedChange<Change>, isAnnounced: false, last: data.change }
      if (type === `${name}Announced`) return { ...state, isAnnounced: true }
      return { ...state, waiting: null }
    },
  }
  const events = eventsOf(name, shape) as unknown as {
    readonly [Type in Event['type']]: z.ZodType<Extract<Event, { readonly type: Type }>['data']>
  }
  return { decider, events }
}
