// @module-tag long
import { afterAll, beforeAll, expect, test } from 'vitest'
import { mostEvents } from '../../web/portal/payments/payment-page.tsx'
import { mostMessages } from '../../web/portal/payments/callbacks.tsx'
import { startPaymentDesk, type PaymentDesk } from './payment-desk.ts'

let desk: PaymentDesk

beforeAll(async () => {
  desk = await startPaymentDesk()
})
afterAll(() => desk.service.stop())

const amend = (tid: string, changes: object) =>
  desk.service.call('PUT', `/merchant/v1/payment_request/${tid}/`, changes)

/** The capture ids on a page, in order. */
const capturesIn = (html: string): number[] =>
  [...html.matchAll(/<code class="part">part-(\d+)</g)].map(([, part]) => Number(part))

test(
  'given many captures, its pages tell of all, the newest first, a part each',
  { tags: 'long' },
  async () => {
    const tid = await desk.accepted({ pos_tid: 'many', amount: '500.00' })
    const count = 2 * mostEvents
    for (let part = 1; part <= count; part += 1) {
      const capture = { action: 'capture', capture_id: `part-${part}` }
      const { status } = await amend(tid, { ...capture, amount: '1.00', currency: 'NOK' })
      expect(status).toBe(204)
    }
    const path = `/portal/sandbox/payments/${tid}`
    const first = await desk.alice.visit(path)
    expect(capturesIn(first.html)).toHaveLength(mostEvents)
    expect(first.html).not.toContain('Newest events')
    const seen = capturesIn(first.html)
    let { html } = first
    for (let pages = 1; pages < 3; pages += 1) {
      const older = /href="([^"]*\?before=\d+)"/.exec(html)?.[1] ?? ''
      html = (await desk.alice.visit(older)).html
      seen.push(...capturesIn(html))
      expect(html.match(/<tr>\s*<td>\s*Captured/g)?.length).toBe(
        capturesIn(html).length || undefined,
      )
    }
    expect(seen).toEqual(Array.from({ length: count }, (_, index) => count - index))
    expect(html).not.toContain('?before=')
    expect(html).toContain(`href="${path}">Newest events`)
    // A page about the past has nothing to follow.
    expect([/data-follow/.test(first.html), /data-follow/.test(html)]).toEqual([true, false])
    expect((await desk.alice.visit(`${path}?before=nonsense`)).status).toBe(200)
  },
)

test('given a Norwegian reader, changes and failed callbacks are shown in Norwegian', async () => {
  const tid = await desk.request({
    ...{ pos_tid: 'changed', callback_uri: 'http://127.0.0.1:9/callback' },
  })
  const { status } = await amend(tid, { callback_uri: 'http://127.0.0.1:9/other' })
  expect(status).toBe(204)
  await amend(tid, { action: 'abort' })
  const headers = { 'Accept-Language': 'nb' }
  const read = async () =>
    (await desk.alice.visit(`/portal/sandbox/payments/${tid}`, { headers })).html
  expect(await read()).toContain('Forespørselen ble endret: varslingsadressen.')
  await expect.poll(read, { timeout: 5_000 }).toContain('ingen lytter på denne adressen')
  expect(await read()).not.toContain('nobody listens')
})

test('a payment has the name of its till, and its id where another has that name', async () => {
  const tid = await desk.request({ pos_tid: 'at-the-till', customer: '4799999901' })
  const shop = '/portal/sandbox/'
  const pages = [`payments/${tid}`, 'payments?q=at-the-till', 'developers/sandbox']
  const namesIn = async () =>
    Promise.all(
      pages.map(async (path) => {
        const { html } = await desk.alice.visit(shop + path)
        return [
          path,
          new Set(html.replaceAll(/<option[^]*?<\/option>/g, '').match(/till.1[^<.]*/gi)),
        ]
      }),
    )
  expect(await namesIn()).toEqual(pages.map((path) => [path, new Set(['Till 1'])]))
  await desk.service.operator('pos', 'add', 'sandbox', 'till-9', '--name', 'Till 1')
  expect(await namesIn()).toEqual(pages.map((path) => [path, new Set(['Till 1 (till-1)'])]))
})

test('given an open page, somebody who left or changed role gets no more updates', async () => {
  const { service, bob, bobIs, accepted } = desk
  const signOut = async () => {
    const { html } = await bob.visit('/portal/')
    const csrf = /name="csrf" value="([^"]*)"/.exec(html)?.[1] ?? ''
    return bob.visit('/payer/sign-out', { method: 'POST', body: new URLSearchParams({ csrf }) })
  }
  const leave = {
    isRemoved: () => service.operator('staff', 'remove', 'sandbox', '4799999902'),
    isAccountant: () => bobIs('accountant'),
    hasSignedOut: signOut,
  }
  for (const [way, go] of Object.entries(leave)) {
    await bobIs('owner')
    const tid = await accepted()
    const { html } = await bob.visit(`/portal/sandbox/payments/${tid}`)
    const follow = /data-follow="([^"]+)"/.exec(html)?.[1] ?? ''
    const Cookie = [...bob.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const open = await fetch(service.address + follow, { headers: { Cookie } })
    expect([way, open.headers.get('content-type')]).toEqual([way, 'text/event-stream'])
    await go()
    await amend(tid, { action: 'capture' })
    expect([way, await open.text()]).toEqual([way, 'retry: 2000\n\n'])
  }
})

test('given more callbacks than a page shows, the older ones are led to', async () => {
  const tid = await desk.accepted({ pos_tid: 'told-often' })
  const captures = mostMessages + 1
  for (let part = 1; part <= captures; part += 1) {
    const capture = { action: 'capture', capture_id: `told-${part}` }
    await amend(tid, { ...capture, amount: '1.00', currency: 'NOK' })
  }
  const path = `/portal/sandbox/payments/${tid}`
  const toldIn = (html: string) =>
    [...html.matchAll(/<code[^>]*>(payment_\w+)<\/code>/g)].map(([, event]) => event)
  const first = (await desk.alice.visit(path)).html
  const older = /href="([^"]*\?told=\d+)"[^>]*>Older callbacks/.exec(first)?.[1] ?? ''
  const last = (await desk.alice.visit(older)).html
  expect([...toldIn(first), ...toldIn(last)]).toEqual([
    ...Array<string>(captures).fill('payment_captured'),
    'payment_authorized',
  ])
  expect(toldIn(first)).toHaveLength(mostMessages)
  expect(last).not.toContain('Older callbacks')
  expect(last).toContain(`href="${path}">Newest callbacks`)
})
