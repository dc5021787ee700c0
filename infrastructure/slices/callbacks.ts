import { randomUUID } from 'node:crypto'
import { callbacks } from '../../domain/aggregates.ts'
import { deliverCallbacks } from '../../application/deliver-callbacks.ts'
import type { Context } from '../../application/handle.ts'
import { restIfDead } from '../../application/rest-destinations.ts'
import type { RestedDestination } from '../../domain/callback-destination.ts'
import { workFailed, type Work } from '../background-work.ts'
import { makeCallbackSide } from '../callbacks/callback-side.ts'
import { loggedSending, type SendingNeeds } from '../callbacks/logged-sending.ts'
import { secretsOfMerchants } from '../callbacks/merchant-secrets.ts'
import type { Core } from '../core.ts'
import { publishedKey } from '../keys.ts'

/** Callbacks, which are delivered beside the requests. */
export const callbackSlice = (core: Core, sending: SendingNeeds) => {
  const { handle, find, caughtUp } = core
  const { queue, destinations, signingKeys } = core.callbacks
  const findCallbackSecrets = secretsOfMerchants({ find, derive: core.people.derive })
  const { send, close } = loggedSending(core, findCallbackSecrets, sending)
  const share = core.shares.merchants
  const side = makeCallbackSide(core)
  let wake = () => {}
  const onRested = (
    merchant: string,
    { destination, failingSince, problem }: RestedDestination,
  ) => {
    const since = new Date(failingSince).toISOString()
    sending.log.warn(
      { merchant, destination, since, problem },
      'a callback address has only failed for five days and rests: a retry wakes it',
    )
  }
  const delivery = deliverCallbacks({
    ...{ ...core, queue, send, share },
    findTrouble: destinations.find,
    restIfDead: restIfDead({
      ...{ ...core, handle: share.handle, onRested },
      findDestination: destinations.find,
    }),
    random: Math.random,
    onEnd: () => wake(),
    onFailure: workFailed(core, sending.log),
  })
  const work: Work = {
    due: delivery.work,
    isTelling: true,
    lease: 'merchants',
    onScheduled: (wakeIt) => (wake = wakeIt),
    settle: delivery.settle,
    idle: async () => {
      await delivery.idle()
      close()
    },
  }
  return {
    sendTest: async (uri: string, context: Context): Promise<void> => {
      await handle(callbacks, `test-${randomUUID()}`, { type: 'RequestTest', uri }, context)
    },
    needs: {
      ...side.routes,
      wordCallback: sending.wire.message,
      findCallbackSecrets,
      callbackKeyPem: () => sending.signer.rsaPem,
      callbackKeys: async () => {
        await caughtUp()
        return signingKeys.all().map(({ data }) => publishedKey(data))
      },
    },
    /** Ends what waits for messages. */
    endStreams: side.end,
    work: [work],
  }
}
