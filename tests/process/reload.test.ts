import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { rmSync, writeFileSync } from 'node:fs'
import { createServer, type AddressInfo } from 'node:net'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { openSqliteEventStore } from '../../infrastructure/event-store/sqlite-event-store.ts'
import { logFileIn } from '../../infrastructure/stores.ts'
import { newFolder } from '../../harness/in-process.ts'
import { endProcess, pidServing } from '../../harness/releases.ts'
import { runCommand } from '../support/shop-process.ts'
import { startAlone, startLoad } from './load.ts'

const openFolder = (): string => {
  const folder = newFolder()
  onTestFinished(async () => {
    await endProcess(pidServing(folder))
    rmSync(folder, { recursive: true, force: true })
  })
  return folder
}

const reload = async (DATA_DIR: string) => {
  const { code, output, errors } = await runCommand({ DATA_DIR }, '--json', 'reload')
  expect([code, errors]).toEqual([0, ''])
  return JSON.parse(output) as { pid: number }
}

const capturesIn = async (DATA_DIR: string): Promise<number> => {
  const store = openSqliteEventStore(logFileIn({ DATA_DIR }), 'read')
  let count = 0
  for await (const events of store.readAll(0))
    count += events.filter(({ type }) => type === 'PaymentCaptured').length
  await store.close()
  return count
}

test(
  'a service that is reloaded under load answers each request once, and none fails',
  { timeout: 240_000 },
  async () => {
    const DATA_DIR = openFolder()
    const { address, ended } = await startAlone(DATA_DIR)
    const load = startLoad(address)
    await load.more(200)
    const before = pidServing(DATA_DIR)
    const { pid } = await reload(DATA_DIR)
    expect([pid, pid === before]).toEqual([pidServing(DATA_DIR), false])
    expect((await ended)[0]).toBe(0)
    await load.more(200)
    const { failures, captures } = await load.stop()
    expect(failures).toEqual([])
    expect(await capturesIn(DATA_DIR)).toBe(captures)
  },
)

test(
  'several processes are replaced one after another under load, and no request fails',
  { tags: 'night', timeout: 240_000 },
  async () => {
    const DATA_DIR = openFolder()
    const { address, child } = await startAlone(DATA_DIR, ['--processes', '2'])
    const load = startLoad(address)
    await load.more(200)
    expect((await reload(DATA_DIR)).pid).toBe(child.pid)
    await load.more(200)
    const { failures, captures } = await load.stop()
    expect(failures).toEqual([])
    expect(await capturesIn(DATA_DIR)).toBe(captures)
  },
)

test('given a new program that does not start, then the running service goes on', async () => {
  const DATA_DIR = openFolder()
  const VAULT_KEY_FILE = join(DATA_DIR, 'key')
  const newKey = () => writeFileSync(VAULT_KEY_FILE, randomBytes(32).toString('base64'))
  newKey()
  const { address } = await startAlone(DATA_DIR, [], { VAULT_KEY_FILE })
  // The vault cannot be opened with another one.
  newKey()
  const { code, errors } = await runCommand({ DATA_DIR }, 'reload')
  expect([code, errors]).toEqual([1, expect.stringContaining('the new process is not ready')])
  expect((await fetch(`${address}/health/ready`)).status).toBe(200)
})

test('without a service there is nothing to reload', async () => {
  const DATA_DIR = openFolder()
  const { child, ended } = await startAlone(DATA_DIR)
  child.kill('SIGTERM')
  await ended
  const { code, errors } = await runCommand({ DATA_DIR }, 'reload')
  expect([code, errors]).toEqual([1, `DATA_DIR="${DATA_DIR}": no service runs in it\n`])
})

test('a service takes a socket from whoever started it, as systemd does it', async () => {
  const DATA_DIR = openFolder()
  const holder = createServer().listen(0, '127.0.0.1')
  await once(holder, 'listening')
  const { port } = holder.address() as AddressInfo
  const socket = (holder as unknown as { _handle: { fd: number } })._handle.fd
  const words = ['LISTEN_PID=$$ exec "$0" dist/service/main.js serve', process.execPath]
  const child = spawn('/bin/sh', ['-c', ...words], {
    stdio: ['ignore', 'ignore', 'inherit', socket],
    env: { PATH: '/usr/bin:/bin', DATA_DIR, PORT: '1', LISTEN_FDS: '1', LOG_LEVEL: 'warn' },
  })
  // The first connection waits in the socket's queue until the service is there.
  holder.close()
  const answer = await fetch(`http://127.0.0.1:${port}/health/live`)
  expect(answer.status).toBe(200)
  child.kill('SIGTERM')
  expect((await once(child, 'exit'))[0]).toBe(0)
})

test('a service that is told to stop is not ready, answers for a while, and ends', async () => {
  const DATA_DIR = openFolder()
  const { address, child, ended } = await startAlone(DATA_DIR, [], { DRAIN_SECONDS: '2' })
  const ready = async () => (await fetch(`${address}/health/ready`)).json()
  expect(await ready()).toMatchObject({ status: 'ready' })
  const load = startLoad(address)
  await load.more(20)
  child.kill('SIGTERM')
  await expect.poll(ready).toMatchObject({ error_description: 'The service is stopping.' })
  await load.more(20)
  expect((await load.stop()).failures).toEqual([])
  expect((await ended)[0]).toBe(0)
})
