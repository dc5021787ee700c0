import { fork } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { programIn } from '../audit/what-if/other-build.ts'
import { startLoad, startServer, type Load } from './processes.ts'
import { behaviourOf, startReceivers } from './receivers.ts'

/*
 * Latency of paced captures without callbacks, without callbacks while another process posts the
 * same load to the receivers, and with callbacks, alternating: `npm run
 * bench:captures-beside-callbacks -- <rounds> <captures a second> <seconds> [checkout]`.
 */

const [rounds = 10, pace = 500, seconds = 10] = process.argv.slice(2, 5).map(Number)
if (![rounds, pace, seconds].every((number) => number > 0))
  throw new Error('name the number of rounds, captures a second, and seconds of each')
const [checkout = fileURLToPath(new URL('..', import.meta.url))] = process.argv.slice(5)
const connections = 32
const destinations = 1_000
const payments = 4_000

const modes = ['without', 'receivers fed', 'with callbacks'] as const
type Mode = (typeof modes)[number]

let lastReceipt = 0
const receivers = await startReceivers(() => (lastReceipt = performance.now()))
const uris = Array.from({ length: destinations }, (_, number) =>
  receivers.uriOf(number, behaviourOf(number)),
)

const quiet = async (): Promise<void> => {
  while (performance.now() - lastReceipt < 1_500) await delay(100)
}

const startFeeder = async () => {
  const well = uris.filter((_, number) => behaviourOf(number) === 'well')
  const child = fork(fileURLToPath(new URL('feeder.ts', import.meta.url)), [`${pace}`, ...well])
  while (performance.now() - lastReceipt > 100) await delay(50)
  return child
}

/** The p99 of captures in milliseconds, in a service with a fresh folder. */
const measure = async (load: Load, mode: Mode): Promise<number> => {
  const DATA_DIR = mkdtempSync(join(tmpdir(), 'daybook-beside-'))
  const environment = { DATA_DIR, HOST: '127.0.0.1', PORT: '0', MODE: 'sandbox' }
  const program = programIn(checkout)
  const service = await startServer(program, ['serve'], { ...environment, LOG_LEVEL: 'error' })
  try {
    const adminKey = readFileSync(join(DATA_DIR, 'sandbox-admin-key.pem'), 'utf8')
    const shop = { address: service.address, adminKey }
    const label = String(Date.now())
    const addresses = mode === 'with callbacks' ? uris : []
    const tids = await load.authorize(shop, label, payments, addresses)
    await quiet()
    const feeder = mode === 'receivers fed' ? await startFeeder() : undefined
    const work = { kind: 'capture', level: 'SECRET', label, tids } as const
    const window = { shop, warmUp: 2, seconds, groups: [{ work, connections, pace }] }
    const [captures] = (await load.load(window)).groups
    feeder?.kill()
    if (!captures || captures.unexpected > 0)
      throw new Error(captures?.firstUnexpected ?? 'nothing was measured')
    return captures.p99
  } finally {
    await service.stop()
    rmSync(DATA_DIR, { recursive: true, force: true })
  }
}

const load = startLoad()
const found: Record<Mode, number>[] = []
for (let round = 0; round < rounds; round++) {
  const p99s = { without: 0, 'receivers fed': 0, 'with callbacks': 0 }
  for (const mode of round % 2 === 0 ? modes : modes.toReversed())
    p99s[mode] = await measure(load, mode)
  found.push(p99s)
}
await load.stop()
receivers.close()

const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN

const line = (about: string, of: (mode: Mode) => number, ratio: (to: Mode) => number): string =>
  `${about}${modes.map((mode) => `${mode} ${of(mode).toFixed(2)}`).join(', ')}; ` +
  `with callbacks ${ratio('without').toFixed(2)} times without, ` +
  `${ratio('receivers fed').toFixed(2)} times fed\n`

process.stdout.write(`p99 of ${pace} captures/s, ${connections} connections, SECRET, in ms\n`)
for (const round of found)
  process.stdout.write(
    line(
      '',
      (mode) => round[mode],
      (to) => round['with callbacks'] / round[to],
    ),
  )
process.stdout.write(
  line(
    'medians: ',
    (mode) => median(found.map((round) => round[mode])),
    (to) => median(found.map((round) => round['with callbacks'] / round[to])),
  ),
)
