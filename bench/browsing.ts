// Paced captures, with and without people browsing the portal, alternating, on the log of
// bench:portal: `npm run bench:browsing -- [rounds] [seconds] [people] [folder of the log]`; on
// Linux only.
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { cpus, loadavg } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { usedBy } from './paced.ts'
import { startBrowsing } from './people.ts'
import { portalLog, usualFolder, usualSize } from './portal-log.ts'
import { startPortal } from './portal-service.ts'
import { startLoad, type Load } from './processes.ts'
import type { Shop } from './requests.ts'

const [rounds = 4, seconds = 15, people = 50] = process.argv.slice(2, 5).map(Number)
const folder = process.argv[5] ?? usualFolder
const pace = 300
const connections = 32
const payments = 2_000

const say = (text: string): void => void process.stdout.write(`${text}\n`)
const ms = (value: number): string => value.toFixed(1)
const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN

const log = await portalLog(folder, usualSize, say)
const { service, address, headers } = await startPortal(log)
const load: Load = startLoad()
// People look from machines of their own: what their browsers would do takes idle cores only.
execFileSync('chrt', ['--all-tasks', '--idle', '--pid', '0', String(process.pid)])

type Half = Awaited<ReturnType<typeof measure>>

/** The duration of captures, and the service's resource use. */
const measure = async (shop: Shop, label: string, tids: readonly string[], isBrowsed: boolean) => {
  const browsing = isBrowsed ? startBrowsing({ address, headers, log, people }) : undefined
  // By then everybody has opened a page.
  await pause(3_000)
  const before = usedBy(service.pid)
  const work = { kind: 'capture', level: 'SECRET', label, tids } as const
  const window = { shop, warmUp: 1, seconds, groups: [{ work, connections, pace }] }
  const [captures] = (await load.load(window)).groups
  const used = (usedBy(service.pid) - before) / (seconds + 1)
  const looked = await browsing?.stop()
  if (!captures || captures.unexpected > 0)
    throw new Error(captures?.firstUnexpected ?? 'nothing was measured')
  return { captures, looked, used }
}

const shown = (name: string, { captures: { p50, p99 }, used }: Half): string =>
  `${name} p50 ${ms(p50)} p99 ${ms(p99)} (${used.toFixed(2)} cores)`
const ratioOf = (alone: Half, beside: Half): string =>
  (beside.captures.p99 / alone.captures.p99).toFixed(2)

try {
  const adminKey = readFileSync(join(log.directory, 'sandbox-admin-key.pem'), 'utf8')
  const shop = { address: service.address, adminKey }
  const run = String(Date.now())
  const tids = await load.authorize(shop, run, payments)
  await measure(shop, `${run}-warm`, tids, true)
  const pairs: { readonly alone: Half; readonly beside: Half }[] = []
  say(`captures at ${pace}/s, ${connections} connections; ${people} people browse; ms`)
  for (let round = 0; round < rounds; round += 1) {
    const half = (isBrowsed: boolean) =>
      measure(shop, `${run}-${round}-${isBrowsed}`, tids, isBrowsed)
    const first = await half(round % 2 === 1)
    const second = await half(round % 2 === 0)
    const [alone, beside] = round % 2 === 0 ? [first, second] : [second, first]
    pairs.push({ alone, beside })
    const { pages = 0, renewals = 0, p50 = 0, p99 = 0 } = beside.looked ?? {}
    say(`${shown('alone', alone)}; ${shown('browsed', beside)}; ratio ${ratioOf(alone, beside)}`)
    say(`  ${pages} pages, of them ${renewals} live, p50 ${ms(p50)} p99 ${ms(p99)}`)
  }
  const ratio = median(pairs.map((one) => one.beside.captures.p99 / one.alone.captures.p99))
  const [alone, beside] = [
    median(pairs.map((one) => one.alone.captures.p99)),
    median(pairs.map((one) => one.beside.captures.p99)),
  ]
  say(`medians: p99 alone ${ms(alone)}, browsed ${ms(beside)}, ratio ${ratio.toFixed(2)}`)
  say(`${cpus().length} cores, load of the machine ${loadavg()[0]?.toFixed(1)}`)
} finally {
  await load.stop()
  await service.stop()
}
