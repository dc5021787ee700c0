import { z } from 'zod'
import type { Decider, EventsOf } from './decider.ts'
import { instant, type Instant } from './time.ts'

const restsAfterMs = 5 * 86_400_000

/** A merchant's address; streams `destination-<merchant>/<scheme and host>`. */
const rested = {
  destination: z.string(),
  failingSince: instant,
  problem: z.string().nullable(),
}

export const destinationEvents = {
  DestinationRested: z.object(rested),
  DestinationWoken: z.object({ destination: z.string() }),
} as const

export type RestedDestination = z.output<z.ZodObject<typeof rested>>

export type DestinationCommand =
  | ({ readonly type: 'Rest' } & RestedDestination)
  | { readonly type: 'Wake'; readonly destination: string }

export type DestinationEvent = EventsOf<typeof destinationEvents>

/**
 * Start of the failures it rests for. A delivery between two rests is recorded elsewhere, not in
 * this stream.
 */
export type Destination = { readonly restsFor: Instant | null }

/**
 * A destination rests (is suspended) after days of failures only: its messages wait until a command
 * wakes it.
 */
export const callbackDestination: Decider<DestinationCommand, DestinationEvent, Destination> = {
  initial: { restsFor: null },
  decide(command, { restsFor }) {
    switch (command.type) {
      case 'Rest': {
        const { type: _, ...data } = command
        return restsFor === data.failingSince ? [] : [{ type: 'DestinationRested', data }]
      }
      case 'Wake':
        return [{ type: 'DestinationWoken', data: { destination: command.destination } }]
    }
  },
  evolve: (_, event) => ({
    restsFor: event.type === 'DestinationRested' ? event.data.failingSince : null,
  }),
}

export const hasFailedTooLong = (failingSince: Instant | null, at: Instant): boolean =>
  failingSince !== null && at - failingSince >= restsAfterMs

/** Scheme and host of an address. */
export const destinationOf = (uri: string | null): string | null =>
  uri && (/^[^:]+:\/\/[^/?#]+/.exec(uri)?.[0].toLowerCase() ?? uri)
