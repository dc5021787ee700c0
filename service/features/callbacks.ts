import { secretsOfMerchants } from '../../infrastructure/callbacks/signed-post.ts'
import { limitDestinations } from '../../application/event-destinations.ts'
import { replayEvents } from '../../application/feed-destinations.ts'
import { newKeyBy } from '../../infrastructure/people/id-tokens.ts'
import type { Links } from '../../http/addresses.ts'
import type { Authenticate } from '../../http/access.ts'
import { makeCallbackViews } from '../callbacks/callback-views.ts'
import { deliveryInThread } from '../callbacks/delivery-client.ts'
import { callbackDelivery } from '../callbacks/delivery.ts'
import { withEventDestinations } from '../callbacks/delivery.ts'
import type { SendingNeeds } from '../callbacks/logged-sending.ts'
import type { Core } from '../core.ts'
import type { Pusher } from '../pusher/pusher.ts'

type Parts = {
  readonly links: Links
  readonly authenticate: Authenticate
  readonly pusher: Pusher
  readonly sending: SendingNeeds
}

export const callbackSlice = (core: Core, { links, authenticate, pusher, sending }: Parts) => {
  const { handle, find, caughtUp, derive, securityLog } = core
  const findCallbackSecrets = secretsOfMerchants({ find, derive })
  const views = makeCallbackViews(core)
  // Over EventStoreDB another subscription would cost more than deliveries do.
  const { shareWriter } = core
  const { eventDestinations } = core.callbacks
  const destinations = {
    newDestinationKey: newKeyBy(derive),
    limitDestinations: limitDestinations({ rows: eventDestinations, caughtUp }),
    replayEvents: replayEvents({
      handle,
      find,
      caughtUp,
      findDestination: eventDestinations.find,
      positionAt: core.moments.positionAt,
    }),
  }
  return {
    views,
    findCallbackSecrets,
    destinations,
    needs: {
      links,
      authenticate,
      pusher: pusher.routes,
      handle,
      find,
      caughtUp,
      securityLog,
      wordCallback: sending.wire.message,
      findCallbackSecrets,
      callbackKeyPem: () => sending.signer.rsaPem,
      callbackKeys: views.callbackKeys,
      callbackMessages: views.callbackMessages,
      findQueue: views.findQueue,
      attemptsOf: views.attemptsOf,
      retryCallback: views.retryCallback,
      untilMessage: views.untilMessage,
      eventDestinations,
      newDestinationKey: destinations.newDestinationKey,
      limitDestinations: destinations.limitDestinations,
      replayEvents: destinations.replayEvents,
    },
    /** Ends requests that wait for messages. */
    end: views.end,
    work: withEventDestinations(
      core,
      shareWriter
        ? deliveryInThread(core, shareWriter, sending.countAttempt)
        : callbackDelivery(core, core.beside, findCallbackSecrets, sending),
    ),
  }
}

export type CallbackSlice = ReturnType<typeof callbackSlice>
