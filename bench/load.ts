import { fileURLToPath } from 'node:url'
import {
  openConnection,
  payments,
  requestsOf,
  type Answer,
  type Connection,
  type Level,
  type Requests,
  type Shop,
} from './client.ts'

type Ask = (request: string, expected: number) => Promise<Answer>

/** One turn of a connection, due at an instant of `performance.now`; false if nothing is left. */
export type Turn = (ask: Ask, due: number) => Promise<boolean>

type Captures = { readonly level: Level; readonly label: string; readonly tids: readonly string[] }

/** The repeated work of a group of connections. */
export type Work =
  /** A GET, with seven other digits in the place of {count} each time. */
  | { readonly kind: 'request'; readonly path: string }
  | ({ readonly kind: 'capture' } & Captures)
  | { readonly kind: 'outcome'; readonly level: Level; readonly tids: readonly string[] }
  | { readonly kind: 'lifecycle'; readonly label: string }
  | { readonly kind: 'create'; readonly label: string }
  /** In this process only. */
  | { readonly kind: 'turn'; readonly turn: Turn }

export type Group = {
  readonly work: Work
  readonly connections: number
  /**
   * Requests per second over all connections; without it each connection sends the next request
   * after the response.
   */
  readonly pace?: number
}

/** A window of load: groups of connections that work at the same time. */
export type Window = {
  readonly shop: Shop
  readonly warmUp: number
  /** Seconds of counting; shorter if the requests run out. */
  readonly seconds: number
  readonly groups: readonly Group[]
}

export type Measured = {
  readonly answers: number
  /** Of the connections, with those of the warm-up. */
  readonly turns: number
  readonly perSecond: number
  readonly p50: number
  readonly p95: number
  readonly p99: number
  /** Number of unexpected responses, and the first of them. */
  readonly unexpected: number
  readonly firstUnexpected: string | undefined
}

