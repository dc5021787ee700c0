import { once } from 'node:events'
import { readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { openSqliteEventStore } from '../../infrastructure/event-store/sqlite-event-store.ts'
import { fingerprint } from '../../infrastructure/read-models/fingerprint.ts'
import { logFileIn, readModelsIn } from '../../infrastructure/stores.ts'
import { newFolder } from '../../harness/in-process.ts'
import { endProcess, makeReleases, nextPrint, pidServing } from '../../harness/releases.ts'
import { startCommand } from '../../harness/service-process.ts'
import { runCommand } from '../support/shop-process.ts'
import { startAlone, startLoad, withProgram } from './load.ts'

test(
  'an upgrade is prepared, made and taken back under load, and no request fails',
  { tags: 'night' },
  async () => {
    const folder = newFolder()
    const DATA_DIR = join(folder, 'data')
    onTestFinished(async () => {
      await endProcess(pidServing(DATA_DIR))
      rmSync(folder, { recursive: true, force: true })
    })
    const { built, current, use } = makeReleases(folder)
    const service = await withProgram(current, () => startAlone(DATA_DIR))
    const load = startLoad(service.address)
    await load.more(300)
    const words = ['--json', 'upgrade', 'prepare', '--share', '0.3']
    const prepared = await withProgram(built.next, () => runCommand({ DATA_DIR }, ...words))
    expect(prepared.code, prepared.errors).toBe(0)
    expect(JSON.parse(prepared.output)).toMatchObject({
      differences: 0,
      events: expect.any(Number),
    })
    const files = () =>
      readdirSync(readModelsIn({ DATA_DIR })).filter((name) => /sqlite$/.test(name))
    const both = [fingerprint(), nextPrint].map((print) => `read-models-${print}-1.sqlite`).sort()
    expect(files().sort()).toEqual(both)
    for (const release of ['next', 'now'] as const) {
      use(release)
      const reloaded = await withProgram(current, () => runCommand({ DATA_DIR }, 'reload'))
      expect([reloaded.code, reloaded.errors]).toEqual([0, ''])
      await load.more(200)
    }
    expect((await load.stop()).failures).toEqual([])
    // Both are kept, and neither was folded anew.
    expect(files().sort()).toEqual(both)
  },
)

test('a service that meets an event of a newer version is not ready, nor starts', async () => {
  const DATA_DIR = newFolder()
  onTestFinished(() => rmSync(DATA_DIR, { recursive: true, force: true }))
  const { address, child: first, ended } = await startAlone(DATA_DIR)
  const store = openSqliteEventStore(logFileIn({ DATA_DIR }))
  const event = { id: crypto.randomUUID(), type: 'PaymentTeleported', data: {}, metadata: {} }
  const { position } = await store.append('payment-x', [event], -1)
  await store.close()
  const what = `event ${position}, PaymentTeleported in payment-x, cannot be read`
  const ready = async () => (await fetch(`${address}/health/ready`)).json()
  await expect.poll(ready, { timeout: 30_000 }).toMatchObject({
    error_description: expect.stringContaining(`newer version has written to the log: ${what}`),
  })
  expect((await fetch(`${address}/health/live`)).status).toBe(200)
  first.kill('SIGTERM')
  await ended
  const child = startCommand(['serve'], { DATA_DIR }, 'pipe')
  let errors = ''
  child.stderr!.setEncoding('utf8').on('data', (text) => (errors += text))
  child.stdout!.resume()
  expect((await once(child, 'close'))[0]).toBe(1)
  expect(errors).toContain(`This log is not one of this version: ${what}`)
})
