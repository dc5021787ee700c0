import { parentPort, workerData, type MessagePort } from 'node:worker_threads'
import { StoreUnavailable } from '../../application/event-store.ts'
import { openDelivery } from '../deliver.ts'
import { foldedElsewhere } from '../../infrastructure/read-models/folding.ts'
import { yieldToRequests, endThread } from '../../infrastructure/worker.ts'
import type { CountAttempt } from '../metrics/counters.ts'
import type { DeliveryStart, FromDelivery, ToDelivery } from './delivery-client.ts'
import { clearTimeout, setTimeout } from '../../application/machine.ts'

/** How often attempts are reported, in ms. */
const tellEveryMs = 250

const countAttempts = (send: (message: FromDelivery) => void) => {
  let attempts: Parameters<CountAttempt>[] = []
  let timer: NodeJS.Timeout | undefined
  const tell = (): void => {
    clearTimeout(timer)
    timer = undefined
    if (attempts.length > 0) send({ attempts })
    attempts = []
  }
  const count: CountAttempt = (...attempt) => {
    attempts.push(attempt)
    timer ??= setTimeout(tell, tellEveryMs)
  }
  return { count, tell }
}

const run = async (port: MessagePort, start: DeliveryStart): Promise<void> => {
  const send = (message: FromDelivery): void => port.postMessage(message)
  const { folded, moved } = foldedElsewhere(() => send('hurry'), start.position)
  const attempts = countAttempts(send)
  const begun = openDelivery(start, folded, attempts.count)

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
