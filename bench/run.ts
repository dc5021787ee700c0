import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { measureAppends, type Appends } from './append.ts'
import { measureHttp, type Both, type Extent } from './http.ts'
import { rawCommits, rsaVerifications } from './limits.ts'
import { measureOneAtATime, type OneAtATime } from './one-at-a-time.ts'
import { startLoad, startServer } from './processes.ts'
import { measureRebuild } from './rebuild.ts'
import { report, type Figures } from './report.ts'

const isQuick = process.argv.includes('--quick')

const extent: Extent = isQuick
  ? { rounds: 1, warmUp: 0.3, seconds: 0.7, payments: 500, connections: [64] }
  : { rounds: 5, warmUp: 1, seconds: 3, payments: 10_000, connections: [1, 32, 64] }
const rounds = isQuick ? 1 : 5
const lifecyclesOfOne = isQuick ? 50 : 400
const secondsOfLimits = isQuick ? 0.5 : 2
const eventsRebuilt = isQuick ? 20_000 : 1_000_000

const say = (text: string): void => void process.stderr.write(`${text}\n`)

const http = async (directory: string) => {
  const data = join(directory, 'data')
  const started = new Set<{ stop(): Promise<void> }>()
  const kept = <Process extends { stop(): Promise<void> }>(process: Process): Process => {
    started.add(process)
    return process
  }
  let files = 0
  const start = async (): Promise<Both> => {
    const file = join(directory, `bare-${files++}.sqlite`)
    const bare = kept(await startServer('bare-app.ts', [file], {}))
    const environment = { DATA_DIR: data, HOST: '127.0.0.1', PORT: '0', MODE: 'sandbox' }
    const service = kept(await startServer('../dist/service/main.js', ['serve'], environment))
    const adminKey = readFileSync(join(data, 'sandbox-admin-key.pem'), 'utf8')
    const shop = ({ address }: typeof bare) => ({ address, adminKey })
    const stop = async (): Promise<void> => {
      await bare.stop()
      await service.stop()
    }
    return { bare: shop(bare), service: shop(service), stop }
  }
  try {
    return await measureHttp(kept(startLoad()), start, extent)
  } finally {
    for (const process of started) await process.stop()
  }
}

const measure = async (directory: string): Promise<Figures> => {
  const began = performance.now()
  say('limits')
  const commits = [1, 32, 64].map((group) => ({
    group,
    perSecond: rawCommits(directory, group, secondsOfLimits),
  }))
  const rsa = rsaVerifications(secondsOfLimits)
  say('requests')
  const figures = await http(directory)
  say('one at a time')
  const oneAtATime: OneAtATime[] = []
  for (let round = 0; round < rounds; round++)
    oneAtATime.push(await measureOneAtATime(directory, lifecyclesOfOne))
  say('appends')
  const appends: Appends[] = []
  const appendRound = (round: number) => measureAppends(directory, round, secondsOfLimits)
  // The first round is discarded, because its code is still being compiled.
  if (!isQuick) await appendRound(0)
  for (let round = 1; round <= rounds; round++) appends.push(await appendRound(round))
  say('rebuild')
  const rebuild = await measureRebuild(join(directory, 'log'), eventsRebuilt)
  const seconds = (performance.now() - began) / 1000
  return { isQuick, seconds, commits, rsa, http: figures, oneAtATime, appends, rebuild }
}

const directory = mkdtempSync(join(tmpdir(), 'daybook-bench-'))
try {
  const text = report(await measure(directory), new Date())
  process.stdout.write(text)
  if (!isQuick) writeFileSync(new URL('results.md', import.meta.url), text)
} finally {
  rmSync(directory, { recursive: true, force: true })
}
