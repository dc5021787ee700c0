import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { furnishSandbox, type FurnishedSandbox } from './furnished-sandbox.ts'
import {
  describedBy,
  type Operation,
  pick,
  randomFrom,
  valuesOf,
} from '../../harness/values-of-schema.ts'
import { answerChecks, type Answered } from './answers.ts'
import { startProbedService } from './probed-service.ts'
import { fuzzRequests, type FuzzRequest } from './requests.ts'

/*
 * Valid, nearly valid and hostile requests to every route of a sandbox, generated from its OpenAPI
 * document: no 5xx, no response that violates its schema, no memory growth, no request over a
 * second. `npm run fuzz -- [count] [seed]`
 */

const [count = 100_000, seed = 1] = process.argv.slice(2).map(Number)

const concurrent = 4

/** How often the clock moves in total, and by how many seconds. */
const moves = 40

const steps = [1, 60, 3_600, 43_200, 86_400, 604_800]

const longestMs = 1000

/** Maximum growth of memory after garbage collection, from the first quarter to the last. */
const mostGrowth = 1.5

/** A stranger's open connection gives no more information. */
const patienceMs = 5_000

type Found = { readonly problem: string; readonly example: string; count: number }

const problems = new Map<string, Found>()

const note = ({ operation, kind, path, body }: FuzzRequest, problem: string): void => {
  const name = `${operation.method} ${operation.path}: ${problem}`
  const example = `${kind} ${path.slice(0, 200)} ${(body ?? '').slice(0, 300)}`
  const found = problems.get(name) ?? { problem: name, example, count: 0 }
  found.count += 1
  problems.set(name, found)
}

const statuses = new Map<string, number>()

const times: { readonly ms: number; readonly what: string }[] = []

const answerOf = async (response: Response): Promise<Answered> => {
  const { status, headers } = response
  const type = headers.get('content-type')
  // An event stream never ends.
  if (type === 'text/event-stream') await response.body?.cancel()
  const text = response.bodyUsed ? '' : await response.text()
  return { status, type, text }
}

const send = async (address: string, request: FuzzRequest): Promise<Answered> => {
  const { operation, path, headers, body } = request
  const sent = {
    method: operation.method,
    headers,
    redirect: 'manual',
    signal: AbortSignal.timeout(patienceMs),
    ...(body !== undefined && { body }),
  } as const
  const started = performance.now()
  const answer = await answerOf(await fetch(address + path, sent))
  const ms = performance.now() - started
  times.push({ ms, what: `${operation.method} ${operation.path}` })
  if (ms > longestMs)
    process.stderr.write(
      `${ms.toFixed(0)} ms: ${operation.method} ${path} ${body?.slice(0, 200)}\n`,
    )
  const kind = `${request.kind} ${answer.status}`
  statuses.set(kind, (statuses.get(kind) ?? 0) + 1)
  return answer
}

/** Collects ids from responses for later requests. */
const remember = ({ known }: FurnishedSandbox, { path }: Operation, { text, status }: Answered) => {
  const name = { payment_request: 'tid', permission_request: 'rid', shortlink: 'shortlink_id' }[
    path.split('/').at(-2) ?? ''
  ]
  if (status !== 201 || name === undefined) return
  const ids = known.get(name) ?? []
  ids.push((JSON.parse(text) as { id: string }).id)
  if (ids.length > 200) ids.splice(2, 1)
}

const folder = mkdtempSync(join(tmpdir(), 'daybook-fuzz-'))

const service = await startProbedService({ DATA_DIR: folder, PORT: '0', LOG_LEVEL: 'error' })

const memory: number[] = []

const started = Date.now()

try {
  const sandbox = await furnishSandbox(service.address, folder)
  const described = await describedBy(service.address)
  const random = randomFrom(seed)
  const values = valuesOf(described.schemas, random, (name) => sandbox.known.get(name))
  const { operations } = described
  const requestTo = fuzzRequests(sandbox, values, await sandbox.attachmentPath(), random)
  const problemOf = answerChecks(described)
  let begun = 0
  // Then prints what was found so far.
  process.once('SIGINT', () => (begun = count))
  const client = async (): Promise<void> => {
    while (begun < count) {
      const operation = operations[begun] ?? pick(random, operations)
      begun += 1
      if (begun % Math.ceil(count / 20) === 0) {
        const { heapUsed, external } = await service.memory()
        memory.push(heapUsed + external)
        const seconds = Math.round((Date.now() - started) / 1000)
        process.stderr.write(`${begun} requests, ${seconds} s, ${problems.size} problems\n`)
      }
      if (begun % Math.ceil(count / moves) === 0) await sandbox.later(pick(random, steps))
      let request: FuzzRequest | undefined
      try {
        request = requestTo(operation)
        const answer = await send(service.address, request)
        remember(sandbox, operation, answer)
        if (operation.method === 'DELETE' && answer.status === 204) await sandbox.restore()
        const problem = problemOf(operation, answer)
        if (problem !== undefined) note(request, problem)
      } catch (error) {
        if (!request) throw error
        const { cause = error } = error as { cause?: unknown }
        // The client itself refuses some headers and bodies.
        if (!(error instanceof TypeError) || error.cause) note(request, String(cause))
      }
    }
  }
  await Promise.all(Array.from({ length: concurrent }, client))
  const mean = (some: readonly number[]) => some.reduce((sum, each) => sum + each, 0) / some.length
  const [early, late] = [mean(memory.slice(2, 7)), mean(memory.slice(-5))]
  const slow = times.toSorted((a, b) => b.ms - a.ms).slice(0, 5)
  const tooSlow = times.filter(({ ms }) => ms > longestMs).length
  const print = (line: string) => process.stdout.write(`${line}\n`)
  print(`${times.length} answers of ${operations.length} operations, seed ${seed}`)
  for (const [kind, many] of [...statuses].toSorted()) print(`  ${kind}: ${many}`)
  print(`slowest: ${slow.map(({ ms, what }) => `${ms.toFixed(0)} ms ${what}`).join(', ')}`)
  print(`over ${longestMs} ms: ${tooSlow}`)
  const mib = (bytes: number) => `${(bytes / 1_048_576).toFixed(0)} MiB`
  print(`memory after collection: ${mib(early)} in the first third, ${mib(late)} at the end`)
  print(`problems: ${problems.size}`)
  for (const { problem, example, count } of problems.values())
    print(`  ${count} × ${problem}\n    ${example}`)
  if (problems.size > 0 || tooSlow > 0 || late > mostGrowth * early) process.exitCode = 1
} finally {
  await service.stop()
  rmSync(folder, { recursive: true, force: true })
}
