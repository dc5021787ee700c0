import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { Worker } from 'node:worker_threads'
import { expect, onTestFinished, test } from 'vitest'

const built = join(import.meta.dirname, '..', '..', 'dist', 'infrastructure', 'worker.js')

/** Prints how large the heap of a thread with limits may be, in bytes. */
const program = `
import { Worker } from 'node:worker_threads'
import ${JSON.stringify(pathToFileURL(built).href)}
const code = "const { parentPort } = require('worker_threads'); "
  + "parentPort.postMessage(require('v8').getHeapStatistics().heap_size_limit)"
const resourceLimits = { maxOldGenerationSizeMb: 64, maxYoungGenerationSizeMb: 4 }
const thread = new Worker(code, { eval: true, execArgv: [], resourceLimits })
thread.on('message', (bytes) => console.log(bytes))
`

test('given a process with a large young generation, when it starts a thread with limits of its own, then those hold', () => {
  const flags = ['--max-semi-space-size=32', '--input-type=module', '--eval', program]
  const bytes = Number(execFileSync(process.execPath, flags, { encoding: 'utf8' }))
  // The old generation and three spaces of the young one, each rounded up to a power of two.
  expect(bytes / 2 ** 20).toBeLessThanOrEqual(64 + 3 * 2)
})

test('the thread for jobs finds the module of a job in the built program', async () => {
  const worker = new Worker(join(built, '../threads/job-worker.js'), {
    workerData: { module: 'infrastructure/pictures/qr-job' },
  })
  onTestFinished(() => void worker.terminate())
  worker.postMessage({ number: 1, request: { text: 'a', type: 'svg' } })
  expect(await once(worker, 'message')).toEqual([
    { number: 1, result: expect.stringContaining('<svg') as string },
  ])
})
