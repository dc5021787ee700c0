import { rmSync } from 'node:fs'
import { pino } from 'pino'
import { expect, onTestFinished, test } from 'vitest'
import type { Log } from '../infrastructure/log.ts'
import { openService } from '../infrastructure/main.ts'
import { readSettings } from '../infrastructure/settings.ts'
import { newFolder } from './service-process.ts'

/** A service that has not begun to work beside its requests, and what it writes to its log. */
const openHere = async () => {
  const folder = newFolder()
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const lines: string[] = []
  const log = pino({ level: 'error', errorKey: 'error' }, { write: (line) => lines.push(line) })
  const settings = readSettings({ DATA_DIR: folder })
  return { ...(await openService(settings, log as Log, () => 'http://daybook.test')), lines }
}

test('a service that is stopped while the event store is away does not ask for it again', async () => {
  const { core, service, lines } = await openHere()
  await core.store.close()
  service.begin()
  // The question is under way.
  await service.stop()
  await core.close()
  expect(lines.filter((line) => line.includes('it will try again'))).toEqual([])
})
