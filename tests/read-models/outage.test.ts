import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import { expect, onTestFinished, test } from 'vitest'
import { StoreUnavailable } from '../../application/event-store.ts'
import { openCore } from '../../service/core.ts'
import type { Log } from '../../infrastructure/logs/log.ts'
import { readSettings } from '../../infrastructure/settings.ts'
import Database from '../../infrastructure/sqlite.ts'

test(
  'given read models that cannot be written, then it is logged once, and its end',
  { tags: 'long', timeout: 15_000 },
  async () => {
    const DATA_DIR = mkdtempSync(join(tmpdir(), 'daybook-outage-'))
    const messages: string[] = []
    const write = (line: string) => void messages.push(JSON.parse(line).msg)
    const log = pino({ level: 'warn' }, { write }) as Log
    const core = await openCore(readSettings({ DATA_DIR }), log)
    const file = new Database(core.readModelFile)
    onTestFinished(async () => {
      file.close()
      await core.close()
      rmSync(DATA_DIR, { recursive: true })
    })
    await core.readModels.ready()

    file.exec('ALTER TABLE checkpoint RENAME TO away')
    await core.advanceClock({ by: 1000 }, core.contextOf('test'))
    // Several times the retry interval.
    await expect(core.readModels.caughtUp()).rejects.toThrow(StoreUnavailable)
    expect(messages).toEqual(['the read models cannot follow the log'])

    const folded = new Promise((resolve) => core.onFolded(resolve))
    file.exec('ALTER TABLE away RENAME TO checkpoint')
    await folded
    expect(messages.slice(1)).toEqual(['the read models follow the log again'])
  },
)
