import { describe, expect, test } from 'vitest'
import { publishToChannels } from '../../application/publish-to-channels.ts'
import type { RecordedEvent } from '../../application/event-store.ts'

/** Attempts as in the log, and a hub that records what it receives. */
const publishing = (message: (seqno: number) => Promise<string>) => {
  const heard: string[] = []
  const failures: unknown[] = []
  const observe = publishToChannels({
    message: ({ seqno }) => message(seqno),
    hub: {
      hasListeners: (channel) => channel.startsWith('heard'),
      publish: (channel, event, data) => void heard.push(`${channel} ${event} ${data}`),
      interrupt: (channel) => void heard.push(`${channel} interrupted`),
    },
    onFailure: (error) => failures.push(error),
  })
  return { heard, failures, observe }
}

const attempt = (seqno: number, changes: object = {}): RecordedEvent => ({
  id: `${seqno}`,
  type: 'CallbackAttempted',
  stream: `callback-${seqno}`,
  revision: 0,
  position: seqno,
  data: {
    ...{ subject: 'payment-t', revision: seqno, event: 'payment_captured', seqno },
    ...{ uri: 'pusher:heard', attemptedAt: 0, result: 'delivered' },
    ...{ httpStatus: null, problem: null, nextAttemptAt: null, ...changes },
  },
  metadata: {
    ...{ at: 0, merchant: 'shop', actor: 'daybook', correlationId: 'c' },
    ...{ causationId: null, schema: 1 },
  },
})

const settled = () => new Promise((resolve) => setImmediate(resolve))

describe('given attempts that the log records', () => {
  test('when texts are made out of order, then they are published in order', async () => {
    const made: (() => void)[] = []
    const { heard, observe } = publishing(
      (seqno) => new Promise((resolve) => (made[seqno] = () => resolve(`#${seqno}`))),
    )
    observe([attempt(1), attempt(2, { uri: 'pusher:heard-too' })])
    observe([attempt(3)])
    made[2]?.()
    await settled()
    expect(heard).toEqual(['heard-too payment_captured #2'])
    made[1]?.()
    await settled()
    made[3]?.()
    await settled()
    expect(heard.slice(1)).toEqual(['heard payment_captured #1', 'heard payment_captured #3'])
  })

  test('when following begins again earlier, then nothing is published twice', async () => {
    const { heard, observe } = publishing(async (seqno) => `#${seqno}`)
    observe([attempt(1), attempt(2)])
    observe([attempt(1), attempt(2), attempt(3)])
    await settled()
    expect(heard.map((text) => text.at(-1))).toEqual(['1', '2', '3'])
  })

  test('when one failed, went by https or has no listener, then it is not published', async () => {
    const { heard, observe } = publishing(async (seqno) => `#${seqno}`)
    observe([
      attempt(1, { uri: 'https://shop.example/heard' }),
      attempt(2, { uri: 'pusher:other' }),
      attempt(3, { result: 'failed', problem: 'x' }),
    ])
    await settled()
    expect(heard).toEqual([])
  })

  test('when a text cannot be made, then its listeners have to come back', async () => {
    const { heard, failures, observe } = publishing(async (seqno) => {
      if (seqno === 1) throw new Error('no store')
      return `#${seqno}`
    })
    observe([attempt(1), attempt(2)])
    await settled()
    expect(heard).toEqual(['heard interrupted', 'heard payment_captured #2'])
    expect(failures).toHaveLength(1)
  })
})
