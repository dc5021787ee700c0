// Two months of a shop, exported as a whole and by month.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect } from 'vitest'
import { formatAmount } from '../../domain/money/money.ts'
import { openPlace, type Place } from '../../harness/ledger-service.ts'
import { operatorHere } from '../../harness/operator.ts'
import { readSettings } from '../../infrastructure/settings.ts'

const sale = async (
  place: Place,
  amount: string,
  currency = 'NOK',
  more: object = {},
): Promise<string> => {
  const tid = await place.authorize({ amount, currency, ...more })
  expect((await place.capture(tid)).status).toBe(204)
  return tid
}

/** A shop's month: sales in several currencies, refunds, a settlement, payouts. */
const month = async (place: Place, settle: () => Promise<void>): Promise<void> => {
  const tid = await place.authorize({ amount: '100.00', additional_amount: '5.00' })
  await place.capture(tid, { capture_id: 'a', amount: '40.00', currency: 'NOK' })
  await place.capture(tid)
  await place.refund(tid, { refund_id: 'r', amount: '10.00', currency: 'NOK' })
  const credit = await sale(place, '900.10', 'NOK', { credit: true })
  for (const [amount, currency] of [
    ['1500', 'JPY'],
    ['12.345', 'KWD'],
    ['99.99', 'EUR'],
  ] as const)
    await sale(place, amount, currency)
  await settle()
  await sale(place, '12.34')
  await place.refund(credit)
  await place.sandbox('settlement/', { merchant: 'sandbox' })
}

/** For a test file; the exports are `all`, `first` and `second`. */
export const exportedShop = () => {
  const folder = mkdtempSync(join(tmpdir(), 'daybook-export-'))
  const at = (name: string): string => join(folder, name)
  let place: Place

  const daybook = (...words: string[]) => {
    const bank = { BANK_ACCOUNT: 'NO9386011117947', BANK_ACCOUNT_NAME: 'Pay & <Sons>' }
    return operatorHere(readSettings({ ...bank, DATA_DIR: place.directory }))(...words)
  }
  const exportTo = (name: string, ...words: string[]) =>
    daybook('audit', 'export', '--out', at(name), ...words)

  const settle = async (): Promise<void> => {
    const file = at(`payouts-${place.core.now()}.xml`)
    expect(await daybook('settle', '--pain001', file)).toMatchObject({ code: 0 })
  }

  beforeAll(async () => {
    place = await openPlace()
    await month(place, settle)
    await place.sandbox('clock/', { advance_seconds: 86_400 })
    const cut = new Date(place.core.now()).toISOString().slice(0, 19).replace('T', ' ')
    await place.sandbox('clock/', { advance_seconds: 40 * 86_400 })
    await month(place, settle)
    // A checkpoint of all that.
    await place.sandbox('clock/', { advance_seconds: 60 })
    expect((await exportTo('all')).code).toBe(0)
    expect((await exportTo('first', '--to', cut)).code).toBe(0)
    expect((await exportTo('second', '--from', cut)).code).toBe(0)
  })
  afterAll(async () => {
    await place.stop()
    place.remove()
    rmSync(folder, { recursive: true })
  })

  const text = (name: string, file: string): string => readFileSync(join(at(name), file), 'utf8')
  const manifest = (name: string) => JSON.parse(text(name, 'manifest.json'))

  /** Our trial balance as `account currency amount`, without empty accounts. */
  const ours = (): string[] =>
    place.core.accounting.journal
      .trialBalance()
      .flatMap(({ currency, balances }) =>
        Object.entries(balances).flatMap(([account, sum]) =>
          sum === '0' ? [] : `${account} ${currency} ${formatAmount(sum, currency)}`,
        ),
      )
      .sort()

  return { folder, at, text, manifest, ours, daybook, exportTo, data: () => place.directory }
}
