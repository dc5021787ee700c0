import type { Socket } from 'node:net'
import { afterAll, describe, expect, test } from 'vitest'
import { startTcpReceiver } from './tcp-receiver.ts'
import { makeTestSender } from './test-sender.ts'

const sender = makeTestSender()

afterAll(() => sender.close())

const delivered = (httpStatus: number) => ({ result: 'delivered', httpStatus, problem: null })

const ok = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}'

describe('a connection that stays open after an answer', () => {
  test('takes the next message', async () => {
    const receiver = await startTcpReceiver({ answer: (socket) => void socket.write(ok) })
    for (let n = 0; n < 3; n++)
      expect(await sender.send('m1', receiver.url, '{}')).toEqual(delivered(200))
    expect(receiver.requests.map(({ connection, number }) => [connection, number])).toEqual([
      [1, 1],
      [1, 2],
      [1, 3],
    ])
  })

  const closed = 'the connection was closed before an answer'
  test.each<[string, number | null, string, (socket: Socket) => void]>([
    ['ended', null, closed, (socket) => socket.end()],
    ['reset', null, closed, (socket) => socket.resetAndDestroy()],
    [
      'ended with 408',
      408,
      'answered with status 408',
      (socket) => socket.end('HTTP/1.1 408 Request Timeout\r\nConnection: close\r\n\r\n'),
    ],
  ])(
    'may be %s as the next message comes: the next attempt goes over a new one',
    async (...given) => {
      const [, httpStatus, problem, close] = given
      const receiver = await startTcpReceiver({
        answer: (socket, { number }) => (number === 1 ? void socket.write(ok) : close(socket)),
      })
      expect(await sender.send('m1', receiver.url, '{}')).toEqual(delivered(200))
      const failed = { result: 'failed', httpStatus, problem }
      expect(await sender.send('m2', receiver.url, '{}')).toEqual(failed)
      expect(await sender.send('m2', receiver.url, '{}')).toEqual(delivered(200))
      expect(receiver.requests.map(({ connection, number }) => [connection, number])).toEqual([
        [1, 1],
        [1, 2],
        [2, 1],
      ])
    },
  )
})

test.each([
  ['closes the connection without an answer', ''],
  ['breaks off after an interim answer', 'HTTP/1.1 100 Continue\r\n\r\n'],
])('a receiver that %s is not told', async (_, text) => {
  const receiver = await startTcpReceiver({ answer: (socket) => void socket.end(text) })
  expect(await sender.send('m1', receiver.url, '{}')).toEqual({
    result: 'failed',
    httpStatus: null,
    problem: 'the connection was closed before an answer',
  })
  expect(receiver.requests).toHaveLength(1)
})

test('names of headers are spelled on the wire as they are in the documentation', async () => {
  const receiver = await startTcpReceiver({ answer: (socket) => void socket.write(ok) })
  await sender.send('m1', receiver.url, '{"a":1}')
  const [request] = receiver.requests
  const [line, ...rest] = request!.head.trimEnd().split('\r\n')
  expect(line).toBe('POST /till?shop=1 HTTP/1.1')
  const spelled = Object.fromEntries(rest.map((text) => text.split(/: (.*)/s, 2)))
  expect(spelled).toEqual({
    'X-Service-Timestamp': expect.stringMatching(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/),
    'X-Service-Content-Digest': expect.stringMatching(/^SHA256=[A-Za-z0-9+/]{43}=$/),
    Authorization: expect.stringMatching(/^RSA-SHA256 [A-Za-z0-9+/]+=*$/),
    'Content-Type': 'application/vnd.service.api.merchant.v1+json',
    'webhook-id': 'm1',
    'webhook-timestamp': expect.stringMatching(/^\d+$/),
    'webhook-signature': expect.stringMatching(/^v1a,[A-Za-z0-9+/]+=*$/),
    'User-Agent': 'daybook',
    Host: `127.0.0.1:${receiver.port}`,
    'Content-Length': '7',
    Connection: 'keep-alive',
  })
  expect(request!.body).toBe('{"a":1}')
})
