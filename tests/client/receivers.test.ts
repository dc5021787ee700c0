import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import {
  Client,
  InvalidCallback,
  verifyCallback,
  type Callback,
  type CallbackRequest,
} from '../../client/index.ts'
import { parsedAlready, receivers, startReceiver } from './receivers-in-use.ts'
import { startServiceWithCallback, type ServiceWithCallback } from './service-with-callback.ts'

let service: ServiceWithCallback
beforeAll(async () => void (service = await startServiceWithCallback()))
afterAll(() => service.stop())

const waysToTrust = (): Record<string, (request: CallbackRequest) => Promise<Callback>> => {
  const { address: url, secret, trust } = service
  const options = { url, merchant: 'sandbox', user: 'pos1', secret: 'a' }
  const [byKeys, bySecret] = [
    new Client(options),
    new Client({ ...options, callbackSecret: secret }),
  ]
  return {
    'the secret': (request) => verifyCallback(request, trust()),
    'the keys of the service': (request) => byKeys.verifyCallback(request),
    'the secret that the client holds': (request) => bySecret.verifyCallback(request),
  }
}

describe.each(Object.entries(receivers))('given a receiver of %s', (_, make) => {
  test('when it is called, then it believes what is genuine, and nothing else', async () => {
    const told: string[] = []
    for (const [by, verify] of Object.entries(waysToTrust())) {
      let hear = (): void => {}
      const heard = new Promise<void>((resolve) => (hear = resolve))
      const receiver = await startReceiver(make, async (request) => {
        try {
          const { event, object, meta } = await verify(request)
          told.push(`${by}: ${event} of ${meta.merchant_id}: ${(object as any)?.text}`)
          return 204
        } catch (error) {
          told.push(`${by}: ${error instanceof InvalidCallback ? error.reason : String(error)}`)
          return 400
        } finally {
          hear()
        }
      })
      onTestFinished(receiver.close)
      await service.callTo(receiver.url)
      await heard
      const { headers, body } = service.genuine
      const changed = body.replace('Hello', 'Hallo')
      const { 'content-length': __, host: ___, connection: ____, ...kept } = headers
      const sent = { method: 'POST', headers: kept, body: changed }
      expect((await fetch(receiver.url, sent)).status).toBe(400)
      expect(told.splice(0)).toEqual([
        `${by}: test_event of sandbox: Hello World`,
        `${by}: signature`,
      ])
    }
  })
})

test('given a parser that has dropped the bytes, then the error says what to do', async () => {
  const { genuine, trust } = service
  const problems: string[] = []
  const receiver = await startReceiver(parsedAlready, async (request) => {
    await verifyCallback(request, trust()).catch((error: Error) => problems.push(error.message))
    return 500
  })
  onTestFinished(receiver.close)
  await fetch(receiver.url, { method: 'POST', ...genuine, headers: { 'content-type': 'a/b' } })
  expect(problems).toEqual([expect.stringContaining('express.raw({ type: () => true })')])
})
