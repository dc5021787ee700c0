import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

const at = (path: string): string => fileURLToPath(new URL(path, import.meta.url))

type Memory = { readonly rss: number; readonly heapUsed: number; readonly external: number }

/** The built service in a separate process, with a probe in the main thread. */
export const startProbedService = async (environment: Readonly<Record<string, string>>) => {
  const child = spawn(process.execPath, ['--expose-gc', at('../dist/service/main.js')], {
    env: { ...process.env, ...environment, NODE_OPTIONS: `--import ${at('held-thread.mjs')}` },
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
    cwd: at('..'),
  })
  const asked = async (question: 'longest' | 'reset' | 'collect') => {
    child.send(question)
    const [answer] = (await once(child, 'message')) as [{ longest?: number; memory?: Memory }]
    return answer
  }
  const stop = async (): Promise<number | null> => {
    // A process that listens to its parent does not end by itself.
    child.disconnect()
    child.kill('SIGTERM')
    // An open channel keeps it running.
    if (child.connected) child.disconnect()
    if (child.exitCode === null) await once(child, 'exit')
    return child.exitCode
  }
  for await (const line of createInterface(child.stdout!)) {
    const address = /^listening on (http:\/\/.+)$/.exec(line)?.[1]
    if (address === undefined) continue
    child.stdout!.resume()
    return {
      address,
      stop,
      /** Resets the probe, runs the work, and returns the longest block in ms. */
      heldBy: async (work: () => Promise<unknown>): Promise<number> => {
        await asked('reset')
        await work()
        return (await asked('longest')).longest ?? NaN
      },
      /** After a garbage collection. */
      memory: async (): Promise<Memory> => {
        const { memory } = await asked('collect')
        if (!memory) throw new Error('the probe has not answered')
        return memory
      },
    }
  }
  throw new Error('the service ended before it listened')
}

export type ProbedService = Awaited<ReturnType<typeof startProbedService>>
