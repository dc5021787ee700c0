import { fork, spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import type { Address } from './connection.ts'
import type { Loaded, Task, Window } from './load.ts'
import type { Shop } from './requests.ts'

const at = (path: string): string => fileURLToPath(new URL(path, import.meta.url))

/** Flags for the measured processes, such as `--cpu-prof`. */
const nodeFlags = (
  process.env['BENCH_NODE_FLAGS'] ?? '--max-semi-space-size=32 --no-parallel-scavenge'
)
  .split(' ')
  .filter(Boolean)

const stop = async (child: ChildProcess): Promise<void> => {
  if (child.exitCode !== null || child.signalCode !== null) return
  child.kill('SIGTERM')
  await once(child, 'exit')
}

/** Starts a server in a separate process and waits until it listens. */
export const startServer = async (
  script: string,
  parameters: readonly string[],
  environment: Readonly<Record<string, string>>,
  onMessage?: (message: unknown) => void,
) => {
  const child = spawn(
    process.execPath,
    [
      ...nodeFlags,
      ...(script.endsWith('.ts') ? ['--import', 'tsx'] : []),
      at(script),
      ...parameters,
    ],
    {
      env: { ...process.env, ...environment },
      stdio: ['ignore', 'pipe', 'inherit', ...(onMessage ? (['ipc'] as const) : [])],
      cwd: at('..'),
    },
  )
  if (onMessage) child.on('message', onMessage)
  for await (const line of createInterface(child.stdout!)) {
    const [, host, port] = /^listening on http:\/\/(.+):(\d+)$/.exec(line) ?? []
    if (host === undefined) continue
    child.stdout!.resume()
    const address: Address = { host, port: Number(port) }
    return { address, pid: child.pid ?? 0, stop: () => stop(child) }
  }
  throw new Error(`${script} ended before it listened`)
}

/** Starts the load process; it performs one task at a time. */
export const startLoad = () => {
  const child = fork(at('load.ts'))
  let fail = (_: Error): void => {}
  child.once('exit', () => fail(new Error('the process that makes the load has ended')))
  const perform = async (task: Task): Promise<unknown> => {
    const told = await new Promise((resolve, reject) => {
      fail = reject
      child.once('message', resolve)
      child.send(task)
    })
    const { answer, error } = told as { answer?: unknown; error?: string }
    if (error !== undefined) throw new Error(error)
    return answer
  }
  return {
    load: (window: Window) => perform({ type: 'load', window }) as Promise<Loaded>,
    authorize: (shop: Shop, label: string, count: number, callbackUris: readonly string[] = []) =>
      perform({ type: 'authorize', shop, label, count, callbackUris }) as Promise<string[]>,
    stop: () => stop(child),
  }
}

export type Load = ReturnType<typeof startLoad>
