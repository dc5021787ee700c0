// @module-tag long
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, type AddressInfo } from 'node:net'
import { createSecureServer } from 'node:http2'
import { once } from 'node:events'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { noStream, StoreUnavailable } from '../../application/event-store.ts'
import { connectEventStoreDB } from '../../infrastructure/event-store/eventstoredb-event-store.ts'
import { makeCertificates } from '../process/certificates.ts'
import { newEvent } from './appends.ts'
import { startProtocolPlace } from './protocol-place.ts'

const open = (connectionString: string, altogether = 300) => {
  const timeouts = { attempt: altogether, altogether, election: 300 }
  const store = connectEventStoreDB(connectionString, { timeouts })
  onTestFinished(() => store.close())
  return store
}

/** Longer than an answer of a busy machine takes. */
const patient = 4_000

/** What a first call says. */
const saidBy = async (connectionString: string): Promise<string> => {
  const error: unknown = await open(connectionString)
    .head()
    .catch((thrown: unknown) => thrown)
  expect(error).toBeInstanceOf(StoreUnavailable)
  return (error as Error).message
}

const freePort = async (): Promise<number> => {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}

const listenSecurely = async () => {
  const folder = mkdtempSync(join(tmpdir(), 'daybook-contact-'))
  const { trusted, authority } = makeCertificates(folder)
  const server = createSecureServer(trusted).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.close()
    rmSync(folder, { recursive: true })
  })
  const { port } = server.address() as AddressInfo
  return { at: `127.0.0.1:${port}`, authority }
}

test('given a node without TLS, asked with it, then a read says to add tls=false', async () => {
  const { port, remove } = await startProtocolPlace()
  onTestFinished(remove)
  expect(await saidBy(`esdb://admin:changeit@127.0.0.1:${port}`)).toMatch(
    /^127\.0\.0\.1:\d+: it does not speak TLS \(\w+\): add tls=false, or give it a certificate$/,
  )
})

test('given a node with TLS, asked without, then a read says to remove tls=false', async () => {
  const { at } = await listenSecurely()
  expect(await saidBy(`esdb://${at}?tls=false`)).toBe(`${at}: it wants TLS: remove tls=false`)
})

test('given an authority that is not trusted, then it says to name it', async () => {
  const { at } = await listenSecurely()
  expect(await saidBy(`esdb://${at}`)).toMatch(
    /: no authority that is trusted here signed its certificate \(\w+\): name it in tlsCAFile$/,
  )
})

test('given a certificate for other names, then it says so', async () => {
  const { at, authority } = await listenSecurely()
  expect(
    await saidBy(`esdb://${at.replace('127.0.0.1', 'localhost')}?tlsCAFile=${authority}`),
  ).toMatch(/^localhost:\d+: its certificate is for other names: connect to one of them$/)
})

test('given several hosts where nothing listens, then it names each once', async () => {
  const [one, other] = [await freePort(), await freePort()]
  const few = 'maxDiscoverAttempts=1&discoveryInterval=1'
  expect(await saidBy(`esdb://127.0.0.1:${one},127.0.0.1:${other}?tls=false&${few}`)).toBe(
    `127.0.0.1:${one}, 127.0.0.1:${other}: nothing answers there (ECONNREFUSED): ` +
      'start EventStoreDB, or correct host and port',
  )
})

test('given a node that was there, when it is gone, then no setting is called wrong', async () => {
  const { url, stop, startAgain, remove } = await startProtocolPlace()
  const store = open(url, patient)
  await store.append('s', [newEvent()], noStream)
  await stop()
  const said = await store.head().catch((error: unknown) => (error as Error).message)
  expect(said).toMatch(/^reading \$all failed: /)
  expect(said).not.toMatch(/Resolution note|correct host/)
  await startAgain()
  await remove()
})

test('what must not wait is appended and read beside all else, at exact revisions', async () => {
  const { url, remove } = await startProtocolPlace()
  onTestFinished(remove)
  const { streams } = open(url, patient)
  const first = await streams.urgent.append('lease-work', [newEvent()], noStream)
  expect(await streams.append('lease-work', [newEvent()], first.revision)).toMatchObject({
    revision: 1,
  })
  await expect(streams.urgent.append('lease-work', [newEvent()], 0)).rejects.toThrow('lease-work')
  expect(await streams.urgent.readStream('lease-work', 1)).toHaveLength(1)
})
