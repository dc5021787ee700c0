import type { Worker } from 'node:cluster'
import type { Metric } from '../metrics/catalogue.ts'
import type { FromSupervisor, ToSupervisor } from './siblings.ts'
import { single } from '../../application/measures.ts'
import { clearTimeout, setTimeout } from '../../application/machine.ts'

/** A process that does not answer in time is left out. */
const answerWithinMs = 3_000

const load = async () => ({
  ...(await import('../metrics/join-metrics.ts')),
  metricOf: (await import('../metrics/catalogue.ts')).metricOf,
})

/** Collects metrics from all processes, and joins them for the process that requested them. */
export const gatherMetrics = (
  running: () => readonly Worker[],
  onFailure: (error: unknown) => void,
) => {
  const waiting = new Map<string, (metrics: readonly Metric[]) => void>()
  /** The latest reply of each process: its counters still count after it has ended. */
  const last = new Map<number, readonly Metric[]>()
  let ended: Promise<readonly Metric[]> = Promise.resolve([])
  let count = 0

  const send = (worker: Worker, message: FromSupervisor): void => {
    // It may end before the message arrives.
    if (worker.isConnected()) worker.send(message, () => {})
  }

  const ask = (worker: Worker, number: number): Promise<readonly Metric[]> =>
    new Promise((resolve) => {
      const key = `${worker.id}/${number}`
      const answer = (metrics: readonly Metric[]): void => {
        clearTimeout(timer)
        waiting.delete(key)
        resolve(metrics)
      }
      const timer = setTimeout(answer, answerWithinMs, last.get(worker.id) ?? [])
      waiting.set(key, answer)
      send(worker, { tellOwn: number })
    })

  const gather = async (accept: string | undefined): Promise<string> => {
    const number = (count += 1)
    const workers = running()
    const all = await Promise.all(workers.map((worker) => ask(worker, number)))
    workers.forEach(({ id }, index) => last.set(id, all[index] ?? []))
    const { formatFor, metricOf } = await load()
    const processes = [metricOf('daybook_processes', single(workers.length))]
    return formatFor(accept)([processes, ...all, await ended]).metrics()
  }

  return {
    onMessage: (worker: Worker, message: ToSupervisor): void => {
      if ('own' in message) waiting.get(`${worker.id}/${message.number}`)?.(message.own)
      if (!('wanted' in message)) return
      const number = message.wanted
      // Without an answer it reports its own.
      gather(message.accept)
        .then((all) => send(worker, { all, number }))
        .catch(onFailure)
    },
    onEnded: ({ id }: Worker): void => {
      const own = last.get(id) ?? []
      last.delete(id)
      ended = ended.then(async (before) => {
        const { joinMetrics, countersIn } = await load()
        return joinMetrics([before, countersIn(own)]).getMetricsAsJSON()
      })
      ended.catch(onFailure)
    },
  }
}
