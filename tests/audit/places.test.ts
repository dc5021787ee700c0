// @module-tag long
import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { verifyIn } from '../../harness/alter/altered-log.ts'
import { openPlace } from '../../harness/ledger-service.ts'
import { verifyLog } from '../../audit/verify/verify-log.ts'
import { readSettings } from '../../infrastructure/settings.ts'
import { openStore, openStoreToRead } from '../../infrastructure/stores.ts'
import { startProtocolPlace } from '../event-store/protocol-place.ts'
import { shopLog } from './shop-log.ts'

const { copied } = shopLog()

const newFolder = (): string => {
  const folder = mkdtempSync(join(tmpdir(), 'daybook-audited-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  return folder
}

test('a copy of the events alone is audited, but for what is not there', async () => {
  const folder = newFolder()
  cpSync(join(copied(), 'events.sqlite'), join(folder, 'events.sqlite'))
  expect(await verifyIn(folder)).toMatchObject({ holds: true, hasKeys: true, rowsCompared: null })
})

test('a log in EventStoreDB is audited, and has the same root', async () => {
  const place = await startProtocolPlace()
  onTestFinished(place.remove)
  const from = copied()
  const ours = await openStoreToRead(readSettings({ DATA_DIR: from }))
  const settings = readSettings({ DATA_DIR: newFolder(), EVENT_STORE: place.url })
  const theirs = await openStore(settings)
  for await (const batch of ours.readAll(0))
    for (const { stream, revision, id, type, data, metadata } of batch)
      await theirs.append(stream, [{ id, type, data, metadata }], revision - 1)
  await ours.close()
  onTestFinished(() => theirs.close())
  const { root } = await verifyIn(from)
  const options = { keys: [], kept: [] }
  expect(await verifyLog(theirs, settings, options)).toMatchObject({ holds: true, root })
})

test('while a service is running, no problem is found', async () => {
  const place = await openPlace()
  onTestFinished(async () => {
    await place.stop()
    place.remove()
  })
  let hasEnded = false
  const shop = async (): Promise<void> => {
    while (!hasEnded) await place.capture(await place.authorize({ amount: '10.00' }))
  }
  const going = shop()
  for (let times = 0; times < 3; times += 1)
    expect(await verifyIn(place.directory)).toMatchObject({ holds: true, problems: [] })
  hasEnded = true
  await going
})
