import { rmSync } from 'node:fs'
import type { Worker } from 'node:worker_threads'
import { afterAll, describe, expect, test } from 'vitest'
import { heardLog } from '../support/event-log.ts'
import { secretHeaders } from '../../harness/signing.ts'
import { runCommand } from '../../harness/service-process.ts'
import { newFolder } from '../../harness/in-process.ts'
import { readSettings } from '../../infrastructure/settings.ts'
import { startServer } from '../../service/server/start-server.ts'
import { paymentInput } from '../../harness/register-merchant.ts'
import { makeVisitor } from '../people/visitor.ts'
import { confirmAt } from '../portal/payment-desk.ts'

const overview = '/portal/sandbox/'

const folder = newFolder()

afterAll(() => rmSync(folder, { recursive: true }))

const { log, lines, heard } = heardLog()

const settings = readSettings({ DATA_DIR: folder, PORT: '0' })

const server = await startServer(settings, log, 'worker')

afterAll(server.stop)

/** Threads that start after the service. */
const threads: Worker[] = []

process.on('worker', (thread) => threads.push(thread))

await runCommand(['staff', 'add', 'sandbox', '+4799999901', '--role', 'owner'], {
  DATA_DIR: folder,
})

await runCommand(['operator', 'add', '+4799999902', '--role', 'admin'], { DATA_DIR: folder })

const alice = makeVisitor(server)

await alice.signIn('alice')

const bob = makeVisitor(server)

await bob.signIn('bob')

const isReady = 'pages are answered in a worker thread'

const call = async (method: string, path: string, body?: object) => {
  const type = body && { 'Content-Type': 'application/json' }
  const headers = { ...secretHeaders('sandbox', 'pos1', 'sandbox-secret'), ...type }
  const answer = await fetch(server.address + path, {
    ...{ method, headers },
    ...(body && { body: JSON.stringify(body) }),
  })
  const text = await answer.text()
  return text === '' ? {} : JSON.parse(text)
}

const take = async (amount: string): Promise<string> => {
  const { customer: _, ...input } = paymentInput({ amount })
  const { id } = await call('POST', '/merchant/v1/payment_request/', {
    ...input,
    success_return_uri: 'https://shop.example/',
    failure_return_uri: 'https://shop.example/',
  })
  await call('POST', `/sandbox/v1/payment_request/${id}/accept/`, { payer: 'alice' })
  return id
}

const capture = (tid: string, amount: string) =>
  call('PUT', `/merchant/v1/payment_request/${tid}/`, {
    ...{ action: 'capture', currency: 'NOK', amount, capture_id: amount },
  })

const answeredHere = (): number =>
  lines.filter((line) => line.includes('"/portal/:merchant/","status":200')).length

const counted = async (): Promise<number> => {
  const text = await (await fetch(`${server.address}/metrics`)).text()
  const found =
    /request_seconds_count\{method="GET",path="\/portal\/:merchant\/",status="200"\} (\d+)/
  return Number(found.exec(text)?.[1] ?? 0)
}

/** The live part of a page. */
const follows = async () => {
  const { html } = await alice.visit(overview)
  const path = /data-follow="([^"]+)"/.exec(html)?.[1]?.replaceAll('&amp;', '&') ?? ''
  const cookie = [...alice.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
  return fetch(server.address + path, { headers: { Cookie: cookie } })
}

describe('given a service whose pages have a thread,', () => {
  test('then the first page comes at once, and later ones from there, counted once', async () => {
    expect(await alice.visit(overview)).toMatchObject({ status: 200 })
    expect(answeredHere()).toBe(1)
    await heard(isReady)
    const page = await alice.visit(overview)
    expect(page).toMatchObject({ status: 200 })
    expect(page.html).toContain('Turnover')
    expect(page.headers.get('x-request-id')).not.toBe(null)
    expect(answeredHere()).toBe(1)
    expect(await counted()).toBe(2)
  })

  test('then a page shows what was captured a moment ago', async () => {
    for (const amount of ['120.00', '35.00', '1.00']) {
      await capture(await take(amount), amount)
      const { html } = await alice.visit(`${overview}payments?sort=newest`)
      expect(html).toContain(amount)
    }
  })

  test('then what a form has done here is seen there', async () => {
    const tid = await take('80.00')
    const payment = `${overview}payments/${tid}`
    const { location } = await confirmAt(alice, await alice.visit(`${payment}/release`))
    expect(location).toContain('?done=release')
    const { html } = await alice.visit(location ?? '')
    expect(html).toContain('released')
    expect(answeredHere()).toBe(1)
  })

  test('then a missing page, another method and a page for strangers are as ever', async () => {
    expect(await alice.visit('/portal/nobody/')).toMatchObject({ status: 404 })
    expect(await alice.visit(overview, { method: 'PUT' })).toMatchObject({ status: 405 })
    const head = await fetch(server.address + overview, { method: 'HEAD', redirect: 'manual' })
    expect(head).toMatchObject({ status: 303 })
    const stranger = await makeVisitor(server).visit(overview)
    expect(stranger).toMatchObject({ status: 303 })
    expect(stranger.location).toContain('/payer/sign-in')
  })

  test('then the operator’s pages show the state of the thread that answers payments', async () => {
    for (const path of ['/operator/', '/operator/health']) {
      const { html } = await bob.visit(path)
      expect(html).toContain('>Ready<')
      expect(html).not.toContain('Not ready')
    }
  })

  test('then no page is retried in the main thread when the worker has ended', async () => {
    const [thread] = threads
    const open = (await follows()).text()
    await thread?.terminate()
    await expect(open).rejects.toThrow('terminated')
    const away = await alice.visit(overview)
    expect(away).toMatchObject({ status: 503 })
    expect(away.headers.get('retry-after')).not.toBe(null)
    expect(away.html).toContain('<h1')
    await heard(isReady, 2)
    expect(await alice.visit(overview)).toMatchObject({ status: 200 })
    expect(answeredHere()).toBe(1)
  })

  test('then an open page is notified of a change, and ends with the service', async () => {
    const told = await follows()
    const text = told.text()
    await capture(await take('7.00'), '7.00')
    expect(await text).toContain('changed')
    const left = (await follows()).text()
    await server.stop()
    expect(await left).toContain('retry:')
  })
})
