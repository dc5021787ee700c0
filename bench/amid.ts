import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { untilIdle } from './processes.ts'
import { portalLog, shop } from './portal-log.ts'
import type { Case, Figure, Scope } from './scope.ts'

const user = {
  'X-Service-Merchant': shop,
  'X-Service-User': 'pos1',
  Authorization: 'SECRET sandbox-secret',
}

/** Does something until it is told to end; returns how often it came to its own end. */
type Work = (ending: AbortSignal) => Promise<number>

/** A command of the measured build, again and again. */
const command =
  ({ program }: Scope, DATA_DIR: string, words: () => readonly string[]): Work =>
  async (ending) => {
    for (let times = 0; ; times += 1) {
      const child = spawn(process.execPath, ['--max-semi-space-size=64', program, ...words()], {
        env: { ...process.env, MODE: 'sandbox', DATA_DIR },
        stdio: ['ignore', 'ignore', 'inherit'],
      })
      const stop = (): void => void child.kill('SIGKILL')
      ending.addEventListener('abort', stop, { once: true })
      const code = await new Promise<number | null>((resolve) => child.once('exit', resolve))
      ending.removeEventListener('abort', stop)
      if (ending.aborted) return times
      if (code !== 0) throw new Error(`${words().join(' ')} ended with ${code}`)
    }
  }

/** A transaction log of a report, from its first line to its last, again and again. */
const download =
  (uri: string): Work =>
  async (ending) => {
    for (let times = 0; ; times += 1) {
      try {
        const response = await fetch(uri, { headers: user, signal: ending })
        if (!response.ok) throw new Error(`${response.status} ${uri}`)
        for await (const _ of response.body ?? []) if (ending.aborted) return times
      } catch (error) {
        if (ending.aborted) return times
        throw error
      }
    }
  }

const logOfFirstReport = async (base: string): Promise<string> => {
  const path = `${base}/merchant/v1/ledger/default/report/1/`
  const report = (await (await fetch(path, { headers: user })).json()) as {
    readonly transaction_log_uris: readonly string[]
  }
  return base + report.transaction_log_uris[0]
}

/** A restored copy of the log, whose read models other work may fold. */
const copyOf = async (scope: Scope, directory: string): Promise<string> => {
  const [backup, copy] = [join(scope.folder(), 'backup'), join(scope.folder(), 'copy')]
  await scope.command(directory, 'backup', backup)
  await scope.command(copy, 'restore', backup)
  return copy
}

export const amid: Case = {
  about:
    '300 captures a second amid other work on the same log, each kind alone, in turns with ' +
    'nothing else. Size: payments of the log; place: its folder',
  usual: { rounds: 4, seconds: 15, size: 1_000_000 },
  quick: { rounds: 1, seconds: 3, size: 600 },
  open: async (shared) => {
    const log = await portalLog(shared)
    const copy = await copyOf(shared, log.directory)
    const service = await shared.service({ settings: { DATA_DIR: log.directory } })
    await untilIdle(service.pid)
    const load = shared.load()
    const tids = await load.authorize(service.shop, shared.label(), 2_000)
    const captures = async () => {
      const work = { kind: 'capture', level: 'SECRET', label: shared.label(), tids } as const
      const group = { work, connections: 32, pace: 300 }
      return (await load.one(service.shop, shared.seconds, group)).p99
    }
    const backups = shared.folder()
    let backup = 0
    const works: Readonly<Record<string, Work>> = {
      'a report of all lines': download(await logOfFirstReport(service.base)),
      'settling all merchants': command(shared, log.directory, () => ['settle']),
      'audit verify': command(shared, log.directory, () => ['audit', 'verify']),
      'a backup': command(shared, log.directory, () => ['backup', join(backups, `${backup++}`)]),
      'a rebuild of a copy': command(shared, copy, () => ['rebuild']),
    }
    return async () => {
      const figures: Figure[] = []
      for (const [what, work] of Object.entries(works)) {
        const limit = await captures()
        const ending = new AbortController()
        const done = work(ending.signal)
        const value = await Promise.race([captures(), done.then(() => NaN)])
        ending.abort()
        const more = `ended ${await done} times meanwhile`
        figures.push({ what, value, unit: 'ms', limit, target: ['ratio', '≤', 1.5], more })
        await pause(1_000)
      }
      return figures
    }
  },
}
