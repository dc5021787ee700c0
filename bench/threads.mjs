// Loaded into every thread of the measured service: writes which thread of the system runs what.
import { appendFileSync, readlinkSync } from 'node:fs'
import { basename } from 'node:path'
import { isMainThread, workerData } from 'node:worker_threads'

const module = isMainThread ? 'main' : (workerData?.module ?? process.argv[1])
const thread = basename(readlinkSync('/proc/thread-self'))
appendFileSync(process.env.BENCH_THREADS, `${thread} ${basename(module, '.js')}\n`)
