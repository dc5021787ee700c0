import { mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import Database from '../../infrastructure/sqlite.ts'
import {
  advance,
  authorize,
  newFolder,
  outcomeOf,
  pathOf,
  runCommand,
  startShop,
} from './service-process.ts'

test('a log that is restored under read models of more is shown as it is, and all that comes after it', async () => {
  const DATA_DIR = newFolder()
  const log = join(DATA_DIR, 'events.sqlite')
  const before = await startShop({ DATA_DIR })
  onTestFinished(async () => {
    await before.service.end()
    rmSync(DATA_DIR, { recursive: true })
  })
  const kept = await authorize(before)
  const reading = new Database(log, { readonly: true })
  await reading.backup(`${log}.copy`)
  reading.close()
  const lost = [await authorize(before), await authorize(before), await authorize(before)]
  await advance(before.world, 0)
  expect(await before.service.end()).toBe(0)

  for (const part of ['', '-wal', '-shm']) rmSync(log + part, { force: true })
  renameSync(`${log}.copy`, log)
  // As an operator may keep the old ones, to be safe.
  mkdirSync(join(DATA_DIR, 'read-models', 'read-models-backup'))
  const { output } = await runCommand({ DATA_DIR }, '--json', 'status')
  const { log_position, read_models_position } = JSON.parse(output)
  expect(read_models_position).toBe(log_position)

  const after = await startShop({ DATA_DIR })
  onTestFinished(async () => void (await after.service.end()))
  const statusOf = async (tid: string) => (await after.till('GET', pathOf(tid))).status
  expect(await statusOf(kept)).toBe(200)
  for (const tid of lost) expect(await statusOf(tid)).toBe(404)
  const tid = await authorize(after)
  expect(await statusOf(tid)).toBe(200)
  expect((await outcomeOf(after.till, tid)).status).toBe('auth')
  expect(await after.service.end()).toBe(0)
  const left = readdirSync(join(DATA_DIR, 'read-models'))
  const readModels = left.filter((name) => name !== 'read-models-backup')
  expect(readModels).toEqual([expect.stringMatching(/-2\.sqlite$/)])
  expect(left).toHaveLength(2)
})
