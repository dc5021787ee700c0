// Loaded into every thread of the measured service: reports the heap size every second.
import { BroadcastChannel, isMainThread, threadId } from 'node:worker_threads'

const channel = new BroadcastChannel('heaps')
setInterval(() => {
  const { heapUsed, external } = process.memoryUsage()
  const told = { threadId, heapUsed, external }
  if (isMainThread) process.send?.(told)
  else channel.postMessage(told)
}, 1_000).unref()
if (isMainThread) channel.onmessage = ({ data }) => process.send?.(data)
channel.unref()
