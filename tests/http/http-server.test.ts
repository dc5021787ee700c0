import { once } from 'node:events'
import { IncomingMessage, ServerResponse, type Server } from 'node:http'
import { connect, Socket, type AddressInfo } from 'node:net'
import { setTimeout as delay, setImmediate as nextTurn } from 'node:timers/promises'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { makeHttpServer } from '../../service/server/http-server.ts'

type Needs = Parameters<typeof makeHttpServer>[0]

const serverOf = ({
  fetch,
  pause = delay,
  onFailure = (error) => {
    throw error
  },
}: Pick<Needs, 'fetch'> & Partial<Pick<Needs, 'pause' | 'onFailure'>>) =>
  makeHttpServer({
    fetch,
    hostname: 'localhost',
    refusal: (status) => ({ status, headers: {}, body: '' }),
    pause,
    onFailure,
  })

/** Returns the port of a server that listens until the test ends. */
const listening = async (server: Server): Promise<number> => {
  server.listen(0, '127.0.0.1')
  onTestFinished(() => void server.close())
  await once(server, 'listening')
  return (server.address() as AddressInfo).port
}

/** A server called without a socket, and its requests in order. */
const askedInTurns = () => {
  const asked: string[] = []
  const { server } = serverOf({
    fetch: ({ url }) => {
      asked.push(new URL(url).pathname)
      return new Response(null, { status: 204 })
    },
  })
  const ask = (url: string): ServerResponse => {
    const incoming = new IncomingMessage(new Socket())
    Object.assign(incoming, { method: 'GET', url, httpVersion: '1.1', rawHeaders: [] })
    incoming.headers = { host: 'localhost' }
    const outgoing = new ServerResponse(incoming)
    outgoing.assignSocket(incoming.socket.on('error', () => {}))
    server.emit('request', incoming, outgoing)
    return outgoing
  }
  return { asked, ask }
}

test('of the requests of a moment, those whose client has gone meanwhile are not answered, the others are', async () => {
  const { asked, ask } = askedInTurns()
  ask('/stays')
  ask('/goes').destroy()
  ask('/stays-too')
  expect(asked).toEqual([])
  await nextTurn()
  await nextTurn()
  expect(asked).toEqual(['/stays', '/stays-too'])
})

test('a request that comes alone is answered in the same turn', async () => {
  const { asked, ask } = askedInTurns()
  ask('/alone')
  await nextTurn()
  expect(asked).toEqual(['/alone'])
})

test('requests of further turns are answered with those before, those that are alike after one another', async () => {
  const { asked, ask } = askedInTurns()
  for (const url of ['/captures/', '/read/1/', '/captures/']) ask(url)
  await nextTurn()
  for (const url of ['/read/2/', '/captures/']) ask(url)
  await nextTurn()
  expect(asked).toEqual([])
  await nextTurn()
  expect(asked).toEqual(['/read/1/', '/read/2/', '/captures/', '/captures/', '/captures/'])
})

test('when many have come, none is waited for', async () => {
  const { asked, ask } = askedInTurns()
  for (let count = 0; count < 64; count++) ask('/busy/')
  await nextTurn()
  expect(asked).toHaveLength(64)
})

test('a request that was on its way when the server began to end is answered, the last of its connection', async () => {
  const { server, stop } = serverOf({
    fetch: ({ url }) => new Response(new URL(url).pathname),
  })
  const socket = connect(await listening(server), '127.0.0.1').setEncoding('utf8')
  const ask = (path: string) => socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`)
  const ended = once(socket, 'end')
  let heard = ''
  const first = new Promise<void>((resolve) =>
    socket.on('data', (text: string) => {
      heard += text
      if (heard.endsWith('/first')) resolve()
    }),
  )
  ask('/first')
  await first
  const stopped = stop()
  ask('/second')
  await Promise.all([ended, stopped])
  const [, one, two] = heard.split('HTTP/1.1 200 OK')
  expect(one).not.toMatch(/^connection: close/im)
  expect(two).toMatch(/^connection: close[^]*\/second$/im)
})

test.each([
  { requests: 0, pauses: 1 },
  { requests: 2, pauses: 3 },
  { requests: 100, pauses: 5 },
])(
  'a server that ends waits a tenth of a second more after each in which a request came, half a second at most: $requests',
  async ({ requests, pauses }) => {
    const paused: number[] = []
    const { server, stop } = serverOf({
      fetch: () => new Response(null, { status: 204 }),
      pause: async (milliseconds) => {
        paused.push(milliseconds)
        if (paused.length <= requests) await fetch(`http://127.0.0.1:${port}/`)
      },
    })
    const port = await listening(server)
    await stop()
    expect(paused).toEqual(Array.from({ length: pauses }, () => 100))
  },
)

