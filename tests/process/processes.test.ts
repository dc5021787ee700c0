import { once } from 'node:events'
import { readFileSync, rmSync } from 'node:fs'
import { Agent } from 'node:http'
import { createInterface } from 'node:readline'
import { expect, onTestFinished, test } from 'vitest'
import { paymentInput } from '../../harness/register-merchant.ts'
import { newFolder } from '../../harness/in-process.ts'
import { startCommand } from '../../harness/service-process.ts'
import { secretHeaders } from '../../harness/signing.ts'
import { send } from '../support/http-service.ts'
import type { Metric } from '../../service/metrics/catalogue.ts'
import { countersIn, joinMetrics } from '../../service/metrics/join-metrics.ts'
import { pauseBefore } from '../../service/processes/supervisor.ts'

const childrenOf = (pid: number): string[] =>
  readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').filter(Boolean)

const startProcesses = async (count: number, PORT = '0') => {
  const DATA_DIR = newFolder()
  onTestFinished(() => rmSync(DATA_DIR, { recursive: true, force: true }))
  const words = ['serve', '--processes', String(count)]
  const child = startCommand(words, { DATA_DIR, PORT, LOG_LEVEL: 'warn' }, 'pipe')
  onTestFinished(() => void child.kill('SIGKILL'))
  const printed: string[] = []
  let errors = ''
  child.stderr?.setEncoding('utf8').on('data', (text) => (errors += text))
  const lines = createInterface({ input: child.stdout! })
  const ended = once(child, 'exit')
  const address = await new Promise<string | undefined>((resolve) => {
    lines.on('line', (line) => {
      printed.push(line)
      const found = /^listening on (.*)$/.exec(line)?.[1]
      if (found !== undefined) resolve(found)
    })
    void ended.then(() => resolve(undefined))
  })
  return { child, ended, printed, address: address ?? '', errors: () => errors }
}

const metricsOf = async (address: string): Promise<string> =>
  (await fetch(`${address}/metrics`)).text()

const metric = (text: string, name: string): number =>
  Number(new RegExp(`^${name} (.*)$`, 'm').exec(text)?.[1])

/** Each request has a separate connection, and the processes take them in rotation. */
const asker = (address: string) => {
  const agent = new Agent({ keepAlive: false })
  const headers = secretHeaders('sandbox', 'pos1', 'sandbox-secret')
  return (method: string, path: string, body?: object) =>
    send(agent, address, method, path, { headers, ...(body && { body }) })
}

test('two processes tell in one line where they listen, and know of each other', async () => {
  const { child, ended, printed, address } = await startProcesses(2)
  expect(printed.filter((line) => line.startsWith('listening on'))).toHaveLength(1)
  expect(childrenOf(child.pid!)).toHaveLength(2)
  const ask = asker(address)
  for (let n = 0; n < 6; n += 1) {
    const { body } = await ask('POST', '/merchant/v1/payment_request/', paymentInput())
    const accepted = await ask('POST', `/sandbox/v1/payment_request/${body.id}/accept/`)
    expect(accepted.status).toBe(204)
    const outcome = await ask('GET', `/merchant/v1/payment_request/${body.id}/outcome/`)
    expect([outcome.status, outcome.body.status_code]).toEqual([200, 3008])
  }
  const metrics = await metricsOf(address)
  expect(metric(metrics, 'daybook_processes')).toBe(2)
  expect(metric(metrics, 'daybook_payment_requests_total')).toBe(6)
  child.kill('SIGTERM')
  expect((await ended)[0]).toBe(0)
  await expect(fetch(`${address}/health/live`)).rejects.toThrow()
})

test(
  'given a process that is killed, then the other goes on, and another is started',
  { tags: 'night' },
  async () => {
    const { child, address } = await startProcesses(2)
    const [killed = ''] = childrenOf(child.pid!)
    process.kill(Number(killed), 'SIGKILL')
    while (childrenOf(child.pid!).includes(killed));
    expect((await fetch(`${address}/health/live`)).status).toBe(200)
    while (metric(await metricsOf(address), 'daybook_processes') < 2);
    expect(childrenOf(child.pid!)).not.toContain(killed)
  },
)

test(
  'given a port that is taken, then the processes do not start, and it says why',
  { tags: 'night' },
  async () => {
    const { address } = await startProcesses(2)
    const { ended, errors } = await startProcesses(2, new URL(address).port)
    expect((await ended)[0]).toBe(1)
    expect(errors()).toContain('already in use by another process')
  },
)

test('a process that fails again and again is started later and later', () => {
  expect([0, 1, 2, 5, 6, 99].map(pauseBefore)).toEqual([500, 1000, 2000, 16_000, 30_000, 30_000])
})

const told = (requests: number, connections: number, up: number): Metric[] =>
  [
    { name: 'r', type: 'counter', values: [{ labels: { path: '/' }, value: requests }] },
    {
      name: 'daybook_pusher_connections',
      type: 'gauge',
      values: [{ labels: {}, value: connections }],
    },
    { name: 'daybook_store_up', type: 'gauge', values: [{ labels: {}, value: up }] },
    { name: 'behind', type: 'gauge', values: [{ labels: {}, value: requests }] },
  ].map((one) => ({ ...one, help: one.name }))

test('what each process counts is added up, also once it has ended', async () => {
  const running = [told(3, 10, 1), told(4, 20, 0)]
  const joined = await joinMetrics([...running, countersIn(told(100, 7, 0))]).metrics()
  expect(joined.split('\n').filter((line) => /^[^#]/.test(line))).toEqual([
    'r{path="/"} 107',
    'daybook_pusher_connections 30',
    'daybook_store_up 0',
    'behind 4',
  ])
})
