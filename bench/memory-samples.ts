import { readFileSync } from 'node:fs'

/** Bytes of a process, and the time by `performance.now`. */
export type Memory = {
  readonly at: number
  readonly rss: number
  /** Heap use of all threads, including garbage. */
  readonly heaps: number
}

type Told = { readonly threadId: number; readonly heapUsed: number }

const rssOf = (pid: number): number => {
  const [, kilobytes = '0'] =
    /^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
  return Number(kilobytes) * 1024
}

/** Samples the service's memory every second; its threads report their heaps. */
export const watchMemory = () => {
  const samples: Memory[] = []
  const heaps = new Map<number, number>()
  let timer: NodeJS.Timeout | undefined
  return {
    samples: samples as readonly Memory[],
    nodeOptions: `--import ${new URL('heaps.mjs', import.meta.url).pathname}`,
    onMessage: (message: unknown): void => {
      const { threadId, heapUsed } = message as Told
      heaps.set(threadId, heapUsed)
    },
    begin: (pid: number): void => {
      const look = (): void => {
        const used = [...heaps.values()].reduce((sum, one) => sum + one, 0)
        samples.push({ at: performance.now(), rss: rssOf(pid), heaps: used })
      }
      look()
      timer = setInterval(look, 1_000)
    },
    end: (): void => clearInterval(timer),
  }
}
