import { createHmac } from 'node:crypto'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { authorizedPayment, startService, type Service } from '../support/http-service.ts'
import { tillHeaders } from '../../harness/pusher-client.ts'
import { connectRaw, type RawClient } from '../support/raw-pusher.ts'

const secret = 'a secret that only tests know'

let service: Service
const clients: RawClient[] = []
beforeAll(async () => {
  service = await startService({ PUSHER_KEY: 'shop.key', PUSHER_SECRET: secret })
})
afterEach(() => clients.splice(0).forEach((client) => client.close()))
afterAll(() => service.stop())

const connect = (path = '/app/shop.key?protocol=7') => {
  const client = connectRaw(service.address, path)
  clients.push(client)
  return client
}

const authPath = '/merchant/v1/pusher_auth/'

/** Requests the signature with a form, as client libraries do. */
const askForm = (form: Readonly<Record<string, string>>) =>
  service.call('POST', authPath, {
    body: new URLSearchParams(form).toString(),
    headers: { ...tillHeaders, 'Content-Type': 'application/x-www-form-urlencoded' },
  })

describe('given a connection', () => {
  test('when it is opened, then socket_id and activity_timeout come as text', async () => {
    const { data } = await connect().event('pusher:connection_established')
    expect(JSON.parse(data)).toEqual({
      socket_id: expect.stringMatching(/^\d+\.\d+$/),
      activity_timeout: 30,
    })
  })

  test('when it pings, then a pong comes', async () => {
    const client = connect()
    await client.socketId()
    client.send('pusher:ping')
    expect(await client.event('pusher:pong')).toEqual({ event: 'pusher:pong', data: '{}' })
  })

  test.each([
    ['/app/another?protocol=7', 4001],
    [`/app/${'k'.repeat(86)}?protocol=7`, 4001],
    [`/app/${'k'.repeat(128)}?protocol=7`, 4001],
    ['/app/shop.key', 4008],
    ['/app/shop.key?protocol=', 4008],
    ['/app/shop.key?protocol=seven', 4006],
    ['/app/shop.key?protocol=99', 4007],
  ])('when it asks for %s, then both error and close have code %i', async (path, code) => {
    const client = connect(path)
    const { data } = await client.event('pusher:error')
    expect(data).toEqual({ code, message: expect.stringMatching(/^[A-Z].*\.$/) })
    expect(await client.closed).toBe(code)
  })

  test('when it sends what is not of the protocol, then an error says so', async () => {
    const client = connect()
    await client.socketId()
    client.socket.send('{')
    client.send('client-typing', {})
    client.send('pusher:ping')
    await client.event('pusher:pong')
    const errors = client.frames.filter(({ event }) => event === 'pusher:error')
    expect(errors.map(({ data }) => data.code)).toEqual([null, null])
  })
})

describe('given a public channel', () => {
  test('when a client leaves it, then it hears only what came before', async () => {
    const [passing, staying] = [connect(), connect()]
    await Promise.all([passing.socketId(), staying.socketId()])
    const channel = 'm-sandbox-passing'
    expect(await passing.subscribe(channel)).toEqual({
      event: 'pusher_internal:subscription_succeeded',
      channel,
      data: '{}',
    })
    await staying.subscribe(channel)
    const callback_uri = `pusher:${channel}`
    await authorizedPayment(service, { callback_uri })
    await passing.event('payment_authorized')
    passing.send('pusher:unsubscribe', { channel })
    passing.send('pusher:ping')
    await passing.event('pusher:pong')
    await authorizedPayment(service, { callback_uri })
    await staying.until(() => staying.told(channel).length === 2)
    expect(passing.told(channel)).toHaveLength(1)
    // Each message once, each about another payment.
    expect(new Set(staying.told(channel).map(({ data }) => data.meta.id)).size).toBe(2)
  })

  test('when a client subscribes twice, then it still hears each message once', async () => {
    const client = connect()
    await client.socketId()
    const channel = 'm-sandbox-twice'
    await client.subscribe(channel)
    await client.subscribe(channel)
    await authorizedPayment(service, { callback_uri: `pusher:${channel}` })
    await authorizedPayment(service, { callback_uri: `pusher:${channel}` })
    await client.until(() => client.told(channel).length >= 2)
    expect(client.told(channel)).toHaveLength(2)
  })
})

describe('given a private channel', () => {
  const channel_name = 'private-m-sandbox-till'

  test('when the merchant authorises, then auth is the HMAC of socket_id and name', async () => {
    const socket_id = '123.456'
    const hmac = createHmac('sha256', secret).update(`${socket_id}:${channel_name}`).digest('hex')
    const byForm = await askForm({ socket_id, channel_name })
    const byJson = await service.pos1('POST', authPath, { socket_id, channel_name })
    expect([byForm.status, byForm.body]).toEqual([200, { auth: `shop.key:${hmac}` }])
    expect(byJson.body).toEqual(byForm.body)
  })

  test('when the signature is wrong or missing, then 4009 and no subscription', async () => {
    const client = connect()
    const socket_id = await client.socketId()
    const ofAnotherSocket = await askForm({ socket_id: '1.2', channel_name })
    const ofAnotherChannel = await askForm({ socket_id, channel_name: `${channel_name}-2` })
    for (const auth of [ofAnotherSocket.body.auth, ofAnotherChannel.body.auth, '', undefined]) {
      client.frames.length = 0
      const answer = await client.subscribe(channel_name, auth)
      expect(answer.event).toBe('pusher:subscription_error')
      expect(answer.data).toMatchObject({ type: 'AuthError', status: 401 })
      expect((await client.event('pusher:error')).data.code).toBe(4009)
    }
    await authorizedPayment(service, { callback_uri: `pusher:${channel_name}` })
    const { auth } = (await askForm({ socket_id, channel_name })).body
    client.frames.length = 0
    expect((await client.subscribe(channel_name, auth)).event).toMatch(/subscription_succeeded/)
    expect(client.told(channel_name)).toEqual([])
  })

  test('when the caller or the fields do not fit, then there is no signature', async () => {
    const socket_id = '123.456'
    const unknown = await service.call('POST', authPath, { body: { socket_id, channel_name } })
    expect(unknown.status).toBe(401)
    const open = await service.pos1('POST', authPath, { socket_id, channel_name: 'm-sandbox-a' })
    expect([open.status, Object.keys(open.body.error_details)]).toEqual([400, ['channel_name']])
    const both = await askForm({ socket_id: 'x:private-m-sandbox-a', channel_name })
    expect([both.status, Object.keys(both.body.error_details)]).toEqual([400, ['socket_id']])
  })
})
