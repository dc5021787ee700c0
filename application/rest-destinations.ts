import { callbackDestinations } from '../domain/aggregates.ts'
import type { DeliveryLane } from '../domain/callback.ts'
import { hasFailedTooLong, type RestedDestination } from '../domain/callback-destination.ts'
import { within } from '../domain/stream.ts'
import type { Instant } from '../domain/time.ts'
import type { Context, Handle } from './handle.ts'

type Row = {
  readonly failingSince: Instant | null
  readonly problem: string | null
  readonly restedAt: Instant | null
}

type Needs = {
  readonly handle: Handle
  readonly findDestination: (merchant: string, destination: string) => Row | undefined
  readonly contextOf: (actor: string, merchant: string) => Context
  readonly onRested: (merchant: string, rested: RestedDestination) => void
}

/** Makes a destination rest after days without a successful delivery. */
export const restIfDead =
  ({ handle, findDestination, contextOf, onRested }: Needs) =>
  async ({ merchant, destination }: DeliveryLane): Promise<void> => {
    const row = merchant === null ? undefined : findDestination(merchant, destination)
    if (merchant === null || !row || row.restedAt !== null) return
    const { failingSince, problem } = row
    const context = contextOf('daybook', merchant)
    if (failingSince === null || !hasFailedTooLong(failingSince, context.at)) return
    const told = { destination, failingSince, problem }
    const id = within(merchant, destination)
    const command = { type: 'Rest', ...told } as const
    const { events } = await handle(callbackDestinations, id, command, context)
    if (events.length > 0) onRested(merchant, told)
  }
