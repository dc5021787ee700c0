import { build } from 'esbuild'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { openConnection } from './connection.ts'
import { startServer } from './processes.ts'
import { requestsOf } from './requests.ts'
import { turnOf, type Ask } from './work.ts'

/**
 * Milliseconds for one lifecycle with nothing else in flight, and from the start to the first
 * response.
 */
type Cost = {
  readonly wall: number
  readonly processor: number
  readonly firstAnswer: number
}

/** The service and a plain Hono app, measured alternately. */
export type OneAtATime = { readonly plain: Cost; readonly service: Cost }

type Started = Awaited<ReturnType<typeof startServer>>

/** Lifecycles per app before switching to the other, for equal conditions. */
const inARow = 25

const plainApp = '../node_modules/.cache/daybook-bench/plain-app.mjs'
const serviceOfHere = '../dist/service/main.js'

/** Bundles the plain app like the service. */
const buildPlainApp = () =>
  build({
    entryPoints: [fileURLToPath(new URL('plain-app.ts', import.meta.url))],
    outfile: fileURLToPath(new URL(plainApp, import.meta.url)),
    bundle: true,
    packages: 'external',
    format: 'esm',
    platform: 'node',
    target: 'node20.19',
    logLevel: 'warning',
  })

/** Starts a server, and measures the time to its first response. */
const timeStart = async (start: () => Promise<Started>) => {
  const began = performance.now()
  const started = await start()
  const { address } = started
  const connection = await openConnection(address)
  const host = `${address.host}:${address.port}`
  const { status } = await connection.ask(`GET /health/live HTTP/1.1\r\nHost: ${host}\r\n\r\n`)
  const firstAnswer = performance.now() - began
  connection.close()
  if (status !== 200) throw new Error(`the first answer was ${status}`)
  return { ...started, firstAnswer }
}

/** Processor time used by another process so far (Linux only). */
const processorTime = (pid: number): number => {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return (Number(fields[11]) + Number(fields[12])) * 10
}

/** Runs lifecycles in sequence on one connection, and records their durations. */
const openCustomer = async ({ address, pid }: Started, adminKey: string, label: string) => {
  const work = { kind: 'lifecycle', label } as const
  const turn = await turnOf(work, requestsOf({ address, adminKey }), 1)
  const connection = await openConnection(address)
  const ask: Ask = async (request, expected) => {
    const answer = await connection.ask(request)
    if (answer.status !== expected) throw new Error(`${answer.status}: ${answer.body}`)
    return answer
  }
  let wall = 0
  let lifecycles = 0
  let processor = 0
  return {
    go: async (count: number): Promise<void> => {
      const began = performance.now()
      for (let done = 0; done < count; done++) await turn(ask)
      wall += performance.now() - began
      lifecycles += count
    },
    /** Starts counting. */
    begin: (): void => {
      wall = lifecycles = 0
      processor = processorTime(pid)
    },
    cost: () => ({
      wall: wall / lifecycles,
      processor: (processorTime(pid) - processor) / lifecycles,
    }),
    close: () => connection.close(),
  }
}

/** One round: both apps start anew, the service on its existing log. */
export const measureOneAtATime = async (
  directory: string,
  lifecycles: number,
  script = serviceOfHere,
): Promise<OneAtATime> => {
  const data = join(directory, 'alone')
  const environment = {
    DATA_DIR: data,
    HOST: '127.0.0.1',
    PORT: '0',
    MODE: 'sandbox',
    LOG_LEVEL: 'warn',
  }
  await buildPlainApp()
  const file = join(directory, `plain-${Date.now()}.sqlite`)
  const plain = await timeStart(() => startServer(plainApp, [file], {}))
  const service = await timeStart(() => startServer(script, ['serve'], environment))
  try {
    const key = readFileSync(join(data, 'sandbox-admin-key.pem'), 'utf8')
    const customers = [
      await openCustomer(plain, key, `${Date.now()}`),
      await openCustomer(service, key, `${Date.now()}`),
    ] as const
    const takeTurns = async (): Promise<void> => {
      for (let done = 0; done < lifecycles; done += inARow)
        for (const customer of customers) await customer.go(inARow)
    }
    await takeTurns()
    for (const customer of customers) customer.begin()
    await takeTurns()
    const [ofPlain, ofService] = customers
    const costs = {
      plain: { ...ofPlain.cost(), firstAnswer: plain.firstAnswer },
      service: { ...ofService.cost(), firstAnswer: service.firstAnswer },
    }
    for (const customer of customers) customer.close()
    return costs
  } finally {
    await plain.stop()
    await service.stop()
  }
}

const median = (values: readonly number[]): number =>
  [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN

const names = { wall: 'time', processor: 'processor time', firstAnswer: 'start to first answer' }

/** Medians of both apps, and the median ratio of the rounds, for each cost. */
export const rowsOf = (rounds: readonly OneAtATime[]): string[][] =>
  (['wall', 'processor', 'firstAnswer'] as const).map((cost) => [
    names[cost],
    `${median(rounds.map(({ service }) => service[cost])).toFixed(2)} ms`,
    `${median(rounds.map(({ plain }) => plain[cost])).toFixed(2)} ms`,
    median(rounds.map(({ service, plain }) => service[cost] / plain[cost])).toFixed(2),
  ])

/** `npm run bench:one-at-a-time [main.js of another build …]` compares builds alternately. */
const main = async (scripts: readonly string[]): Promise<void> => {
  const builds = scripts.length > 0 ? scripts.map((script) => resolve(script)) : [serviceOfHere]
  const measured = builds.map((script) => ({
    script,
    directory: mkdtempSync(join(tmpdir(), 'daybook-bench-')),
    rounds: [] as OneAtATime[],
  }))
  try {
    // The first round only creates the logs.
    for (let round = 0; round <= 5; round++)
      for (const { script, directory, rounds } of measured) {
        const figures = await measureOneAtATime(directory, 400, script)
        if (round > 0) rounds.push(figures)
      }
    for (const { script, rounds } of measured)
      for (const cells of [[script, 'service', 'plain app', 'ratio'], ...rowsOf(rounds)])
        process.stdout.write(`${cells.join(' | ')}\n`)
  } finally {
    for (const { directory } of measured) rmSync(directory, { recursive: true, force: true })
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await main(process.argv.slice(2))
