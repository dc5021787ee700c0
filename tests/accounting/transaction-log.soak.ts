// @module-tag night
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, onTestFinished, test } from 'vitest'
import { makeLogWriter } from '../../infrastructure/transaction-logs/logs.ts'
import { jobOf } from './report-job.ts'

const directory = mkdtempSync(join(tmpdir(), 'daybook-logs-'))

afterAll(() => rmSync(directory, { recursive: true }))

test('a payment with more lines than memory has room for gets its log', async () => {
  const logs = mkdtempSync(join(directory, 'logs-'))
  const writer = makeLogWriter(logs)
  onTestFinished(writer.close)
  const lines = 70_000
  const tid = `CASE position WHEN 1 THEN 'a' WHEN ${lines} THEN 'c' ELSE 'b' END`
  const { counters, transactionLogs } = await writer.write(jobOf(directory, lines, tid))
  expect(counters).toEqual({ capture: lines })
  expect(transactionLogs.map((file) => file.lines)).toEqual([1, lines - 2, 1])
  const [, huge] = transactionLogs.map(({ sha256 }) => statSync(join(logs, `${sha256}.csv`)).size)
  expect(huge).toBe(transactionLogs[1]?.bytes)
})

test('a log that the thread dies of is not written, and the next has a new thread', async () => {
  const logs = mkdtempSync(join(directory, 'logs-'))
  const writer = makeLogWriter(logs)
  onTestFinished(writer.close)
  // There is a total per tax code, and each code has four megabytes.
  const deadly = jobOf(directory, 100, `'t'`, `position || hex(zeroblob(2000000))`)
  const [before, lost, after] = await Promise.allSettled(
    [jobOf(directory, 1), deadly, jobOf(directory, 2)].map(writer.write),
  )
  expect(before).toMatchObject({ value: { counters: { capture: 1 } } })
  expect(lost).toMatchObject({ reason: { code: 'ERR_WORKER_OUT_OF_MEMORY' } })
  expect(after).toMatchObject({ value: { counters: { capture: 2 } } })
  expect(readdirSync(logs).filter((name) => name.endsWith('.draft'))).toEqual([])
})
