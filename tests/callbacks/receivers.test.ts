import type { Socket } from 'node:net'
import { afterAll, describe, expect, test } from 'vitest'
import { startTcpReceiver } from './tcp-receiver.ts'
import { makeTestSender } from './test-sender.ts'

const sender = makeTestSender()

afterAll(() => sender.close())

const delivered = (httpStatus: number) => ({ result: 'delivered', httpStatus, problem: null })

/** Sends the parts in sequence, each in a separate segment. */
const sendParts = async (socket: Socket, parts: readonly string[]): Promise<void> => {
  for (const part of parts) {
    await new Promise((resolve) => socket.write(part, 'latin1', resolve))
    await new Promise(setImmediate)
  }
}

const ok = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}'

const headers = (count: number, length: number): string =>
  Array.from({ length: count }, (_, n) => `X-Filler-${n}: ${'x'.repeat(length)}\r\n`).join('')

describe('a message is delivered when the receiver answers 2xx', () => {
  test.each<[string, number, ...string[]]>([
    ['after 100 Continue', 200, 'HTTP/1.1 100 Continue\r\n\r\n', ok],
    ['after 100 Continue in the same segment', 200, `HTTP/1.1 100 Continue\r\n\r\n${ok}`],
    ['after 102 Processing', 200, 'HTTP/1.1 102 Processing\r\n\r\n', ok],
    ['after 103 Early Hints', 200, 'HTTP/1.1 103 Early Hints\r\nLink: </a.css>\r\n\r\n', ok],
    ['after an interim answer that nobody knows', 200, 'HTTP/1.1 199 Odd\r\n\r\n', ok],
    [
      'after several interim answers',
      200,
      'HTTP/1.1 100 Continue\r\n\r\n',
      'HTTP/1.1 102 Processing\r\n\r\n',
      'HTTP/1.1 103 Early Hints\r\n\r\n',
      'HTTP/1.1 103 Early Hints\r\n\r\n',
      ok,
    ],
    ['in many segments', 200, ...ok],
    ['with 201 Created', 201, 'HTTP/1.1 201 Created\r\nLocation: /1\r\nContent-Length: 0\r\n\r\n'],
    ['with 202 Accepted', 202, 'HTTP/1.1 202 Accepted\r\nContent-Length: 0\r\n\r\n'],
    ['with 204 and no other header', 204, 'HTTP/1.1 204 No Content\r\n\r\n'],
    ['with 204 and a length', 204, 'HTTP/1.1 204 No Content\r\nContent-Length: 0\r\n\r\n'],
    ['with 205 Reset Content', 205, 'HTTP/1.1 205 Reset Content\r\nContent-Length: 0\r\n\r\n'],
    ['with a status of its own', 299, 'HTTP/1.1 299 Custom\r\nContent-Length: 0\r\n\r\n'],
    ['with a reason in lower case', 200, 'HTTP/1.1 200 ok\r\nContent-Length: 0\r\n\r\n'],
    ['with an empty reason', 200, 'HTTP/1.1 200 \r\nContent-Length: 0\r\n\r\n'],
    ['without a reason', 200, 'HTTP/1.1 200\r\nContent-Length: 0\r\n\r\n'],
    [
      'with a reason in another script',
      200,
      'HTTP/1.1 200 \xc3\x85pent\r\nContent-Length: 0\r\n\r\n',
    ],
    ['with names of headers in lower case', 200, 'HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n'],
    ['with names of headers in upper case', 200, 'HTTP/1.1 200 OK\r\nCONTENT-LENGTH: 0\r\n\r\n'],
    [
      'with values of headers that are empty, padded or in another script',
      200,
      'HTTP/1.1 200 OK\r\nX-A:\r\nX-B: \t b \t\r\nX-C: bl\xe5b\xe6r\r\nContent-Length: 0\r\n\r\n',
    ],
    [
      'with the same header several times',
      200,
      'HTTP/1.1 200 OK\r\nSet-Cookie: a=1\r\nSet-Cookie: b=2\r\nDate: a\r\nDate: b\r\n' +
        'Content-Length: 0\r\n\r\n',
    ],
    ['with many headers', 200, `HTTP/1.1 200 OK\r\n${headers(200, 10)}Content-Length: 0\r\n\r\n`],
    [
      'with 50 KiB of headers',
      200,
      `HTTP/1.1 200 OK\r\n${headers(10, 5120)}Content-Length: 0\r\n\r\n`,
    ],
    [
      'with the offer to speak another protocol',
      200,
      'HTTP/1.1 200 OK\r\nUpgrade: h2,h2c\r\nConnection: Upgrade, Keep-Alive\r\n' +
        'Content-Length: 0\r\n\r\n',
    ],
    [
      'in chunks, with extensions and trailers',
      200,
      'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTrailer: X-Sum\r\n\r\n',
      '2;name=value;other="quoted"\r\n{}\r\n',
      '0\r\nX-Sum: 1\r\n\r\n',
    ],
    [
      'in chunks after an interim answer',
      200,
      'HTTP/1.1 100 Continue\r\n\r\n',
      'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
    ],
    [
      'with a coding of its body that is wrong',
      200,
      'HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 4\r\n\r\noops',
    ],
    ['by HTTP/1.0 with a length', 200, 'HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\n{}'],
    [
      'by HTTP/1.0 on a connection that stays',
      200,
      'HTTP/1.0 200 OK\r\nConnection: keep-alive\r\nContent-Length: 0\r\n\r\n',
    ],
    [
      'and says that it closes',
      200,
      'HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 0\r\n\r\n',
    ],
    [
      'and says how long it waits for the next request',
      200,
      'HTTP/1.1 200 OK\r\nKeep-Alive: timeout=0, max=1\r\nContent-Length: 0\r\n\r\n',
    ],
    [
      'with a body of 5 MiB',
      200,
      `HTTP/1.1 200 OK\r\nContent-Length: ${5 * 1024 * 1024}\r\n\r\n`,
      ...Array<string>(5).fill('x'.repeat(1024 * 1024)),
    ],
  ])('%s', async (_, status, ...parts) => {
    const receiver = await startTcpReceiver({ answer: (socket) => void sendParts(socket, parts) })
    expect(await sender.send('m1', receiver.url, '{}')).toEqual(delivered(status))
    expect(receiver.requests).toHaveLength(1)
  })

  test.each([
    ['a body that ends with the connection', 'HTTP/1.1 200 OK\r\n\r\n{"fine":true}'],
    ['nothing but the status', 'HTTP/1.1 200 OK\r\n\r\n'],
    ['a body by HTTP/1.0', 'HTTP/1.0 200 OK\r\n\r\nfine'],
    ['less of the body than was said', 'HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{}'],
    [
      'a body in chunks that breaks off',
      'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n9\r\n{',
    ],
    ['100 Continue before', 'HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 204 No Content\r\n\r\n'],
  ])('and closes the connection after %s', async (_, text) => {
    const receiver = await startTcpReceiver({ answer: (socket) => void socket.end(text) })
    expect(await sender.send('m1', receiver.url, '{}')).toMatchObject({ result: 'delivered' })
  })

  test('with a body that never ends, at once', async () => {
    const start = 'HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{'
    const receiver = await startTcpReceiver({ answer: (socket) => void socket.write(start) })
    const begun = performance.now()
    expect(await sender.send('m1', receiver.url, '{}')).toEqual(delivered(200))
    expect(performance.now() - begun).toBeLessThan(5000)
  })

  const large = JSON.stringify({ text: 'x'.repeat(1_000_000) })

  test('before it has read the body, which it reads then', async () => {
    const receiver = await startTcpReceiver({
      greet: (socket) => socket.write(ok),
      answer: (socket) => socket.end(),
    })
    expect(await sender.send('m1', receiver.url, large)).toEqual(delivered(200))
  })

  test('before it has read the body, which it never reads', async () => {
    const receiver = await startTcpReceiver({ greet: (socket) => socket.pause().write(ok) })
    expect(await sender.send('m1', receiver.url, large)).toEqual(delivered(200))
  })

  test.each([
    ['a small', '{}'],
    ['a large', large],
  ])('and resets the connection before it has read %s body', async (_, body) => {
    const receiver = await startTcpReceiver({
      greet: (socket) =>
        void socket.once('data', () => {
          socket.pause().end('HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n', () => socket.destroy())
        }),
    })
    expect(await sender.send('m1', receiver.url, body)).toEqual(delivered(200))
  })
})
