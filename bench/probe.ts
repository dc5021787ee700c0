import { fileURLToPath } from 'node:url'
import { startServer } from './processes.ts'

type Memory = { readonly rss: number; readonly heapUsed: number; readonly external: number }
type Message = {
  readonly threadId?: number
  readonly heap?: number
  readonly answer?: { readonly longest?: number; readonly memory?: Memory }
}

const program = '../dist/service/main.js'

/** Follows the probe in a service that is started with these options. */
export const openProbe = () => {
  const heaps = new Map<number, number>()
  let answer = (_: NonNullable<Message['answer']>): void => {}
  return {
    nodeOptions: `--import ${fileURLToPath(new URL('probe.mjs', import.meta.url))}`,
    onMessage: (message: unknown): void => {
      const { threadId, heap, answer: given } = message as Message
      if (threadId !== undefined && heap !== undefined) heaps.set(threadId, heap)
      if (given) answer(given)
    },
    /** Bytes in the heaps of all threads, including garbage. */
    heaps: () => [...heaps.values()].reduce((sum, one) => sum + one, 0),
    ask: (send: (question: string) => void, question: 'longest' | 'reset' | 'collect') =>
      new Promise<NonNullable<Message['answer']>>((resolve) => {
        answer = resolve
        send(question)
      }),
  }
}

/** The built service in a separate process, with a probe in the thread that answers. */
export const startProbedService = async (
  environment: Readonly<Record<string, string>>,
  script = program,
) => {
  const { nodeOptions, onMessage, ask } = openProbe()
  const settings = { ...environment, NODE_OPTIONS: nodeOptions }
  const { address, send, stop } = await startServer(script, ['serve'], settings, onMessage)
  return {
    address: `http://${address.host}:${address.port}`,
    stop,
    /** Resets the probe, runs the work, and returns the longest block in ms. */
    heldBy: async (work: () => Promise<unknown>): Promise<number> => {
      await ask(send, 'reset')
      await work()
      return (await ask(send, 'longest')).longest ?? NaN
    },
    /** After a garbage collection. */
    memory: async (): Promise<Memory> => {
      const { memory } = await ask(send, 'collect')
      if (!memory) throw new Error('the probe has not answered')
      return memory
    },
  }
}

export type ProbedService = Awaited<ReturnType<typeof startProbedService>>
