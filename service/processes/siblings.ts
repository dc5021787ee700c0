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
  | { readonly wanted: number; readonly accept: string | undefined }
export type FromSupervisor =
  Stop | Alone | { readonly tellOwn: number } | { readonly all: string; readonly number: number }

/** Longer than the slowest process takes to collect its metrics. */
const answerWithinMs = 5_000

/** In the format that the `Accept` of a request wants. */
export type TellMetrics = (
  accept?: string,
) => Promise<{ readonly type: string; readonly text: string }>

export const sendToSupervisor = (message: ToSupervisor): void =>
  void process.send?.(message, () => {})

/**
 * The metrics of all processes of the supervisor; only this one's without a supervisor or without
 * its reply.
 */
export const withSiblings = (own: () => Promise<readonly Metric[]>): TellMetrics => {
  const alone: TellMetrics = async (accept) => {
    const { formatFor } = await import('../metrics/join-metrics.ts')
    const joined = formatFor(accept)([await own()])
    return { type: joined.contentType, text: await joined.metrics() }
  }
  if (!cluster.isWorker) return alone
  const pending = new Map<number, (text: string) => void>()
  let count = 0

  process.on('message', (message: FromSupervisor) => {
    if (typeof message === 'string') return
    if ('all' in message) return pending.get(message.number)?.(message.all)
    const { tellOwn: number } = message
    own().then(
      (metrics) => sendToSupervisor({ own: metrics, number }),
      () => sendToSupervisor({ own: [], number }),
    )
  })

  return async (accept) => {
    const number = (count += 1)
    const { type, text } = await alone(accept)
    const all = await new Promise<string>((resolve) => {
      const timer = setTimeout(() => resolve(text), answerWithinMs)
      pending.set(number, (joined) => {
        clearTimeout(timer)
        resolve(joined)
      })
      sendToSupervisor({ wanted: number, accept })
    })
    pending.delete(number)
    return { type, text: all }
  }
}
