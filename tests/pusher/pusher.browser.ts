import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { createRequire } from 'node:module'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { authorizedPayment, startService, type Service } from '../support/http-service.ts'
import { pusherOptions } from '../../harness/pusher-client.ts'
import { startBrowser, type PageBrowser } from '../people/page-browser.ts'

/** The published build for browsers. */
const library = readFileSync(
  createRequire(import.meta.url).resolve('pusher-js/dist/web/pusher.js'),
  'utf8',
)

const page = (options: object, channel: string): string => `<!doctype html>
<title>Till</title>
<ol id="heard"></ol>
<script src="/pusher.js"></script>
<script>
  const channel = new Pusher('daybook', ${JSON.stringify(options)}).subscribe('${channel}')
  const tell = (text) => {
    const line = document.createElement('li')
    line.textContent = text
    document.getElementById('heard').append(line)
  }
  channel.bind('pusher:subscription_succeeded', () => tell('listening'))
  channel.bind('pusher:subscription_error', ({ status }) => tell('refused with ' + status))
  channel.bind('payment_authorized', ({ meta, object }) =>
    tell(meta.event + ' ' + object.amount + ' ' + object.currency + ' ' + object.status))
</script>`

/** A shop's own server: its page, and the merchant's authorisation of subscribers. */
const startShop = async (service: Service, channel: string) => {
  const server = createServer(async (request, response) => {
    switch (request.url) {
      case '/pusher.js':
        return void response.writeHead(200, { 'Content-Type': 'text/javascript' }).end(library)
      case '/pusher/auth': {
        const chunks: Buffer[] = []
        for await (const chunk of request) chunks.push(chunk as Buffer)
        const fields = Object.fromEntries(new URLSearchParams(Buffer.concat(chunks).toString()))
        const { status, text } = await service.pos1('POST', '/merchant/v1/pusher_auth/', fields)
        return void response.writeHead(status, { 'Content-Type': 'application/json' }).end(text)
      }
      default: {
        const { channelAuthorization: _, ...options } = pusherOptions(service.address)
        const own = { channelAuthorization: { transport: 'ajax', endpoint: '/pusher/auth' } }
        response.writeHead(200, { 'Content-Type': 'text/html' })
        response.end(page({ ...options, ...own }, channel))
      }
    }
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
  return { url, close: () => server.close() }
}

let chromium: PageBrowser
let service: Service
beforeAll(async () => {
  ;[chromium, service] = await Promise.all([startBrowser(), startService()])
})
afterAll(async () => {
  await chromium.close()
  await service.stop()
})

test('given a page of a shop, when the payer accepts, then it shows the payment', async () => {
  const shop = await startShop(service, 'private-m-sandbox-page')
  const context = await chromium.browser.newContext()
  const tab = await context.newPage()
  await tab.goto(shop.url)
  await tab.getByText('listening', { exact: true }).waitFor()
  await authorizedPayment(service, {
    callback_uri: 'pusher:private-m-sandbox-page',
    amount: '125.00',
  })
  await tab.getByText('payment_authorized').waitFor()
  expect(await tab.locator('#heard li').allTextContents()).toEqual([
    'listening',
    'payment_authorized 125.00 NOK auth',
  ])
  await context.close()
  shop.close()
})
