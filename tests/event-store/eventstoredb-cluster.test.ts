// @module-tag night
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { EventStoreDBClient } from '@eventstore/db-client'
import { expect, onTestFinished, test } from 'vitest'
import { noStream, start, StoreUnavailable } from '../../application/event-store.ts'
import { connectEventStoreDB } from '../../infrastructure/event-store/eventstoredb-event-store.ts'
import { collect } from '../../infrastructure/event-store/eventstoredb-read-calls.ts'
import { renewable } from '../../infrastructure/event-store/eventstoredb-connection.ts'
import { newEvent } from './appends.ts'
import { builtProgram } from '../build.ts'

const freePort = async (): Promise<number> => {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}

/** Two nodes of one log; whichever is there says that it leads. */
const openCluster = async () => {
  const file = join(mkdtempSync(join(tmpdir(), 'daybook-cluster-')), 'events.db')
  onTestFinished(() => rmSync(join(file, '..'), { recursive: true }))
  const ports = [await freePort(), await freePort()] as const
  const startNode = async (port: number) => {
    const script = builtProgram('event-store/protocol-server')
    const words = [script, String(port), file]
    const child = spawn(process.execPath, words, { stdio: ['ignore', 'pipe', 'inherit'] })
    onTestFinished(async () => {
      const ended = once(child, 'close')
      child.kill('SIGKILL')
      await ended
    })
    await once(createInterface({ input: child.stdout }), 'line')
    return child
  }
  const hosts = ports.map((port) => `127.0.0.1:${port}`)
  const timeouts = { attempt: 1_000, altogether: 30_000, election: 30_000 }
  const connectionString = `esdb://${hosts.join(',')}?tls=false`
  const store = connectEventStoreDB(connectionString, { timeouts })
  onTestFinished(() => store.close())
  return { ports, startNode, store, connectionString }
}

test('given a frozen leader, when another leads, then calls and followers go there', async () => {
  const { ports, startNode, store } = await openCluster()
  const leader = await startNode(ports[0])
  await store.append('s', [newEvent()], noStream)
  const followed = store.follow(start, new AbortController().signal)[Symbol.asyncIterator]()
  await followed.next()
  leader.kill('SIGSTOP')
  const appending = Array.from({ length: 20 }, (_, n) =>
    store.append(`s-${n}`, [newEvent()], noStream),
  )
  const reading = store.readStream('s')
  await startNode(ports[1])
  expect(await reading).toHaveLength(1)
  expect((await Promise.all(appending)).map(({ revision }) => revision)).toEqual(Array(20).fill(0))
  const streams = new Set<string>()
  while (streams.size < 20)
    for (const { stream } of (await followed.next()).value ?? []) streams.add(stream)
  // The frozen one answers late: nobody waits for that any more.
  leader.kill('SIGCONT')
  expect(await store.append('s', [newEvent()], 0)).toMatchObject({ revision: 1 })
})

test('given a cluster without nodes, when one leads, then what was asked is done', async () => {
  const { ports, startNode, store } = await openCluster()
  const appending = store.append('s', [newEvent()], noStream)
  const reading = store.readStream('other')
  await startNode(ports[1])
  expect(await appending).toMatchObject({ revision: 0 })
  expect(await reading).toEqual([])
})

test('a read is not taken for whole if its connection was replaced meanwhile', async () => {
  const [lost, next] = [1, 2].map(() =>
    EventStoreDBClient.connectionString('esdb://127.0.0.1:1?tls=false'),
  )
  let current = lost!
  const read = collect(
    60_000,
    async () => current,
    async function* () {
      current = next!
    },
  )
  await expect(read).rejects.toThrow(StoreUnavailable)
})

test('given a frozen node, a connection that is being replaced can be closed', async () => {
  const { ports, startNode, connectionString } = await openCluster()
  const leader = await startNode(ports[0])
  let endsNow = (): void => {}
  const isEnding = new Promise<void>((resolve) => (endsNow = resolve))
  const connection = renewable({
    connectionString,
    connect: (client) => client,
    end: (client) => isEnding.then(() => client.dispose()),
  })
  const lost = await connection.current()
  leader.kill('SIGSTOP')
  connection.renew(lost)
  const closed = connection.close()
  endsNow()
  await closed
  await expect(connection.current()).rejects.toThrow(StoreUnavailable)
}, 20_000)
