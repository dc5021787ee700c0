import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Worker } from 'node:worker_threads'
import { pino } from 'pino'
import { afterAll, describe, expect, onTestFinished, test } from 'vitest'
import { secretHeaders } from '../../harness/signing.ts'
import { runCommand } from '../../harness/service-process.ts'
import { newFolder } from '../../harness/running-service.ts'
import { pagesInThread } from '../../infrastructure/pages/pages-client.ts'
import type { Log } from '../../infrastructure/log.ts'
import { readSettings } from '../../infrastructure/settings.ts'
import { startServer } from '../../infrastructure/start-server.ts'
import { paymentInput } from '../../harness/payment-input.ts'
import { makeVisitor } from '../people/visitor.ts'
import { confirmAt } from '../portal/payment-desk.ts'

/** A log whose lines can be waited for. */
const heardLog = () => {
  const lines: string[] = []
  const waiting = new Set<() => void>()
  const write = (line: string): void => {
    lines.push(line)
    for (const look of waiting) look()
  }
  const log = pino({ level: 'debug', errorKey: 'error' }, { write }) as Log
  const heard = (text: string, times = 1): Promise<void> =>
    new Promise((resolve) => {
      const look = (): void => {
        if (lines.filter((line) => line.includes(text)).length >= times) resolve()
      }
      waiting.add(look)
      look()
    })
  return { log, lines, heard }
}

const overview = '/portal/sandbox/'
const folder = newFolder()
afterAll(() => rmSync(folder, { recursive: true }))

const { log, lines, heard } = heardLog()
const settings = readSettings({ DATA_DIR: folder, PORT: '0' })
const server = await startServer(settings, log, 'worker')
afterAll(server.stop)
/** Those that begin once the service has begun. */
const threads: Worker[] = []
process.on('worker', (thread) => threads.push(thread))
await runCommand(['staff', 'add', 'sandbox', '4799999901', '--role', 'owner'], {
  DATA_DIR: folder,
})
await runCommand(['operator', 'add', '4799999902', '--role', 'admin'], { DATA_DIR: folder })
const alice = makeVisitor(server)
await alice.signIn('alice')
const bob = makeVisitor(server)
await bob.signIn('bob')
const isReady = 'pages are answered by a thread of their own'

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

  test('then the operator is told how the thread is that answers payments', async () => {
    for (const path of ['/operator/', '/operator/health']) {
      const { html } = await bob.visit(path)
      expect(html).toContain('>Ready<')
      expect(html).not.toContain('Not ready')
    }
  })

  test('then no page is tried beside payments when the thread has ended', async () => {
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

  test('then an open page is told of a change, and ends with the service', async () => {
    const told = await follows()
    const text = told.text()
    await capture(await take('7.00'), '7.00')
    expect(await text).toContain('changed')
    const left = (await follows()).text()
    await server.stop()
    expect(await left).toContain('retry:')
  })
})

/** The thread alone, without a service around it. */
const threadAlone = (given: Parameters<typeof readSettings>[0]) => {
  const { log, lines, heard } = heardLog()
  const readModels = { position: () => 0, onMoved: () => () => {}, hurry: () => {} }
  const address = () => 'http://daybook.test'
  const vitals = () => Promise.reject(new Error('there is no service'))
  const needs = { settings: readSettings(given), readModels, address, measure: () => {}, vitals }
  const { over, stop } = pagesInThread(needs, log)
  const fetchPage = over((_, { failure }) => new Response(failure?.message ?? 'here'))
  const asked = async (target = overview): Promise<Response> => {
    const read = { method: 'GET', url: target, headers: {}, socket: {}, httpVersionMajor: 1 }
    const bindings = { incoming: read, outgoing: {} } as unknown as Parameters<typeof fetchPage>[1]
    const request = new Request(`http://daybook.test${target}`)
    return (await fetchPage(request, bindings)) as Response
  }
  return { lines, heard, asked, stop }
}
const emptyFolder = (): string => {
  const empty = mkdtempSync(join(tmpdir(), 'daybook-pages-'))
  onTestFinished(() => rmSync(empty, { recursive: true }))
  return empty
}

describe('given a thread that cannot begin,', () => {
  test('then pages are answered here, and the log says why', async () => {
    const given = { DATA_DIR: join(emptyFolder(), 'none'), VAULT: '/dev/null/vault' }
    const { lines, heard, asked, stop } = threadAlone(given)
    expect(await (await asked()).text()).toBe('here')
    await heard('the thread that shows pages has ended')
    expect(await (await asked()).text()).toBe('here')
    expect(lines.filter((line) => line.includes('has ended'))).toHaveLength(1)
    await stop()
  })
})

describe('given a thread that begins,', () => {
  test('when it ends, then what it was reading is not read here', async () => {
    const { heard, asked, stop } = threadAlone({ DATA_DIR: emptyFolder() })
    expect(await (await asked()).text()).toBe('here')
    await heard(isReady)
    const answer = asked()
    await threads.at(-1)?.terminate()
    expect(await (await answer).text()).toBe('the thread that shows pages has ended')
    await stop()
  })
})
