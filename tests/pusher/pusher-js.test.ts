import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import {
  authorizedPayment,
  requestPayment,
  startService,
  wrongFields,
  type Caller,
  type Service,
} from '../support/http-service.ts'
import { connectPusher, eventOf, tillHeaders } from '../../harness/pusher-client.ts'
import { secretHeaders } from '../../harness/signing.ts'

let service: Service
let kiosk: Caller
const clients: ReturnType<typeof connectPusher>[] = []
beforeAll(async () => {
  service = await startService()
  kiosk = await service.addMerchant('kiosk')
})
afterEach(() => clients.splice(0).forEach((client) => client.disconnect()))
afterAll(() => service.stop())

const connect = (headers = tillHeaders) => {
  const client = connectPusher(service.address, headers)
  clients.push(client)
  return client
}

/** A subscribed channel of the stock client. */
const listenTo = async (name: string, headers = tillHeaders) => {
  const channel = connect(headers).subscribe(name)
  await eventOf(channel, 'pusher:subscription_succeeded')
  return channel
}

test('when the payer accepts, then a private channel hears the outcome', async () => {
  const channel = await listenTo('private-m-sandbox-till-1')
  const heard = eventOf(channel, 'payment_authorized')
  const path = await authorizedPayment(service, { callback_uri: 'pusher:private-m-sandbox-till-1' })
  const outcome = (await service.pos1('GET', `${path}outcome/`)).body
  const { meta, object } = await heard
  expect(meta).toMatchObject({ event: 'payment_authorized', seqno: 1, merchant_id: 'sandbox' })
  expect(meta.uri).toBe(`${service.address}${path}outcome/`)
  expect({ ...object, attachment_uri: null }).toEqual({ ...outcome, attachment_uri: null })
})

test('when the payer accepts, then a public channel hears meta alone', async () => {
  const channel = await listenTo('m-sandbox-till-2')
  const heard = eventOf(channel, 'payment_authorized')
  await authorizedPayment(service, { callback_uri: 'pusher:m-sandbox-till-2' })
  expect(Object.keys(await heard)).toEqual(['meta'])
})

test('when a code is scanned, then a public channel hears the token of the scan', async () => {
  const channel = await listenTo('m-sandbox-counter')
  const heard = eventOf(channel, 'shortlink_scanned')
  const made = await service.pos1('POST', '/merchant/v1/shortlink/', {
    callback_uri: 'pusher:m-sandbox-counter',
  })
  await service.call('POST', `/sandbox/v1/shortlink/${made.body.id}/scan/`, {
    body: { argstring: 'table-4' },
  })
  const { meta, object } = await heard
  expect([meta.event, meta.uri]).toEqual(['shortlink_scanned', null])
  expect(object).toEqual({ id: expect.stringMatching(/^token:\d{20}$/), argstring: 'table-4' })
})

test("when another merchant's till subscribes, then it gets 403", async () => {
  const channel = connect(secretHeaders('kiosk', 'till', 'open sesame')).subscribe(
    'private-m-sandbox-till-1',
  )
  expect(await eventOf(channel, 'pusher:subscription_error')).toMatchObject({ status: 403 })
})

test("when another merchant's channel is named as an address, then it is refused", async () => {
  const longer = await service.addMerchant('kiosk-2')
  const claimed = await longer('POST', '/merchant/v1/shortlink/', { callback_uri: 'pusher:foyer' })
  expect(claimed.status).toBe(201)
  const ask = (fields: object) =>
    service.pos1('POST', '/merchant/v1/shortlink/', { callback_uri: null, ...fields })
  for (const uri of ['pusher:foyer', 'pusher:m-kiosk-2-a', 'pusher:private-m-kiosk-2-a'])
    expect(await ask({ callback_uri: uri })).toMatchObject(wrongFields('callback_uri'))
  // Also the prefix of a shorter id, with which the name begins as well.
  const answer = await kiosk('POST', '/merchant/v1/shortlink/', {
    callback_uri: 'pusher:m-kiosk-2-a',
  })
  expect(answer).toMatchObject(wrongFields('callback_uri'))
})

test('when the display has a channel of its own, then it hears its texts there', async () => {
  const till = await listenTo('private-m-sandbox-till-3')
  const display = await listenTo('private-m-sandbox-display-3')
  const heard = Promise.all([
    eventOf(till, 'payment_authorized'),
    eventOf(display, 'display_message'),
  ])
  await authorizedPayment(service, {
    callback_uri: 'pusher:private-m-sandbox-till-3',
    display_message_uri: 'pusher:private-m-sandbox-display-3',
  })
  const [, shown] = await heard
  expect(shown.object).toEqual({ text: 'The payment has been accepted.' })
})

test('when a name is not a channel, then the message shows the format', async () => {
  for (const uri of ['pusher:', 'pusher:a b', 'pusher:presence-a', 'PUSHER:a', 'pusher:æ'])
    await expect(requestPayment(service.pos1, { callback_uri: uri })).rejects.toThrow(
      'Must be pusher:<channel>',
    )
})
