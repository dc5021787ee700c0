import { mostDestinations, type EventDestination } from '../domain/merchant/event-destination.ts'
import { refuse } from '../domain/refusal.ts'
import { makeSerialByKey } from './serial-by-key.ts'

type Needs = {
  readonly rows: {
    list(
      merchant: string,
      before: number,
      limit: number,
    ): readonly { readonly data: EventDestination }[]
  }
  readonly caughtUp: () => Promise<void>
}

/** Registers a merchant's event destinations one by one, so that it gets no more than it may. */
export const limitDestinations = ({ rows, caughtUp }: Needs) => {
  const inOrder = makeSerialByKey()
  return (merchant: string, id: string, register: () => Promise<unknown>): Promise<void> =>
    inOrder(merchant, async () => {
      await caughtUp()
      const known = rows.list(merchant, Number.MAX_SAFE_INTEGER, mostDestinations)
      if (known.length === mostDestinations && !known.some(({ data }) => data.id === id))
        refuse('event_destinations_are_too_many')
      await register()
    })
}

export type LimitDestinations = ReturnType<typeof limitDestinations>
