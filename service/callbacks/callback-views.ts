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

/** Retries that share a commit. */
const atOnce = 50

/** Sends messages again, delivered or not, and wakes each address once. */
const retryMessages =
  ({ handle, callbacks: { queue, destinations }, readModels }: Core) =>
  async (rows: readonly CallbackMessageRow[], context: Context): Promise<void> => {
    const woken = new Set<string>()
    for (const { subject, merchant } of rows) {
      const destination = destinationOf(queue.find(subject)?.callbackUri ?? null)
      if (merchant === null || destination === null || woken.has(destination)) continue
      if (!destinations.find(merchant, destination)) continue
      woken.add(destination)
      const key = within(merchant, destination)
      await handle(callbackDestinations, key, { type: 'Wake', destination }, context)
    }
    const retry = (row: CallbackMessageRow) => {
      const { id, subject, revision, event, seqno, at: toldAt } = row
      const message = { subject, revision, event, seqno, position: positionOf(row), toldAt }
      return handle(callbacks, id, { type: 'RequestRetry', at: context.at, message }, context)
    }
    for (let done = 0; done < rows.length; done += atOnce)
      await Promise.all(rows.slice(done, done + atOnce).map(retry))
    await readModels.caughtUp()
  }

/**
 * Sends a message again. For the operator it may wait for an address.
 * @throws Refusal callback_has_no_address
 */
export const retryMessage = (core: Core, mayWait = false) => {
  const retry = retryMessages(core)
  return async (row: CallbackMessageRow, context: Context): Promise<void> => {
    const { callbackUri = null } = core.callbacks.queue.find(row.subject) ?? {}
    if (callbackUri === null && !mayWait) return refuse('callback_has_no_address')
    await retry([row], context)
  }
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
    retryCallbacks: retryMessages(core),
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
