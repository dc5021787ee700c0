import { attemptsOf } from '../../application/callback-history.ts'
import type { Context } from '../../application/handle.ts'
import { callbacks } from '../../domain/aggregates.ts'
import type { CallbackMessageRow } from '../../projections/callback-messages.ts'
import type { Core } from '../core.ts'
import { watchMessages } from './message-watch.ts'

/** Sends a message again, delivered or not; without an address it waits for one. */
export const retryMessage =
  ({ handle, readModels }: Core) =>
  async (row: CallbackMessageRow, context: Context): Promise<void> => {
    const { id, subject, revision, event, seqno } = row
    const message = { subject, revision, event, seqno }
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
