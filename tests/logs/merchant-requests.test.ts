import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import {
  newestRequests,
  openMerchantRequests,
} from '../../infrastructure/logs/merchant-requests.ts'

/** Shares a log with `busy`. */
const calm = 'calm-4'

const opened = () => {
  const directory = mkdtempSync(join(tmpdir(), 'daybook-requests-'))
  onTestFinished(() => rmSync(directory, { recursive: true }))
  let time = Date.parse('2026-05-17T12:00:00Z')
  const log = openMerchantRequests({
    ...{ directory, now: () => time, machineNow: () => time },
    use: { worked: () => {}, failed: () => {} },
  })
  onTestFinished(log.close)
  const ask = (merchant: string, requestId: string): void =>
    log.onAnswered({
      ...{ requestId, method: 'GET', path: '/merchant/v1/pos/:pos_id/' },
      ...{ status: 200, milliseconds: 1 },
      ofMerchant: {
        ...{ merchant, actor: 'user:pos1', body: new Uint8Array() },
        url: () => 'https://pay.example/base/merchant/v1/pos/till-1/?code=hidden',
      },
    })
  return {
    ...{ directory, log, ask },
    pass: (ms: number): void => void (time += ms),
    size: () =>
      readdirSync(directory).reduce((sum, one) => sum + statSync(join(directory, one)).size, 0),
    newest: (merchant: string) => newestRequests(directory, merchant, () => true, 1_000),
  }
}

test('given a flood of requests, then its log stays small, and others have room', () => {
  const { log, ask, pass, size, newest } = opened()
  let count = 0
  const second = (): void => {
    for (let part = 0; part < 4; part += 1) {
      for (let one = 0; one < 200; one += 1) ask('busy', `busy-${(count += 1)}`)
      ask(calm, `calm-${count}`)
      log.flush()
      pass(250)
    }
  }
  for (let seconds = 0; seconds < 60; seconds += 1) second()
  const full = size()
  expect(full).toBeLessThan(800_000)
  expect(newest(calm)).toHaveLength(240)
  // Later a sample is kept, so that the newest are there.
  for (let seconds = 0; seconds < 60; seconds += 1) second()
  expect(size() - full).toBeLessThan(70_000)
  expect(Number(newest('busy')[0]?.request.slice('busy-'.length))).toBeGreaterThan(count - 8_000)
  expect(newest('busy')[0]?.target).toBe('/merchant/v1/pos/till-1/?code=…')
})

test('given a new day, then files of days long past are removed', () => {
  const { directory, log, ask, pass, newest } = opened()
  ask('calm', 'first')
  log.flush()
  const [name = ''] = readdirSync(directory)
  const old = name.replace('2026-05-17', '2026-05-13')
  writeFileSync(join(directory, old), readFileSync(join(directory, name)))
  pass(86_400_000)
  ask('calm', 'second')
  log.flush()
  expect(readdirSync(directory)).not.toContain(old)
  expect(readdirSync(directory)).toHaveLength(2)
  expect(newest('calm').map(({ request }) => request)).toEqual(['second', 'first'])
})
