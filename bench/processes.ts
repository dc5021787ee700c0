import { fork, spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type { Address, Shop } from './client.ts'
import type { Group, Loaded, Measured, Task, Window } from './load.ts'

const at = (path: string): string => fileURLToPath(new URL(path, import.meta.url))

/** Memory of a process in MB, from /proc (Linux only); 0 once it has ended. */
export const memoryOf = (pid: number, name: 'RssAnon' | 'VmHWM' | 'VmRSS'): number => {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8')
    return Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status)?.[1] ?? 0) / 1024
  } catch {
    return 0
  }
}

/** A process, its children and theirs (Linux only); none once it has ended. */
export const withChildren = (pid: number): number[] => {
  const list = `/proc/${pid}/task/${pid}/children`
  if (!existsSync(list)) return []
  const children = readFileSync(list, 'utf8').split(' ').filter(Boolean).map(Number)
  return [pid, ...children.flatMap(withChildren)]
}

/** Processor time used by a process and its children so far, in ms (Linux only). */
export const processorTime = (pid: number): number =>
  withChildren(pid).reduce((sum, each) => {
    const stat = readFileSync(`/proc/${each}/stat`, 'utf8')
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    // The last two are of children that have ended.
    return sum + fields.slice(11, 15).reduce((ticks, field) => ticks + Number(field), 0) * 10
  }, 0)

/** Memory of a process and its children in MB; what several share counts once (Linux only). */
export const memoryOfAll = (pid: number): number =>
  withChildren(pid).reduce((sum, each) => {
    const parts = readFileSync(`/proc/${each}/smaps_rollup`, 'utf8')
    return sum + Number(/^Pss:\s+(\d+)/m.exec(parts)?.[1] ?? 0) / 1024
  }, 0)

/** Processor time per thread of a process, in ms (Linux only). */
export const threadTimes = (pid: number): ReadonlyMap<string, number> => {
  const tasks = `/proc/${pid}/task`
  const times = new Map<string, number>()
  for (const thread of readdirSync(tasks)) {
    try {
      const [nanoseconds] = readFileSync(`${tasks}/${thread}/schedstat`, 'utf8').split(' ')
      times.set(thread, Number(nanoseconds) / 1e6)
    } catch {
      // It has ended since it was listed.
    }
  }
  return times
}

/** Processor time of all threads since the first sample. */
export const usedSince = (pid: number, before: ReadonlyMap<string, number>): number => {
  let used = 0
  for (const [thread, time] of threadTimes(pid)) used += time - (before.get(thread) ?? 0)
  return used
}

/** Waits until a process is nearly idle: a new build first folds the ends of past days. */
export const untilIdle = async (pid: number, lookEveryMs = 2_000): Promise<void> => {
  for (let before = threadTimes(pid); ; before = threadTimes(pid)) {
    await pause(lookEveryMs)
    if (usedSince(pid, before) < lookEveryMs / 20) return
  }
}

/** Flags for the measured processes, such as `--cpu-prof`. */
const nodeFlags = (
  process.env['BENCH_NODE_FLAGS'] ?? '--max-semi-space-size=32 --no-parallel-scavenge'
)
  .split(' ')
  .filter(Boolean)

const end = async (child: ChildProcess): Promise<void> => {
  if (child.exitCode !== null || child.signalCode !== null) return
  // A process that listens to its parent does not end by itself.
  if (child.connected) child.disconnect()
  child.kill('SIGTERM')
  await once(child, 'exit')
}

const startScript = async (
  script: string,
  parameters: readonly string[],
  environment: Readonly<Record<string, string>>,
  line: RegExp,
  onMessage?: (message: unknown) => void,
) => {
  const source = script.endsWith('.ts') ? ['--import', 'tsx'] : []
  const child = spawn(process.execPath, [...nodeFlags, ...source, at(script), ...parameters], {
    env: { ...process.env, ...environment },
    stdio: ['ignore', 'pipe', 'inherit', ...(onMessage ? (['ipc'] as const) : [])],
    cwd: at('..'),
  })
  if (onMessage) child.on('message', onMessage)
  for await (const text of createInterface(child.stdout!)) {
    const found = line.exec(text)
    if (!found) continue
    child.stdout!.resume()
    const send = (message: object | string) => void child.send(message)
    return { found, pid: child.pid ?? 0, send, stop: () => end(child) }
  }
  throw new Error(`${script} ended before it listened`)
}

export const startServer = async (
  script: string,
  parameters: readonly string[],
  environment: Readonly<Record<string, string>>,
  onMessage?: (message: unknown) => void,
) => {
  const line = /^listening on http:\/\/(.+):(\d+)$/
  const started = await startScript(script, parameters, environment, line, onMessage)
  const { found, ...rest } = started
  const address: Address = { host: found[1] ?? '', port: Number(found[2]) }
  return { address, ...rest }
}

/** The tests' protocol server of EventStoreDB, with a log of its own in a file. */
export const startProtocolServer = async (file: string) => {
  const script = '../tests/event-store/protocol-server.ts'
  const { found, stop } = await startScript(script, ['0', file], {}, /^esdb.*/)
  return { url: found[0], stop }
}

/** @throws Error for unexpected answers; figures of no answers are NaN */
export const expected = (measured: Measured | undefined): Measured => {
  if (measured && measured.unexpected === 0) return measured
  throw new Error(measured?.firstUnexpected ?? 'nothing was measured')
}

/** Starts the load process; it performs one task at a time. */
export const startLoad = () => {
  // Keeps NaN, which JSON makes null.
  const child = fork(at('load.ts'), [], { serialization: 'advanced' })
  let fail = (_: Error): void => {}
  child.once('exit', () => fail(new Error('the process that makes the load has ended')))
  const perform = (task: Task): Promise<unknown> =>
    new Promise((resolve, reject) => {
      fail = reject
      const onMessage = (reply: { answer?: unknown; error?: string }): void => {
        child.off('message', onMessage)
        if (reply.error === undefined) resolve(reply.answer)
        else reject(new Error(reply.error))
      }
      child.on('message', onMessage)
      child.send(task)
    })
  const load = (window: Window) => perform({ type: 'load', window }) as Promise<Loaded>
  return {
    load,
    /** Loads one group. @throws Error for unexpected answers */
    one: async (shop: Shop, seconds: number, group: Group, warmUp = 1): Promise<Measured> => {
      const [measured] = (await load({ shop, warmUp, seconds, groups: [group] })).groups
      return expected(measured)
    },
    authorize: (shop: Shop, label: string, count: number, callbackUris: readonly string[] = []) =>
      perform({ type: 'authorize', shop, label, count, callbackUris }) as Promise<string[]>,
    stop: () => end(child),
  }
}

export type Load = ReturnType<typeof startLoad>
