import { attemptsOf, eventsWithCallbacks } from '../../application/callback-history.ts'
import type { Context } from '../../application/handle.ts'
import { callbackDestinations, callbacks, payments } from '../../domain/aggregates.ts'
import { destinationOf } from '../../domain/callback-destination.ts'
import { refuse } from '../../domain/refusal.ts'
import { categoryOf, within } from '../../domain/stream.ts'
import type { CallbackMessageRow } from '../../projections/callback-message-table.ts'
import { positionOf } from '../../projections/gathered-messages.ts'
import type { Core } from '../core.ts'
import { publishedKey } from '../../infrastructure/keys/keys.ts'
import { watchMessages } from '../../infrastructure/callbacks/message-watch.ts'
import { randomUUID } from '../../application/machine.ts'

/**
 * Sends a message again, delivered or not. For the operator it may wait for an address.
 * @throws Refusal callback_has_no_address
 */
export const retryMessage =
  ({ handle, callbacks: { queue, destinations }, readModels }: Core, mayWait = false) =>
  async (row: CallbackMessageRow, context: Context): Promise<void> => {
    const { id, subject, revision, event, seqno, at: toldAt } = row
    const message = { subject, revision, event, seqno, position: positionOf(row), toldAt }
    const { callbackUri = null } = queue.find(subject) ?? {}
    if (callbackUri === null && !mayWait) return refuse('callback_has_no_address')
    const destination = destinationOf(callbackUri)
    const { merchant } = row
    if (merchant !== null && destination !== null && destinations.find(merchant, destination)) {
      const key = within(merchant, destination)
      await handle(callbackDestinations, key, { type: 'Wake', destination }, context)
    }
    await handle(callbacks, id, { type: 'RequestRetry', at: context.at, message }, context)
    await readModels.caughtUp()
  }

/** Messages about a resource before a place, newest first. */
const listMessagesAbout = ({ store, callbacks: { messages } }: Core) => {
  const tellingEvents = eventsWithCallbacks(store)
  return async (subject: string, before: number, limit: number): Promise<CallbackMessageRow[]> => {
    const rows = messages.listAbout(subject, before, limit)
    if (categoryOf(subject) !== payments.category) return rows
    const known = new Set(rows.map(({ id }) => id))
    const gathered: CallbackMessageRow[] = []
    // Each is looked up in a row of many, so no more than needed.
    for (const event of (await tellingEvents(subject)).toReversed()) {
      if (gathered.length === limit) break
      if (known.has(event.id) || 2 * event.position >= before) continue
      const found = messages.findGathered(event)
      if (found && found.place < before) gathered.push(found)
    }
    return [...rows, ...gathered].toSorted((a, b) => b.place - a.place).slice(0, limit)
  }
}

/** The merchants' view of their callbacks. */
export const makeCallbackViews = (core: Core) => {
  const { messages, queue, signingKeys } = core.callbacks
  const watch = watchMessages({ lastPlace: messages.lastPlace })
  core.onFolded(watch.onFolded)
  return {
    callbackMessages: {
      find: messages.find,
      list: messages.list,
      after: messages.after,
      lastPlace: messages.lastPlace,
      listAbout: listMessagesAbout(core),
    },
    findQueue: queue.find,
    attemptsOf: attemptsOf(core.store),
    retryCallback: retryMessage(core),
    untilMessage: watch.untilMessage,
    callbackKeys: async () => {
      await core.caughtUp()
      return signingKeys.all().map(({ data }) => publishedKey(data))
    },
    sendTestCallback: async (uri: string, context: Context): Promise<void> => {
      const command = { type: 'RequestTest', uri } as const
      await core.handle(callbacks, `test-${randomUUID()}`, command, context)
    },
    end: watch.end,
  }
}

export type CallbackViews = ReturnType<typeof makeCallbackViews>
