// Loaded into every thread of the measured service: says how long the thread that answers was held.
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
  let longest = 0
  let last = performance.now()
  setInterval(() => {
    const now = performance.now()
    longest = Math.max(longest, now - last)
    last = now
  }, 1).unref()
  channel.onmessage = ({ data }) => {
    // The timer may not have come yet.
    if (data === 'longest')
      channel.postMessage({ longest: Math.max(longest, performance.now() - last) })
    if (data === 'collect') globalThis.gc?.()
    longest = 0
    last = performance.now()
    if (data !== 'longest') channel.postMessage({ done: data, memory: process.memoryUsage() })
  }
}
channel.unref()
