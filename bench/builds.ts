import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { programIn } from '../audit/what-if/other-build.ts'
import { atOnce } from './http.ts'
import { startLoad, startServer, type Load } from './processes.ts'

/** Compares builds of this service: `npm run bench:builds -- <rounds> <checkout> <checkout>…`. */

const [rounds = '', ...checkouts] = process.argv.slice(2)
if (!(Number(rounds) > 0) || checkouts.length === 0)
  throw new Error('name the number of rounds, and the folders of checkouts that are built')

/** Captures per second on prepared payments, in a fresh folder. */
const measure = async (load: Load, checkout: string): Promise<number> => {
  const DATA_DIR = mkdtempSync(join(tmpdir(), 'daybook-builds-'))
  const program = programIn(checkout)
  const environment = { DATA_DIR, HOST: '127.0.0.1', PORT: '0', MODE: 'sandbox' }
  const service = await startServer(program, ['serve'], { ...environment, LOG_LEVEL: 'error' })
  try {
    const adminKey = readFileSync(join(DATA_DIR, 'sandbox-admin-key.pem'), 'utf8')
    const shop = { address: service.address, adminKey }
    const label = String(Date.now())
    const tids = await load.authorize(shop, label, 3_000)
    const work = { kind: 'capture', level: 'SECRET', label, tids } as const
    const groups = [{ work, connections: atOnce }]
    const [captures] = (await load.load({ shop, warmUp: 2, seconds: 3, groups })).groups
    if (!captures || captures.unexpected > 0)
      throw new Error(`${checkout}: ${captures?.firstUnexpected ?? 'nothing was measured'}`)
    return Math.round(captures.perSecond)
  } finally {
    await service.stop()
    rmSync(DATA_DIR, { recursive: true, force: true })
  }
}

const load = startLoad()
const figures = new Map(checkouts.map((checkout): [string, number[]] => [checkout, []]))
for (let round = 0; round < Number(rounds); round++)
  for (const checkout of round % 2 === 0 ? checkouts : checkouts.toReversed())
    figures.get(checkout)?.push(await measure(load, checkout))
await load.stop()
process.stdout.write('captures/s, 64 connections, SECRET\n')
for (const [checkout, each] of figures) process.stdout.write(`${checkout}  ${each.join(' ')}\n`)
