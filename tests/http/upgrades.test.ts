import { once } from 'node:events'
import { connect, type AddressInfo, type Socket } from 'node:net'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { startService, type Service } from '../support/http-service.ts'
import { makeHttpServer } from '../../service/server/http-server.ts'
import { handleUpgrades } from '../../service/server/start-server.ts'

let service: Service
beforeAll(async () => {
  service = await startService()
})
afterAll(() => service.stop())

/** The service's output until it closes; each text is sent as a separate packet. */
const exchange = (...packets: readonly string[]): Promise<string> =>
  new Promise((resolve, reject) => {
    const socket = connect(Number(new URL(service.address).port), '127.0.0.1').setNoDelay(true)
    let heard = ''
    socket.setEncoding('utf8').on('data', (text: string) => (heard += text))
    socket.on('error', reject).on('close', () => resolve(heard))
    for (const packet of packets) socket.write(packet)
  })

const statuses = (heard: string): string[] => heard.match(/HTTP\/1\.1 \d+/g) ?? []

const h2c = 'Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABk\r\n'
const last = 'GET /health/live HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n'

test('when a client that prefers HTTP/2 posts, then it is answered by HTTP/1.1', async () => {
  const body = '{"advance_seconds":1}'
  const head = [
    'POST /sandbox/v1/clock/ HTTP/1.1',
    'Host: x',
    'Content-Type: application/json',
    `Content-Length: ${body.length}`,
  ]
  const heard = await exchange(
    `${head.join('\r\n')}\r\n${h2c}\r\n${body.slice(0, 5)}`,
    body.slice(5),
    last,
  )
  expect(statuses(heard)).toEqual(['HTTP/1.1 200', 'HTTP/1.1 200'])
  expect(heard).toContain('{"now":"')
})

test.each(['websocket', 'h2c', 'websocket, h2c', 'x'])(
  'given an upgrade to %s at another path, when it is asked for, then the path answers',
  async (protocol) => {
    const head = `GET /health/live HTTP/1.1\r\nHost: x\r\nConnection: close, upgrade\r\n`
    const heard = await exchange(`${head}Upgrade: ${protocol}\r\n\r\n`)
    expect(statuses(heard)).toEqual(['HTTP/1.1 200'])
  },
)

test('when a handshake of an application is malformed, then it is a 400', async () => {
  const head = 'GET /app/daybook?protocol=7 HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\n'
  const heard = await exchange(`${head}Upgrade: websocket\r\nSec-WebSocket-Key: short\r\n\r\n`)
  expect(statuses(heard)).toEqual(['HTTP/1.1 400'])
})

test('when an application is asked for without an upgrade, then it is a 404', async () => {
  expect((await service.call('GET', '/app/daybook')).status).toBe(404)
})

test('when a kept connection asks for h2c again and again, then no listeners add up', async () => {
  const { server } = makeHttpServer({
    fetch: () => new Response('fine'),
    hostname: 'localhost',
    refusal: (status) => ({ status, headers: {}, body: '' }),
    pause: async () => {},
    onFailure: () => {},
  })
  handleUpgrades(server, { isWanted: () => false, take: () => {}, onFailure: () => {} })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  const accepted = once(server, 'connection') as Promise<[Socket]>
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1')
  onTestFinished(() => void client.destroy())
  const [socket] = await accepted
  let heard = ''
  client.setEncoding('utf8').on('data', (text: string) => (heard += text))
  const listenersAfter = async (requests: number) => {
    heard = ''
    for (let asked = 1; asked <= requests; asked++) {
      client.write(`GET / HTTP/1.1\r\nHost: x\r\n${h2c}\r\n`)
      await expect.poll(() => statuses(heard).length).toBe(asked)
    }
    const names = socket.eventNames()
    return names.map((name) => [String(name), socket.listenerCount(name)]).sort()
  }
  const first = await listenersAfter(2)
  expect(await listenersAfter(10)).toEqual(first)
})
