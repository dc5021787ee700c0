import { rmSync } from 'node:fs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startCallbackService, type CallbackService } from '../support/callback-service.ts'
import { readLog } from '../support/event-log.ts'
import { paymentInput } from '../../harness/register-merchant.ts'
import { secretHeaders } from '../../harness/signing.ts'
import { advance } from '../support/shop-process.ts'

const traceparent = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01'

let service: CallbackService
beforeAll(async () => {
  service = await startCallbackService()
})
afterAll(async () => {
  await service.stop()
  rmSync(service.folder, { recursive: true })
})

const post = (path: string, body: object, trace: string) =>
  fetch(service.address + path, {
    method: 'POST',
    headers: {
      ...secretHeaders('sandbox', 'pos1', 'sandbox-secret'),
      'Content-Type': 'application/json',
      traceparent: trace,
    },
    body: JSON.stringify(body),
  })

/** A payment that Alice accepts. */
const take = async (trace: string) => {
  const receiver = await service.receive()
  const input = paymentInput({ callback_uri: receiver.url('/') })
  const answer = await post('/merchant/v1/payment_request/', input, trace)
  expect(answer.status).toBe(201)
  const { id } = (await answer.json()) as { id: string }
  await post(`/sandbox/v1/payment_request/${id}/accept/`, { payer: 'alice' }, trace)
  await advance(service.world, 0)
  const log = await readLog(service.folder)
  const events = log.filter(({ stream }) => stream === `payment-${id}`)
  return {
    answered: answer.headers.get('traceresponse'),
    kept: events.map(({ metadata }) => metadata.traceparent),
    sent: receiver.arrivals.map(({ headers }) => headers['traceparent']),
    problems: receiver.arrivals.flatMap(({ problems }) => problems),
  }
}

test('a traceparent is answered, kept with the events, and sent on with callbacks', async () => {
  expect(await take(traceparent)).toEqual({
    answered: traceparent,
    kept: [traceparent, traceparent],
    sent: [traceparent],
    problems: [],
  })
})

test('what is no traceparent is ignored', async () => {
  expect(await take(`${traceparent}-more`)).toEqual({
    answered: null,
    kept: [undefined, undefined],
    sent: [undefined],
    problems: [],
  })
})
