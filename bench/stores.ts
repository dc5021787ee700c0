import { randomBytes } from 'node:crypto'
import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { execFileSync } from 'node:child_process'
import { connectEventStoreDB } from '../infrastructure/event-store/eventstoredb-event-store.ts'
import { peopleAtOnce, type KeptPerson } from '../infrastructure/people/vault-port.ts'
import { contentsOfFile } from '../infrastructure/people/vault-file.ts'
import { openVault } from '../infrastructure/people/vault.ts'
import { isOurs } from '../infrastructure/stores.ts'
import { contentsOfStreams } from '../infrastructure/vault-streams/contents.ts'
import { openVaultInStreams } from '../infrastructure/vault-streams/vault.ts'
import { startProtocolServer, type Load } from './processes.ts'
import { secondsSince, type Case, type Figure, type Scenario, type Scope } from './scope.ts'
import { EventStoreDBClient, jsonEvent, NO_STREAM } from '@eventstore/db-client'
import { setTimeout as pause } from 'node:timers/promises'
import type { Measured, Work } from './load.ts'

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
      what: 'captures beside the bare client',
      value: captures.perSecond,
      unit: 'requests/s',
      limit: bare,
      target: ['ratio', '≥', 0.7],
      more: timesOf(captures),
    },
    {
      what: `p50 of outcomes with ${foreignPerSecond} foreign events/s`,
      value: beside.p50,
      unit: 'ms',
      limit: outcomes.p50,
      target: ['ratio', '≤', 1.3],
      more: `${Math.round(beside.perSecond)}/s, ${timesOf(beside)}; without ${timesOf(outcomes)}`,
    },
  ]
}

const eventstoredb: Case = {
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

const startStore = async ({ folder, later }: Scope) => {
  const { url, stop } = await startProtocolServer(join(folder(), 'events.db'))
  later(stop)
  return url
}

const keys = [{ id: 'bench', key: Buffer.alloc(32, 1) }]

const collect = (globalThis as { readonly gc?: () => void }).gc ?? (() => {})

/** Each is named by one merchant. */
const newPeople = (count: number): KeptPerson[] =>
  Array.from({ length: count }, () => ({
    id: randomBytes(16).toString('hex'),
    key: randomBytes(32),
    identifier: randomBytes(32),
    names: [randomBytes(32)],
  }))

type Opened = { readonly seconds: number; readonly kept: number; readonly most: number }

/** Opens a vault as a node does: the seconds, and the bytes that it keeps and needs at most. */
const openInline = async (place: string, folder: string): Promise<Opened> => {
  collect()
  const { heapUsed, external } = process.memoryUsage()
  const began = performance.now()
  const isFile = !place.startsWith('esdb')
  const { streams, close } = connectEventStoreDB(isFile ? 'esdb://none' : place)
  const vault = isFile
    ? openVault(place, undefined, keys)
    : await openVaultInStreams(streams, keys, undefined, { folder })
  const seconds = secondsSince(began)
  const most = process.resourceUsage().maxRSS * 1_024
  collect()
  const after = process.memoryUsage()
  const kept = after.heapUsed + after.external - heapUsed - external
  await vault.close()
  await close()
  return { seconds, kept, most }
}

const own = fileURLToPath(import.meta.url)

/** In a process of its own, so that its memory can be measured. */
const openApart = (what: string, place: string, folder: string): Figure[] => {
  const words = ['--expose-gc', '--import', 'tsx', own, 'open', place, folder]
  const text = execFileSync(process.execPath, words, { encoding: 'utf8' })
  const { seconds, kept, most } = JSON.parse(text) as Opened
  const more = `keeps ${Math.round(kept / 1e6)} MB, ${Math.round(most / 1e6)} MB resident at most`
  return [{ what, value: seconds, unit: 's', more }]
}

const vault: Case = {
  about: 'How soon a node knows everybody in a vault, beside a vault in a file. Size: people',
  usual: { rounds: 1, seconds: 0, size: 1_000_000 },
  quick: { rounds: 1, seconds: 0, size: 2_000 },
  isOfThisCheckout: true,
  open: () => async (scope) => {
    const url = await startStore(scope)
    const folder = scope.folder()
    const file = join(folder, 'vault.sqlite')
    const { streams, close } = connectEventStoreDB(url, { isOurs })
    const places = [await contentsOfStreams(streams, keys), contentsOfFile(file, keys)]
    for (const { keepSecrets } of places)
      await keepSecrets([{ name: 'identifiers', secret: randomBytes(32) }])
    for (let done = 0; done < scope.size; done += peopleAtOnce) {
      const people = newPeople(Math.min(peopleAtOnce, scope.size - done))
      for (const { put } of places) await put(people)
    }
    for (const place of places) await place.close()
    await close()
    const [ofFile] = openApart('file', file, folder) as [Figure]
    const first = openApart('streams, first start', url, folder)
    const next = openApart('streams, next start', url, folder)
    const known = readdirSync(folder).find((one) => one.startsWith('vault-known-')) ?? ''
    return [
      ...[...first, ...next].map((figure) => ({ ...figure, limit: ofFile.value })),
      ofFile,
      { what: "the node's file", value: statSync(join(folder, known)).size / 1e6, unit: 'MB' },
    ]
  },
}

export const cases: Scenario = { vault, eventstoredb }

const [, script, word, place = '', folder = ''] = process.argv

if (script === own && word === 'open')
  process.stdout.write(JSON.stringify(await openInline(place, folder)))