test('a stopping server does not wait for clients that have sent nothing', async () => {
  const { server, stop } = serverOf({ fetch: () => new Response(null, { status: 204 }) })
  const accepted = once(server, 'connection')
  const socket = connect(await listening(server), '127.0.0.1')
  const closed = once(
    socket.on('error', () => {}),
    'close',
  )
  await accepted
  const givenUp = vi.spyOn(server, 'closeAllConnections')
  await Promise.all([stop(), closed])
  expect(givenUp).not.toHaveBeenCalled()
})

test('who leaves after an answer that did not need all of the request is waited for no more', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  const { server } = serverOf({ fetch: () => new Response('no', { status: 401 }) })
  const accepted = once(server, 'connection')
  const socket = connect(await listening(server), '127.0.0.1').setEncoding('utf8')
  const [theirs] = (await accepted) as [Socket]
  socket.write('POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\nhalf ')
  let heard = ''
  while (!heard.endsWith('no')) heard += String(await once(socket, 'data'))
  const closed = once(theirs, 'close')
  expect(vi.getTimerCount()).toBe(1)
  socket.destroy()
  await closed
  expect(vi.getTimerCount()).toBe(0)
})

test('a client has half a minute to send the rest of an answered request, and keeps the connection', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  const { server } = serverOf({
    fetch: ({ url }) => new Response(new URL(url).pathname, { status: 413 }),
  })
  const socket = connect(await listening(server), '127.0.0.1').setEncoding('utf8')
  const send = (path: string, body: string): void =>
    void socket.write(`POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\n${body}`)
  const answered = async (path: string): Promise<void> => {
    let heard = ''
    while (!heard.endsWith(path)) heard += String(await once(socket, 'data'))
    expect(heard).toMatch(/^HTTP\/1.1 413 /)
  }
  const almost = 29_999
  send('/early', 'half ')
  await answered('/early')
  for (const path of ['/next', '/last']) {
    vi.advanceTimersByTime(almost)
    // The rest of the previous request is in time, and nobody waits for it.
    await nextTurn()
    socket.write('there')
    send(path, 'half ')
    await answered(path)
  }
  const closed = once(socket, 'close')
  vi.advanceTimersByTime(almost + 1)
  await closed
})

describe('given an answer that is the last of its connection, while its request is still coming', () => {
  const early = async (head = 'POST / HTTP/1.1\r\n') => {
    const asked: string[] = []
    const { server, stop } = serverOf({
      fetch: ({ url }) => {
        asked.push(new URL(url).pathname)
        return new Response('no', { status: 413 })
      },
      pause: () => nextTurn(),
    })
    const accepted = once(server, 'connection')
    const port = await listening(server)
    const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true }).setEncoding('utf8')
    onTestFinished(() => void socket.destroy())
    const [theirs] = (await accepted) as [Socket]
    socket.write(`${head}Content-Length: 10\r\n\r\nhalf `)
    let heard = ''
    socket.on('data', (text) => (heard += String(text))).on('error', () => {})
    await once(socket, 'end')
    return { asked, stop, socket, theirs, closed: once(theirs, 'close'), heard: () => heard }
  }

  test.each([
    ['the client asks for the end', 413, 'POST / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n'],
    ['the server refuses it at once', 400, 'POST / HTTP/1.1\r\n'],
  ])(
    'when %s, then the client hears it, and all is over when all is here',
    async (_, status, head) => {
      const { heard, theirs, socket, closed } = await early(head)
      expect(heard()).toMatch(new RegExp(`^HTTP/1.1 ${status} `))
      expect(theirs.destroyed).toBe(false)
      socket.write('there')
      await closed
    },
  )

  test('when another request follows in the same packet, then it is not looked at', async () => {
    const { asked, socket, closed, heard } = await early()
    socket.write('thereGET /ghost HTTP/1.1\r\nHost: x\r\n\r\n')
    await closed
    expect(asked).toEqual([])
    expect(heard().match(/HTTP/g)).toHaveLength(1)
  })

  test('when CONNECT follows, then nobody is the worse for it', async () => {
    const { socket, closed, heard } = await early()
    socket.write('thereCONNECT x:1 HTTP/1.1\r\nHost: x\r\n\r\n')
    await closed
    expect(heard().match(/HTTP/g)).toHaveLength(1)
  })

  test('when the rest never comes, then half a minute is waited for it', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    onTestFinished(() => void vi.useRealTimers())
    const { theirs, closed } = await early()
    vi.advanceTimersByTime(29_999)
    expect(theirs.destroyed).toBe(false)
    vi.advanceTimersByTime(1)
    await closed
  })

  test('when the server ends, then the rest is waited for a second more', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] })
    onTestFinished(() => void vi.useRealTimers())
    const { stop, theirs } = await early()
    const stopped = stop()
    // The half minute is over first; then the stop.
    while (vi.getTimerCount() === 1) await nextTurn()
    await vi.advanceTimersByTimeAsync(999)
    expect(theirs.destroyed).toBe(false)
    await vi.advanceTimersByTimeAsync(100)
    await stopped
    expect(theirs.destroyed).toBe(true)
  })
})

