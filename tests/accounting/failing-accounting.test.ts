// @module-tag long
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { payments, settlements } from '../../domain/aggregates.ts'
import type { EventStore } from '../../application/event-store.ts'
import { makeHandler } from '../../application/handle.ts'
import { allWork } from '../../application/share.ts'
import { settleMerchants } from '../../application/settle-merchants.ts'
import { noFees } from '../../domain/accounting/fees.ts'
import { streamOf } from '../../domain/stream.ts'
import { settle } from '../../cli/settlements.ts'
import { readSettings } from '../../infrastructure/settings.ts'
import Database from '../../infrastructure/sqlite.ts'
import {
  paymentRequest,
  startMerchantService,
  type MerchantService,
} from '../support/merchant-service.ts'
import { openPlace } from '../../harness/ledger-service.ts'

let service: MerchantService

beforeAll(async () => {
  service = await startMerchantService()
})
afterAll(() => service.stop())

const ask: MerchantService['ask'] = (...asked) => service.ask(...asked)

const captureIn = async (shop: string): Promise<void> => {
  const request = paymentRequest({ customer: '+4799999901' })
  const { body } = await ask(shop, 'POST', '/merchant/v1/payment_request/', request)
  await ask('sandbox', 'POST', `/sandbox/v1/payment_request/${body.id}/accept/`)
  const capture = { action: 'capture' }
  await ask(shop, 'PUT', `/merchant/v1/payment_request/${body.id}/`, capture)
}

/** A merchant with a capture; returns its id. */
const newShop = async (): Promise<string> => {
  const shop = await service.newMerchant()
  await captureIn(shop)
  return shop
}

/** Corrupts a shop's lines as no log could; returns how to repair them. */
const damageLinesOf = async (shop: string): Promise<() => void> => {
  await service.core.readModels.caughtUp()
  const file = new Database(service.core.readModelFile)
  const setCurrency = (currency: string): void => {
    const update = 'UPDATE transaction_lines SET currency = ? WHERE merchant = ?'
    file.prepare(update).run(currency, shop)
  }
  setCurrency('none')
  return () => {
    setCurrency('NOK')
    file.close()
  }
}

const reportPath = (number: number) => `/merchant/v1/ledger/default/report/${number}/`
const close = (shop: string, report: number) => ask(shop, 'PUT', reportPath(report), {})
const statusOf = async (shop: string, report: number): Promise<string> =>
  (await ask(shop, 'GET', reportPath(report))).body.status
const settlementsOf = async (shop: string): Promise<number> =>
  (await ask(shop, 'GET', '/merchant/v1/settlement/')).body.uris.length
const bugsSaying = (text: string) => service.bugs.filter((line) => line.includes(text))
const day = 86_400

test('given a report whose log cannot be made, then all others are completed, and it is when it can be', async () => {
  const [broken, healthy] = [await newShop(), await newShop()]
  const mend = await damageLinesOf(broken)
  await close(broken, 1)
  await close(broken, 2)
  await close(healthy, 1)
  await service.advance(0)
  expect(await statusOf(healthy, 1)).toBe('closed')
  const closing = (await ask(broken, 'GET', reportPath(1))).body
  expect(closing).toMatchObject({
    status: 'closing',
    report_summary: [{ currency: 'NOK', gross: '50.00' }],
    payment_capture_count: 1,
    transaction_log_uris: [],
  })
  expect((await ask(broken, 'GET', reportPath(2))).body.report_summary).toEqual([])
  // However often it is retried, and whatever else is due meanwhile.
  for (let tries = 0; tries < 3; tries++) {
    await close(healthy, tries + 2)
    await service.advance(60)
    expect(await statusOf(healthy, tries + 2)).toBe('closed')
  }
  const fails = `completing the reports of ledger-${broken}/default fails`
  expect(bugsSaying(fails)).toHaveLength(1)
  expect(bugsSaying(fails)[0]).toContain('none is not a known ISO 4217 code')
  expect(bugsSaying('background work failed')).toEqual([])

  mend()
  await service.advance(60)
  expect([await statusOf(broken, 1), await statusOf(broken, 2)]).toEqual(['closed', 'closed'])
  const { report_summary, payment_capture_count } = (await ask(broken, 'GET', reportPath(1))).body
  expect({ report_summary, payment_capture_count }).toEqual({
    report_summary: closing.report_summary,
    payment_capture_count: 1,
  })
})

test('given a merchant whose settlement cannot be made, then others are settled each day, and it is when it can be', async () => {
  const [broken, healthy] = [await newShop(), await newShop()]
  const mend = await damageLinesOf(broken)
  await service.advance(4 * day)
  expect([await settlementsOf(broken), await settlementsOf(healthy)]).toEqual([0, 1])

  const later = await newShop()
  await captureIn(healthy)
  await service.advance(4 * day)
  expect([await settlementsOf(broken), await settlementsOf(later)]).toEqual([0, 1])
  expect(await settlementsOf(healthy)).toBe(2)
  expect(bugsSaying(`settling ${broken} fails`)).toHaveLength(1)

  mend()
  await service.advance(60)
  expect(await settlementsOf(broken)).toBe(1)
})

