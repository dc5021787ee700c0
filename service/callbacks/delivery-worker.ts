import { parentPort, workerData, type MessagePort } from 'node:worker_threads'
import { StoreUnavailable } from '../../application/event-store.ts'
import { schedule } from '../../application/schedule.ts'
import { after, gathered, workFailed } from '../background-work.ts'
import { callbackWire } from '../callback-wire.ts'
import { openCore } from '../core.ts'
import { makeLog } from '../../infrastructure/logs/log.ts'
import type { StartFolding } from '../../infrastructure/read-models/folding.ts'
import { foldedElsewhere } from '../../infrastructure/read-models/folded-elsewhere.ts'
import { yieldToRequests } from '../../infrastructure/threads/thread-priority.ts'
import { endThread } from '../../infrastructure/worker.ts'
import { callbackDelivery } from './delivery.ts'
import type { DeliveryStart, FromDelivery, ToDelivery } from './delivery-exchange.ts'
import { secretsOfMerchants } from '../../infrastructure/callbacks/merchant-secrets.ts'
import { signerIn } from './own-signer.ts'

/** How often counts of attempts are reported, in ms. */
const tellEveryMs = 250

const countAttempts = (send: (message: FromDelivery) => void) => {
  let counts = new Map<string, number>()
  let timer: NodeJS.Timeout | undefined
  const tell = (): void => {
    clearTimeout(timer)
    timer = undefined
    if (counts.size > 0) send({ attempts: [...counts] })
    counts = new Map()
  }
  const count = (result: string): void => {
    counts.set(result, (counts.get(result) ?? 0) + 1)
    timer ??= setTimeout(tell, tellEveryMs)
  }
  return { count, tell }
}

/** Opens the log and the read models in this thread, and delivers whatever is due. */
const beginDelivery = async (
  { settings, address, writer }: DeliveryStart,
  folding: StartFolding,
  countAttempt: (result: string) => void,
) => {
  const log = makeLog(settings.LOG_LEVEL)
  const core = await openCore(settings, log, { address: () => address, writer, folding })
  const wire = await callbackWire(core)
  const signer = await signerIn(core, settings.DATA_DIR, Date.now)
  const findSecrets = secretsOfMerchants({ ...core, derive: core.people.derive })
  const sending = { wire, signer, countAttempt }
  const delivery = callbackDelivery({ ...core, beside: 'worker' }, findSecrets, sending)
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

const run = async (port: MessagePort, start: DeliveryStart): Promise<void> => {
  const send = (message: FromDelivery): void => port.postMessage(message)
  const { folding, moved } = foldedElsewhere(() => send('hurry'), start.position)
  const attempts = countAttempts(send)
  const begun = beginDelivery(start, folding, attempts.count)

  const settle = async (number: number): Promise<void> => {
    const problem = await begun
      .then(({ settle }) => settle())
      .then(
        () => undefined,
        (error: Error) => error.message,
      )
    attempts.tell()
    send({ settled: number, problem })
  }

  let isStopping = false
  // Further results could not be recorded, so this thread ends and is restarted.
  start.writer.once('close', () => {
    if (!isStopping) throw new StoreUnavailable('the thread that writes the event log has ended')
  })

  const stop = async (): Promise<void> => {
    isStopping = true
    await (await begun).stop()
    attempts.tell()
    port.close()
  }

  port.on('message', (message: ToDelivery) => {
    if (message === 'stop') stop().catch(endThread)
    else if ('moved' in message) moved(message.moved)
    else settle(message.settle).catch(endThread)
  })
  await begun
  send('ready')
}

if (parentPort) {
  yieldToRequests('slightly')
  await run(parentPort, workerData as DeliveryStart)
}
