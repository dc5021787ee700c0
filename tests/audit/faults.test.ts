// @module-tag long
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { DomainEvent } from '../../domain/events.ts'
import { appendTo, openFile, rewrite, verifyIn } from '../../harness/alter/altered-log.ts'
import { first, only, shopLog } from './shop-log.ts'

const { copied, tid } = shopLog()

test('the log of a shop holds', async () => {
  expect(await verifyIn(copied())).toMatchObject({ holds: true, problems: [], hasKeys: true })
})

describe('given a fault,', () => {
  test('a fee that is one øre off is named', async () => {
    const folder = copied()
    const { position } = only(folder, 'PaymentCaptured')
    const dearer = (data: any) => ({ ...data, charge: { ...data.charge, fee: 181 } })
    rewrite(folder, position, { data: dearer })
    expect(await first(folder)).toEqual({
      ...{ holds: false, check: 'rules', position, type: 'PaymentCaptured' },
      ...{ stream: `payment-${tid()}`, revision: 2 },
      ...{ at: expect.stringMatching(/^20.*Z$/), actor: 'user:pos1' },
      problem: 'its charge.fee is 181 minor units, and by the rules it is 180 minor units',
    })
  })

  test('a capture of more than was authorised is named', async () => {
    const folder = copied()
    const { position } = only(folder, 'PaymentCaptured')
    rewrite(folder, position, { data: (data) => ({ ...data, amount: 10_001 }) })
    expect(await first(folder)).toMatchObject({
      ...{ holds: false, check: 'rules', position, stream: `payment-${tid()}` },
      problem: 'the rules refuse it: capture exceeds authorization',
    })
  })

  test('an event of another merchant than that of its payment is named', async () => {
    const folder = copied()
    const { position } = only(folder, 'PaymentRefunded')
    rewrite(folder, position, { metadata: (before) => ({ ...before, merchant: 'other' }) })
    expect(await first(folder)).toMatchObject({
      ...{ holds: false, check: 'rules', position },
      problem: 'it is recorded for the merchant other, not for sandbox',
    })
  })

  test('a report that is closed twice, so that its lines stand in two, is named', async () => {
    const folder = copied()
    const { data } = only(folder, 'ReportClosed')
    const again = { type: 'ReportClosed', data } as unknown as DomainEvent
    const position = await appendTo(folder, 'ledger-sandbox/default', again)
    expect(await first(folder)).toMatchObject({
      ...{ holds: false, check: 'books', position, stream: 'ledger-sandbox/default' },
      problem: 'report 1 is closed already: lines would stand in two reports',
    })
  })

  test('an event that is gone and of which a callback tells is named', async () => {
    const folder = copied()
    const { position } = only(folder, 'PaymentCaptured')
    const told = { subject: `payment-${tid()}`, revision: 2, event: 'payment_captured' }
    const data = { ...told, seqno: 2, uri: 'https://shop.example/hook', nextAttemptAt: 1 }
    await appendTo(folder, 'callback-1', { type: 'CallbackRetryRequested', data } as never)
    const file = openFile(folder)
    file.prepare('DELETE FROM events WHERE position = ?').run(position)
    file.close()
    const { problems } = await verifyIn(folder)
    expect(problems.map(({ check, stream }) => [check, stream])).toContainEqual([
      'log',
      'callback-1',
    ])
  })

  test('a report that counts a line of the one before is named', async () => {
    const folder = copied()
    const { position, data } = only(folder, 'ReportCompleted', 1)
    const counters = data['counters'] as { readonly capture: number }
    const twice = { ...counters, capture: counters.capture + 1 }
    rewrite(folder, position, { data: (before) => ({ ...before, counters: twice }) })
    expect(await first(folder)).toMatchObject({
      ...{ holds: false, check: 'books', position, stream: 'ledger-sandbox/default' },
      problem: 'its counters.capture is 2, and by the rules it is 1',
    })
  })

  test('a report whose log would have other bytes is named', async () => {
    const folder = copied()
    const { position } = only(folder, 'ReportCompleted', 1)
    const other = { sha256: 'ab'.repeat(32), lines: 5, bytes: 900 }
    rewrite(folder, position, { data: (before) => ({ ...before, transactionLogs: [other] }) })
    rmSync(join(folder, 'read-models'), { recursive: true })
    const { problems } = await verifyIn(folder)
    const told = problems.find(({ check }) => check === 'documents')
    expect(told).toMatchObject({
      ...{ check: 'documents', position, stream: 'ledger-sandbox/default' },
      problem: 'its transaction logs are not those of its lines',
    })
  })

  test('a report that names another range of the log than it covers is named', async () => {
    const folder = copied()
    const { position, data } = only(folder, 'ReportCompleted', 1)
    const { logRange } = data as { logRange: { readonly from: number } }
    const other = { ...logRange, from: logRange.from - 1 }
    rewrite(folder, position, { data: (before) => ({ ...before, logRange: other }) })
    const { problems } = await verifyIn(folder)
    const told = problems.find(({ check }) => check === 'documents')
    expect(told).toMatchObject({
      ...{ position, problem: 'it names another range or root of the log than it covers' },
    })
  })

  test.each([
    ['recorded a millisecond early', 'metadata', 'at', /^it was recorded at .*\.\d{3}Z, before /],
    [
      'said to be a millisecond early',
      'data',
      'expiredAt',
      /^its expiredAt is 2026-.*Z, and by the/,
    ],
  ] as const)('an expiry that is %s is named', async (_, part, member, problem) => {
    const folder = copied()
    const { position, data } = only(folder, 'PaymentAuthorizationExpired')
    const early = Number(data['expiredAt']) - 1
    rewrite(folder, position, { [part]: (before: object) => ({ ...before, [member]: early }) })
    expect(await first(folder)).toMatchObject({
      ...{ holds: false, check: 'rules', position, type: 'PaymentAuthorizationExpired' },
      problem: expect.stringMatching(problem),
    })
  })
})
