// @module-tag long
import fc from 'fast-check'
import { connect, type Socket } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { authorizedPayment, startService, type Service } from '../support/http-service.ts'
import { connectRaw } from '../support/raw-pusher.ts'
import { bytesOf, frameOf, wire } from './wire.ts'

let service: Service
beforeAll(async () => {
  service = await startService({ TRUSTED_PROXIES: '127.0.0.1' })
})
afterAll(() => service.stop())

const handshake = (address: string): string =>
  [
    'GET /app/daybook?protocol=7 HTTP/1.1',
    'Host: x',
    'Connection: Upgrade',
    'Upgrade: websocket',
    'Sec-WebSocket-Version: 13',
    `Sec-WebSocket-Key: ${Buffer.alloc(16).toString('base64')}`,
    `X-Forwarded-For: ${address}`,
  ].join('\r\n') + '\r\n\r\n'

/** A raw connection after its handshake. */
const open = async (from = '203.0.113.1'): Promise<Socket> => {
  const socket = connect(Number(new URL(service.address).port), '127.0.0.1')
  socket.on('error', () => {})
  socket.write(handshake(from))
  await new Promise((resolve) => socket.once('data', resolve))
  return socket
}

const closeOf = (socket: Socket): Promise<void> =>
  new Promise((resolve) => (socket.closed ? resolve() : socket.once('close', () => resolve())))

/** Resolves once the service has no connections. */
const untilAllAreGone = (): Promise<void> =>
  new Promise((resolve) => {
    const look = (): void => {
      if (service.pusher.count() === 0) resolve()
      else setTimeout(look, 10)
    }
    look()
  })

/** Whether a till receives a payment's message, and the service answers. */
const worksAsBefore = async (): Promise<void> => {
  const till = connectRaw(service.address)
  await till.socketId()
  await till.subscribe('m-sandbox-honest')
  await authorizedPayment(service, { callback_uri: 'pusher:m-sandbox-honest' })
  await till.event('payment_authorized')
  till.close()
  expect((await service.call('GET', '/health/live')).status).toBe(200)
}

test('when any frames come, then the service goes on and forgets the client', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(wire, { minLength: 1, maxLength: 12 }), async (frames) => {
      const socket = await open()
      for (const frame of frames) socket.write(bytesOf(frame))
      // The end of our data, possibly in the middle of a frame.
      socket.resume().end()
      await closeOf(socket)
    }),
    { numRuns: 300 },
  )
  await untilAllAreGone()
  await worksAsBefore()
}, 120_000)

describe('given a hostile client', () => {
  const forever = async (socket: Socket, chunk: Buffer): Promise<void> => {
    socket.resume()
    const closed = closeOf(socket)
    const write = (): void => {
      while (!socket.destroyed && socket.write(chunk));
    }
    socket.on('drain', write)
    write()
    await closed
  }

  test.each([
    ['pings', frameOf('', 9)],
    ['pongs', frameOf('', 10)],
    ['subscriptions', frameOf('{"event":"pusher:subscribe","data":{"channel":"a"}}')],
    ['empty fragments', Buffer.concat([frameOf('', 1, false), frameOf('', 0, false)])],
    ['pieces of one message', frameOf('x', 0, false)],
  ])('when it sends %s without end, then it is closed', async (_, chunk) => {
    await forever(await open(), Buffer.concat(Array.from({ length: 50 }, () => chunk)))
    await untilAllAreGone()
  })

  test('when a message is larger than 8 KiB, then 1009', async () => {
    const client = connectRaw(service.address)
    await client.socketId()
    client.socket.send('x'.repeat(8193))
    expect(await client.closed).toBe(1009)
  })

  test('when it has opened 1,000 connections, then others connect and it does not', async () => {
    const sockets = await Promise.all(Array.from({ length: 1000 }, () => open('198.51.100.7')))
    expect(service.pusher.count()).toBe(1000)
    const refused = connectRaw(service.address, undefined, { 'X-Forwarded-For': '198.51.100.7' })
    expect(await refused.closed).toBe(4100)
    await worksAsBefore()
    for (const socket of sockets) socket.destroy()
    await untilAllAreGone()
  })

  test('when it does not read, then it is cut off and others hear on', async () => {
    const channel = 'm-sandbox-slow'
    const slow = await open()
    slow.pause().write(frameOf(JSON.stringify({ event: 'pusher:subscribe', data: { channel } })))
    const quick = connectRaw(service.address)
    await quick.socketId()
    await quick.subscribe(channel)
    const closed = closeOf(slow)
    const big = JSON.stringify({ meta: {}, object: 'x'.repeat(1_000_000) })
    for (let sent = 0; service.pusher.count() === 2; sent++) {
      expect(sent).toBeLessThan(100)
      service.pusher.publish(channel, 'test_event', big)
      await new Promise((resolve) => setImmediate(resolve))
    }
    slow.resume()
    await closed
    await quick.event('test_event')
    quick.close()
    await untilAllAreGone()
  }, 30_000)
})
