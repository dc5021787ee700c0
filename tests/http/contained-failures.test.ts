import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { connect, type AddressInfo } from 'node:net'
import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises'
import { expect, onTestFinished, test, vi } from 'vitest'
import { WebSocket } from 'ws'
import { schedule } from '../../application/schedule.ts'
import { changesReply } from '../../web/ui/event-stream.ts'
import { watchMessages } from '../../infrastructure/callbacks/message-watch.ts'
import { makeHttpServer } from '../../service/server/http-server.ts'
import { pusherSockets } from '../../infrastructure/pusher/sockets.ts'
import { handleUpgrades, startMetricsServer } from '../../service/server/start-server.ts'
import { hear, startWorker } from '../../infrastructure/worker.ts'

type Http = Parameters<typeof makeHttpServer>[0]

const broken = (): never => assert.fail('broken')

const listening = async (server: ReturnType<typeof createServer>): Promise<number> => {
  server.listen(0, '127.0.0.1')
  onTestFinished(() => {
    server.close()
    server.closeAllConnections()
  })
  await once(server, 'listening')
  return (server.address() as AddressInfo).port
}
/** A server that answers `/` and notes the messages of failures. */
const serving = async (given: Partial<Http>) => {
  const failures: string[] = []
  const onFailure = (error: unknown): void => void failures.push((error as Error).message)
  const { server } = makeHttpServer({
    fetch: () => new Response('fine'),
    hostname: 'localhost',
    refusal: (status) => ({ status, headers: {}, body: '' }),
    pause,
    onFailure,
    ...given,
  })
  const port = await listening(server)
  const works = async (): Promise<string> => (await fetch(`http://127.0.0.1:${port}/`)).text()
  return { server, port, failures, onFailure, works }
}

/** Resolves when the service has closed the connection. */
const send = async (port: number, text: string): Promise<void> => {
  const socket = connect(port, '127.0.0.1').on('error', () => {})
  socket.resume().write(text)
  await once(socket, 'close')
}

test.each([
  ['is no HTTP', 'nonsense\r\n\r\n'],
  ['has no Host', 'GET / HTTP/1.1\r\n\r\n'],
  ['asks for a proxy', 'CONNECT x:1 HTTP/1.1\r\nHost: x\r\n\r\n'],
  ['expects something', 'GET / HTTP/1.1\r\nHost: x\r\nExpect: much\r\n\r\n'],
  ['has a Host that is none', 'GET / HTTP/1.1\r\nHost: [\r\n\r\n'],
  ['has no Host and waits for its turn', 'GET / HTTP/1.1\r\nHost: x\r\n\r\nGET / HTTP/1.1\r\n\r\n'],
])('when refusing what %s fails, then that connection ends and others go on', async (_, text) => {
  const { port, failures, works } = await serving({ refusal: broken })
  await send(port, text)
  expect(failures).toEqual(['broken'])
  expect(await works()).toBe('fine')
})

test('when a body breaks off on its way, then that connection ends and others go on', async () => {
  const { port, works } = await serving({
    fetch: ({ url }) =>
      url.endsWith('/') ? new Response('fine') : new Response(new ReadableStream({ pull: broken })),
  })
  await send(port, 'GET /stream HTTP/1.1\r\nHost: x\r\n\r\n')
  expect(await works()).toBe('fine')
})

test('when an upload breaks off, then its reader fails and others go on', async () => {
  let failed = (_: unknown): void => {}
  const failure = new Promise((resolve) => (failed = resolve))
  const { port, works } = await serving({
    fetch: async (request) => {
      if (request.method === 'POST') await request.arrayBuffer().catch(failed)
      return new Response('fine')
    },
  })
  const socket = connect(port, '127.0.0.1')
  socket.write('POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\n12345', () =>
    socket.destroy(),
  )
  expect(await failure).toBeInstanceOf(Error)
  expect(await works()).toBe('fine')
})

test.each([
  ['at once', broken],
  ['later', async () => broken()],
])('when an upgrade fails %s, then that connection ends and others go on', async (_, take) => {
  const { server, port, failures, onFailure, works } = await serving({})
  handleUpgrades(server, { isWanted: () => true, take, onFailure })
  await send(port, 'GET / HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n')
  expect(failures).toEqual(['broken'])
  expect(await works()).toBe('fine')
})

test('when sending a snapshot fails, then that connection ends and others go on', async () => {
  const failures: string[] = []
  const log = { error: (given: any): void => void failures.push(given.error.message) }
  const at = { METRICS_HOST: '127.0.0.1', METRICS_PORT: 0 }
  const metrics = async () => ({ type: 'text/plain', text: 'fine' })
  const started = await startMetricsServer(at, metrics, broken, log as never, broken)
  onTestFinished(started.stop)
  await expect(fetch(`${started.address}/read-models`)).rejects.toThrow()
  expect(failures).toEqual(['broken'])
  expect(await (await fetch(`${started.address}/metrics`)).text()).toBe('fine')
})