test('given a merchant whose settlement cannot be made, when the operator settles all, then others are, and the command fails', async () => {
  const [broken, healthy] = [await newShop(), await newShop()]
  const mend = await damageLinesOf(broken)
  const settings = readSettings({ DATA_DIR: service.directory })
  onTestFinished(() => void (process.exitCode = undefined))
  const answer = await settle(service.core, settings, [], {})
  expect(answer).toMatchObject({
    settled: [{ merchant: healthy }],
    not_settled: [broken],
  })
  expect(process.exitCode).toBe(1)
  mend()
  expect(await settle(service.core, settings, [broken], {})).not.toHaveProperty('not_settled')
})

type SettlingNeeds = Parameters<typeof settleMerchants>[0]
const noLines = { counters: {}, totals: [], transactionLogs: [], scopeLogs: [] }

/** Settles like the service, with some needs replaced. */
const settling = (given: Partial<SettlingNeeds>, core = service.core) =>
  settleMerchants({
    handle: core.handle,
    share: allWork(given.handle ?? core.handle),
    accounts: core.accounting.settlementAccounts,
    settlements: core.accounting.settlements,
    findAllTerms: core.findAllTerms,
    bankHolidaysOf: async () => () => false,
    seriesOf: async () => 'SERIES',
    makeLogs: async () => noLines,
    caughtUp: core.readModels.caughtUp,
    now: core.now,
    newId: randomUUID,
    outageOf: core.outagesOf('settling'),
    ...given,
  })

test('given a merchant whose settlement cannot be started, then others are settled, and it is tried again soon', async () => {
  const { core } = service
  const [broken, healthy] = [await newShop(), await newShop()]
  await core.readModels.caughtUp()
  const append: EventStore['append'] = (stream, ...rest) =>
    stream === streamOf(settlements, broken)
      ? Promise.reject(new Error('broken'))
      : core.store.append(stream, ...rest)
  const store = { ...core.store, append }
  const eventId = () => randomUUID()
  const { handle } = makeHandler({ store, eventId, commandId: randomUUID })
  const later = core.now() + 4 * day * 1000
  const { settleDue } = settling({ handle })
  expect(await settleDue(later, new AbortController().signal)).toBe(later + 1000)
  expect([await settlementsOf(broken), await settlementsOf(healthy)]).toEqual([0, 1])
})

test('given a merchant not due and failing, then no recovery is reported', async () => {
  const { core } = service
  const broken = await newShop()
  await core.readModels.caughtUp()
  const told: string[] = []
  const { settleDue, settleNow } = settling({
    handle: () => Promise.reject(new Error('broken')),
    outageOf: (merchant) => ({
      failed: () => told.push(`${merchant} fails`),
      worked: () => told.push(`${merchant} works`),
    }),
  })
  expect(await settleNow(core.now(), core.contextOf('operator'), broken)).toEqual([broken])
  await settleDue(core.now(), new AbortController().signal)
  expect(told).toEqual([`${broken} fails`])
})

/** A place where nobody else settles. */
const ownPlace = async () => {
  const place = await openPlace()
  onTestFinished(async () => {
    await place.stop()
    place.remove()
  })
  return place
}

test('given a capture that was decided before a settlement was due and stands behind it in the log, then the next one takes it', async () => {
  const place = await ownPlace()
  const { core } = place
  const { settleDue } = settling({}, core)
  const dueAt = () => core.accounting.settlementAccounts.find('sandbox')?.dueAt ?? 0
  const serials = () => core.accounting.settlementAccounts.find('sandbox')?.lastSerial ?? 0
  const tid = await place.authorize({ amount: '10.00' })
  const capture = async (id: string, at: number): Promise<void> => {
    const wanted = { id, currency: 'NOK', amount: 100, additionalAmount: 0 }
    const command = { type: 'CapturePayment', at, wanted, terms: noFees } as const
    await core.handle(payments, tid, command, { ...core.contextOf('test', 'sandbox'), at })
    await core.readModels.caughtUp()
  }
  await capture('in time', core.now())
  const due = dueAt()
  await settleDue(due + 1, new AbortController().signal)
  expect(serials()).toBe(1)
  await capture('late', due - 5)
  expect(dueAt()).toBeGreaterThan(due)
  await settleDue(due + 10, new AbortController().signal)
  expect(serials()).toBe(1)
  await settleDue(dueAt(), new AbortController().signal)
  expect(serials()).toBe(2)
})

test('settling that is stopped between two settlements makes no other, and the next start makes it', async () => {
  const place = await ownPlace()
  const { core } = place
  const shop = 'sandbox'
  for (const serial of [1, 2]) {
    const settlementId = `SERIES-2026-01-01-${serial}`
    const command = { type: 'StartSettlement', serial, settlementId, dueAt: null } as const
    await core.handle(settlements, shop, command, core.contextOf('test', shop))
  }
  await core.readModels.caughtUp()
  const stopping = new AbortController()
  const makeLogs = async () => {
    stopping.abort()
    return noLines
  }
  const { settleDue } = settling({ makeLogs }, core)
  await settleDue(core.now(), stopping.signal)
  const { nextUnfinished, unfinishedCount } = core.accounting.settlements
  expect(nextUnfinished(10)).toMatchObject([{ merchant: shop, serial: 2 }])
  expect(unfinishedCount()).toBe(1)
  // None is started either.
  const tid = await place.authorize({ amount: '10.00' })
  await place.ask('PUT', `/merchant/v1/payment_request/${tid}/`, { action: 'capture' })
  await core.readModels.caughtUp()
  await settleDue(core.now() + 4 * day * 1000, stopping.signal)
  expect(unfinishedCount()).toBe(1)
  await settleDue(core.now(), new AbortController().signal)
  expect(unfinishedCount()).toBe(0)
})
