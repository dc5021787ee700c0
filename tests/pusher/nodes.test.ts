import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startInProcess } from '../../harness/in-process.ts'
import { merchantClient } from '../../harness/merchant-client.ts'
import { connectRaw, type RawClient } from '../support/raw-pusher.ts'
import { advance, authorize } from '../support/shop-process.ts'
import { startProtocolPlace } from '../event-store/protocol-place.ts'

const startNode = async (url: string, shared: string) => {
  const [VAULT, BLOBS] = [join(shared, 'vault.sqlite'), join(shared, 'blobs')]
  const server = await startInProcess({ EVENT_STORE: url, VAULT, BLOBS, LOG_LEVEL: 'error' })
  const pos1 = { merchant: 'sandbox', user: 'pos1', secret: 'sandbox-secret' }
  const { address } = server
  return { ...server, till: merchantClient(address, pos1), world: merchantClient(address) }
}

let place: Awaited<ReturnType<typeof startProtocolPlace>>

let nodes: Awaited<ReturnType<typeof startNode>>[]

const shared = mkdtempSync(join(tmpdir(), 'daybook-shared-'))

beforeAll(async () => {
  place = await startProtocolPlace()
  nodes = [await startNode(place.url, shared)]
  nodes.push(await startNode(place.url, shared))
})

afterAll(async () => {
  for (const { stop } of nodes) await stop()
  await place.remove()
  for (const folder of [shared, ...nodes.map((node) => node.folder)])
    rmSync(folder, { recursive: true, force: true })
})

const channel = 'm-sandbox-nodes'

const idsOf = (client: RawClient) => client.told(channel).map(({ data }) => data.meta.id)

test(
  'when two nodes send, then a listener at each hears all messages once',
  { tags: 'long' },
  async () => {
    const clients = nodes.map(({ address }) => connectRaw(address))
    for (const client of clients) {
      await client.socketId()
      await client.subscribe(channel)
    }
    const callback_uri = `pusher:${channel}`
    const tids = await Promise.all(
      Array.from({ length: 30 }, (_, n) => authorize(nodes[n % 2]!, { callback_uri })),
    )
    for (const { world } of nodes) await advance(world, 1)
    const isLast = ({ data }: { data: any }) => data.meta?.uri?.includes(lastTid)
    const lastTid = await authorize(nodes[0]!, { callback_uri })
    for (const client of clients)
      await client.until((frame) => isLast({ data: JSON.parse(String(frame.data)) }))
    for (const client of clients) {
      const told = client.told(channel).map(({ data }) => data.meta.uri.split('/').at(-3))
      expect(told.toSorted()).toEqual([...tids, lastTid].toSorted())
      expect(new Set(idsOf(client)).size).toBe(31)
      client.close()
    }
    expect(nodes.flatMap(({ logged }) => logged)).toEqual([])
  },
)
