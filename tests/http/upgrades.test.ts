import { connect } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startService, type Service } from '../../harness/http-service.ts'

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
