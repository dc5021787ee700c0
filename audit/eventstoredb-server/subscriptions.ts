import { randomUUID } from 'node:crypto'
import { setImmediate as nextTurn } from 'node:timers/promises'
import streams from '@eventstore/db-client/generated/streams_pb.js'
import { noStream, StoreUnavailable } from '../../application/event-store.ts'
import { chooses } from './filters.ts'
import { eventMessage, tooSlow } from './messages.ts'
import { isStructured, pageSize, sizeOf, type Reading } from './reading.ts'
import type { Response } from './send.ts'
import { beyondEverything, type Source } from './source.ts'

/** Default number of events between two checkpoints. */
const usualWindow = 32

const checkpointAt = (position: number): Response =>
  new streams.ReadResp().setCheckpoint(
    new streams.ReadResp.Checkpoint()
      .setCommitPosition(`${position}`)
      .setPreparePosition(`${position}`),
  )

const caughtUp = (): Response => new streams.ReadResp().setCaughtUp(new streams.ReadResp.CaughtUp())

const confirmation = (): Response =>
  new streams.ReadResp().setConfirmation(
    new streams.ReadResp.SubscriptionConfirmation().setSubscriptionId(randomUUID()),
  )

/** A subscription excludes the given position, a read includes it. */
const firstPlace = ({ from, asked, end }: Source): number => {
  if (from === beyondEverything) return end() + 1
  return asked === undefined ? from : asked + 1
}

/** Sends existing events, then new ones, until the client disconnects. */
export const subscribe = async (reading: Reading, maximumLag: number): Promise<void> => {
  const { log, options, source, send, check, signal } = reading
  const filter = options.getFilter()
  const choose = chooses(filter)
  const structured = isStructured(options)
  const window =
    (filter?.getMax() || usualWindow) * (filter?.getCheckpointintervalmultiplier() || 1)
  let place = firstPlace(source)
  let considered = 0
  let isLive = false
  await send(confirmation())
  while (!signal.aborted) {
    const [head, end] = [log.head(), source.end()]
    const rows = source.page(place, Math.min(pageSize, maximumLag + 1))
    await check()
    const last = rows.at(-1)
    if (isLive && rows.length > maximumLag) throw tooSlow()
    // A node reports no "caught up" while the stream does not exist; otherwise it does so with the
    // last event.
    const isThere = source.stream === undefined || end > noStream
    const isCaughtUp = !isLive && isThere && (!last || source.placeOf(last) >= end)
    if (isCaughtUp) isLive = true
    const chosen = new Set(choose(rows))
    for (const row of rows) {
      place = source.after(row)
      considered += 1
      if (chosen.has(row)) await send(eventMessage(row, structured), sizeOf(row))
      if (filter && considered % window === 0) await send(checkpointAt(row[0]))
    }
    if (isCaughtUp) await send(caughtUp())
    if (last) await nextTurn()
    else await log.grown(head, signal)
    if (log.isClosed) throw new StoreUnavailable('the event log is closed')
  }
}
