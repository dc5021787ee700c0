import { capture, requestAndAccept } from './paced.ts'
import type { Connection } from './connection.ts'
import type { Requests } from './requests.ts'

/** Messages per payment: the authorisation and each capture. */
export const messagesOfEach = 5

type Told = {
  /** Called before the payment's first message. */
  readonly onBegun: (tid: string, number: number) => void
  /** Called when its next message is due. */
  readonly onDue: (tid: string, due: number) => void
}

/**
 * Payments as in shops: each is captured a few times, then replaced by another. The slot's number
 * decides the destination.
 */
export const makeTurnover = (
  requests: Requests,
  uriOf: (place: number) => string,
  places: number,
  { onBegun, onDue }: Told,
) => {
  let made = 0
  const request = (place: number, onTid: (tid: string) => void = () => {}) =>
    requestAndAccept(requests, `bench-${made++}`, uriOf(place), (tid) => {
      onBegun(tid, place)
      onTid(tid)
    })
  const open = Array.from({ length: places }, (_, place) => ({
    place,
    tid: Promise.resolve(''),
    // Staggered, so that they do not all end at the same time.
    left: place % messagesOfEach,
  }))

  return {
    /** Makes the first payment of each slot. */
    fill: async (connections: readonly Connection[]): Promise<void> => {
      const rest = [...open]
      const work = async (connection: Connection): Promise<void> => {
        for (let next = rest.pop(); next; next = rest.pop())
          next.tid = Promise.resolve(await request(next.place)(connection))
      }
      await Promise.all(connections.map(work))
    },
    /** The next step of the next slot. */
    turn: (count: number, due: number) => async (connection: Connection) => {
      const next = open[count % places]
      if (!next) throw new Error('there are no places')
      if (next.left > 0) {
        next.left -= 1
        const tid = await next.tid
        onDue(tid, due)
        await capture(requests, tid, `c-${count}`)(connection)
        return
      }
      next.left = messagesOfEach - 1
      next.tid = request(next.place, (tid) => onDue(tid, due))(connection)
      await next.tid
    },
  }
}
