import { EventStoreDBClient } from '@eventstore/db-client'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import type { RecordedEvent } from '../../application/event-store.ts'
import { startInProcess } from '../../harness/in-process.ts'
import { paymentInput } from '../../harness/register-merchant.ts'
import { secretHeaders } from '../../harness/signing.ts'
import { startProtocolPlace } from '../event-store/protocol-place.ts'
import { randomFrom } from './random.ts'
import { startReceiver } from './receiver.ts'
import { openShops } from './shops.ts'

const secret = 'a secret of nodes'

const merchants = Array.from({ length: 12 }, (_, number) => `shop-${number}`)

/** Nodes with separate folders on one store. */
const openNodes = async () => {
  const place = await startProtocolPlace()
  const first: { folder: string }[] = []
  const start = async () => {
    const shared = first[0]?.folder
    const node = await startInProcess({
      ...{ EVENT_STORE: place.url, LOG_LEVEL: 'info', AUDIT_EVERY_MINUTES: '0' },
      ...(shared !== undefined && {
        VAULT: join(shared, 'vault.sqlite'),
        BLOBS: join(shared, 'blobs'),
      }),
    })
    first.push(node)
    const post = async (path: string, merchant?: string, body?: object) => {
      const answer = await fetch(node.address + path, {
        method:
          body && path.endsWith('/') && 'action' in body && !('amount' in body) ? 'PUT' : 'POST',
        headers: {
          ...(merchant !== undefined && secretHeaders(merchant, 'pos1', secret)),
          ...(body && { 'Content-Type': 'application/json' }),
        },
        ...(body && { body: JSON.stringify(body) }),
      })
      expect(answer.status).toBeLessThan(300)
      return answer.status === 204 ? undefined : ((await answer.json()) as { id: string })
    }
    /** A payment that is authorised and captured: two messages. */
    const pay = async (merchant: string, callback_uri: string): Promise<void> => {
      const input = paymentInput({ pos_id: 'till', callback_uri })
      const { id = '' } = (await post('/merchant/v1/payment_request/', merchant, input)) ?? {}
      await post(`/sandbox/v1/payment_request/${id}/accept/`)
      await post(`/merchant/v1/payment_request/${id}/`, merchant, { action: 'capture' })
    }
    /** The work last logged. */
    const work = (): readonly string[] => {
      const lines = node.logged.map((line) => JSON.parse(line) as { msg: string; work?: string[] })
      return lines.findLast(({ msg }) => msg === 'this node does this work')?.work ?? []
    }
    return { ...node, pay, work }
  }
  onTestFinished(async () => {
    await place.remove()
    for (const { folder } of first) rmSync(folder, { recursive: true, force: true })
  })
  return { start, url: place.url }
}

const until = async (isSo: () => boolean): Promise<void> => {
  while (!isSo()) await pause(20)
}

test(
  'given nodes, then each does a part, and each message comes once',
  { tags: 'night' },
  async () => {
    const { start, url } = await openNodes()
    const one = await start()
    const two = await start()
    await openShops(one.core, merchants, secret)
    const receiver = await startReceiver(randomFrom(1))
    onTestFinished(receiver.close)
    await until(() => one.work().length === 9 && two.work().length === 9)
    expect(new Set([...one.work(), ...two.work()]).size).toBe(18)

    const pay = async (...nodes: readonly (typeof one)[]) => {
      const uri = (merchant: string) => receiver.url(merchant)
      await Promise.all(
        merchants.map((merchant, n) => nodes[n % nodes.length]!.pay(merchant, uri(merchant))),
      )
    }
    await pay(one, two)
    await until(() => receiver.arrived.length >= 24)
    const senders = new Set(receiver.arrived.map(({ node }) => node))
    expect(senders).toEqual(new Set([one.address, two.address]))
    await one.stop()
    // All but checkpoints, for which only the first node has the key.
    await until(() => two.work().length === 17)
    await pay(two)
    await until(() => receiver.arrived.length >= 48)

    const events: RecordedEvent[] = []
    const attempts = () => events.filter(({ type }) => type === 'CallbackAttempted')
    // Each is recorded after it has arrived.
    while (attempts().length < 48)
      for await (const batch of two.core.store.readAll(events.at(-1)?.position ?? 0))
        events.push(...batch)
    expect(new Set(receiver.arrived.map(({ id }) => id)).size).toBe(48)
    expect(receiver.arrived).toHaveLength(48)
    for (const { metadata } of attempts())
      expect(metadata).toMatchObject({ lease: { work: expect.stringMatching(/^merchants-\d+$/) } })
    const client = EventStoreDBClient.connectionString(url)
    onTestFinished(() => client.dispose())
    expect((await client.getStreamMetadata('lease-work')).metadata).toEqual({ maxCount: 1_000 })
    // Leases are not part of the log.
    expect(events.filter(({ stream }) => stream.startsWith('lease-'))).toEqual([])
    await two.stop()
  },
)
