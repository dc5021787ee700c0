import cluster from 'node:cluster'
import type { Metric } from '../metrics/catalogue.ts'
import type { Alone, Stop } from '../server/handed-sockets.ts'
import { clearTimeout, setTimeout } from '../../application/machine.ts'

/** Messages between a process of the service and its supervisor. */
export type ToSupervisor =
  | { readonly started: string }
  /** This process's own metrics, as a reply. */
  | { readonly own: readonly Metric[]; readonly number: number }
  /** Requests the metrics of all processes. */
  | { readonly wanted: number }
export type FromSupervisor =
  Stop | Alone | { readonly tellOwn: number } | { readonly all: string; readonly number: number }

/** Longer than the slowest process takes to collect its metrics. */
const answerWithinMs = 5_000

type Told = { readonly type: string; readonly text: string }

export const sendToSupervisor = (message: ToSupervisor): void =>
  void process.send?.(message, () => {})

/**
 * The metrics of all processes of the supervisor; only this one's without a supervisor or without
 * its reply.
 */
export const withSiblings = (own: () => Promise<readonly Metric[]>): (() => Promise<Told>) => {
  const alone = async (): Promise<Told> => {
    const { joinMetrics } = await import('../metrics/join-metrics.ts')
    const joined = joinMetrics([await own()])
    return { type: joined.contentType, text: await joined.metrics() }
  }
  if (!cluster.isWorker) return alone
  const asked = new Map<number, (text: string) => void>()
  let count = 0

  process.on('message', (message: FromSupervisor) => {
    if (typeof message === 'string') return
    if ('all' in message) return asked.get(message.number)?.(message.all)
    const { tellOwn: number } = message
    own().then(
      (metrics) => sendToSupervisor({ own: metrics, number }),
      () => sendToSupervisor({ own: [], number }),
    )
  })

  return async () => {
    const number = (count += 1)
    const { type, text } = await alone()
    const all = await new Promise<string>((resolve) => {
      const timer = setTimeout(() => resolve(text), answerWithinMs)
      asked.set(number, (joined) => {
        clearTimeout(timer)
        resolve(joined)
      })
      sendToSupervisor({ wanted: number })
    })
    asked.delete(number)
    return { type, text: all }
  }
}
