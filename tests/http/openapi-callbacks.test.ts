// @module-tag long
import { rmSync } from 'node:fs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startReceiver, type Receiver } from '../../demo/receiver.ts'
import {
  callbackEventNames,
  displayCallbackName,
  scanCallbackName,
} from '../../domain/callback-names.ts'
import { makeCertificates } from '../process/certificates.ts'
import {
  accept,
  runCommand,
  advance,
  authorize,
  capture,
  pathOf,
  requestPayment,
  startShop,
  type TestShop,
} from '../support/shop-process.ts'
import { newFolder } from '../../harness/in-process.ts'
import { checkOf, openApiDocument, type OpenApiDocument } from './openapi-document.ts'

const folder = newFolder()

const certificates = makeCertificates(folder)

let shop: TestShop

let document: OpenApiDocument

const receivers: Receiver[] = []

beforeAll(async () => {
  shop = await startShop({ DATA_DIR: folder, NODE_EXTRA_CA_CERTS: certificates.authority })
  document = openApiDocument.parse((await shop.world('GET', '/openapi.json')).body)
})

afterAll(async () => {
  for (const receiver of receivers) await receiver.close()
  await shop.service.stop()
  rmSync(folder, { recursive: true })
})

const receive = async (tls?: object): Promise<Receiver> => {
  const receiver = await startReceiver({ keys: shop.keys, ...(tls && { tls }) })
  receivers.push(receiver)
  return receiver
}

const put = (tid: string, action: string) => shop.till('PUT', pathOf(tid), { action })

let asked = 0

const askPermission = async (callback_uri: string): Promise<string> => {
  const input = { pos_id: 'till-1', pos_tid: `asked-${asked++}`, scope: 'openid profile' }
  const all = { ...input, customer: '+4799999901', callback_uri }
  return (await shop.till('POST', '/merchant/v1/permission_request/', all)).body.id
}

/** Triggers every event with a callback, to one address. */
const letAllHappen = async (callback_uri: string): Promise<void> => {
  const { till, world } = shop
  const sandbox = (path: string, body: object = {}) => world('POST', `/sandbox/v1/${path}`, body)
  const captured = await authorize(shop, { callback_uri, display_message_uri: callback_uri })
  await capture(till, captured, 'a')
  await shop.owner('PUT', pathOf(captured), { action: 'refund' })
  await put(captured, 'reauth')
  await capture(till, captured, 'b')
  const terms = ['--reason', 'not delivered', '--due', '2099-01-01']
  await runCommand({ DATA_DIR: folder }, 'dispute', 'open', captured, ...terms)
  await runCommand({ DATA_DIR: folder }, 'dispute', 'lost', `${captured}-1`)
  await put(captured, 'release')
  const declined = await requestPayment(till, { callback_uri })
  await sandbox(`payment_request/${declined}/decline/`)
  await put(await requestPayment(till, { callback_uri }), 'abort')
  await authorize(shop, { callback_uri })
  await sandbox(`permission_request/${await askPermission(callback_uri)}/accept/`)
  const { body: code } = await till('POST', '/merchant/v1/shortlink/', { callback_uri })
  await sandbox(`shortlink/${code.id}/scan/`, { argstring: 'table-7' })
  await sandbox('callback/', { callback_uri })
  const words = ['merchant', 'change', 'sandbox', '--callback-uri', callback_uri]
  await runCommand({ DATA_DIR: folder }, ...words)
  await sandbox('settlement/', { merchant: 'sandbox' })
  await requestPayment(till, { callback_uri })
  await askPermission(callback_uri)
  await advance(world, 259_200)
  await till('PUT', '/merchant/v1/ledger/default/report/1/', { callback_uri })
  await advance(world, 0)
}

const everyEvent = [
  ...new Set([
    ...Object.values(callbackEventNames),
    scanCallbackName,
    displayCallbackName,
    'test_event',
  ]),
].sort()

const inFeedOnly = ['callback_address_rested', 'portal']

test('the document describes each event that the service knows', () => {
  expect(Object.keys(document.webhooks).sort()).toEqual(everyEvent)
})

test(
  'over https each message is as documented, with its object, whatever happens',
  { tags: 'long' },
  async () => {
    const receiver = await receive(certificates.trusted)
    await letAllHappen(receiver.url('/'))
    const events = () => new Set(receiver.arrivals.map(({ meta }) => meta.event))
    const sent = everyEvent.filter((name) => !inFeedOnly.includes(name))
    await receiver.until(() => events().size === sent.length)
    expect(receiver.arrivals.flatMap(({ problems }) => problems)).toEqual([])
    for (const { meta, object } of receiver.messages()) {
      const { content } = document.webhooks[meta.event]!.post.requestBody
      const type = 'application/vnd.service.api.merchant.v1+json'
      const checked = checkOf(document, content[type]!.schema).safeParse({ meta, object })
      expect([meta.event, checked.error?.issues ?? []]).toEqual([meta.event, []])
      expect([meta.event, object]).toEqual([meta.event, expect.any(Object)])
    }
  },
)

test('over http the message of a payment is as documented, without its object', async () => {
  const receiver = await receive()
  await accept(shop.world, await requestPayment(shop.till, { callback_uri: receiver.url('/') }))
  await receiver.until(({ length }) => length > 0)
  const { content } = document.webhooks['payment_authorized']!.post.requestBody
  for (const { schema } of Object.values(content))
    for (const { body, object } of receiver.messages()) {
      expect(checkOf(document, schema).safeParse(JSON.parse(body)).error?.issues).toBeUndefined()
      expect(object).toBeUndefined()
    }
})
