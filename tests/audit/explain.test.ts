import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { payments } from '../../domain/aggregates.ts'
import { explain, sumUp } from '../../audit/explain/explain.ts'
import { operatorHere } from '../../harness/operator.ts'
import { auditRowsOf } from '../../audit/verify/compare-rows.ts'
import { openAuditedLog } from '../../audit/verify/read-log.ts'
import { explaining } from '../../service/audit/explain.ts'
import type { Receiver } from '../../demo/receiver.ts'
import { pathOf, startAuditedService, type AuditedService } from './audited-service.ts'
import { plainForms } from '../../audit/explain/story-forms.ts'
import { textsIn } from '../../texts/catalogue.ts'

const texts = { ...textsIn.en.story, as: plainForms }

let service: AuditedService

let receiver: Receiver

let tid: string

let settlementId: string

/** Two captures, a refund and an expiry; a report, and two settlements with a debt in between. */
const spendADay = async (): Promise<void> => {
  const { till, owner, world, newest } = service
  receiver = await service.receive()
  tid = await service.authorize({ callback_uri: receiver.url('/told'), additional_amount: '5.00' })
  const put = (by: typeof till, body: object) => by('PUT', pathOf(tid), body)
  const part = { currency: 'NOK', amount: '20.00', additional_amount: '5.00' }
  await put(till, { action: 'capture', ...part, capture_id: 'c1' })
  await put(till, { action: 'capture' })
  await put(owner, { action: 'refund', amount: '12.50', currency: 'NOK', refund_id: 'r1' })
  await world('POST', '/sandbox/v1/clock/', { advance_seconds: 1 })
  await till('PUT', '/merchant/v1/ledger/default/report/1/', {})
  await world('POST', '/sandbox/v1/settlement/', { merchant: 'sandbox' })
  const { data } = await newest('SettlementMade')
  settlementId = (data as { settlementId: string }).settlementId
  await put(owner, { action: 'refund' })
  await world('POST', '/sandbox/v1/settlement/', { merchant: 'sandbox' })
  await service.capture()
  await service.authorize()
  await world('POST', '/sandbox/v1/clock/', { advance_seconds: 4 * 86_400 })
}

beforeAll(async () => {
  service = await startAuditedService()
  await spendADay()
})

afterAll(() => service.remove())

const told = async (...words: string[]) => {
  const { output, errors, code } = await service.run('audit', 'explain', ...words)
  expect([code, errors]).toEqual([0, ''])
  return output
}

test('a payment is explained event by event: who, why, numbers, and notifications', async () => {
  const story = await told(tid)
  const captured = /PaymentCaptured: 20.00 \+ 5.00 NOK is captured as c1.*?(?=\n\d{4})/s
  const [capture = ''] = captured.exec(story) ?? []
  expect(capture).toMatch(/by user pos1 of sandbox, with a secret, from 127\.0\.0\.1\n/)
  expect(capture).toMatch(/why: request [0-9a-f-]{36}\n/)
  expect(capture).toMatch(/auth_amount 50\.00 -> 30\.00, auth_additional_amount 5\.00 -> 0\.00/)
  expect(capture).toMatch(/captured_amount 0\.00 -> 20\.00/)
  expect(capture).toContain(`counted in report 1 of ledger default, settlement ${settlementId}`)
  expect(capture).toMatch(/told .* payment_captured to http.*\/told: delivered, answered 204/)
  expect(story).toMatch(/by user admin of sandbox, signed with SHA256=/)
  expect(story).toMatch(/^payment [0-9a-f]{32} of sandbox\n {4}it is ok, status code 2000/)
})

test('a report, a settlement, an account, a callback and any stream have stories', async () => {
  const report = await told('sandbox/default/1')
  expect(report).toMatch(/it holds the lines of the ledger after event 0 and before event \d+/)
  expect(report).toMatch(/ReportClosed: report 1 is closed here.*\n {4}by user pos1/)
  const settlement = await told(settlementId)
  expect(settlement).toBe(await told('sandbox/1'))
  expect(settlement).toMatch(/why: by hand/)
  expect(settlement).toMatch(/SettlementMade: .* pays out \d+\.\d\d NOK/)
  expect(await told('sandbox/3')).toMatch(/why: it was due at \d{4}/)
  expect(await told('merchant_payable/sandbox')).toMatch(/changes balance 0\.00 -> -\d/)
  expect(await told('bank')).toMatch(/nothing was posted to it so far/)
  const { id } = await service.newest('PaymentCaptured')
  const callback = (await service.run('audit', 'explain', id)).errors
  expect(callback).toMatch(/^there is no /)
  const events = await service.core.store.readStream(`payment-${tid}`)
  expect(await told(events[1]?.id ?? '')).toMatch(
    /number 1 of payment-.*payment_authorized\n {4}deliv/,
  )
  expect(await told('user-sandbox/admin')).toMatch(/by the service itself/)
})

