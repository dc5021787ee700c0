// @module-tag long
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { payoutStatuses } from '../../domain/accounting/payout-state.ts'
import { addUp, formatAmount } from '../../domain/money/money.ts'
import { dayMs, dayOf } from '../../domain/time.ts'
import { earliestDay, firstPlace, latestDay } from '../../projections/payouts.ts'
import { operatorHere } from '../../harness/operator.ts'
import { openPlace } from '../../harness/ledger-service.ts'
import { readSettings } from '../../infrastructure/settings.ts'

const folder = mkdtempSync(join(tmpdir(), 'daybook-numbers-'))
const place = await openPlace()
const settings = { MODE: 'sandbox', DATA_DIR: place.directory, BANK_ACCOUNT: 'NO9386011117947' }
const daybook = async (...words: string[]) => {
  const { code, output, errors } = await operatorHere(readSettings(settings))('--json', ...words)
  if (code !== 0) throw new Error(errors)
  return JSON.parse(output)
}

afterAll(async () => {
  await place.stop()
  place.remove()
  rmSync(folder, { recursive: true })
})

const settledSale = async (amount: string) => {
  await place.capture(await place.authorize({ amount }))
  await place.sandbox('settlement/', { merchant: 'sandbox' })
}

const rejection = (message: string, endToEndId: string) =>
  `<Document xmlns="urn:iso:std:iso:20022:tech:xsd:pain.002.001.10"><CstmrPmtStsRpt>
  <GrpHdr><MsgId>r1</MsgId><CreDtTm>2026-11-30T08:00:00</CreDtTm></GrpHdr>
  <OrgnlGrpInfAndSts><OrgnlMsgId>${message}</OrgnlMsgId></OrgnlGrpInfAndSts>
  <OrgnlPmtInfAndSts><TxInfAndSts><OrgnlEndToEndId>${endToEndId}</OrgnlEndToEndId>
  <TxSts>RJCT</TxSts></TxInfAndSts></OrgnlPmtInfAndSts></CstmrPmtStsRpt></Document>`

const all = { merchant: null, since: earliestDay, until: latestDay }

test('given payouts of each state, then lists show the same as the command', async () => {
  const { settlements, payouts, payoutOrders } = place.core.accounting
  await settledSale('100.00')
  await settledSale('250.00')
  const file = join(folder, 'order.xml')
  const { message_id } = await daybook('settle', '--pain001', file)
  const [first] = await daybook('payouts', '--status', 'ordered')
  const report = join(folder, 'report.xml')
  writeFileSync(report, rejection(message_id, first.end_to_end_id))
  await daybook('bank', 'import', report)
  await settledSale('70.00')
  await place.core.caughtUp()

  for (const status of payoutStatuses) {
    const told = await daybook('payouts', '--status', status)
    const range = { ...all, status }
    const listed = payouts.list(range, firstPlace(range), 100)
    const names = listed.map(
      ({ merchant, serial }) => settlements.find(merchant, serial)?.settlementId,
    )
    expect(names.toSorted()).toEqual(
      told.map((one: { settlement_id: string }) => one.settlement_id).toSorted(),
    )
    const [sum] = payouts.sums(range, 10)
    const amounts = told.map(({ amount }: { amount: string }) => amount.replace('.', ''))
    expect(sum?.count ?? 0).toBe(told.length)
    expect(sum?.amount ?? '0').toBe(addUp(...amounts))
  }
  const [ordered] = payoutOrders.sums(message_id)
  expect(ordered).toMatchObject({ count: 2, currency: 'NOK' })
  expect(payoutOrders.list(message_id, '', 10).map(({ serial }) => serial)).toEqual([1, 2])
  expect(settlements.orderedBy(message_id).map(({ serial }) => serial)).toEqual([1, 2])
})

test('given a day, then the trial balance at its end is what the journal was', async () => {
  const { journal, journalDays } = place.core.accounting
  const before = journal.trialBalance()
  const today = dayOf(place.core.now())
  expect(journalDays.trialBalanceAt(today)).toEqual(before)
  await place.sandbox('clock/', { advance_seconds: 40 * (dayMs / 1_000) })
  await settledSale('500.00')
  await place.core.caughtUp()
  expect(journal.trialBalance()).not.toEqual(before)
  expect(journalDays.trialBalanceAt(today)).toEqual(before)
  const later = journalDays.trialBalanceAt(dayOf(place.core.now()))
  expect(later).toEqual(journal.trialBalance())
  expect(later.map(({ imbalance }) => imbalance)).toEqual(['0'])
  expect(journalDays.trialBalanceAt('2020-01-01')).toEqual([])
})

test('given all entries, page by page, then together they are the accounts', async () => {
  const { journal, journalEntries } = place.core.accounting
  const found = []
  for (let before: number | undefined = Number.MAX_SAFE_INTEGER; before !== undefined;) {
    const page = journalEntries.find({ merchant: null, account: null, before }, 3)
    found.push(...page.entries)
    before = page.next
  }
  const positions = found.map(({ position }) => position)
  expect(positions).toEqual([...new Set(positions)].sort((one, other) => other - one))
  for (const { postings } of found) expect(addUp(...postings.map(({ amount }) => amount))).toBe('0')
  const [{ balances, currency } = { balances: {}, currency: 'NOK' }] = journal.trialBalance()
  for (const [account, balance] of Object.entries(balances)) {
    const moved = found.flatMap(({ postings }) => postings.filter((one) => one.account === account))
    const sum = addUp(...moved.map(({ amount }) => amount))
    expect([account, formatAmount(sum, currency)]).toEqual([
      account,
      formatAmount(balance, currency),
    ])
  }
  const wanted = { before: Number.MAX_SAFE_INTEGER, account: 'bank' } as const
  const ofOther = journalEntries.find({ ...wanted, merchant: 'nobody' }, 10)
  expect(ofOther).toEqual({ entries: [], next: undefined })
  const clearing = { ...wanted, account: 'payout_clearing', merchant: 'sandbox' } as const
  const actions = journalEntries.find(clearing, 10).entries.map(({ action }) => action)
  expect(actions).toEqual(['payout_returned', 'payout', 'payout'])
})
