// Captures at a pace, and what benches of messages share.
import { readFileSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import { openConnection, type Address, type Connection } from './connection.ts'
import { payments, type Requests } from './requests.ts'

const tills = 32

export const openTills = (address: Address): Promise<Connection[]> =>
  Promise.all(Array.from({ length: tills }, () => openConnection(address)))

/** Makes and accepts a payment for each address, over a few connections; answers their tids. */
export const authorizeEach = async (
  requests: Requests,
  connections: readonly Connection[],
  callbackUris: readonly string[],
): Promise<string[]> => {
  const tids: string[] = []
  let next = 0
  const work = async (connection: Connection): Promise<void> => {
    for (let index = next++; index < callbackUris.length; index = next++) {
      const input = payments.create(`bench-${index}`, undefined, callbackUris[index])
      const created = await connection.ask(requests.secret(...input))
      if (created.status !== 201) throw new Error(created.body)
      const { id } = JSON.parse(created.body) as { id: string }
      await connection.ask(requests.open(...payments.accept(id)))
      tids[index] = id
    }
  }
  await Promise.all(connections.map(work))
  return tids
}

type Pace = {
  readonly requests: Requests
  readonly connections: readonly Connection[]
  readonly tids: readonly string[]
  readonly perSecond: number
  readonly seconds: number
  /** Called when a capture is due, answered or not: a service that is late looks no better. */
  readonly onDue: (tid: string, due: number) => void
}

/** Captures the payments in turns, at the pace. */
export const captureAtPace = async (given: Pace): Promise<void> => {
  const { requests, connections, tids, perSecond, seconds, onDue } = given
  const free = [...connections]
  const waiting: (() => void)[] = []
  let underWay = 0
  let failure: Error | undefined
  const one = async (tid: string, id: string): Promise<void> => {
    underWay++
    if (free.length === 0) await new Promise<void>((resolve) => waiting.push(resolve))
    const connection = free.pop() as Connection
    const { status, body } = await connection.ask(requests.secret(...payments.capture(tid, id)))
    free.push(connection)
    waiting.shift()?.()
    underWay--
    if (status !== 204) failure ??= new Error(`${status}: ${body}`)
  }
  const start = performance.now()
  for (let count = 0; count < perSecond * seconds && !failure; count++) {
    const due = start + (count / perSecond) * 1000
    if (due > performance.now()) await delay(due - performance.now())
    const tid = tids[count % tids.length] as string
    onDue(tid, due)
    one(tid, `c-${count}`).catch((error: Error) => (failure ??= error))
  }
  while (underWay > 0 && !failure) await delay(10)
  if (failure) throw failure
}

/** Seconds of a processor that a process has used. */
export const usedBy = (pid: number | 'self'): number => {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /, '')
    .split(' ')
  return (Number(fields[11]) + Number(fields[12])) / 100
}

/** Of values in order. */
export const quantile = (sorted: readonly number[], share: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN
