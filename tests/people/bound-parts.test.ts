// @module-tag long
import { randomUUID } from 'node:crypto'
import { copyFileSync, cpSync, existsSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { noStream, type JsonObject, type NewEvent } from '../../application/event-store.ts'
import { beginLog, operatorHere } from '../../harness/operator.ts'
import { newFolder } from '../../harness/in-process.ts'
import { openCore } from '../../service/core.ts'
import { failureOf } from '../../infrastructure/failures.ts'
import { makeLog } from '../../infrastructure/logs/log.ts'
import { checkpointWork } from '../../service/transparency/checkpoint-work.ts'
import { readSettings, type Settings } from '../../infrastructure/settings.ts'
import { serve } from '../../service/server/serve.ts'
import { blobsIn, openStore } from '../../infrastructure/stores.ts'
import { version } from '../../infrastructure/version.ts'

const place = async () => {
  const settings = readSettings({ DATA_DIR: newFolder(), LOG_LEVEL: 'silent' })
  onTestFinished(() => rmSync(settings.DATA_DIR, { recursive: true }))
  await beginLog(settings)
  const run = operatorHere(settings)
  const { DATA_DIR } = settings
  return {
    settings,
    file: (name: string) => join(DATA_DIR, name),
    daybook: async (...words: string[]) => {
      const { code, output, errors } = await run('--json', ...words)
      return { code, errors, told: JSON.parse(output || 'null') }
    },
    addPayer: (phone: string) => run('payer', 'add', phone, '--name', 'Kari', '--pin', '4711'),
  }
}

const signCheckpoint = async (settings: Settings): Promise<void> => {
  const core = await openCore(settings, makeLog('silent'))
  const [signing] = checkpointWork(core).work
  await signing?.due(core.now(), new AbortController().signal)
  await core.close()
}

const eventOf = (type: string, data: JsonObject, schema: number): NewEvent => {
  const metadata = { ...{ at: 1, merchant: null, actor: 'daybook' }, schema }
  const about = { correlationId: 'a', causationId: null }
  return { id: randomUUID(), type, data, metadata: { ...metadata, ...about } }
}

/** What a start says, undefined if nothing. */
const start = async (settings: Settings): Promise<string | undefined> => {
  try {
    await beginLog(settings)
    return undefined
  } catch (error) {
    return failureOf(error, settings)?.text
  }
}

const acceptIt = 'to go on without what is lost, run `daybook restore --accept`'

test('given an older vault, then the start names who is missing until it is accepted', async () => {
  const { settings, file, daybook, addPayer } = await place()
  copyFileSync(file('vault.sqlite'), file('older'))
  await addPayer('+4741234567')
  const { told } = await daybook('payer', 'find', '+4741234567')
  copyFileSync(file('older'), file('vault.sqlite'))
  const lacks = `the vault lacks the key of payer ${told.id}`
  expect(await start(settings)).toContain(lacks)
  expect(await start(settings)).toContain(acceptIt)
  expect(await daybook('restore', '--accept')).toMatchObject({ code: 0, told: { lacks: [lacks] } })
  expect(await start(settings)).toBe(undefined)
  expect((await daybook('restore', '--accept')).code).toBe(1)
})

test('given an older vault with somebody erased since, then the start says so', async () => {
  const { settings, file, daybook, addPayer } = await place()
  await addPayer('+4741234567')
  copyFileSync(file('vault.sqlite'), file('older'))
  await daybook('payer', 'erase', '+4741234567')
  await signCheckpoint(settings)
  expect(await start(settings)).toBe(undefined)
  copyFileSync(file('older'), file('vault.sqlite'))
  expect(await start(settings)).toContain('the vault is older than the log')
})

test('given a backup with an older vault, then its check names who is missing', async () => {
  const { settings, file, daybook, addPayer } = await place()
  copyFileSync(file('vault.sqlite'), file('older'))
  await addPayer('+4741234567')
  const { told } = await daybook('payer', 'find', '+4741234567')
  await signCheckpoint(settings)
  const backup = join(newFolder(), 'backup')
  expect((await daybook('backup', backup)).code).toBe(0)
  copyFileSync(file('older'), join(backup, 'vault.sqlite'))
  const { code, errors } = await daybook('restore', '--check', backup)
  expect(code).toBe(1)
  expect(errors).toContain(`the vault lacks the key of payer ${told.id}\nthe vault is older than`)
})

test('given an older folder of blobs, then the start names the one that is missing', async () => {
  const { settings, daybook, file } = await place()
  await daybook('merchant', 'add', 'quay', '--name', 'Quay', '--currency', 'NOK')
  const png = 'docs/portal-payout.png'
  expect(await daybook('merchant', 'logo', 'quay', png)).toMatchObject({ code: 0 })
  const blobs = blobsIn(settings)
  cpSync(blobs, file('kept'), { recursive: true })
  rmSync(blobs, { recursive: true })
  expect(await start(settings)).toMatch(/the blob [\da-f]{64} is missing: an older copy/)
  cpSync(file('kept'), blobs, { recursive: true })
  expect(await start(settings)).toBe(undefined)
})

test('given an older log without notes beside it, then that beside the keys tells', async () => {
  const { settings, file, daybook } = await place()
  const backup = join(newFolder(), 'backup')
  await daybook('backup', backup)
  await daybook('merchant', 'add', 'quay', '--name', 'Quay', '--currency', 'NOK')
  await signCheckpoint(settings)
  for (const name of readdirSync(settings.DATA_DIR))
    if (/^events|^read-models|-seen$/.test(name)) rmSync(file(name), { recursive: true })
  copyFileSync(join(backup, 'events.sqlite'), file('events.sqlite'))
  expect(existsSync(file('vault.sqlite-seen'))).toBe(false)
  expect(await start(settings)).toContain('which was noted beside the keys')
  expect((await daybook('restore', '--accept')).code).toBe(0)
  expect(await start(settings)).toBe(undefined)
})

test(
  'given such an event before many others, then the service ends',
  { tags: 'long' },
  async () => {
    const { settings } = await place()
    const store = await openStore(settings)
    await store.append('clock-old', [eventOf('ClockStopped', {}, 3)], noStream)
    for (let revision = -1; revision < 1_000; revision += 1)
      await store.append(
        'clock-many',
        [eventOf('ClockAdvanced', { aheadBy: revision + 2 }, 1)],
        revision,
      )
    await store.close()
    const endless = {
      stopped: new Promise<void>(() => {}),
      onWaiting: () => {},
      onStarted: () => {},
    }
    await expect(serve({ ...settings, PORT: 0 }, endless)).rejects.toThrow(
      'ClockStopped in clock-old',
    )
  },
)

test('given an event of a newer build, then the start names it and the build', async () => {
  const { settings } = await place()
  const core = await openCore(settings, makeLog('silent'))
  const append = (type: string, data: JsonObject, schema: number) =>
    core.store.append(`clock-${type}`, [eventOf(type, data, schema)], noStream)
  await append('ClockStopped', {}, 3)
  const signed = { size: 1, root: 'a', note: 'a', build: '7.8.9' }
  await append('CheckpointSigned', signed, 1)
  await core.readModels.stop()
  await expect(openCore(settings, makeLog('silent'))).rejects.toThrow(
    'ClockStopped in clock-ClockStopped, cannot be read: this version knows no such type. ' +
      `The event is of version 3, this is daybook ${version}: start one that reads it, ` +
      'as daybook 7.8.9 does',
  )
  await core.close()
})
