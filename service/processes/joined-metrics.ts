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