test('the events that add up to a number are listed and compared', async () => {
  const lines = (await told(tid, '--number', 'auth_amount')).split('\n')
  expect(lines.slice(1, 5).map((line) => line.trim().split(' ')[0])).toEqual([
    ...['50.00', '-20.00', '-30.00', '0.00'],
  ])
  expect(lines[5]).toMatch(/^it adds up: /)
  const payout = await told('sandbox/3', '--number', 'payout')
  expect(payout).toMatch(/-\d+\.\d\d .* debt of the settlement before\n/)
  expect(payout).toMatch(/it adds up: the settlement was recorded with/)
  const { errors, code } = await service.run('audit', 'explain', tid, '--number', 'payout')
  expect([code, errors]).toEqual([1, expect.stringMatching(/has no number payout, but amount:NOK/)])
})

test('every number of every story adds up, also of a copy without its vault', async () => {
  const copy = mkdtempSync(join(tmpdir(), 'daybook-copy-'))
  for (const name of ['events.sqlite', 'events.sqlite-wal'])
    cpSync(join(service.folder, name), join(copy, name))
  const log = await openAuditedLog({ EVENT_STORE: 'sqlite', DATA_DIR: copy }, 2)
  onTestFinished(async () => {
    await log.close()
    rmSync(copy, { recursive: true })
  })
  const needs = { ...log, openAddress: () => undefined, texts }
  const accounts = ['payer_clearing', 'fee_income', 'vat', 'interchange']
  const ofMerchant = ['merchant_payable', 'payouts_payable', 'unsettled_fees', 'unsettled_refunds']
  const told = [
    tid,
    'sandbox/default/1',
    'sandbox/default/2',
    'sandbox/1',
    'sandbox/2',
    'sandbox/3',
  ]
  const all = [...told, ...accounts, ...ofMerchant.map((name) => `${name}/sandbox`)]
  let numbers = 0
  for (const subject of all) {
    const story = await explain(needs, subject)
    if (!story) throw new Error(`${subject} has no story`)
    for (const { name, currency, value } of story.numbers) {
      const sum = await sumUp(needs, subject, story, `${name}:${currency}`)
      expect(sum, `${name} of ${subject}`).toMatchObject({ value })
      expect(sum?.agrees, `${name} of ${subject}`).not.toBe(false)
      numbers += 1
    }
  }
  expect(numbers).toBeGreaterThan(40)
  const { output } = await operatorHere({ ...service.settings, DATA_DIR: copy })(
    'audit',
    'explain',
    tid,
  )
  expect(output).toMatch(/with a secret, from an address that is sealed/)
})

test('given a report that was recorded one øre off, then its sum does not add up', async () => {
  const log = await openAuditedLog({ EVENT_STORE: 'sqlite', DATA_DIR: service.folder })
  onTestFinished(log.close)
  const report: typeof log.rows.report = (...name) => {
    const found = log.rows.report(...name)
    const { completion } = found ?? {}
    if (!found || !completion) return found
    const totals = completion.totals.map((one) => ({ ...one, amount: `${Number(one.amount) + 1}` }))
    return { ...found, completion: { ...completion, totals } }
  }
  const needs = { ...log, rows: { ...log.rows, report }, openAddress: () => undefined, texts }
  const story = await explain(needs, 'sandbox/default/1')
  const sum = story && (await sumUp(needs, 'sandbox/default/1', story, 'gross'))
  expect(sum?.agrees).toBe(false)
})

test('what does not exist is refused, with the ways to write a subject', async () => {
  const { errors, code } = await service.run('audit', 'explain', 'nothing')
  expect([code, errors]).toEqual([
    1,
    expect.stringMatching(/^there is no nothing: give the tid of/),
  ])
})

test(
  'a payment of many events shows its first ones, and reads no more if cached',
  { tags: 'long' },
  async () => {
    const many = await service.authorize()
    const { core } = service
    const at = core.now()
    const terms = await core.findTerms('sandbox', 'NOK', at)
    const part = { amount: 1, additionalAmount: 0, currency: 'NOK' }
    for (let count = 0; count < 1_050; count += 1) {
      const wanted = { ...part, id: `part-${count}` }
      const command = { type: 'CapturePayment', at, wanted, terms } as const
      await core.handle(payments, many, command, core.contextOf('test', 'sandbox'))
    }
    const { openAddress, explain: explainHere } = explaining(core)
    const { store, now } = core
    const whole = await explain({ store, now, openAddress, rows: auditRowsOf(core), texts }, many)
    expect(whole).toMatchObject({ more: 2 + 1_050 - 200 })
    const program = { language: 'en', locale: undefined } as const
    expect(await explainHere(many, program)).toEqual({ story: whole, timeZone: 'UTC' })
    const asked: number[] = []
    const readStream: typeof store.readStream = async (...about) => {
      const events = await store.readStream(...about)
      if (about[0] === `payment-${many}`) asked.push(events.length)
      return events
    }
    await explaining({ ...core, store: { ...store, readStream } }).explain(many, program)
    expect(asked).toEqual([1_000])
  },
)
