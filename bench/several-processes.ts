// Throughput of several processes on one log: `npm run bench:processes -- [rounds] [processes]`.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { atOnce } from './http.ts'
import { startLoad, startServer } from './processes.ts'
import type { Work } from './work.ts'

const [rounds = 3, several = 2] = process.argv.slice(2).map(Number)
const program = '../dist/service/main.js'
const load = startLoad()

const ticksPerSecond = 100

/** Processor time of a process and its children, in ms (Linux only). */
const workedBy = (pid: number): number => {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ')
  const [, after = ''] = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')
  const [user = 0, system = 0] = after.split(' ').slice(11, 13).map(Number)
  const own = ((user + system) * 1_000) / ticksPerSecond
  return children.filter(Boolean).reduce((sum, child) => sum + workedBy(Number(child)), own)
}

/** Rate per second, and processor time for each in ms, because the machine is shared. */
type Found = { readonly perSecond: number; readonly work: number }

const measure = async (processes: number): Promise<readonly [Found, Found]> => {
  const DATA_DIR = mkdtempSync(join(tmpdir(), 'daybook-processes-'))
  const environment = { DATA_DIR, HOST: '127.0.0.1', PORT: '0', MODE: 'sandbox' }
  const words = processes === 1 ? ['serve'] : ['serve', '--processes', String(processes)]
  const service = await startServer(program, words, { ...environment, LOG_LEVEL: 'error' })
  try {
    const adminKey = readFileSync(join(DATA_DIR, 'sandbox-admin-key.pem'), 'utf8')
    const shop = { address: service.address, adminKey }
    const label = String(Date.now())
    const tids = await load.authorize(shop, label, 3_000)
    const ask = async (work: Work): Promise<Found> => {
      const groups = [{ work, connections: atOnce }]
      const before = workedBy(service.pid)
      const began = performance.now()
      const [found] = (await load.load({ shop, warmUp: 2, seconds: 4, groups })).groups
      const seconds = (performance.now() - began) / 1_000
      if (!found || found.unexpected > 0)
        throw new Error(found?.firstUnexpected ?? 'nothing was measured')
      const requests = found.perSecond * seconds
      return { perSecond: found.perSecond, work: (workedBy(service.pid) - before) / requests }
    }
    const captures = await ask({ kind: 'capture', level: 'SECRET', label, tids })
    return [captures, await ask({ kind: 'outcome', level: 'SECRET', tids })]
  } finally {
    await service.stop()
    rmSync(DATA_DIR, { recursive: true, force: true })
  }
}

const shown = ({ perSecond, work }: Found): string =>
  `${Math.round(perSecond)}/s at ${work.toFixed(2)} ms of processor`

for (let round = 0; round < rounds; round += 1)
  for (const processes of round % 2 === 0 ? [1, several] : [several, 1]) {
    const [captures, outcomes] = await measure(processes)
    const [now = 0] = loadavg()
    process.stdout.write(
      `${processes} process${processes === 1 ? '' : 'es'}: captures ${shown(captures)}, ` +
        `outcomes ${shown(outcomes)} (load of the machine ${now.toFixed(1)})\n`,
    )
  }
await load.stop()
