import { schedule } from '../application/schedule.ts'
import { secretsOfMerchants } from '../infrastructure/callbacks/signed-post.ts'
import { makeLog } from '../infrastructure/logs/log.ts'
import type { Folded } from '../infrastructure/read-models/folding.ts'
import { after, gathered, workFailed } from './background-work.ts'
import { callbackWire } from './callback-wire.ts'
import type { DeliveryStart } from './callbacks/delivery-client.ts'
import { callbackDelivery } from './callbacks/delivery.ts'
import { signerIn } from './callbacks/own-signer.ts'
import { openCore } from './core.ts'
import type { CountAttempt } from './metrics/counters.ts'
import { wallClock } from '../application/machine.ts'

/** Delivers whatever callback is due, beside a running service. */
export const openDelivery = async (
  { settings, address, writer }: DeliveryStart,
  folded: Folded,
  countAttempt: CountAttempt,
) => {
  const log = makeLog(settings.LOG_LEVEL)
  const core = await openCore(settings, log, { address: () => address, writer, folded })
  const wire = await callbackWire(core)
  const signer = await signerIn(core, settings.DATA_DIR, wallClock)
  const { find, derive } = core
  const findSecrets = secretsOfMerchants({ find, derive })
  const sending = { wire, signer, countAttempt }
  const delivery = callbackDelivery(core, 'worker', findSecrets, sending)
  const needs = { now: core.now, after, onFailure: workFailed(core) }
  const scheduled = schedule(needs, delivery.due)
  const stopping = new AbortController()
  await core.readModels.ready()
  delivery.onScheduled?.(scheduled.wake)
  core.onFolded(gathered(scheduled.wake))
  scheduled.wake()

  return {
    settle: async (): Promise<void> => {
      // The clock may just have been moved.
      await core.readClock()
      await core.caughtUp()
      await delivery.settle?.(stopping.signal)
      await core.caughtUp()
    },
    stop: async (): Promise<void> => {
      stopping.abort()
      await scheduled.stop()
      await delivery.idle?.()
      await core.close()
      log.flush()
    },
  }
}
