import { attemptsOf } from '../../application/callback-history.ts'
import type { Context } from '../../application/handle.ts'
import { callbackDestinations, callbacks } from '../../domain/aggregates.ts'
import { destinationOf } from '../../domain/callback-destination.ts'
import { within } from '../../domain/stream.ts'
import type { CallbackMessageRow } from '../../projections/callback-messages.ts'
import type { Core } from '../core.ts'
import { watchMessages } from './message-watch.ts'

/** Sends a message again, delivered or not; without an address it waits for one. */
export const retryMessage =
  ({ handle, callbacks: { queue, destinations }, readModels }: Core) =>
  async (row: CallbackMessageRow, context: Context): Promise<void> => {
    const { id, subject, revision, event, seqno } = row
    const message = { subject, revision, event, seqno }
    const destination = destinationOf(queue.find(subject)?.callbackUri ?? null)
    const { merchant } = row
    if (merchant !== null && destination !== null && destinations.find(merchant, destination)) {
      const key = within(merchant, destination)
      await handle(callbackDestinations, key, { type: 'Wake', destination }, context)
    }
    await handle(callbacks, id, { type: 'RequestRetry', at: context.at, message }, context)
    await readModels.caughtUp()
  }

/** What merchants can see of their callbacks. */
export const makeCallbackSide = (core: Core) => {
  const { messages, queue } = core.callbacks
  const watch = watchMessages({ lastPlace: messages.lastPlace })
  core.onFolded(watch.onFolded)
  return {
    routes: {
      callbackMessages: messages,
      findQueue: queue.find,
      attemptsOf: attemptsOf(core.store),
      retryCallback: retryMessage(core),
      untilMessage: watch.untilMessage,
    },
    end: watch.end,
  }
}
