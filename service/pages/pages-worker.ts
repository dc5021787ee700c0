import { parentPort, workerData, type MessagePort } from 'node:worker_threads'
import { StoreUnavailable } from '../../application/event-store.ts'
import { logEscapedErrors } from '../server/own-process.ts'
import { makeLog } from '../../infrastructure/logs/log.ts'
import type { Vitals } from '../metrics/readiness.ts'
import { foldedElsewhere } from '../../infrastructure/read-models/folding.ts'
import { openPages } from '../pages.ts'
import { yieldToRequests, endThread } from '../../infrastructure/worker.ts'
import { answerPages } from './answer-pages.ts'
import type { FromPages, PagesStart, ToPages } from './page-exchange.ts'

/** Vitals, requested from the main thread, which alone knows them. */
const requestedVitals = (send: (message: FromPages) => void) => {
  const pending = new Map<number, (vitals: Vitals | undefined) => void>()
  let count = 0
  return {
    vitals: async (): Promise<Vitals> => {
      const number = (count += 1)
      const reply = new Promise<Vitals | undefined>((resolve) => pending.set(number, resolve))
      send({ wanted: number })
      const vitals = await reply
      if (!vitals) throw new StoreUnavailable('the service does not report its state')
      return vitals
    },
    received: (number: number, vitals: Vitals | undefined): void => {
      pending.get(number)?.(vitals)
      pending.delete(number)
    },
  }
}

const run = async (port: MessagePort, start: PagesStart): Promise<void> => {
  const { settings, address, position } = start
  const send = (message: FromPages): void => port.postMessage(message)
  const { folded, moved } = foldedElsewhere(() => send('hurry'), position)
  const { vitals, received } = requestedVitals(send)
  port.on('message', (message: ToPages) => {
    if (typeof message === 'object' && 'moved' in message) moved(message.moved)
  })
  const log = makeLog(settings.LOG_LEVEL)
  const { fetch, endStreams, close } = await openPages(settings, log, {
    address: () => address,
    folded,
    measure: (...measured) => send({ measured }),
    vitals,
  })
  const answer = answerPages(fetch, send)

  const stop = async (): Promise<void> => {
    await close()
    port.close()
  }

  port.on('message', (message: ToPages) => {
    if (message === 'end') endStreams()
    else if (message === 'stop') stop().catch(endThread)
    else if ('told' in message) received(message.told, message.vitals)
    else if (!('moved' in message)) answer(message)
  })
  logEscapedErrors(log)
  send('ready')
}

if (parentPort) {
  yieldToRequests('much')
  await run(parentPort, workerData as PagesStart)
}