export type Loaded = {
  readonly groups: readonly Measured[]
  /** Share of one core used by the load; near 1, the load itself is the limit. */
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

/** Number of requests signed in advance per window of KEY: signing takes longer than responding. */
const signedRequests = (connections: number): number => (connections === 1 ? 2_500 : 8_000)

type Request = readonly ['GET' | 'POST' | 'PUT', string, string?]

const repeat = async (
  requests: Requests,
  connections: number,
  level: Level,
  expected: number,
  next: (count: number) => Request,
): Promise<Turn> => {
  let count = 0
  if (level === 'SECRET')
    return async (ask) => {
      await ask(requests.secret(...next(count++)), expected)
      return true
    }
  const ready = await Promise.all(
    Array.from({ length: signedRequests(connections) }, (_, at) => requests.signed(...next(at))),
  )
  return async (ask) => {
    const request = ready[count++]
    if (request !== undefined) await ask(request, expected)
    return request !== undefined
  }
}

type Outcome = { readonly status: string; readonly captures: readonly { readonly id: string }[] }

/** Requests and accepts a payment; returns its tid, and passes it on before the acceptance. */
export const authorizeOne = async (
  requests: Requests,
  ask: Ask,
  posTid: string,
  callbackUri?: string,
  onTid?: (tid: string) => void,
): Promise<string> => {
  const { body } = await ask(requests.secret(...payments.create(posTid, callbackUri)), 201)
  const { id: tid } = JSON.parse(body) as { id: string }
  onTid?.(tid)
  await ask(requests.open(...payments.accept(tid)), 204)
  return tid
}

const lifecycle = (requests: Requests, label: string): Turn => {
  let count = 0
  return async (ask) => {
    const name = `${label}-${count++}`
    const tid = await authorizeOne(requests, ask, name)
    await ask(requests.secret(...payments.capture(tid, name)), 204)
    const { body } = await ask(requests.secret(...payments.outcome(tid)), 200)
    const { status, captures } = JSON.parse(body) as Outcome
    if (status !== 'auth' || captures.length !== 1 || captures[0]?.id !== name)
      throw new Error(`the outcome does not show the capture ${name}: ${body}`)
    return true
  }
}

const oneOf = (all: readonly string[], count: number): string => all[count % all.length] ?? ''

/** Prepares work for the connections; signs requests before the clock starts. */
export const turnOf = async (
  work: Work,
  requests: Requests,
  connections: number,
): Promise<Turn> => {
  const repeated = (level: Level, expected: number, next: (count: number) => Request) =>
    repeat(requests, connections, level, expected, next)
  switch (work.kind) {
    case 'request': {
      const text = requests.open('GET', work.path)
      let count = 0
      return async (ask) => {
        await ask(text.replace('{count}', String(count++).padStart(7, '0')), 200)
        return true
      }
    }
    case 'capture':
      return repeated(work.level, 204, (count) =>
        payments.capture(oneOf(work.tids, count), `${work.label}-${count}`),
      )
    case 'outcome':
      return repeated(work.level, 200, (count) => payments.outcome(oneOf(work.tids, count)))
    case 'create':
      return repeated('SECRET', 201, (count) => payments.create(`${work.label}-${count}`))
    case 'lifecycle':
      return lifecycle(requests, work.label)
    case 'turn':
      return work.turn
  }
}

/** Expects sorted values. */
export const quantile = (sorted: readonly number[], share: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN

type Count = { latencies: number[]; turns: number; last: number; unexpected: string[] }

const measured = (count: Count, from: number): Measured => {
  const { last, unexpected } = count
  const latencies = count.latencies.sort((a, b) => a - b)
  return {
    answers: latencies.length,
    turns: count.turns,
    perSecond: (latencies.length / (last - from)) * 1000,
    p50: quantile(latencies, 0.5),
    p95: quantile(latencies, 0.95),
    p99: quantile(latencies, 0.99),
    unexpected: unexpected.length,
    firstUnexpected: unexpected[0],
  }
}

const pacemaker = (index: number, { connections, pace }: Group) => {
  if (pace === undefined) return async () => performance.now()
  const interval = (connections * 1000) / pace
  let next = performance.now() + (index * 1000) / pace
  return async () => {
    const due = next
    next += interval
    const rest = due - performance.now()
    if (rest > 0) await new Promise((resolve) => setTimeout(resolve, rest))
    return due
  }
}

type Prepared = { readonly group: Group; readonly turn: Turn; readonly count: Count }

/** Works on one connection until the end, counting responses between the two instants. */
const work = async (
  connection: Connection,
  { turn, count }: Prepared,
  due: () => Promise<number>,
  from: number,
  until: number,
) => {
  const ask: Ask = async (request, expected) => {
    const sentAt = performance.now()
    const answer = await connection.ask(request)
    const answered = performance.now()
    if (sentAt >= from && answered <= until) {
      count.latencies.push(answered - sentAt)
      count.last = answered
    }
    if (answer.status !== expected)
      throw new Error(`${answer.status} instead of ${expected}: ${answer.body}`)
    return answer
  }
  while (performance.now() < until)
    try {
      if (!(await turn(ask, await due()))) break
      count.turns += 1
    } catch (error) {
      count.unexpected.push(String(error))
      if (count.unexpected.length > 100) break
    }
  connection.close()
}

/** Opened a few at a time, so that none is refused. */
const openConnections = async ({ address }: Shop, count: number): Promise<Connection[]> => {
  const opened: Connection[] = []
  while (opened.length < count) {
    const some = Math.min(250, count - opened.length)
    opened.push(...(await Promise.all(Array.from({ length: some }, () => openConnection(address)))))
  }
  return opened
}

export const makeLoad = async ({ shop, warmUp, seconds, groups }: Window): Promise<Loaded> => {
  const requests = requestsOf(shop)
  const prepared: (Prepared & { readonly connections: readonly Connection[] })[] = []
  for (const group of groups)
    prepared.push({
      group,
      turn: await turnOf(group.work, requests, group.connections),
      count: { latencies: [], turns: 0, last: NaN, unexpected: [] },
      connections: await openConnections(shop, group.connections),
    })
  const from = performance.now() + warmUp * 1000
  const until = from + seconds * 1000
  const used = process.cpuUsage()
  const began = performance.now()
  await Promise.all(
    prepared.flatMap((one) =>
      one.connections.map((connection, index) =>
        work(connection, one, pacemaker(index, one.group), from, until),
      ),
    ),
  )
  const { user, system } = process.cpuUsage(used)
  const cpu = (user + system) / 1000 / (performance.now() - began)
  return { groups: prepared.map(({ count }) => measured(count, from)), cpu }
}

/** Asks on a connection. @throws Error for another status than expected */
export const askOn =
  (connection: Connection): Ask =>
  async (request, expected) => {
    const answer = await connection.ask(request)
    if (answer.status !== expected) throw new Error(`${answer.status}: ${answer.body}`)
    return answer
  }

/** Sends what a number of connections have to do, one after the other on each. */
export const shareOut = async (
  shop: Shop,
  count: number,
  each: (ask: Ask, index: number) => Promise<void>,
): Promise<void> => {
  let next = 0
  const go = async (connection: Connection): Promise<void> => {
    const ask = askOn(connection)
    while (next < count) await each(ask, next++)
    connection.close()
  }
  await Promise.all((await openConnections(shop, 64)).map(go))
}

export const authorize = async (
  shop: Shop,
  label: string,
  count: number,
  callbackUris: readonly string[] = [],
): Promise<string[]> => {
  const requests = requestsOf(shop)
  const tids: string[] = []
  await shareOut(shop, count, async (ask, index) => {
    const callbackUri = callbackUris[index % callbackUris.length]
    tids[index] = await authorizeOne(requests, ask, `${label}-${index}`, callbackUri)
  })
  return tids
}

const perform = async (task: Task): Promise<void> => {
  try {
    const answer =
      task.type === 'load'
        ? await makeLoad(task.window)
        : await authorize(task.shop, task.label, task.count, task.callbackUris)
    process.send?.({ answer })
  } catch (error) {
    process.send?.({ error: String(error) })
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url))
  process.on('message', (task: Task) => {
    perform(task).catch(() => process.exit(1))
  })
