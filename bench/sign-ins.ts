import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { crowd, openCrowd, refreshTokens, type Crowd } from './crowd.ts'
import type { Measured } from './load.ts'
import { startLoad, startServer } from './processes.ts'
import type { Shop } from './requests.ts'

/*
 * Captures during a flood: 10,000 connections repeatedly load the sign-in page and refresh tokens,
 * while tills capture at the pace of a busy shop. `npm run bench:sign-ins`; `-- --quick` for a
 * short run.
 */

const isQuick = process.argv.includes('--quick')
const people = isQuick ? 1_000 : 10_000
const rounds = isQuick ? 1 : 3
const seconds = isQuick ? 4 : 10
const tills = 32
const pace = 500

type Round = { readonly alone: Measured; readonly beside: Measured; readonly crowd: Crowd }

const measure = async (shop: Shop, load: ReturnType<typeof startLoad>): Promise<Round[]> => {
  const done: Round[] = []
  for (let round = 0; round < rounds; round++) {
    const label = `${Date.now()}-${round}`
    const tids = await load.authorize(shop, label, 500)
    const captures = async (name: string): Promise<Measured> => {
      const work = { kind: 'capture', level: 'SECRET', label: `${label}-${name}`, tids } as const
      const groups = [{ work, connections: tills, pace }]
      const loaded = await load.load({ shop, warmUp: 1, seconds: seconds - 2, groups })
      const [measured] = loaded.groups
      if (!measured || measured.unexpected > 0)
        throw new Error(measured?.firstUnexpected ?? 'nothing was measured')
      return measured
    }
    const alone = await captures('alone')
    const tokens = await refreshTokens(shop, label, 50)
    const connections = await openCrowd(shop, people)
    const [pages, beside] = await Promise.all([
      crowd(shop, connections, tokens, seconds),
      captures('beside'),
    ])
    for (const connection of connections) connection.close()
    done.push({ alone, beside, crowd: pages })
  }
  return done
}

const milliseconds = (value: number): string => `${value.toFixed(1)} ms`
const row = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`

const report = (measured: readonly Round[]): string =>
  [
    `Captures at ${pace} a second over ${tills} connections, ` +
      `alone and beside ${people} connections that sign in:`,
    '',
    row(['', 'captures/s', 'p50', 'p99', 'pages and tokens/s', 'their p50', 'p90', '503']),
    row(Array.from({ length: 8 }, () => '---')),
    ...measured.flatMap(({ alone, beside, crowd }) => {
      const figures = ({ perSecond, p50, p99 }: Measured) =>
        [perSecond.toFixed(0), ...[p50, p99].map(milliseconds)] as const
      const { perSecond, p50, p90, turnedAway } = crowd
      const theirs = [perSecond.toFixed(0), ...[p50, p90].map(milliseconds), String(turnedAway)]
      return [
        row(['alone', ...figures(alone), '', '', '', '']),
        row(['beside', ...figures(beside), ...theirs]),
      ]
    }),
    '',
  ].join('\n')

const directory = mkdtempSync(join(tmpdir(), 'daybook-sign-ins-'))
const started: { stop(): Promise<void> }[] = []
try {
  const environment = { DATA_DIR: directory, HOST: '127.0.0.1', PORT: '0', MODE: 'sandbox' }
  const service = await startServer('../dist/service/main.js', ['serve'], environment)
  started.push(service)
  const load = startLoad()
  started.push(load)
  const adminKey = readFileSync(join(directory, 'sandbox-admin-key.pem'), 'utf8')
  process.stdout.write(report(await measure({ address: service.address, adminKey }, load)))
} finally {
  for (const process of started) await process.stop()
  rmSync(directory, { recursive: true, force: true })
}