test.each(['receive', 'heard', 'closed'])(
  'when a listener fails in %s, then its WebSocket ends and others go on',
  async (part) => {
    const { server, port, failures, onFailure, works } = await serving({})
    const nothing = { receive: () => {}, heard: () => {}, closed: () => {} }
    const open = () => ({ ...nothing, [part]: broken })
    handleUpgrades(server, pusherSockets({ open, onFailure, clientAddress: (peer) => peer }))
    const socket = new WebSocket(`ws://127.0.0.1:${port}/app/x`)
    await once(socket, 'open')
    socket.send('text')
    socket.ping()
    if (part === 'closed') socket.close()
    await once(socket, 'close')
    await expect.poll(() => failures).toEqual(['broken'])
    expect(await works()).toBe('fine')
  },
)

type Open = Parameters<typeof pusherSockets>[0]['open']
type Line = Parameters<Open>[0]

const later =
  (act: (line: Line) => void): Open =>
  (line) =>
    void setImmediate(act, line)

test.each<[string, Open, string]>([
  ['cannot be opened', broken, ''],
  ['cannot be told anything', later((line) => line.send(Symbol('none') as never)), ''],
  ['is closed with no code', later((line) => line.close(1, '')), ''],
  [
    'has too long a reason to end',
    later((line) => line.close(4000, 'æ'.repeat(100))),
    'æ'.repeat(61),
  ],
])('when a WebSocket %s, then it ends and others go on', async (_, open, expected) => {
  const { server, port, failures, onFailure, works } = await serving({})
  handleUpgrades(server, pusherSockets({ open, onFailure, clientAddress: (peer) => peer }))
  const socket = new WebSocket(`ws://127.0.0.1:${port}/app/x`).on('error', () => {})
  const [, reason] = (await once(socket, 'close')) as [number, Buffer]
  expect(reason.toString()).toBe(expected)
  expect(failures).toHaveLength(expected === '' ? 1 : 0)
  expect(await works()).toBe('fine')
})

test.each<[string, object, () => Promise<boolean>]>([
  ['whether it is over', { isOver: broken }, async () => false],
  ['what has changed', {}, broken],
])('when a live page cannot find out %s, then its stream ends', async (_, given, hasChanged) => {
  const about = { stream: 'shop', from: '', ...given }
  const { body } = changesReply(() => () => {}, about, hasChanged, false)
  expect(await new Response(body).text()).toBe('retry: 2000\n\n')
})

test('when a live page cannot find out later if it is over, then its stream ends', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  onTestFinished(() => void vi.useRealTimers())
  let find = () => false
  const about = { stream: 'shop', from: '', isOver: () => find() }
  const { body } = changesReply(
    () => () => {},
    about,
    async () => false,
    false,
  )
  const told = new Response(body).text()
  // It has looked once.
  await nextTurn()
  find = broken
  vi.advanceTimersToNextTimer()
  expect(await told).toBe('retry: 2000\n\n')
})

test('when the last message cannot be found, then who waits for it looks for itself', async () => {
  let find = (): number => 0
  const watch = watchMessages({ lastPlace: () => find() })
  const told = watch.untilMessage('shop', 0, 2_147_483_647)
  find = broken
  watch.onFolded()
  await told
})

test('when telling of a failed job fails as well, then a later try is due', async () => {
  const timers: (() => void)[] = []
  const after = (_: number, wake: () => void) => {
    timers.push(wake)
    return () => {}
  }
  let runs = 0
  const job = schedule({ now: () => 0, after, onFailure: broken }, async () => {
    runs += 1
    return broken()
  })
  await expect(job.settle()).rejects.toThrow('broken')
  // The timer of the next try is there.
  expect([runs, timers.length]).toEqual([1, 1])
})

test('when handling what a worker says fails, then the worker ends with that error', async () => {
  const workerData = { module: 'infrastructure/pictures/png-job' }
  const worker = startWorker('infrastructure/threads/job-worker', { workerData })
  const ended = once(worker, 'exit').catch((error: Error) => error.message)
  hear(worker, broken)
  worker.postMessage({ number: 1, request: new Uint8Array(8) })
  expect(await ended).toBe('broken')
})

test('when a worker fails and nobody listens, then this thread tells it and goes on', async () => {
  const written = vi.spyOn(process.stderr, 'write').mockReturnValue(true)
  onTestFinished(() => written.mockRestore())
  // It fails, as nothing says which job it does.
  const worker = startWorker('infrastructure/threads/job-worker')
  expect(await new Promise((resolve) => worker.on('exit', resolve))).toBe(1)
  expect(written.mock.calls).toEqual([
    [expect.stringMatching(/^infrastructure\/threads\/job-worker: TypeError/)],
  ])
})

test('an error that nothing has handled is logged, and the process goes on', () => {
  const module = new URL('../../service/server/own-process.ts', import.meta.url).href
  const program = `
    import { logEscapedErrors } from ${JSON.stringify(module)}
    const end = logEscapedErrors({ fatal: ({ error }) => console.log(error.message) })
    setTimeout(() => { throw new Error('of a timer') })
    setTimeout(() => void Promise.reject(new Error('of a promise')), 1)
    setTimeout(() => { console.log('here'); end(); throw new Error('at the end') }, 20)
  `
  const flags = ['--import', 'tsx', '--input-type=module', '--eval', program]
  const ran = (): string => {
    try {
      return execFileSync(process.execPath, flags, { encoding: 'utf8', stdio: 'pipe' })
    } catch (error) {
      return String((error as { stdout: string }).stdout)
    }
  }
  expect(ran()).toBe('of a timer\nof a promise\nhere\n')
}, 60_000)
