import { rmSync } from 'node:fs'
import { getPriority } from 'node:os'
import type { Worker } from 'node:worker_threads'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startReceiver, type Receiver } from '../../demo/receiver.ts'
import { fetchCallbackKeys } from '../../harness/callback-check.ts'
import { readLog, heardLog, nicenessOfThreads } from '../support/event-log.ts'
import { paymentInput } from '../../harness/register-merchant.ts'
import { newFolder } from '../../harness/in-process.ts'
import { secretHeaders } from '../../harness/signing.ts'
import { readSettings } from '../../infrastructure/settings.ts'
import { startServer } from '../../service/server/start-server.ts'

const folder = newFolder()

const { log, lines, heard } = heardLog()

const settings = readSettings({ DATA_DIR: folder, HOST: '127.0.0.1', PORT: '0' })

const server = await startServer(settings, log, 'worker')

/** Threads that start after the service. */
const threads: Worker[] = []

process.on('worker', (thread) => threads.push(thread))

let receiver: Receiver

const isReady = 'callbacks are delivered in a worker thread'

beforeAll(async () => {
  receiver = await startReceiver({ keys: await fetchCallbackKeys(server.address) })
})

afterAll(async () => {
  await server.stop()
  await receiver.close()
  rmSync(folder, { recursive: true })
})

const call = async (method: string, path: string, body: object) => {
  const answer = await fetch(server.address + path, {
    method,
    headers: {
      ...secretHeaders('sandbox', 'pos1', 'sandbox-secret'),
      'Content-Type': 'application/json',
    },
    body: JSON.stringify(body),
  })
  const text = await answer.text()
  return text === '' ? {} : JSON.parse(text)
}

/** A payment that is authorised and captured, with a callback for each. */
const take = async (callback_uri: string | null): Promise<string> => {
  const { customer: _, ...input } = paymentInput({ amount: '50.00' })
  const uris = {
    success_return_uri: 'https://shop.example/',
    failure_return_uri: 'https://shop.example/',
  }
  const { id } = await call('POST', '/merchant/v1/payment_request/', {
    ...{ ...input, ...uris },
    ...(callback_uri !== null && { callback_uri }),
  })
  await call('POST', `/sandbox/v1/payment_request/${id}/accept/`, { payer: 'alice' })
  await call('PUT', `/merchant/v1/payment_request/${id}/`, {
    ...{ action: 'capture', currency: 'NOK', amount: '50.00', capture_id: 'all' },
  })
  return id
}

const settle = () => call('POST', '/sandbox/v1/clock/', { advance_seconds: 0 })

const messagesAbout = (tid: string) =>
  receiver
    .messages()
    .filter(({ meta: { uri } }) => uri?.includes(tid))
    .map(({ meta: { event } }) => event)

const attempts = async (): Promise<number> => {
  const text = await (await fetch(`${server.address}/metrics`)).text()
  return Number(/callback_attempts_total\{result="delivered"\} (\d+)/.exec(text)?.[1] ?? 0)
}

const both = ['payment_authorized', 'payment_captured']

describe('given a service that delivers callbacks in a thread,', () => {
  test('then nothing is begun for those who want none', async () => {
    await take(null)
    await settle()
    expect(lines.filter((line) => line.includes(isReady))).toEqual([])
  })

  test('then the first message begins it, and all have come once that is waited for', async () => {
    const tid = await take(receiver.url('/till'))
    await settle()
    expect(messagesAbout(tid)).toEqual(both)
    await heard(isReady)
    expect(await attempts()).toBe(2)
    expect(receiver.arrivals.flatMap(({ problems }) => problems)).toEqual([])
  })

  test.runIf(process.platform === 'linux' && getPriority() < 10)(
    'then it yields to requests a little, so that receivers do not starve',
    () => {
      expect(nicenessOfThreads()).toContain(getPriority() + 5)
    },
  )

  test('then a GET right after counts what the thread has recorded', async () => {
    const tid = await take(receiver.url('/till'))
    await settle()
    const headers = secretHeaders('sandbox', 'pos1', 'sandbox-secret')
    const path = `/merchant/v1/callback/?resource=/merchant/v1/payment_request/${tid}/`
    const list = await (await fetch(server.address + path, { headers })).json()
    expect(list.callbacks.map(({ status }: { status: string }) => status)).toEqual([
      'delivered',
      'delivered',
    ])
  })

  test('when it ends, then another delivers what waits', async () => {
    const [thread] = threads
    await thread?.terminate()
    const tid = await take(receiver.url('/till'))
    await heard(isReady, 2)
    await settle()
    expect(messagesAbout(tid)).toEqual(both)
    expect(lines.filter((line) => line.includes('callback delivery resumes'))).toHaveLength(1)
  })

  test('when it stops, then what is under way is recorded before', async () => {
    const tid = await take(receiver.url('/till'))
    await receiver.until((all) => all.some(({ meta: { uri } }) => uri?.includes(tid)))
    await server.stop()
    const arrived = receiver.arrivals.filter(({ meta: { uri } }) => uri?.includes(tid))
    const recorded = (await readLog(folder)).flatMap((event) =>
      event.type === 'CallbackAttempted' && event.data.subject === `payment-${tid}`
        ? [event.stream]
        : [],
    )
    expect(recorded).toEqual(
      expect.arrayContaining(arrived.map(({ meta }) => `callback-${meta.id}`)),
    )
  })
})

test('an event destination begins the thread, before anything waits for it', async () => {
  const own = { folder: newFolder(), ...heardLog() }
  const given = { DATA_DIR: own.folder, HOST: '127.0.0.1', PORT: '0' }
  const other = await startServer(readSettings(given), own.log, 'worker')
  const path = `${other.address}/merchant/v1/event_destination/`
  const headers = {
    ...secretHeaders('sandbox', 'pos1', 'sandbox-secret'),
    'Content-Type': 'application/json',
  }
  const body = JSON.stringify({ uri: receiver.url('/events') })
  expect((await fetch(path, { method: 'POST', headers, body })).status).toBe(201)
  await own.heard(isReady)
  await other.stop()
  rmSync(own.folder, { recursive: true })
})
