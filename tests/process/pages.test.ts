import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
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
  const heard = (text: string): Promise<void> =>
    new Promise((resolve) => {
      const look = (): void => {
        if (lines.some((line) => line.includes(text))) resolve()
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
await runCommand(['staff', 'add', 'sandbox', '4799999901', '--role', 'owner'], {
  DATA_DIR: folder,
})
const alice = makeVisitor(server)
await alice.signIn('alice')

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
  lines.filter((line) => line.includes('"/portal/:merchant/"')).length
const counted = async (): Promise<number> => {
  const text = await (await fetch(`${server.address}/metrics`)).text()
  const found =
    /request_seconds_count\{method="GET",path="\/portal\/:merchant\/",status="200"\} (\d+)/
  return Number(found.exec(text)?.[1] ?? 0)
}

describe('given a service whose pages have a thread,', () => {
  test('then the first page comes at once, and later ones from there, counted once', async () => {
    expect(await alice.visit(overview)).toMatchObject({ status: 200 })
    expect(answeredHere()).toBe(1)
    await heard('pages are answered by a thread of their own')
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

  test('then an open page is told of a change, and ends with the service', async () => {
    const follows = async () => {
      const { html } = await alice.visit(overview)
      const path = /data-follow="([^"]+)"/.exec(html)?.[1]?.replaceAll('&amp;', '&') ?? ''
      const cookie = [...alice.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
      return fetch(server.address + path, { headers: { Cookie: cookie } })
    }
    const told = await follows()
    const text = told.text()
    await capture(await take('7.00'), '7.00')
    expect(await text).toContain('changed')
    const left = (await follows()).text()
    await server.stop()
    expect(await left).toContain('retry:')
  })
})

describe('given a thread that cannot begin,', () => {
  test('then pages are answered here, and the log says why', async () => {
    const empty = mkdtempSync(join(tmpdir(), 'daybook-pages-'))
    onTestFinished(() => rmSync(empty, { recursive: true }))
    const { log, lines, heard } = heardLog()
    const settings = readSettings({ DATA_DIR: join(empty, 'none'), VAULT: '/dev/null/vault' })
    const readModels = { position: () => 0, onMoved: () => () => {}, hurry: () => {} }
    const needs = { settings, readModels, address: () => 'http://daybook.test', measure: () => {} }
    const pages = pagesInThread(needs, log)
    const fetchPage = pages.over(() => new Response('here'))
    const asked = async () => {
      const incoming = {
        method: 'GET',
        url: overview,
        headers: {},
        socket: {},
        httpVersionMajor: 1,
      }
      const bindings = { incoming, outgoing: {} } as unknown as Parameters<typeof fetchPage>[1]
      const request = new Request(`http://daybook.test${overview}`)
      return ((await fetchPage(request, bindings)) as Response).text()
    }
    expect(await asked()).toBe('here')
    await heard('the thread that shows pages has ended')
    expect(await asked()).toBe('here')
    expect(lines.filter((line) => line.includes('has ended'))).toHaveLength(1)
    await pages.stop()
  })
})
