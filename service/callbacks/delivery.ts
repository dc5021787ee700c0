import { deliverCallbacks } from '../../application/deliver-callbacks.ts'
import { restIfDead } from '../../application/delivery-attempts.ts'
import type { RestedDestination } from '../../domain/callback-destination.ts'
import { keyOfAddress } from '../../domain/merchant/event-destination.ts'
import { workFailed, type Work } from '../background-work.ts'
import type { Core } from '../core.ts'
import type { Where } from '../../infrastructure/worker.ts'
import { loggedSending, type SendingNeeds } from './logged-sending.ts'
import type { FindCallbackSecrets } from '../../infrastructure/callbacks/signed-post.ts'
import { randomFraction } from '../../application/machine.ts'
import { feedDestinations } from '../../application/feed-destinations.ts'
import { mostQueued } from '../../projections/event-destinations.ts'

const logRested =
  ({ log }: Core) =>
  (merchant: string, { destination, failingSince, problem }: RestedDestination): void => {
    const since = new Date(failingSince).toISOString()
    log.warn(
      { merchant, destination, since, problem },
      'a callback address failed for five days and rests: retry a message to wake it',
    )
  }

const disabled = { pausedUntil: null, restedAt: 0 } as const

/** Why an address gets nothing now. */
const troubleOf =
  ({ callbacks: { destinations, eventDestinations } }: Core) =>
  (merchant: string, lane: string) => {
    const key = keyOfAddress(lane)
    const found = key === undefined ? undefined : eventDestinations.findByKey(merchant, key)
    return found?.enabled === false ? disabled : destinations.find(merchant, lane)
  }

export const callbackDelivery = (
  core: Core,
  beside: Where,
  findSecrets: FindCallbackSecrets,
  sending: SendingNeeds,
): Work => {
  const { queue, destinations } = core.callbacks
  const { caughtUpInBackground } = core.readModels
  const { send, close } = loggedSending(core, beside, findSecrets, sending)
  const share = core.shares.merchants
  let wake = () => {}
  const { work, settle, idle } = deliverCallbacks({
    now: core.now,
    find: core.find,
    recall: core.recall,
    caughtUp: core.caughtUp,
    caughtUpInBackground,
    newId: core.newId,
    queue,
    send,
    share,
    findTrouble: troubleOf(core),
    restIfDead: restIfDead({
      handle: share.handle,
      findDestination: destinations.find,
      contextOf: core.contextOf,
      onRested: logRested(core),
      findEventDestination: core.callbacks.eventDestinations.findByKey,
    }),
    random: randomFraction,
    onEnd: () => wake(),
    onFailure: workFailed(core),
  })
  return {
    name: 'deliver_callbacks',
    due: work,
    sendsMessages: true,
    lease: 'merchants',
    onScheduled: (wakeIt) => (wake = wakeIt),
    settle,
    idle: async () => {
      await idle()
      close()
    },
  }
}

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
  const feeder: Work = {
    name: 'feed_destinations',
    due,
    sendsMessages: true,
    lease: 'merchants',
    settle: async () => {},
  }
  return [feeder, { ...delivery, settle }]
}
