// @module-tag long
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, onTestFinished, test } from 'vitest'
import { witnessAt } from '../../audit/transparency/ask-witnesses.ts'

setFlagsFromString('--expose-gc')

const collectGarbage = runInNewContext('gc') as () => void

const key = { name: 'witness.example/w1', kind: 4 as const, key: new Uint8Array(32) }

const never = new AbortController().signal

/** A witness with arbitrary responses: its address, and its open connections. */
const startHostile = async (answer: (response: ServerResponse) => void) => {
  const asked: string[] = []
  const open = new Set<ServerResponse>()
  const server = createServer(({ url = '' }, response) => {
    asked.push(url)
    open.add(response)
    response.on('close', () => open.delete(response))
    answer(response)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  return { url: `http://127.0.0.1:${port}`, asked, open }
}

/** Sends a piece from time to time, forever. */
const drip = (response: ServerResponse, piece: string): void => {
  const timer = setInterval(() => response.write(piece), 5)
  response.on('close', () => clearInterval(timer))
}

test.each<[string, (response: ServerResponse) => void, number, RegExp]>([
  ['says nothing', () => {}, 500, /^no answer within 0.5 seconds$/],
  ['sends a head and no body', (response) => void response.flushHeaders(), 500, /within 0.5/],
  ['sends a byte now and then', (response) => drip(response, ' '), 500, /within 0.5/],
  ['never ends', (response) => drip(response, ' '.repeat(8_192)), 30_000, /exceeded max size/],
  ['hangs up', (response) => void response.destroy(), 30_000, /other side closed/],
])('given a witness that %s, then it is given up, and so is the connection', async (...given) => {
  const [, answer, timeout, problem] = given
  const { url, open } = await startHostile(answer)
  const asking = witnessAt(url, key, timeout).addCheckpoint('old 0\n', never)
  // Node garbage-collects what only it references: timers of signals, and signals of fetches.
  const collecting = setInterval(collectGarbage, 100)
  onTestFinished(() => clearInterval(collecting))
  await expect(asking).rejects.toThrow(problem)
  await expect.poll(() => open.size).toBe(0)
})

test('given a witness that redirects, then nothing is sent elsewhere', async () => {
  const other = await startHostile((response) => response.end())
  const { url } = await startHostile((response) =>
    response.writeHead(307, { Location: other.url }).end(),
  )
  const answer = await witnessAt(url, key).addCheckpoint('old 0\n', never)
  expect(answer).toEqual({ status: 307, text: '' })
  expect(other.asked).toEqual([])
})

test('given a service that stops, then a silent witness does not hold it', async () => {
  const { url, asked } = await startHostile(() => {})
  const stopping = new AbortController()
  const asking = witnessAt(url, key).addCheckpoint('old 0\n', stopping.signal)
  await expect.poll(() => asked.length).toBe(1)
  stopping.abort(new Error('stopped'))
  await expect(asking).rejects.toThrow('stopped')
  const late = witnessAt(url, key).addCheckpoint('old 0\n', stopping.signal)
  await expect(late).rejects.toThrow('stopped')
})
