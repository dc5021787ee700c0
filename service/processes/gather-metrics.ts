import type { Worker } from 'node:cluster'
import { joinMetrics } from './joined-metrics.ts'
import type { FromSupervisor, ToSupervisor } from './siblings.ts'

/** A process that does not answer in time is left out. */
const answerWithinMs = 3_000

const countOf = (processes: number): string =>
  [
    '# HELP daybook_processes Processes that answer together.',
    '# TYPE daybook_processes gauge',
    `daybook_processes ${processes}`,
    '',
  ].join('\n')

/** Collects metrics from all processes, and joins them for the process that requested them. */
export const gatherMetrics = (
  running: () => readonly Worker[],
  onFailure: (error: unknown) => void,
) => {
  const waiting = new Map<string, (text: string) => void>()
  /** The latest reply of each process: its counters still count after it has ended. */
  const last = new Map<number, string>()
  let ended = ''
  let count = 0

  const send = (worker: Worker, message: FromSupervisor): void => {
    // It may end before the message arrives.
    if (worker.isConnected()) worker.send(message, () => {})
  }

  const ask = (worker: Worker, number: number): Promise<string> =>
    new Promise((resolve) => {
      const key = `${worker.id}/${number}`
      const answer = (text: string): void => {
        clearTimeout(timer)
        waiting.delete(key)
        resolve(text)
      }
      const timer = setTimeout(answer, answerWithinMs, last.get(worker.id) ?? '')
      waiting.set(key, answer)
      send(worker, { tellOwn: number })
    })

  const gather = async (): Promise<string> => {
    const number = (count += 1)
    const workers = running()
    const texts = await Promise.all(workers.map((worker) => ask(worker, number)))
    workers.forEach(({ id }, index) => last.set(id, texts[index] ?? ''))
    return joinMetrics([countOf(workers.length), ...texts], [ended])
  }

  return {
    onMessage: (worker: Worker, message: ToSupervisor): void => {
      if ('own' in message) waiting.get(`${worker.id}/${message.number}`)?.(message.own)
      if (!('wanted' in message)) return
      const number = message.wanted
      // Without an answer it reports its own.
      gather()
        .then((all) => send(worker, { all, number }))
        .catch(onFailure)
    },
    onEnded: ({ id }: Worker): void => {
      ended = joinMetrics([], [ended, last.get(id) ?? ''])
      last.delete(id)
    },
  }
}
