// @module-tag long
import { existsSync, rmSync } from 'node:fs'
import { constants } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import { expect, onTestFinished, test } from 'vitest'
import { eventsOf, rewrite, verifyIn } from '../../harness/alter/altered-log.ts'
import { startService } from '../support/http-service.ts'
import { newFolder } from '../../harness/in-process.ts'
import { nicenessOfThreads } from '../support/event-log.ts'
import { lastAuditIn } from '../../audit/verify/last-audit.ts'
import { ownAudit } from '../../service/audit/own-audit.ts'
import { auditInline, auditInWorker } from '../../audit/verify/verify-in-workers.ts'
import { readSettings } from '../../infrastructure/settings.ts'
import { openStoreToRead } from '../../infrastructure/stores.ts'
import { shopLog } from './shop-log.ts'

const { copied } = shopLog()

const minuteMs = 60_000

/** A service's audit of a log, with a controlled clock. */
const begun = async (folder: string, AUDIT_EVERY_MINUTES = '60') => {
  const settings = readSettings({ DATA_DIR: folder, AUDIT_EVERY_MINUTES })
  const store = await openStoreToRead(settings)
  onTestFinished(() => store.close())
  const logged: { level: number; msg: string }[] = []
  const log = pino({ errorKey: 'error' }, { write: (line) => void logged.push(JSON.parse(line)) })
  let now = Date.UTC(2026, 10, 27)
  const machineNow = () => now
  const { work, last } = ownAudit({ settings, log, store, beside: 'inline' }, machineNow)
  const [audit] = work
  return {
    last,
    logged,
    /** Lets time pass, and runs due work. */
    pass: async (minutes: number): Promise<void> => {
      now += minutes * minuteMs
      await audit?.due(now, new AbortController().signal)
      await audit?.idle?.()
    },
  }
}

test('a service audits itself after its start, and again when it is time', async () => {
  const { pass, last, logged } = await begun(copied())
  await pass(9)
  expect(last()).toBeUndefined()
  await pass(1)
  expect(last()).toMatchObject({ holds: true, problem: null, held: { events: 36 } })
  expect(logged.at(-1)).toMatchObject({ level: 30, msg: expect.stringContaining('holds') })
  const { at } = last() ?? {}
  await pass(59)
  expect(last()?.at).toBe(at)
  await pass(1)
  expect(last()?.at).toBe((at ?? 0) + 60 * minuteMs)
})

test('in a thread of its own it finds the same', async () => {
  const folder = copied()
  const settings = readSettings({ DATA_DIR: folder })
  const end = eventsOf(folder, 'CheckpointSigned').at(-1)?.position ?? 0
  const parts = ['log', 'readModels'] as const
  const given = { place: settings, parts, end, options: {}, isSlow: false }
  const told: string[] = []
  const { found } = auditInWorker(given, (stage) => void told.push(stage))
  expect(await found).toEqual(await auditInline(given, () => {}).found)
  expect(told).toContain('folding the log anew')
})

test.runIf(process.platform === 'linux')('there it yields to everything else', async () => {
  const settings = readSettings({ DATA_DIR: copied() })
  const given = { place: settings, parts: ['log'] as const, end: 1, options: {}, isSlow: true }
  const seen: number[] = []
  const { found } = auditInWorker(given, () => void seen.push(...nicenessOfThreads()))
  await found
  expect(seen).toContain(constants.priority.PRIORITY_LOW)
})

test('with 0 minutes it never does', async () => {
  const { pass, last } = await begun(copied(), '0')
  await pass(10_000)
  expect(last()).toBeUndefined()
})

test('given a log that was changed since, then an error is logged', async () => {
  const folder = copied()
  const { pass, last, logged } = await begun(folder)
  await pass(10)
  const { held } = last() ?? {}
  const { position = 0 } = eventsOf(folder, 'PaymentCaptured')[0] ?? {}
  rewrite(folder, position, { metadata: (before) => ({ ...before, actor: 'user:eve' }) })
  await pass(60)
  expect(last()).toMatchObject({ holds: false, held, problem: { position } })
  expect(logged.at(-1)).toMatchObject({
    level: 50,
    msg: expect.stringMatching(/^the audit does not hold: event \d+ \(PaymentCaptured, /),
  })
})

test('/health/audit and the metrics tell what an audit found', async () => {
  const folder = newFolder()
  const log = copied()
  const service = await startService({ LOG_LEVEL: 'error' }, folder)
  onTestFinished(() => service.stop())
  const asked = async () => {
    const { status, body } = await service.call('GET', '/health/audit')
    const { text } = await service.call('GET', '/metrics')
    return { status, body, metrics: text.match(/^daybook_audit_h\w+ .*$/gm) }
  }
  const never = { status: 'never audited', held_at: null, held_position: null }
  expect(await asked()).toEqual({ status: 200, body: never, metrics: null })

  const sound = await verifyIn(log)
  const at = Date.UTC(2026, 10, 27, 12)
  lastAuditIn(service.folder).write(sound, at)
  const { lastPosition } = sound
  const held = { held_at: '2026-11-27 12:00:00', held_position: lastPosition }
  expect(await asked()).toEqual({
    status: 200,
    body: { status: 'holds', ...held },
    metrics: ['daybook_audit_holds 1', `daybook_audit_held_timestamp_seconds ${at / 1_000}`],
  })

  const { position = 0 } = eventsOf(log, 'PaymentCaptured')[0] ?? {}
  rewrite(log, position, { data: (before) => ({ ...before, amount: 1 }) })
  lastAuditIn(service.folder).write(await verifyIn(log), at + minuteMs)
  const after = await asked()
  expect(after).toMatchObject({
    status: 503,
    body: {
      error_description: expect.stringMatching(new RegExp(`^Event ${position} is wrong: `)),
      error_details: { held_at: [held.held_at], held_position: [String(lastPosition)] },
    },
  })
  expect(after.metrics).toContain('daybook_audit_holds 0')
  expect(existsSync(join(service.folder, 'audit.json'))).toBe(true)
  rmSync(join(service.folder, 'audit.json'))
})
