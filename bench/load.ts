import { openConnection } from './connection.ts'
import { payments, requestsOf, type Shop } from './requests.ts'
import { turnOf, type Ask, type Turn, type Work } from './work.ts'

/** A window of load: groups of connections that work at the same time. */
export type Window = {
  readonly shop: Shop
  /** Seconds before counting starts. */
  readonly warmUp: number
  /** Seconds of counting; shorter if the requests run out. */
  readonly seconds: number
  readonly groups: readonly Group[]
}

export type Group = {
  readonly work: Work
  readonly connections: number
  /**
   * Requests per second over all connections; without it each connection sends the next request
   * after the response.
   */
  readonly pace?: number
}

export type Measured = {
  readonly answers: number
  readonly perSecond: number
  /** Milliseconds. */
  readonly p50: number
  readonly p95: number
  readonly p99: number
  /** Number of unexpected responses, and the first of them. */
  readonly unexpected: number
  readonly firstUnexpected: string | undefined
}

export type Loaded = {
  readonly groups: readonly Measured[]
  /** Share of one core used by the load while counting; near 1, the load itself is the limit. */
  readonly cpu: number
}

export type Task =
  | { readonly type: 'load'; readonly window: Window }
  | {
      readonly type: 'authorize'
      readonly shop: Shop
      readonly label: string
      readonly count: number
      /** Callback addresses, assigned in rotation; none by default. */
      readonly callbackUris?: readonly string[]
    }

type Count = { latencies: number[]; last: number; unexpected: string[] }

const percentile = (sorted: readonly number[], share: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0

const measured = ({ latencies, last, unexpected }: Count, from: number): Measured => {
  latencies.sort((a, b) => a - b)
  return {
    answers: latencies.length,
    perSecond: (latencies.length / (last - from)) * 1000,
    p50: percentile(latencies, 0.5),
    p95: percentile(latencies, 0.95),
    p99: percentile(latencies, 0.99),
    unexpected: unexpected.length,
    firstUnexpected: unexpected[0],
  }
}

/** Resolves when the next request of a paced connection is due; connections alternate. */
const pacemaker = (index: number, { connections, pace }: Group) => {
  if (pace === undefined) return () => undefined
  const interval = (connections * 1000) / pace
  let next = performance.now() + (index * 1000) / pace
  return async () => {
    const rest = next - performance.now()
    next += interval
    if (rest > 0) await new Promise((resolve) => setTimeout(resolve, rest))
  }
}

/** Works on one connection until the end, counting responses between the two instants. */
const work = async (
  shop: Shop,
  turn: Turn,
  due: () => Promise<void> | undefined,
  count: Count,
  from: number,
  until: number,
) => {
  const connection = await openConnection(shop.address)
  const ask: Ask = async (request, expected) => {
    const asked = performance.now()
    const answer = await connection.ask(request)
    const answered = performance.now()
    if (asked >= from && answered <= until) {
      count.latencies.push(answered - asked)
      count.last = answered
    }
    if (answer.status !== expected)
      throw new Error(`${answer.status} instead of ${expected}: ${answer.body}`)
    return answer
  }
  while (performance.now() < until)
    try {
      await due()
      if (!(await turn(ask))) break
    } catch (error) {
      count.unexpected.push(String(error))
      if (count.unexpected.length > 100) break
    }
  connection.close()
}

const load = async ({ shop, warmUp, seconds, groups }: Window): Promise<Loaded> => {
  const requests = requestsOf(shop)
  const prepared = []
  for (const group of groups)
    prepared.push({ group, turn: await turnOf(group.work, requests, group.connections) })
  const from = performance.now() + warmUp * 1000
  const until = from + seconds * 1000
  const counts = prepared.map((): Count => ({ latencies: [], last: from, unexpected: [] }))
  const used = process.cpuUsage()
  const began = performance.now()
  await Promise.all(
    prepared.flatMap(({ group, turn }, number) =>
      Array.from({ length: group.connections }, (_, index) =>
        work(shop, turn, pacemaker(index, group), counts[number] as Count, from, until),
      ),
    ),
  )
  const { user, system } = process.cpuUsage(used)
  const cpu = (user + system) / 1000 / (performance.now() - began)
  return { groups: counts.map((count) => measured(count, from)), cpu }
}

/** Makes authorised payments to capture; returns their tids. */
const authorize = async (
  shop: Shop,
  label: string,
  count: number,
  callbackUris: readonly string[] = [],
): Promise<string[]> => {
  const requests = requestsOf(shop)
  const tids: string[] = []
  let made = 0
  const work = async () => {
    const connection = await openConnection(shop.address)
    while (made < count) {
      const callbackUri = callbackUris[made % callbackUris.length]
      const input = payments.create(`${label}-${made++}`, undefined, callbackUri)
      const { body } = await connection.ask(requests.secret(...input))
      const { id: tid } = JSON.parse(body) as { id: string }
      const { status } = await connection.ask(requests.open(...payments.accept(tid)))
      if (status !== 204) throw new Error(`a payment could not be prepared: ${status}`)
      tids.push(tid)
    }
    connection.close()
  }
  await Promise.all(Array.from({ length: 64 }, work))
  return tids
}

const perform = async (task: Task): Promise<void> => {
  try {
    const answer =
      task.type === 'load'
        ? await load(task.window)
        : await authorize(task.shop, task.label, task.count, task.callbackUris)
    process.send?.({ answer })
  } catch (error) {
    process.send?.({ error: String(error) })
  }
}
process.on('message', (task: Task) => {
  perform(task).catch(() => process.exit(1))
})
