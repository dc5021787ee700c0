// @module-tag long
import { expect, test } from 'vitest'
import { eventsWithCallbacks } from '../../application/callback-history.ts'
import type { EventStore } from '../../application/event-store.ts'
import { openPlace } from '../../harness/ledger-service.ts'

test('events with callbacks of a long payment are read once', async () => {
  const place = await openPlace()
  try {
    const tid = await place.authorize({ amount: '200.00' })
    const capture = (part: number) =>
      place.capture(tid, { amount: '1.00', currency: 'NOK', capture_id: `c-${part}` })
    await Promise.all(Array.from({ length: 100 }, (_, part) => capture(part)))
    const read: number[] = []
    const readStream: EventStore['readStream'] = async (...given) => {
      const events = await place.core.store.readStream(...given)
      read.push(events.length)
      return events
    }
    const telling = eventsWithCallbacks({ readStream })
    const stream = `payment-${tid}`
    const first = await telling(stream)
    expect(first.length).toBeGreaterThan(0)
    expect(await telling(stream)).toEqual(first)
    await capture(100)
    const afterwards = await telling(stream)
    expect(read).toEqual([102, 0, 1])
    expect(afterwards).toEqual(await eventsWithCallbacks(place.core.store)(stream))
  } finally {
    await place.stop()
    place.remove()
  }
})
