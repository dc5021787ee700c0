import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { startLoad, startServer, type Load } from './processes.ts'
import { mannerOf, startReceivers } from './receivers.ts'

/*
 * How long captures take at a pace, with callbacks and without, in turns:
 * `npm run bench:captures-beside-callbacks -- <rounds> <captures a second> <seconds>`.
 */

const [rounds = 10, pace = 500, seconds = 10] = process.argv.slice(2).map(Number)
if (![rounds, pace, seconds].every((number) => number > 0))
  throw new Error('name the number of rounds, captures a second, and seconds of each')
const connections = 32
const destinations = 1_000
const payments = 4_000

let lastReceipt = 0
const receivers = await startReceivers(() => (lastReceipt = performance.now()))
const uris = Array.from({ length: destinations }, (_, number) =>
  receivers.uriOf(number, mannerOf(number)),
)

const quiet = async (): Promise<void> => {
  while (performance.now() - lastReceipt < 1_500) await delay(100)
}

/** The p99 of captures in milliseconds, in a service with a folder of its own. */
const measure = async (load: Load, withCallbacks: boolean): Promise<number> => {
  const DATA_DIR = mkdtempSync(join(tmpdir(), 'daybook-beside-'))
  const environment = { DATA_DIR, HOST: '127.0.0.1', PORT: '0', MODE: 'sandbox' }
  const service = await startServer('../dist/infrastructure/main.js', ['serve'], {
    ...environment,
    LOG_LEVEL: 'error',
  })
  try {
    const adminKey = readFileSync(join(DATA_DIR, 'sandbox-admin-key.pem'), 'utf8')
    const shop = { address: service.address, adminKey }
    const label = String(Date.now())
    const tids = await load.authorize(shop, label, payments, withCallbacks ? uris : [])
    await quiet()
    const work = { kind: 'capture', level: 'SECRET', label, tids } as const
    const window = { shop, warmUp: 2, seconds, groups: [{ work, connections, pace }] }
    const [captures] = (await load.load(window)).groups
    if (!captures || captures.unexpected > 0)
      throw new Error(captures?.firstUnexpected ?? 'nothing was measured')
    return captures.p99
  } finally {
    await service.stop()
    rmSync(DATA_DIR, { recursive: true, force: true })
  }
}

const load = startLoad()
const pairs: { readonly without: number; readonly beside: number }[] = []
for (let round = 0; round < rounds; round++) {
  const first = await measure(load, round % 2 === 1)
  const second = await measure(load, round % 2 === 0)
  pairs.push(
    round % 2 === 0 ? { without: first, beside: second } : { without: second, beside: first },
  )
}
await load.stop()
receivers.close()

const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN

process.stdout.write(`p99 of ${pace} captures/s, ${connections} connections, SECRET, in ms\n`)
for (const { without, beside } of pairs)
  process.stdout.write(
    `without callbacks ${without.toFixed(2)}  with them ${beside.toFixed(2)}  ` +
      `ratio ${(beside / without).toFixed(2)}\n`,
  )
const ratio = median(pairs.map(({ without, beside }) => beside / without))
const [without, beside] = [
  median(pairs.map((pair) => pair.without)),
  median(pairs.map((pair) => pair.beside)),
]
process.stdout.write(
  `medians: without ${without.toFixed(2)}, with ${beside.toFixed(2)}, ratio ${ratio.toFixed(2)}\n`,
)
