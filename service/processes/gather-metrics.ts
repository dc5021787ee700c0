import type { Worker } from 'node:cluster'
import type { FromSupervisor, ToSupervisor } from './siblings.ts'

/** Gauges to add up across processes. */
const summed = new RegExp(
  '^(?:daybook_pusher_connections|process_(?:resident|virtual)_memory_bytes|process_heap_bytes|' +
    'process_open_fds|nodejs_(?:heap|external_memory|active)_)',
)

/** Gauges that are low if something is wrong in one process. */
const least: ReadonlySet<string> = new Set(['daybook_store_up', 'daybook_audit_holds'])

type Family = {
  readonly comments: string[]
  readonly type: string
  readonly series: Map<string, number>
}

const join = (name: string, type: string, one: number, other: number): number => {
  if (type !== 'gauge' || summed.test(name)) return one + other
  return least.has(name) ? Math.min(one, other) : Math.max(one, other)
}

/** Parses the Prometheus text format: comments of a metric precede its series. */
const readInto = (families: Map<string, Family>, text: string, countersOnly: boolean): void => {
  let [name, type]: [string, string] = ['', 'untyped']
  let comments: string[] = []
  for (const line of text.split('\n')) {
    const [, kind, ofName, rest = ''] = /^# (HELP|TYPE) (\S+) ?(.*)$/.exec(line) ?? []
    if (kind !== undefined && ofName !== undefined) {
      if (ofName !== name) [name, type, comments] = [ofName, 'untyped', []]
      if (kind === 'TYPE') type = rest
      comments.push(line)
      continue
    }
    const space = line.lastIndexOf(' ')
    if (space <= 0 || (countersOnly && type === 'gauge')) continue
    const [series, value] = [line.slice(0, space), Number(line.slice(space + 1))]
    const family = families.get(name) ?? { comments, type, series: new Map<string, number>() }
    families.set(name, family)
    const before = family.series.get(series)
    family.series.set(series, before === undefined ? value : join(name, type, before, value))
  }
}

const shown = (value: number): string => {
  if (Number.isFinite(value)) return String(value)
  return Number.isNaN(value) ? 'NaN' : value > 0 ? '+Inf' : '-Inf'
}

/**
 * The joined metrics of several processes: counters and histograms are added up. Ended processes
 * contribute only these, so that counters never decrease.
 */
export const joinMetrics = (running: readonly string[], ended: readonly string[] = []): string => {
  const families = new Map<string, Family>()
  for (const text of running) readInto(families, text, false)
  for (const text of ended) readInto(families, text, true)
  return [...families.values()]
    .map(({ comments, series }) =>
      [...comments, ...[...series].map(([of, value]) => `${of} ${shown(value)}`), ''].join('\n'),
    )
    .join('\n')
}

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
