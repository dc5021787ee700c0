// Paced captures, and helpers shared by message benches.
import { readFileSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import { openConnection, type Address, type Answer, type Connection } from './connection.ts'
import { payments, type Requests } from './requests.ts'

const tills = 32

const expecting = async (status: number, asked: Promise<Answer>): Promise<Answer> => {
  const answer = await asked
  if (answer.status !== status) throw new Error(`${answer.status}: ${answer.body}`)
  return answer
}

export const openTills = (address: Address): Promise<Connection[]> =>
  Promise.all(Array.from({ length: tills }, () => openConnection(address)))

/** Requests and accepts a payment; returns its tid, and passes it on before the acceptance. */
export const requestAndAccept =
  (requests: Requests, posTid: string, callbackUri?: string, onTid?: (tid: string) => void) =>
  async (connection: Connection): Promise<string> => {
    const input = payments.create(posTid, undefined, callbackUri)
    const { body } = await expecting(201, connection.ask(requests.secret(...input)))
    const { id } = JSON.parse(body) as { id: string }
    onTid?.(id)
    await expecting(204, connection.ask(requests.open(...payments.accept(id))))
    return id
  }

/** Requests and accepts a payment for each address, over a few connections; returns the tids. */
export const authorizeEach = async (
  requests: Requests,
  connections: readonly Connection[],
  callbackUris: readonly string[],
): Promise<string[]> => {
  const tids: string[] = []
  let next = 0
  const work = async (connection: Connection): Promise<void> => {
    for (let index = next++; index < callbackUris.length; index = next++) {
      const request = requestAndAccept(requests, `bench-${index}`, callbackUris[index])
      tids[index] = await request(connection)
    }
  }
  await Promise.all(connections.map(work))
  return tids
}

type Turn = (connection: Connection) => Promise<unknown>

type Pace = {
  readonly connections: readonly Connection[]
  readonly perSecond: number
  readonly seconds: number
  /**
   * Called when a turn is due, even if all connections are busy, so that a slow service does not
   * look better.
   */
  readonly onDue: (count: number, due: number) => Turn
}

/** Starts turns at a pace, over connections that handle one at a time. */
export const atPace = async ({ connections, perSecond, seconds, onDue }: Pace): Promise<void> => {
  const free = [...connections]
  const waiting: (() => void)[] = []
  let underWay = 0
  let failure: Error | undefined
  const take = async (turn: Turn): Promise<void> => {
    underWay++
    if (free.length === 0) await new Promise<void>((resolve) => waiting.push(resolve))
    // In rotation, because the service closes idle connections.
    const connection = free.shift() as Connection
    await turn(connection)
    free.push(connection)
    waiting.shift()?.()
    underWay--
  }
  const start = performance.now()
  for (let count = 0; count < perSecond * seconds && !failure; count++) {
    const due = start + (count / perSecond) * 1000
    if (due > performance.now()) await delay(due - performance.now())
    take(onDue(count, due)).catch((error: Error) => (failure ??= error))
  }
  while (underWay > 0 && !failure) await delay(10)
  if (failure) throw failure
}

export const capture =
  (requests: Requests, tid: string, id: string): Turn =>
  (connection) =>
    expecting(204, connection.ask(requests.secret(...payments.capture(tid, id))))

type Captures = Omit<Pace, 'onDue'> & {
  readonly requests: Requests
  readonly tids: readonly string[]
  readonly onDue: (tid: string, due: number) => void
}

/** Captures the payments in rotation, at a pace. */
export const captureAtPace = ({ requests, tids, onDue, ...pace }: Captures): Promise<void> =>
  atPace({
    ...pace,
    onDue: (count, due) => {
      const tid = tids[count % tids.length] as string
      onDue(tid, due)
      return capture(requests, tid, `c-${count}`)
    },
  })

/** Processor seconds used by a process. */
export const usedBy = (pid: number | 'self'): number => {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /, '')
    .split(' ')
  return (Number(fields[11]) + Number(fields[12])) / 100
}

/** Expects sorted values. */
export const quantile = (sorted: readonly number[], share: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN
