import { makeCallbackViews } from '../callbacks/callback-views.ts'
import { callbackDelivery } from '../callbacks/delivery.ts'
import { deliveryInThread } from '../callbacks/delivery-client.ts'
import type { SendingNeeds } from '../callbacks/logged-sending.ts'
import { secretsOfMerchants } from '../../infrastructure/callbacks/merchant-secrets.ts'
import type { Core } from '../core.ts'

/** Callbacks, delivered in the background. */
export const callbackSlice = (core: Core, sending: SendingNeeds) => {
  const findCallbackSecrets = secretsOfMerchants({ ...core, derive: core.people.derive })
  const { routes, end } = makeCallbackViews(core)
  const wordCallback = sending.wire.message
  const callbackKeyPem = () => sending.signer.rsaPem
  // Over EventStoreDB another subscription would cost more than deliveries do.
  const { shareWriter } = core
  return {
    needs: { ...routes, wordCallback, findCallbackSecrets, callbackKeyPem },
    /** Ends requests that wait for messages. */
    end,
    work: [
      shareWriter
        ? deliveryInThread({ ...core, shareWriter }, sending.countAttempt)
        : callbackDelivery(core, findCallbackSecrets, sending),
    ],
  }
}

export type CallbackSlice = ReturnType<typeof callbackSlice>
