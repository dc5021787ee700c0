import { createServer, type AddressInfo } from 'node:net'
import { afterAll, describe, expect, onTestFinished, test } from 'vitest'
import { makeResolve } from '../../infrastructure/callbacks/name-resolution.ts'
import { startNameServer } from './name-server.ts'
import { makeTestSender } from './test-sender.ts'

const names = await startNameServer({ 'shop.example': '127.0.0.1' }, 'silent.example')

const sender = makeTestSender({ resolve: makeResolve([names.server]) })
afterAll(() => {
  sender.close()
  names.close()
})

/** A server that always answers with this text; returns its port. */
const answering = async (text: string): Promise<number> => {
  const server = createServer((socket) => {
    socket.on('error', () => {})
    socket.once('data', () => socket.end(text))
  })
  onTestFinished(() => void server.close())
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return (server.address() as AddressInfo).port
}

describe('an attempt in vain says why in one line', () => {
  test.each([
    ['a status that is none', 'HTTP/1.1 099 Odd\r\nContent-Length: 0\r\n\r\n'],
    ['another protocol that nobody asked for', 'HTTP/1.1 101 Switching\r\n\r\n'],
  ])('when the answer has %s', async (_, text) => {
    const port = await answering(text)
    expect(await sender.send('m1', `http://127.0.0.1:${port}/`, '{}')).toEqual({
      result: 'failed',
      httpStatus: null,
      problem: 'the answer is not one that HTTP allows',
    })
  })

  test('when the receiver does not speak TLS', async () => {
    const port = await answering('HTTP/1.1 400 Bad Request\r\n\r\n')
    expect(await sender.send('m1', `https://127.0.0.1:${port}/`, '{}')).toMatchObject({
      result: 'failed',
      problem: 'no TLS connection: wrong version number',
    })
  })
})

test('a receiver with an unresponsive name server delays no other', async () => {
  const port = await answering('HTTP/1.1 204 No Content\r\n\r\n')
  const waiting = Array.from({ length: 16 }, () =>
    sender.send('m1', 'http://silent.example/', '{}'),
  )
  const first = await Promise.race([
    ...waiting,
    sender.send('m2', `http://shop.example:${port}/`, '{}'),
  ])
  expect(first).toEqual({ result: 'delivered', httpStatus: 204, problem: null })
})

test('given a lease that has ended, then a message is not sent, and has not failed', async () => {
  const port = await answering('HTTP/1.1 204 No Content\r\n\r\n')
  const send = (leftMs: number) =>
    sender.send('m1', `http://127.0.0.1:${port}/`, '{}', [], () => leftMs)
  await expect(send(0)).rejects.toThrow('another node may send this message now')
  expect(await send(5_000)).toMatchObject({ result: 'delivered' })
})
