// Loaded into every thread of the measured service: reports the heap of each thread every second,
// and how long the thread that answers was blocked.
import { existsSync, openSync, readSync } from 'node:fs'
import { BroadcastChannel, isMainThread, threadId } from 'node:worker_threads'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

const channel = new BroadcastChannel('probe')
/** The first worker answers requests. */
const answering = 1

const report = (message) => {
  if (!isMainThread) return channel.postMessage(message)
  if (process.connected) process.send(message)
}
setInterval(() => report({ threadId, heap: process.memoryUsage().heapUsed }), 1_000).unref()

if (isMainThread) {
  process.on('message', (question) => channel.postMessage(question))
  channel.onmessage = ({ data }) => {
    if (typeof data === 'object') report(data)
  }
} else if (threadId === answering) {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc')
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
    if (typeof data === 'object') return
    // The timer may be late.
    if (data === 'longest') report({ answer: { longest: Math.max(longest, now() - last) } })
    if (data === 'collect') collect()
    longest = 0
    last = now()
    if (data !== 'longest') report({ answer: { memory: process.memoryUsage() } })
  }
}
channel.unref()
