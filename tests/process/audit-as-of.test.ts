import { copyFileSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import Database from '../../infrastructure/sqlite.ts'
import { logFileIn } from '../../infrastructure/stores.ts'
import { authorizedPayment, paths, startService, type Service } from '../support/http-service.ts'
import type { RecordedEvent } from '../../application/event-store.ts'
import { parseEvent } from '../../domain/events.ts'
import { operatorHere } from '../../harness/operator.ts'

let service: Service
let folder: string
let [payment, time] = ['', '']
let position = 0
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'daybook-as-of-'))
  service = await startService({ LOG_LEVEL: 'error' })
  payment = await authorizedPayment(service)
  const at = service.core.now()
  time = new Date(at).toISOString()
  await service.call('POST', paths.clock, { body: { advance_seconds: 60 } })
  await service.pos1('PUT', payment, { action: 'capture' })
  // Checkpoints are signed in the background, and may be dated before the event they follow.
  const all: RecordedEvent[] = []
  for await (const events of service.core.store.readAll(0)) all.push(...events)
  const isLater = (event: RecordedEvent) => parseEvent(event).metadata.at > at
  position = all.findIndex(isLater)
})
afterAll(async () => {
  await service.stop()
  rmSync(folder, { recursive: true })
})

const asOf = async (moment: string, name: string, settings = service.settings) => {
  const out = join(folder, name)
  const { code, output, errors } = await operatorHere(settings)(
    'audit',
    'as-of',
    moment,
    '--out',
    out,
  )
  return { code, errors, out, told: JSON.parse(output || 'null') }
}

const amountLeftIn = (file: string): unknown => {
  const database = new Database(file, { readonly: true })
  onTestFinished(() => void database.close())
  expect(database.pragma('integrity_check', { simple: true })).toBe('ok')
  return database
    .prepare('SELECT amountLeft FROM payments WHERE tid = ?')
    .pluck()
    .get(payment.split('/').at(-2))
}

test('the read models of a moment are written beside the running service', async () => {
  const byPosition = await asOf(String(position), 'position.sqlite')
  expect(byPosition).toMatchObject({
    code: 0,
    errors: '',
    told: {
      position,
      events: position,
      file: byPosition.out,
      rows: { payments: 1, checkpoint: 1 },
    },
  })
  expect(amountLeftIn(byPosition.out)).toBe(10_000)
  const { told, out } = await asOf(time, 'time.sqlite')
  expect(told).toEqual({ ...byPosition.told, file: out })
  const now = await asOf(String(await service.core.store.head()), 'now.sqlite')
  expect(amountLeftIn(now.out)).toBe(0)
})

test('a copy of the log is enough', async () => {
  const DATA_DIR = mkdtempSync(join(tmpdir(), 'daybook-copy-'))
  onTestFinished(() => rmSync(DATA_DIR, { recursive: true }))
  const copy = { ...service.settings, DATA_DIR }
  const source = new Database(logFileIn(service.settings), { readonly: true })
  source.prepare('VACUUM INTO ?').run(logFileIn(copy))
  source.close()
  const { code, out } = await asOf(String(position), 'copy.sqlite', copy)
  expect([code, amountLeftIn(out)]).toEqual([0, 10_000])
})

test('before the first event there is nothing', async () => {
  const { told } = await asOf('1999-12-31', 'nothing.sqlite')
  expect(told).toMatchObject({ position: 0, time: null, events: 0, rows: { payments: 0 } })
})

test('a moment that has not come by the clock of the log is refused', async () => {
  const later = (seconds: number) => new Date(service.core.now() + seconds * 1000).toISOString()
  // The sandbox's clock is a minute ahead.
  expect(await asOf(later(-30), 'half-a-minute.sqlite')).toMatchObject({ code: 0, errors: '' })
  const has = /^\S+Z has not come yet: it is \S+Z\n$/
  const { code, errors, out } = await asOf(later(60), 'later.sqlite')
  expect([code, errors]).toEqual([1, expect.stringMatching(has)])
  expect([existsSync(out), existsSync(`${out}.building`)]).toEqual([false, false])
  const time = later(86_400).slice(0, 19).replace('T', ' ')
  const commands = [
    ['consents', 'alice', '--at', time],
    ['export', '--from', time, '--out', join(folder, 'export')],
  ]
  for (const words of commands)
    expect(await operatorHere(service.settings)('audit', ...words)).toMatchObject({
      code: 1,
      errors: expect.stringMatching(has),
    })
  expect(readdirSync(folder).filter((name) => name.startsWith('export'))).toEqual([])
})

test('an invalid moment, one beyond the log, and an existing file are refused', async () => {
  const there = join(folder, 'there.sqlite')
  copyFileSync(logFileIn(service.settings), there)
  const refused = [
    ['yesterday', 'a.sqlite', /^yesterday is not a moment: give a time such as/],
    ['999999', 'b.sqlite', /^the log ends at position \d+\n$/],
    [String(position), 'there.sqlite', /is there already: name a new file/],
    [String(position), 'nowhere/c.sqlite', /cannot be written: there is no such file or folder\n$/],
    [String(position), 'there.sqlite/d', /cannot be written: a part of its path is a file/],
  ] as const
  for (const [moment, name, reason] of refused) {
    const { code, errors, out } = await asOf(moment, name)
    expect([moment, code, errors]).toEqual([moment, 1, expect.stringMatching(reason)])
    expect([existsSync(out), existsSync(`${out}.building`)]).toEqual([out === there, false])
  }
})
