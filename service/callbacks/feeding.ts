import { feedDestinations } from '../../application/feed-destinations.ts'
import { mostQueued } from '../../projections/event-destinations.ts'
import type { Work } from '../background-work.ts'
import type { Core } from '../core.ts'

const feeding = (core: Core) =>
  feedDestinations({
    destinations: core.callbacks.eventDestinations.all,
    messagesAfter: core.callbacks.messages.after,
    findPayment: core.payments.lists.find,
    findPermission: core.people.permissions.find,
    queue: core.callbacks.queue,
    mostQueued,
    find: core.find,
    share: core.shares.merchants,
    newId: core.newId,
    caughtUp: core.caughtUp,
  })

/** Delivery, and before it the work that queues messages for event destinations. */
export const withEventDestinations = (core: Core, delivery: Work): Work[] => {
  const feed = feeding(core)
  const due = async (...now: Parameters<typeof feed>): Promise<null> => {
    await feed(...now)
    return null
  }
  const settle = async (stopped: AbortSignal): Promise<void> => {
    let isMore = true
    // Each part of a replay waits for the delivery of the one before.
    while (isMore && !stopped.aborted) {
      isMore = await feed(core.now(), stopped)
      await delivery.settle?.(stopped)
      await core.caughtUp()
    }
  }
  const feeder: Work = { due, sendsMessages: true, lease: 'merchants', settle: async () => {} }
  return [feeder, { ...delivery, settle }]
}
