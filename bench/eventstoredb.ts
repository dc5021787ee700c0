import { EventStoreDBClient, jsonEvent, NO_STREAM } from '@eventstore/db-client'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type { Measured, Work } from './load.ts'
import { startProtocolServer, type Load } from './processes.ts'
import type { Case, Figure, Scope } from './scope.ts'

const inFlight = 32
const payments = 2_000
const foreignPerSecond = 500
const foreignAtOnce = 25

/** The node of the place, or the tests' protocol server on the same processors. */
const startNode = async ({ place, folder, later }: Scope) => {
  if (place !== undefined) return place
  const { url, stop } = await startProtocolServer(join(folder(), 'events.db'))
  later(stop)
  return url
}

/** Events of 600 bytes per second that the stock client appends, each to its own stream. */
const appendBare = async (
  client: EventStoreDBClient,
  round: string,
  seconds: number,
): Promise<number> => {
  const text = 'x'.repeat(540)
  let appended = 0
  let [from, until] = [0, Infinity]
  const work = async (worker: number): Promise<void> => {
    for (let n = 0; performance.now() < until; n++) {
      const event = jsonEvent({ type: 'Appended', data: { text }, metadata: { n } })
      await client.appendToStream(`bare-${round}-${worker}-${n}`, event, {
        expectedRevision: NO_STREAM,
      })
      if (performance.now() >= from) appended += 1
    }
  }
  await client.appendToStream(`bare-${round}`, jsonEvent({ type: 'First', data: {} }))
  from = performance.now() + 1_000
  until = from + 1_000 * seconds
  await Promise.all(Array.from({ length: inFlight }, (_, worker) => work(worker)))
  return appended / seconds
}

/** Another application that appends at a steady pace until stopped. */
const appendForeign = (client: EventStoreDBClient) => {
  let isOver = false
  const work = async (): Promise<void> => {
    let due = performance.now()
    for (let n = 0; !isOver; n++) {
      const events = Array.from({ length: foreignAtOnce }, (_, at) =>
        jsonEvent({ type: 'OrderPlaced', data: { n, at } }),
      )
      await client.appendToStream(`orders-${n % 100}`, events)
      due += (1_000 * foreignAtOnce) / foreignPerSecond
      await pause(Math.max(0, due - performance.now()))
    }
  }
  const working = work()
  return async (): Promise<void> => {
    isOver = true
    await working
  }
}

const timesOf = ({ p50, p99 }: Measured): string => `p50 ${p50.toFixed(1)} p99 ${p99.toFixed(1)} ms`

const measure = async (scope: Scope, load: Load, DATA_DIR: string): Promise<Figure[]> => {
  const url = await startNode(scope)
  const client = EventStoreDBClient.connectionString(url)
  scope.later(() => client.dispose())
  const bare = await appendBare(client, scope.label(), scope.seconds)
  const { shop } = await scope.service({ settings: { DATA_DIR, EVENT_STORE: url } })
  const run = (work: Work): Promise<Measured> =>
    load.one(shop, scope.seconds, { work, connections: inFlight }, 2)
  const label = scope.label()
  const tids = await load.authorize(shop, label, payments)
  const level = 'SECRET'
  const captures = await run({ kind: 'capture', level, label, tids })
  const outcomes = await run({ kind: 'outcome', level, tids })
  const stop = appendForeign(client)
  const beside = await run({ kind: 'outcome', level, tids })
  await stop()
  return [
    {
      ...{ what: 'captures beside the bare client', value: captures.perSecond, unit: 'requests/s' },
      ...{ limit: bare, target: ['ratio', '≥', 0.7], more: timesOf(captures) },
    },
    {
      ...{ what: `p50 of outcomes with ${foreignPerSecond} foreign events/s`, value: beside.p50 },
      ...{ unit: 'ms', limit: outcomes.p50, target: ['ratio', '≤', 1.3] },
      more: `${Math.round(beside.perSecond)}/s, ${timesOf(beside)}; without ${timesOf(outcomes)}`,
    },
  ]
}

export const eventstoredb: Case = {
  about:
    'Captures beside appends of a bare client, and outcomes during those of another service. ' +
    'Place: the connection string of an empty node; without it, the protocol server of the tests',
  usual: { rounds: 3, seconds: 4, size: payments },
  quick: { rounds: 1, seconds: 2, size: payments },
  open: (shared) => {
    const load = shared.load()
    // Rounds on one node share its log, which is sealed with the vault in this folder.
    const folder = shared.place === undefined ? undefined : shared.folder()
    return (scope) => measure(scope, load, folder ?? scope.folder())
  },
}
