import { z } from 'zod'
import type { Decider, EventsOf } from '../decider.ts'
import { register } from '../register.ts'
import { instant, type Instant } from '../time.ts'

/** An address that gets a merchant's messages beside the addresses of the contract. */
export const eventDestination = register(
  'EventDestination',
  z.object({
    merchant: z.string(),
    id: z.string(),
    /** Unique to this registration: names its queues, and derives its secrets. */
    key: z.string(),
    uri: z.string(),
    /** Callback events, or `*` for all. */
    events: z.array(z.string()),
    /** Empty for all. */
    ledgers: z.array(z.string()),
    /** Empty for all. */
    posIds: z.array(z.string()),
    signature: z.enum(['rsa', 'hmac']),
    enabled: z.boolean(),
  }),
)

export type EventDestination = z.output<typeof eventDestination.events.EventDestinationRegistered>

/** Event destinations of a merchant. */
export const mostDestinations = 20

type Filter = Pick<EventDestination, 'events' | 'ledgers' | 'posIds'>

/** What a message is about; null where it has no ledger or point of sale. */
type About = { readonly ledger: string | null; readonly posId: string | null }

const isAmong = (filter: readonly string[], value: string | null): boolean =>
  filter.length === 0 || (value !== null && filter.includes(value))

/** Whether a message goes to a destination. `about` is read only if a filter needs it. */
export const isFor = ({ events, ledgers, posIds }: Filter, event: string, about: () => About) => {
  if (!events.includes('*') && !events.includes(event)) return false
  if (ledgers.length + posIds.length === 0) return true
  const { ledger, posId } = about()
  return isAmong(ledgers, ledger) && isAmong(posIds, posId)
}

const scheme = 'event-destination://'

/*
 * A run is one sequence of messages to a destination: fresh messages have the destination's key,
 * the n-th replay `<key>.<n>`. Each run has queues of its own.
 */

export const runOfReplay = (key: string, number: number): string => `${key}.${number}`

/** The address in queues. The destination's URI is looked up when a message is sent. */
export const addressOfRun = (run: string): string => {
  const [key = '', replay] = run.split('.')
  return replay === undefined ? scheme + key : `${scheme}replay.${key}`
}

/** The key in such an address; undefined for an ordinary address. */
export const keyOfAddress = (address: string): string | undefined =>
  address.startsWith(scheme) ? address.slice(scheme.length).replace(/^replay\./, '') : undefined

/** The lane of fresh messages before that of a replay; undefined for other lanes. */
export const freshBefore = (address: string): string | undefined =>
  address.startsWith(`${scheme}replay.`) ? address.replace('replay.', '') : undefined

/** Addresses of fresh messages and of replays, which are also their lanes. */
export const lanesOf = (key: string): readonly [fresh: string, replay: string] => [
  addressOfRun(key),
  addressOfRun(runOfReplay(key, 1)),
]

/** The stream of its secrets, among those of merchants. */
export const secretIdOf = (key: string): string => `event_destination/${key}`

const message = z.object({
  id: z.string(),
  subject: z.string(),
  revision: z.int(),
  event: z.string(),
  seqno: z.int(),
})

/** Messages up to a place in the merchant's feed, of which those listed match. */
const queued = { place: z.int(), messages: z.array(message) }

/** Streams `event_feed-<key>`. */
export const eventFeedEvents = {
  EventsQueued: z.object(queued),
  EventReplayRequested: z.object({ since: instant, after: z.int(), until: z.int() }),
  EventsReplayed: z.object({ ...queued, replay: z.int() }),
} as const

export type EventFeedEvent = EventsOf<typeof eventFeedEvents>

export type FedMessage = z.output<typeof message>

type Queued = { readonly place: number; readonly messages: FedMessage[] }

export type EventFeedCommand =
  /** `after`: the place before, null for none; another process may have gone on. */
  | ({ readonly type: 'QueueEvents'; readonly after: number | null } & Queued)
  | {
      readonly type: 'RequestEventReplay'
      readonly since: Instant
      readonly after: number
      readonly until: number
    }
  | ({ readonly type: 'ReplayEvents'; readonly after: number; readonly replay: number } & Queued)

/** How far messages have been queued, by place in the merchant's feed. */
export type EventFeed = {
  readonly place: number | null
  /** Replays so far. */
  readonly replays: number
  readonly replay: { readonly place: number; readonly until: number } | null
}

export const eventFeed: Decider<EventFeedCommand, EventFeedEvent, EventFeed> = {
  initial: { place: null, replays: 0, replay: null },
  decide(command, { place: last, replays, replay }) {
    switch (command.type) {
      case 'QueueEvents': {
        const { after, place, messages } = command
        return after === last ? [{ type: 'EventsQueued', data: { place, messages } }] : []
      }
      case 'RequestEventReplay': {
        // A replay under way is joined.
        const after = Math.min(command.after, replay?.place ?? Infinity)
        const until = Math.max(command.until, replay?.until ?? 0)
        const data = { since: command.since, after, until }
        return after < until ? [{ type: 'EventReplayRequested', data }] : []
      }
      case 'ReplayEvents': {
        const { after, place, messages } = command
        if (command.replay !== replays || after !== replay?.place) return []
        return [{ type: 'EventsReplayed', data: { place, messages, replay: replays } }]
      }
    }
  },
  evolve(feed, event) {
    switch (event.type) {
      case 'EventsQueued':
        return { ...feed, place: event.data.place }
      case 'EventReplayRequested': {
        const { after: place, until } = event.data
        return { ...feed, replays: feed.replays + 1, replay: { place, until } }
      }
      case 'EventsReplayed': {
        const until = feed.replay?.until ?? 0
        const { place } = event.data
        return { ...feed, replay: place < until ? { place, until } : null }
      }
    }
  },
}
