import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { afterAll, expect, onTestFinished, test } from 'vitest'
import { noStream } from '../../application/event-store.ts'
import { openCore } from '../../infrastructure/core.ts'
import { makeLog } from '../../infrastructure/log.ts'
import { readSettings } from '../../infrastructure/settings.ts'
import Database from '../../infrastructure/sqlite.ts'
import { clockAdvanced } from '../event-store/appends.ts'
import { newFolder } from './service-process.ts'

const folder = newFolder()
afterAll(() => rmSync(folder, { recursive: true }))

/** A core whose log is folded in another thread, as in the service. */
const opened = async (name: string) => {
  const settings = readSettings({ DATA_DIR: join(folder, name) })
  const core = await openCore(settings, makeLog('silent'), 'apart')
  onTestFinished(() => core.close())
  await core.readModels.ready()
  return core
}

test('given far more events than are folded yet, a command waits until the read models are near again', async () => {
  const core = await opened('waiting')
  const { position: before } = await core.readModels.progress()
  const lock = new Database(core.readModelFile)
  lock.exec('BEGIN IMMEDIATE')
  const events = Array.from({ length: 4_000 }, () => clockAdvanced(0))
  await core.store.append('others', events, noStream)
  while (!core.readModels.room()) await nextTurn()
  const folded = core
    .advanceClock({ by: 1 }, core.contextOf('test'))
    .then(() => core.readModels.position())
  lock.exec('COMMIT')
  lock.close()
  expect(await folded).toBeGreaterThanOrEqual(before + 2_000)
})
