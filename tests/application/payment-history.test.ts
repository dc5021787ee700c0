import { expect, test } from 'vitest'
import { newestEventsOf } from '../../application/payment-history.ts'
import type { EventStore } from '../../application/event-store.ts'
import { openPlace } from '../../harness/ledger-service.ts'

test('of a payment that was just found the newest events are read alone', async () => {
  const place = await openPlace()
  try {
    const tid = await place.authorize({ amount: '100.00' })
    for (let part = 0; part < 8; part += 1)
      await place.capture(tid, { amount: '1.00', currency: 'NOK', capture_id: `c-${part}` })
    const { store, revisionOf } = place.core
    const read: number[] = []
    const readStream: EventStore['readStream'] = async (...given) => {
      const events = await store.readStream(...given)
      read.push(events.length)
      return events
    }
    const { events, more } = await newestEventsOf({ store: { readStream }, revisionOf })(tid, 3)
    expect(events.map(({ revision }) => revision)).toEqual([9, 8, 7])
    expect([more, read]).toEqual([7, [3]])
    const unknown = newestEventsOf({ store, revisionOf: () => undefined })
    expect(await unknown(tid, 3)).toEqual({ events, more })
  } finally {
    await place.stop()
    place.remove()
  }
})
