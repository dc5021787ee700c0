import { makeCallbackSide } from '../callbacks/callback-side.ts'
import { callbackDelivery } from '../callbacks/delivery.ts'
import type { SendingNeeds } from '../callbacks/logged-sending.ts'
import { secretsOfMerchants } from '../callbacks/merchant-secrets.ts'
import type { Core } from '../core.ts'

/** Callbacks, which are delivered beside the requests. */
export const callbackSlice = (core: Core, sending: SendingNeeds) => {
  const findCallbackSecrets = secretsOfMerchants({ ...core, derive: core.people.derive })
  const { routes, end } = makeCallbackSide(core)
  const wordCallback = sending.wire.message
  const callbackKeyPem = () => sending.signer.rsaPem
  return {
    needs: { ...routes, wordCallback, findCallbackSecrets, callbackKeyPem },
    /** Ends what waits for messages. */
    end,
    work: [callbackDelivery(core, findCallbackSecrets, sending)],
  }
}

export type CallbackSlice = ReturnType<typeof callbackSlice>
