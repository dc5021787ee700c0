import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { merchantClient } from '../../harness/merchant-client.ts'
import { startServiceProcess } from '../../harness/service-process.ts'
import {
  authorize,
  capture,
  outcomeOf,
  pathOf,
  runCommand,
  startShop,
} from '../support/shop-process.ts'
import { newFolder } from '../../harness/in-process.ts'

const folderOfTest = (): string => {
  const folder = newFolder()
  onTestFinished(() => rmSync(folder, { recursive: true }))
  return folder
}

/** Replaces a text everywhere with another one of the same length. */
const overwrite = (file: string, from: string, to: string): void => {
  const bytes = readFileSync(file)
  let found = 0
  for (let at = bytes.indexOf(from); at >= 0; at = bytes.indexOf(from, at + 1)) {
    bytes.write(to, at)
    found += 1
  }
  expect(found).toBeGreaterThan(0)
  writeFileSync(file, bytes)
}

const start = async (DATA_DIR: string) => {
  const shop = await startShop({ DATA_DIR })
  onTestFinished(async () => void (await shop.service.stop('SIGKILL')))
  return shop
}

/** A log of two payments, of which one has a capture whose id was changed in the file. */
const withChangedCapture = async () => {
  const DATA_DIR = folderOfTest()
  const { service, ...shop } = await start(DATA_DIR)
  const [changed, sound] = [await authorize(shop), await authorize(shop)]
  expect((await capture(shop.till, changed, 'captured-here')).status).toBe(204)
  expect(await service.stop()).toBe(0)
  overwrite(join(DATA_DIR, 'events.sqlite'), 'captured-here', 'captured-herE')
  return { DATA_DIR, changed, sound }
}

test('given a wrong bit in the write-ahead log, then the service does not start', async () => {
  const DATA_DIR = folderOfTest()
  const { service, till, world } = await start(DATA_DIR)
  const tid = await authorize({ till, world })
  expect((await capture(till, tid, 'cut-off')).status).toBe(204)
  await service.stop('SIGKILL')
  overwrite(join(DATA_DIR, 'events.sqlite-wal'), 'cut-off', 'cut-oFf')
  const { code, output, errors } = await runCommand({ DATA_DIR, PORT: '0' }, 'serve')
  expect([code, output]).toEqual([1, ''])
  expect(errors).toContain(`DATA_DIR="${DATA_DIR}": it ends at position `)
  expect(errors).toContain('which was written: its end was lost')
})

test(
  'given a changed event, then its payment is refused by name, and others go on',
  { tags: 'night' },
  async () => {
    const { DATA_DIR, changed, sound } = await withChangedCapture()

    const { service, till, world } = await start(DATA_DIR)
    expect((await till('GET', `${pathOf(changed)}outcome/`)).status).toBe(503)
    expect([...service.errors].join('')).toContain(`revision 2 of payment-${changed}, is damaged`)
    expect((await outcomeOf(till, sound)).status).toBe('auth')
    expect((await capture(till, sound, 'another')).status).toBe(204)
    expect((await till('GET', '/merchant/v1/pos/')).status).toBe(200)
    expect((await outcomeOf(till, await authorize({ till, world }))).status).toBe('auth')
    expect(await service.stop()).toBe(0)

    const checked = await runCommand({ DATA_DIR }, 'audit', 'check')
    expect([checked.code, JSON.parse(checked.output)]).toEqual([
      1,
      expect.objectContaining({ gaps: 0, damage: 1 }),
    ])
    expect(checked.errors).toContain(`revision 2 of payment-${changed}, is damaged`)
  },
)

test(
  'given a changed event and no read models, then these end before it',
  { tags: 'night' },
  async () => {
    const { DATA_DIR, changed, sound } = await withChangedCapture()
    rmSync(join(DATA_DIR, 'read-models'), { recursive: true })

    const rebuilt = await runCommand({ DATA_DIR }, 'rebuild')
    expect([rebuilt.code, rebuilt.output]).toEqual([1, ''])
    expect(rebuilt.errors).toContain(`revision 2 of payment-${changed}, is damaged`)

    const service = await startServiceProcess({ DATA_DIR })
    onTestFinished(async () => void (await service.stop('SIGKILL')))
    const pos1 = { merchant: 'sandbox', user: 'pos1', secret: 'sandbox-secret' }
    const till = merchantClient(service.address, pos1)
    const began = performance.now()
    expect((await till('GET', '/merchant/v1/pos/')).status).toBe(503)
    expect(await till('GET', '/health/ready')).toMatchObject({
      status: 503,
      body: {
        error_description: expect.stringMatching(
          /^Event \d+ of the log is damaged: the read models end before it/,
        ),
      },
    })
    expect(performance.now() - began).toBeLessThan(4_000)
    expect([...service.errors].join('')).toContain(`revision 2 of payment-${changed}, is damaged`)
    expect((await till('GET', pathOf(sound))).status).toBe(200)
    expect((await capture(till, sound, 'another')).status).toBe(204)
  },
)

test(
  'given a vault elsewhere and an older log, then that is reported',
  { tags: 'night' },
  async () => {
    const parent = folderOfTest()
    const [DATA_DIR, older] = [join(parent, 'data'), join(parent, 'older')]
    const settings = { DATA_DIR, VAULT: join(parent, 'vault', 'vault.sqlite') }
    mkdirSync(DATA_DIR)
    const first = await startShop(settings)
    expect(await first.service.stop()).toBe(0)
    cpSync(DATA_DIR, older, { recursive: true })
    const second = await startShop(settings)
    await authorize(second)
    expect(await second.service.stop()).toBe(0)
    rmSync(DATA_DIR, { recursive: true })
    cpSync(older, DATA_DIR, { recursive: true })

    const refused = await runCommand(settings, 'status')
    expect([refused.code, refused.output]).toEqual([1, ''])
    expect(refused.errors).toContain('which was noted beside the vault')
    expect((await runCommand(settings, 'restore', '--accept')).code).toBe(0)
    expect((await runCommand(settings, 'status')).code).toBe(0)
  },
)
