import { rmSync } from 'node:fs'
import { afterAll, expect, onTestFinished, test } from 'vitest'
import { connectRaw } from '../support/raw-pusher.ts'
import { newFolder } from '../../harness/in-process.ts'
import { startServiceProcess } from '../../harness/service-process.ts'

const DATA_DIR = newFolder()

afterAll(() => rmSync(DATA_DIR, { recursive: true }))

test('given production without Pusher, a handshake with a long key is a 4001 alone', async () => {
  const service = await startServiceProcess({ DATA_DIR, MODE: 'production' })
  onTestFinished(async () => void (await service.stop()))
  const client = connectRaw(service.address, `/app/${'k'.repeat(100)}?protocol=7`)
  const { data } = await client.event('pusher:error')
  expect(data).toEqual({ code: 4001, message: expect.stringContaining('kkk') })
  expect(await client.closed).toBe(4001)
  expect((await fetch(`${service.address}/health/live`)).status).toBe(200)
  expect([...service.errors]).toEqual([])
})
