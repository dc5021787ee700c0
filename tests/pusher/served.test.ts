// @module-tag long
import { afterEach, describe, expect, test } from 'vitest'
import {
  authorizedPayment,
  requestPayment,
  startService,
  type Service,
} from '../support/http-service.ts'
import { connectPusher, eventOf } from '../../harness/pusher-client.ts'
import { connectRaw } from '../support/raw-pusher.ts'
import { isSafeChannel } from '../../service/pusher/pusher.ts'
import { readSettings } from '../../infrastructure/settings.ts'

describe('given the way to the service, when a message goes to a channel, then its object', () => {
  const [open, closed] = ['pusher:m-shop-till', 'pusher:private-m-shop-till']
  test.each([
    ['sandbox', 'http://pay.example', true],
    ['production', 'https://pay.example', true],
    ['production', 'http://pay.example', false],
  ] as const)('of %s at %s goes to private ones: %s', (MODE, PUBLIC_URL, isSafe) => {
    const isSent = isSafeChannel({ ...readSettings({ PUBLIC_URL }), MODE })
    expect([isSent(closed), isSent(open), isSent('https://shop.example')]).toEqual([
      isSafe,
      false,
      false,
    ])
  })
})

describe('given a service', () => {
  let service: Service
  afterEach(() => service.stop())

  test('when it is in production without a key, then requests get a reason', async () => {
    service = await startService({ MODE: 'production', METRICS_PORT: '0' })
    const shop = await service.addMerchant('shop')
    const answer = await shop('POST', '/merchant/v1/shortlink/', {
      callback_uri: 'pusher:m-shop-till',
    })
    expect([answer.status, answer.body.error_details.callback_uri]).toEqual([
      400,
      [expect.stringContaining('PUSHER_KEY')],
    ])
    const listener = { socket_id: '1.2', channel_name: 'private-m-shop-till' }
    expect((await shop('POST', '/merchant/v1/pusher_auth/', listener)).status).toBe(403)
    expect(await connectRaw(service.address).closed).toBe(4001)
  })

  test('when it stops, then pusher-js gets a code to reconnect', async () => {
    service = await startService()
    const client = connectPusher(service.address)
    await eventOf(client.subscribe('m-sandbox-till'), 'pusher:subscription_succeeded')
    const told = new Promise((resolve) =>
      client.connection.bind('error', (error: { data?: { code: number } }) =>
        resolve(error.data?.code),
      ),
    )
    await service.stop(false)
    expect(await told).toBe(4200)
    client.disconnect()
  })

  test('when it has started again, then pusher-js hears on without being asked to', async () => {
    service = await startService()
    const { folder, address } = service
    const client = connectPusher(address)
    const channel = client.subscribe('private-m-sandbox-till')
    await eventOf(channel, 'pusher:subscription_succeeded')
    await requestPayment(service.pos1)
    await service.stop(false)
    const again = eventOf(channel, 'pusher:subscription_succeeded')
    service = await startService({ PORT: new URL(address).port }, folder)
    await again
    const heard = eventOf(channel, 'payment_authorized')
    await authorizedPayment(service, { callback_uri: 'pusher:private-m-sandbox-till' })
    expect((await heard).meta.event).toBe('payment_authorized')
    client.disconnect()
  })
})
