import { parentPort, workerData, type MessagePort } from 'node:worker_threads'
import { start, type EventStore, type Position } from '../../application/event-store.ts'
import { problemOf, type ThreadProblem, endThread } from '../worker.ts'
import { openStore, type OpenedStore, type Place } from '../stores.ts'
import { foldInline } from './folding.ts'
import { openReadModelsAgain } from './read-model-file.ts'
import { recordTraces, type PartialTraceSettings } from '../traces/traces.ts'
import { receiveAhead, relayTo, type Relayed } from './relay.ts'
import { setInterval } from '../../application/machine.ts'

/** `readModels` is the file that the process has opened. */
export type FoldingStart = {
  readonly place: Place
  readonly readModels: string
  /** Later events are relayed, because another subscription would be expensive. */
  readonly relayFrom: Position
  readonly traces: PartialTraceSettings
}

export type FoldingRequest = 'hurry' | 'stop'

export type FoldingReply =
  { readonly position: number } | { readonly relayed: Relayed } | ThreadProblem

/** Small, because folding waits for the checkpoint of the log. */
const eventsBetweenCheckpoints = 500

/** How often the known end is relayed without events, in ms. */
const endsEveryMs = 100

/** This thread and the main thread share one subscription. */
const relaying = (
  store: OpenedStore,
  from: Position,
  send: (reply: FoldingReply) => void,
): Pick<EventStore, 'follow'> => {
  const { end } = store
  if (!end) return store
  const relay = relayTo((relayed) => send({ relayed }), from)
  let reported = start
  setInterval(() => {
    const looked = end.looked()
    if (looked > reported && relay.isLive()) send({ relayed: { looked, head: end.head() } })
    reported = looked
  }, endsEveryMs).unref()
  return receiveAhead(store, relay)
}

const run = async (
  port: MessagePort,
  { place, readModels, relayFrom, traces }: FoldingStart,
): Promise<void> => {
  const send = (reply: FoldingReply): void => port.postMessage(reply)
  const endTraces = await recordTraces(traces)
  const store = await openStore(place)
  const file = openReadModelsAgain(readModels)
  let checkpoint = start

  const onFailure = (error: unknown): void => send(problemOf(error))

  const checkpointLog = (position: Position): void => {
    if (position < checkpoint + eventsBetweenCheckpoints) return
    checkpoint = position
    try {
      store.log?.checkpoint()
    } catch (error) {
      // A failed checkpoint delays nothing: report it and continue.
      onFailure(error)
    }
  }

  const folding = foldInline({ store: relaying(store, relayFrom, send), file })({
    onMoved: (position) => {
      send({ position })
      checkpointLog(position)
    },
    onFailure,
    from: relayFrom,
  })

  const stop = async (): Promise<void> => {
    await folding.stop()
    await endTraces?.()
    await store.close()
    file.sqlite.close()
    port.close()
  }

  port.on('message', (request: FoldingRequest) => {
    if (request === 'stop') {
      stop().catch(endThread)
      return
    }
    // The awaited event may be committed without a notification to us.
    store.log?.look()
    folding.hurry()
  })
}

if (parentPort) await run(parentPort, workerData as FoldingStart)
