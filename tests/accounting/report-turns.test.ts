import { randomUUID } from 'node:crypto'
import { onTestFinished, expect, test } from 'vitest'
import { ledgers, merchants } from '../../domain/aggregates.ts'
import { completeReports } from '../../application/complete-reports.ts'
import { allWork } from '../../application/share.ts'
import { newMerchant } from '../../domain/merchant/merchant.ts'
import { within } from '../../domain/stream.ts'
import { openPlace } from '../../harness/ledger-service.ts'

const nothing = { counters: {}, totals: [], transactionLogs: [], scopeLogs: [] }

/** Two merchants whose reports nobody else completes. */
const openShops = async () => {
  const place = await openPlace()
  onTestFinished(async () => {
    await place.stop()
    place.remove()
  })
  const { core } = place
  for (const id of ['big', 'small']) {
    const known = { id, businessName: id, currency: 'NOK', lookupIds: [], netmask: null }
    const register = { type: 'Register', data: newMerchant(known) } as const
    await core.handle(merchants, id, register, core.contextOf('test', id))
  }
  const bar = { merchant: 'big', id: 'bar', currency: 'NOK', description: null }
  const register = { type: 'RegisterLedger', data: bar, implied: null } as const
  await core.handle(ledgers, 'big/bar', register, core.contextOf('test', 'big'))

  const close = async (merchant: string, ledger: string, report: number): Promise<void> => {
    const implied = { merchant, id: ledger, currency: 'NOK', description: null }
    const command = {
      type: 'CloseReport',
      report,
      openedAt: 0,
      callbackUri: null,
      implied,
    } as const
    await core.handle(ledgers, within(merchant, ledger), command, core.contextOf('test', merchant))
  }

  /** Completes everything possible; returns the reports whose logs were requested, in order. */
  const complete = async (fails = (_stream: string): boolean => false): Promise<string[]> => {
    const asked: string[] = []
    const began = core.now()
    await core.readModels.caughtUp()
    await completeReports({
      share: allWork(core.handle),
      reports: core.accounting.reports,
      makeLogs: async ({ ledgerStream, number }) => {
        asked.push(`${ledgerStream} ${number}`)
        if (fails(ledgerStream)) throw new Error('broken')
        return nothing
      },
      caughtUp: core.readModels.caughtUp,
      // Each log takes a minute.
      now: () => began + asked.length * 60_000,
      newId: randomUUID,
      outageOf: () => ({ failed: () => {}, worked: () => {} }),
    })(began, new AbortController().signal)
    return asked
  }
  const timesIn = async (stream: string, type: string): Promise<number[]> =>
    (await core.store.readStream(stream)).flatMap((event) =>
      event.type === type ? [Number(event.metadata['at'])] : [],
    )
  return { close, complete, timesIn, closingCount: core.accounting.reports.closingCount }
}

test('given a merchant with many closed reports, another comes after the first', async () => {
  const { close, complete, closingCount } = await openShops()
  for (const report of [1, 2, 3]) await close('big', 'default', report)
  await close('big', 'bar', 1)
  for (const report of [1, 2]) await close('small', 'default', report)
  expect(await complete()).toEqual([
    'ledger-big/default 1',
    'ledger-small/default 1',
    'ledger-big/default 2',
    'ledger-small/default 2',
    'ledger-big/default 3',
    'ledger-big/bar 1',
  ])
  expect(closingCount()).toBe(0)
})

test('given a ledger whose logs cannot be made, then other ledgers have their turns', async () => {
  const { close, complete, closingCount } = await openShops()
  for (const report of [1, 2]) await close('big', 'default', report)
  for (const report of [1, 2]) await close('big', 'bar', report)
  await close('small', 'default', 1)
  expect(await complete((stream) => stream === 'ledger-big/default')).toEqual([
    'ledger-big/default 1',
    'ledger-small/default 1',
    'ledger-big/bar 1',
    'ledger-big/bar 2',
  ])
  expect(closingCount()).toBe(2)
})

test('a report is complete when its logs are made, not when they were begun', async () => {
  const { close, complete, timesIn } = await openShops()
  for (const report of [1, 2]) await close('big', 'default', report)
  await complete()
  const [first = 0, second = 0] = await timesIn('ledger-big/default', 'ReportCompleted')
  expect(second - first).toBe(60_000)
})
