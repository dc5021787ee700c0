// @module-tag long
import { verify } from 'node:crypto'
import { createServer, type IncomingHttpHeaders, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { signedPostInWorker } from '../../infrastructure/callbacks/callback-sender.ts'
import { ThreadEnded } from '../../infrastructure/threads/job-thread.ts'
import { makeTestSender, testSigner } from './test-sender.ts'

type Received = { readonly headers: IncomingHttpHeaders; readonly body: string }
const received: Received[] = []
let uri = ''

const receive = async (request: IncomingMessage): Promise<void> => {
  received.push({ headers: request.headers, body: await text(request) })
}
const receiver = createServer((request, response) => {
  if (request.url === '/silent') return
  void receive(request).then(() => response.writeHead(204).end())
})

beforeAll(async () => {
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve))
  uri = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`
})
afterAll(() => {
  receiver.closeAllConnections()
  receiver.close()
})

const senderInThread = (arePrivateAddressesAllowed = true) => {
  const signedPost = signedPostInWorker({ arePrivateAddressesAllowed })
  const sender = makeTestSender({ signedPost })
  onTestFinished(sender.close)
  return sender
}

test('given a thread of its own, then messages come signed as they do without', async () => {
  const { send } = senderInThread()
  const answers = await Promise.all(['{"n":1}', '{"n":2}'].map((body) => send(body, uri, body)))
  expect(answers).toEqual(
    answers.map(() => ({ result: 'delivered', httpStatus: 204, problem: null })),
  )
  expect(received.map(({ body }) => body).sort()).toEqual(['{"n":1}', '{"n":2}'])
  for (const { headers, body } of received) {
    const content = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${body}`
    const [, signature = ''] = /v1a,(\S+)/.exec(String(headers['webhook-signature'])) ?? []
    const isRight = verify(
      null,
      Buffer.from(content),
      testSigner.ed25519Pem,
      Buffer.from(signature, 'base64'),
    )
    expect([isRight, headers.authorization]).toEqual([true, expect.stringMatching(/^RSA-SHA256 /)])
  }
})

test('given an address that is not public, then the thread sends nothing there', async () => {
  const before = received.length
  const { send } = senderInThread(false)
  expect(await send('m', uri, '{}')).toEqual({
    ...{ result: 'failed', httpStatus: null },
    problem: '127.0.0.1 is not on the open internet',
  })
  expect(received).toHaveLength(before)
})

test('given a thread that ends, then what it owes has not failed at the receiver', async () => {
  const sender = senderInThread()
  const owed = sender.send('m', `${uri}silent`, '{}')
  await new Promise((asked) => receiver.once('request', asked))
  sender.close()
  await expect(owed).rejects.toThrow(ThreadEnded)
  expect(await sender.send('m', uri, '{}')).toMatchObject({ result: 'delivered' })
})
