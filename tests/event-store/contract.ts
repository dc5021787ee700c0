import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type EventStore, noStream, type RecordedEvent } from '../../application/event-store.ts'
import { collect, fresh, newEvents } from './appends.ts'
import { appendContract } from './contract-appends.ts'
import { readContract } from './contract-reads.ts'
import { repeatContract } from './contract-repeats.ts'

/** Where a store is kept: closed and opened again, it is the same store. */
type Place = {
  open(): Promise<EventStore>
  /** Restarts whatever runs the store; does nothing if that is not ours. */
  restart(): Promise<void>
  remove(): Promise<void>
}

/** What every event store must do. */
export const eventStoreContract = (name: string, makePlace: () => Promise<Place>): void => {
  describe(`${name} as an event store`, () => {
    let place: Place
    let store: EventStore

    beforeAll(async () => {
      place = await makePlace()
      store = await place.open()
    })

    afterAll(async () => {
      await store.close()
      await place.remove()
    })

    appendContract(() => store)
    repeatContract(() => store)
    readContract(() => store)

    describe('after a restart', () => {
      test('still has everything, and a follower resumes where it was', async () => {
        const stream = fresh('kept')
        const isOurs = (event: RecordedEvent) => event.stream === stream
        const from = await store.head()
        await store.append(stream, newEvents(5), noStream)
        const seen = await collect(store.follow(from, new AbortController().signal), isOurs, 5)
        const before = await store.readStream(stream)

        await store.close()
        await place.restart()
        store = await place.open()

        expect(await store.readStream(stream)).toEqual(before)
        expect(await collect(store.readAll(from), isOurs)).toEqual(before)
        await store.append(stream, newEvents(2), 4)
        const last = seen.at(-1)?.position ?? from
        const more = await collect(store.follow(last, new AbortController().signal), isOurs, 2)
        expect([...seen, ...more].map(({ revision }) => revision)).toEqual([0, 1, 2, 3, 4, 5, 6])
      })
    })
  })
}
