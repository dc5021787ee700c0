import { fileURLToPath } from 'node:url'

export type Memory = { readonly rss: number; readonly heapUsed: number; readonly external: number }
type Message = {
  readonly threadId?: number
  readonly heap?: number
  readonly answer?: { readonly longest?: number; readonly memory?: Memory }
}

/** Follows the probe in a service that is started with these options. */
export const openProbe = () => {
  const heaps = new Map<number, number>()
  let answer = (_: NonNullable<Message['answer']>): void => {}
  return {
    nodeOptions: `--import ${fileURLToPath(new URL('probe.mjs', import.meta.url))}`,
    onMessage: (message: unknown): void => {
      const { threadId, heap, answer: answered } = message as Message
      if (threadId !== undefined && heap !== undefined) heaps.set(threadId, heap)
      if (answered) answer(answered)
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
