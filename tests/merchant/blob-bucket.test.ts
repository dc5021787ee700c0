import { createRequire } from 'node:module'
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { once } from 'node:events'
import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { StoreUnavailable } from '../../application/event-store.ts'
import { hashOf } from '../../infrastructure/blobs/blob-directory.ts'
import { openBlobs } from '../../infrastructure/blobs/blobs.ts'
import { readSettings } from '../../infrastructure/settings.ts'
import { startInProcess } from '../../harness/in-process.ts'

/** A real S3 server that verifies signatures. It has no types. */
type Server = {
  run(): Promise<AddressInfo>
  close(): Promise<void>
}
const S3rver = createRequire(import.meta.url)('@20minutes/s3rver') as new (options: {
  readonly port: number
  readonly address: string
  readonly silent: boolean
  readonly directory: string
  readonly configureBuckets: readonly { readonly name: string }[]
}) => Server

const directory = mkdtempSync(join(tmpdir(), 'daybook-bucket-'))
const bucket = 's3://blobs/daybook'
let server: Server
let environment: Record<string, string>

beforeAll(async () => {
  const configureBuckets = [{ name: 'blobs' }]
  const about = { port: 0, address: '127.0.0.1', silent: true, directory, configureBuckets }
  server = new S3rver(about)
  const { port } = await server.run()
  environment = {
    S3_ENDPOINT: `http://127.0.0.1:${port}`,
    S3_ACCESS_KEY_ID: 'S3RVER',
    S3_SECRET_ACCESS_KEY: 'S3RVER',
  }
})
afterAll(async () => {
  await server.close()
  rmSync(directory, { recursive: true })
})

const open = (blobs = bucket, changed: Record<string, string> = {}) =>
  openBlobs(blobs, readSettings({ ...environment, ...changed }))

const content = Buffer.from('a picture of a receipt')

test('given a bucket, then what was put is got by its hash, by any node', async () => {
  const hash = await (await open()).put(content)
  expect(hash).toBe(hashOf(content))
  expect(await (await open()).put(content)).toBe(hash)
  expect(Buffer.from((await (await open()).get(hash))!)).toEqual(content)
  const files = readdirSync(join(directory, 'blobs'), { recursive: true, encoding: 'utf8' })
  expect(files.some((file) => file.includes(`daybook/${hash.slice(0, 2)}/${hash}`))).toBe(true)
})

test('given a bucket, then a service keeps its blobs there, and none in a folder', async () => {
  const service = await startInProcess({ ...environment, BLOBS: bucket })
  onTestFinished(async () => {
    await service.stop()
    rmSync(service.folder, { recursive: true })
  })
  const hash = await service.core.blobs.put(Buffer.from('a logo'))
  expect(await (await open()).get(hash)).toBeDefined()
  expect(readdirSync(service.folder)).not.toContain('blobs')
})

/** Passes requests on to the bucket without `/store` before their path, and lists the paths. */
const startProxy = async () => {
  const seen: string[] = []
  const proxy = createServer((incoming, outgoing) => {
    const { url = '', method } = incoming
    seen.push(url)
    const of = { method, headers: incoming.headers }
    const asked = request(
      environment['S3_ENDPOINT'] + url.replace(/^\/store/, ''),
      of,
      (answer) => {
        outgoing.writeHead(answer.statusCode ?? 502)
        answer.pipe(outgoing)
      },
    )
    incoming.pipe(asked)
  })
  await once(proxy.listen(0, '127.0.0.1'), 'listening')
  onTestFinished(() => void proxy.close())
  return { address: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`, seen }
}

test.each([
  ['/', bucket, '/blobs/daybook/'],
  ['//', 's3://blobs//daybook//', '/blobs/daybook/'],
  ['/store', 's3://blobs/a//b/', '/store/blobs/a/b/'],
  ['/store/', 's3://blobs/', '/store/blobs/'],
])('given an endpoint with %s and %s, then objects are below %s', async (end, at, path) => {
  const { address, seen } = await startProxy()
  const blobs = await open(at, { S3_ENDPOINT: address + end })
  // The bucket signs for its own path.
  const hash = await blobs.put(content).catch(() => hashOf(content))
  expect(seen.map((one) => one.split('?')[0])).toContain(`${path}${hash.slice(0, 2)}/${hash}`)
  expect(seen.join()).not.toMatch(/\/\//)
})

test('given an endpoint with slashes at its end, then what was put is got', async () => {
  const blobs = await open(bucket, { S3_ENDPOINT: `${environment['S3_ENDPOINT']}//` })
  const hash = await blobs.put(Buffer.from('with slashes'))
  expect(await blobs.get(hash)).toBeDefined()
  expect(await (await open()).get(hash)).toBeDefined()
})

test('given an object that was changed, then it is damaged, and not got', async () => {
  const blobs = await open()
  const hash = await blobs.put(Buffer.from('sound'))
  const files = readdirSync(directory, { recursive: true, encoding: 'utf8' })
  const objects = files.filter((file) => file.includes(hash) && file.endsWith('_object'))
  for (const object of objects) writeFileSync(join(directory, object), 'other')
  await expect(blobs.get(hash)).rejects.toThrow(`the blob ${hash} is damaged`)
})

test('given a bucket, then nothing else is got', async () => {
  const blobs = await open()
  expect(await blobs.get(hashOf(Buffer.from('never put')))).toBeUndefined()
  expect(await blobs.get('../blobs')).toBeUndefined()
})

test.each([
  ['a wrong secret', bucket, { S3_SECRET_ACCESS_KEY: 'wrong' }, 'answers 403'],
  ['a bucket that is not there', 's3://nowhere', {}, 'answers 404'],
  ['a server that is not there', bucket, { S3_ENDPOINT: 'http://127.0.0.1:1' }, 'does not answer'],
])('given %s, then the store is unavailable, and the error says why', async (_, at, with_, why) => {
  const blobs = await open(at, with_)
  await expect(blobs.put(content)).rejects.toThrow(StoreUnavailable)
  await expect(blobs.put(content)).rejects.toThrow(why)
  await expect(blobs.get(hashOf(content))).rejects.toThrow(StoreUnavailable)
})
