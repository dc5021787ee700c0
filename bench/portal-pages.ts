// How long each portal page takes on the server, with 1,000,000 payments of one merchant and 10,000
// merchants: `npm run bench:portal -- [rounds] [folder of the log] [payments]`.
import { writeFileSync } from 'node:fs'
import { cpus, loadavg } from 'node:os'
import { formIn } from '../tests/people/visitor.ts'
import { quantile } from './paced.ts'
import { portalAsks, type PageAsk } from './portal-asks.ts'
import { portalLog, usualFolder, usualSize } from './portal-log.ts'
import { startPortal } from './portal-service.ts'
import { threadTimes, usedSince } from './threads.ts'

const [roundsAsked = '', folder = usualFolder, paymentsAsked = ''] = process.argv.slice(2)
const rounds = Number(roundsAsked) || 30
const payments = Number(paymentsAsked) || usualSize.payments
const size = { payments, merchants: Math.min(usualSize.merchants, payments / 10) }
const limitMs = 100
/** Selects some of the pages. */
const only = new RegExp(process.env['ONLY'] ?? '')

const say = (text: string): void => void process.stderr.write(`${text}\n`)

type Figures = {
  readonly ask: PageAsk
  readonly status: number
  readonly bytes: number
  readonly used: number[]
  readonly took: number[]
}

/** A streamed response is measured until its first chunk. */
const isFirstPartEnough = (path: string): boolean => /events\?after|\.csv/.test(path)

const bytesOf = async (response: Response, path: string): Promise<number> => {
  if (!isFirstPartEnough(path)) return (await response.arrayBuffer()).byteLength
  const reader = response.body?.getReader()
  const first = await reader?.read()
  await reader?.cancel()
  return first?.value?.byteLength ?? 0
}

/** Requests one page at a time, so that the server's use of resources belongs to that page. */
const askerOf =
  (address: string, pid: number, headers: Readonly<Record<string, string>>, csrf: string) =>
  async ({ path, form }: PageAsk) => {
    const body = form && new URLSearchParams({ ...form, csrf })
    const init = { headers, redirect: 'manual', ...(body && { method: 'POST', body }) } as const
    const before = threadTimes(pid)
    const began = performance.now()
    const response = await fetch(address + path, init)
    const bytes = await bytesOf(response, path)
    const took = performance.now() - began
    return { status: response.status, bytes, took, used: usedSince(pid, before) }
  }

/** Pages without an address in the bench; add new ones. */
const forgotten = async (address: string, asks: readonly PageAsk[]): Promise<string[]> => {
  const { paths } = (await (await fetch(`${address}/openapi.json`)).json()) as { paths: object }
  const asked = asks.map(({ path }) => path.replace(/\?.*/, ''))
  return Object.entries(paths)
    .filter(([path, item]) => /^\/(portal|operator)\//.test(path) && 'get' in (item as object))
    .map(([path]) => path)
    .filter((path) => {
      const pattern = new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`)
      return !asked.some((one) => pattern.test(one))
    })
}

const ms = (value: number): string => value.toFixed(1)
const whole = (value: number): string => value.toLocaleString('en')

const rowOf = ({ ask, status, bytes, used, took }: Figures): string => {
  const [cpu, wall] = [used.toSorted((a, b) => a - b), took.toSorted((a, b) => a - b)]
  const isOver = quantile(cpu, 0.5) > limitMs || quantile(wall, 0.5) > limitMs
  const cells = [
    `${ask.form ? 'POST ' : ''}\`${ask.path.slice(0, 90)}\``,
    ...[status, Math.ceil(bytes / 1024)],
    ...[quantile(cpu, 0.5), quantile(cpu, 0.99)].map(ms),
    ...[quantile(wall, 0.5), quantile(wall, 0.99), wall.at(-1) ?? 0].map(ms),
    isOver ? '**over**' : '',
  ]
  return `| ${cells.join(' | ')} |`
}

const report = (figures: readonly Figures[], missing: readonly string[]): string => {
  const medians = figures.map(({ used }) =>
    quantile(
      used.toSorted((a, b) => a - b),
      0.5,
    ),
  )
  const heads = ['page', 'status', 'KiB', 'processor p50', 'p99', 'wall p50', 'p99', 'longest', '']
  return `# Bench of the portal's pages

${whole(size.payments)} payments of one merchant, ${whole(size.merchants)} merchants.
Each page ${rounds} times, in turns, one at a time.
Milliseconds; processor is what all threads of the service used meanwhile.
${cpus().length} cores, load of the
machine ${loadavg()[0]?.toFixed(1)}. Repeat it with \`npm run bench:portal\`.

${figures.length} addresses; most processor of a median ${ms(Math.max(...medians))} ms,
over ${limitMs} ms: ${medians.filter((one) => one > limitMs).length}.
${missing.length === 0 ? 'Every page of the service is asked.' : `Not asked: ${missing.join(', ')}`}

| ${heads.join(' | ')} |
| ${heads.map(() => '---').join(' | ')} |
${figures.map(rowOf).join('\n')}
`
}

const log = await portalLog(folder, size, say)
const { service, address, visitor, headers } = await startPortal(log)
try {
  const home = await visitor.visit('/portal/')
  const csrf = new Map(formIn(home.html, 'csrf').fields).get('csrf') ?? ''
  const ask = askerOf(address, service.pid, headers, csrf)
  const asks = portalAsks(log, Date.now()).filter(({ path }) => only.test(path))
  const figures: Figures[] = []
  for (const one of asks) {
    const { status, bytes } = await ask(one)
    if (status >= 500 || status === 429) say(`${status} ${one.path}`)
    figures.push({ ask: one, status, bytes, used: [], took: [] })
  }
  for (let round = 0; round < rounds; round += 1)
    for (const one of figures) {
      const { used, took } = await ask(one.ask)
      one.used.push(used)
      one.took.push(took)
    }
  const text = report(figures, await forgotten(address, asks))
  process.stdout.write(text)
  if (payments === 1_000_000 && !process.env['ONLY'])
    writeFileSync(new URL('portal-results.md', import.meta.url), text)
} finally {
  await service.stop()
}
