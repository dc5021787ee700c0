// Loaded into every thread of the measured service: reports how long the main thread was blocked.
import { existsSync, openSync, readSync } from 'node:fs'
import { BroadcastChannel, isMainThread, threadId } from 'node:worker_threads'

const channel = new BroadcastChannel('held-thread')
/** The first worker answers requests. */
const answering = 1

if (isMainThread) {
  process.on('message', (question) => channel.postMessage(question))
  channel.onmessage = ({ data }) => {
    if (typeof data === 'object') process.send?.(data)
  }
} else if (threadId === answering) {
  // Linux: time on a core, and time ready without a core, in ns.
  const statistics = existsSync('/proc/thread-self/schedstat')
    ? openSync('/proc/thread-self/schedstat', 'r')
    : undefined
  const bytes = Buffer.alloc(100)
  const withoutCore = () => {
    if (statistics === undefined) return 0
    const length = readSync(statistics, bytes, 0, bytes.length, 0)
    return Number(bytes.toString('latin1', 0, length).split(' ')[1]) / 1e6
  }
  /** Excludes time in which other processes had the core. */
  const now = () => performance.now() - withoutCore()
  let longest = 0
  let last = now()
  setInterval(() => {
    const at = now()
    longest = Math.max(longest, at - last)
    last = at
  }, 1).unref()
  channel.onmessage = ({ data }) => {
    // The timer may be late.
    if (data === 'longest') channel.postMessage({ longest: Math.max(longest, now() - last) })
    if (data === 'collect') globalThis.gc?.()
    longest = 0
    last = now()
    if (data !== 'longest') channel.postMessage({ done: data, memory: process.memoryUsage() })
  }
}
channel.unref()