test('who asks for CONNECT and leaves at once ends nothing but the connection', async () => {
  const { server } = serverOf({ fetch: () => new Response('well') })
  const port = await listening(server)
  for (let count = 0; count < 20; count++) {
    const accepted = once(server, 'connection')
    const socket = connect(port, '127.0.0.1').on('error', () => {})
    const [theirs] = (await accepted) as [Socket]
    const closed = new Promise((resolve) => theirs.once('close', resolve))
    socket.write('CONNECT x:1 HTTP/1.1\r\nHost: x\r\n\r\n', () => socket.resetAndDestroy())
    await closed
  }
  expect(await (await fetch(`http://127.0.0.1:${port}/`)).text()).toBe('well')
})

test('a stopping server waits a second for a client that sent CONNECT and stays connected', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] })
  onTestFinished(() => void vi.useRealTimers())
  const { server, stop } = serverOf({ fetch: () => new Response(), pause: () => nextTurn() })
  const port = await listening(server)
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true })
  onTestFinished(() => void socket.destroy())
  socket.write('CONNECT x:1 HTTP/1.1\r\nHost: x\r\n\r\n')
  await once(socket.resume(), 'end')
  const stopped = stop()
  while (vi.getTimerCount() === 0) await nextTurn()
  const closed = once(socket, 'close')
  await vi.advanceTimersByTimeAsync(1_100)
  await stopped
  socket.end()
  await closed
})

test('what a connection asks for ahead of an answer is looked at when that has been sent', async () => {
  const asked: string[] = []
  const answers: ((response: Response) => void)[] = []
  const { server } = serverOf({
    fetch: ({ url }) => {
      asked.push(new URL(url).pathname)
      return new Promise<Response>((resolve) => answers.push(resolve))
    },
  })
  const port = await listening(server)
  const [one, other] = [connect(port, '127.0.0.1'), connect(port, '127.0.0.1')]
  onTestFinished(() => [one, other].forEach((socket) => socket.destroy()))
  const asking = (path: string) => `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`
  one.write(asking('/1') + asking('/2') + asking('/3'))
  const until = async (count: number): Promise<void> => {
    while (asked.length < count) await nextTurn()
  }
  await until(1)
  other.write(asking('/other'))
  await until(2)
  expect(asked).toEqual(['/1', '/other'])
  for (const [n, path] of ['/2', '/3'].entries()) {
    answers[n === 0 ? 0 : n + 1]?.(new Response('x'.repeat(100)))
    await once(one, 'data')
    await until(3 + n)
    expect(asked.at(-1)).toBe(path)
  }
})

test('a connection that neither says nor takes anything is kept for five minutes, after an answer too', async () => {
  const { server } = serverOf({
    fetch: () => new Response('answer'),
  })
  expect(server.timeout).toBe(300_000)
  expect(server.keepAliveTimeout).toBe(0)
  server.timeout = 20
  const port = await listening(server)
  const [silent, answered] = [connect(port, '127.0.0.1'), connect(port, '127.0.0.1')]
  const closed = [silent, answered].map((socket) => once(socket, 'close'))
  answered.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n')
  expect(String(await once(answered, 'data'))).toMatch(/^HTTP\/1.1 200 /)
  await Promise.all(closed)
})

test('a connection may send some requests ahead of their answers, and is ended when it sends many', async () => {
  const { server } = serverOf({
    fetch: ({ url }) => new Response(new URL(url).pathname),
  })
  const port = await listening(server)
  const connected = () => {
    const socket = connect(port, '127.0.0.1').setEncoding('utf8')
    onTestFinished(() => void socket.destroy())
    return socket
  }
  const send = (socket: Socket, paths: readonly string[]) =>
    socket.write(paths.map((path) => `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`).join(''))
  const few = Array.from({ length: 17 }, (_, n) => `/${n}`)
  const patient = connected()
  // An answered request frees its place.
  for (let round = 0; round < 3; round++) {
    send(patient, few)
    let heard = ''
    while (!heard.endsWith('/16')) heard += String(await once(patient, 'data'))
    expect([...heard.matchAll(/\r\n\r\n(\/\d+)/g)].map(([, path]) => path)).toEqual(few)
  }
  const hasty = connected()
  let heard = ''
  hasty.on('data', (text: string) => (heard += text))
  hasty.on('error', () => {})
  const closed = once(hasty, 'close')
  send(hasty, [...few, '/too-many'])
  await closed
  expect(heard).not.toContain('/too-many')
})
