// @module-tag long
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { operateCorrections } from '../../application/corrections.ts'
import { operateDisputes } from '../../application/disputes.ts'
import { settlements } from '../../domain/aggregates.ts'
import { addUp, negated } from '../../domain/money/money.ts'
import { ignoreRefusal } from '../../domain/refusal.ts'
import { openPlace, type Place } from '../../harness/ledger-service.ts'

type Line = Readonly<Record<string, string>>

let place: Place
beforeAll(async () => {
  place = await openPlace()
})
afterAll(async () => {
  await place.stop()
  place.remove()
})

const minor = (amount: string | undefined): number => Math.round(Number(amount ?? 0) * 100)

const sumOf = (lines: readonly Line[], column: string): number =>
  lines.reduce((sum, line) => sum + minor(line[column]), 0)

const openNow = async () => Number((await place.ledger()).open_report_uri.split('/').at(-2))

const settle = () => place.sandbox('settlement/', { merchant: 'sandbox' })

const steps = [
  ...(['pay', 'pay', 'part', 'refund', 'dispute', 'dispute'] as const),
  ...(['won', 'lost', 'release', 'close', 'settle', 'settle'] as const),
  ...(['give', 'take', 'write_off'] as const),
]

type Step = (typeof steps)[number]

let corrected = 0

/** Proposed by one person of the operator, and approved by another. */
const correct = async (amount: number, isWriteOff: boolean): Promise<void> => {
  const { propose, approve } = operateCorrections(place.core)
  const by = (actor: string) => place.core.contextOf(actor, 'sandbox')
  const id = `correction-${(corrected += 1)}`
  const about = { merchant: 'sandbox', ledger: 'default', currency: 'NOK', reason: 'mistake' }
  await propose(id, { ...about, amount, ...(isWriteOff && { isWriteOff }) }, by('operator:a'))
  await approve(id, () => by('operator:b'))
}

let writtenOff = 0

const owedNow = async (): Promise<number> => {
  const { debts } = await place.core.find(settlements, 'sandbox', 'log')
  return Number(negated(addUp(debts.owed['NOK']?.fees ?? 0, debts.owed['NOK']?.refunds ?? 0)))
}

/** Half of what the merchant owes, if it owes anything. */
const writeOff = async (): Promise<void> => {
  const owed = await owedNow()
  if (owed === 0) return
  const half = Math.ceil(owed / 2)
  await correct(half, true)
  writtenOff += half
}

/** What happens to payments; each step acts on one of those before it. */
const carryOut = async (taken: readonly Step[]): Promise<readonly string[]> => {
  const { openDispute, closeDispute } = operateDisputes(place.core)
  const byOperator = (merchant: string) => place.core.contextOf('operator', merchant)
  const [tids, disputes]: [string[], string[]] = [[], []]
  for (const [index, step] of taken.entries()) {
    const tid = tids[index % Math.max(1, tids.length)]
    const part = { amount: '7.00', currency: 'NOK' }
    if (step === 'pay' || tid === undefined) {
      const wish = { amount: '31.00', additional_amount: '2.50', credit: index % 2 === 0 }
      tids.push(await place.authorize(wish))
    } else if (step === 'part') await place.capture(tid, { ...part, capture_id: `c${index}` })
    else if (step === 'refund') await place.refund(tid, { ...part, refund_id: `r${index}` })
    else if (step === 'dispute') {
      const wanted = { gross: 500 + index, fee: 150, reason: 'fraud', due: 4e12 }
      const opened = await openDispute(tid, wanted, byOperator).catch(ignoreRefusal)
      if (opened) disputes.push(opened.id)
    } else if (step === 'won' || step === 'lost') {
      const id = disputes[index % Math.max(1, disputes.length)]
      if (id !== undefined) await closeDispute(id, step, byOperator).catch(ignoreRefusal)
    } else if (step === 'release') await place.release(tid)
    else if (step === 'give') await correct(1_000 + index, false)
    else if (step === 'take') await correct(-50_000 - index, false)
    else if (step === 'write_off') await writeOff()
    else if (step === 'close') await place.close(await openNow())
    else await settle()
  }
  return tids
}

const counted = ['request', 'auth', 'capture', 'refund', 'release', 'fail', 'abort', 'expire']

/** The lines of all reports from one on, each of which says what they sum up to. */
const linesFrom = async (first: number): Promise<readonly Line[]> => {
  const seen: Line[] = []
  const last = await openNow()
  for (let report = first; report <= last; report++) {
    const closed = await place.close(report)
    const lines = await place.lines(closed.transaction_log_uris)
    seen.push(...lines)
    expect(minor(closed.report_summary[0]?.net)).toBe(sumOf(lines, 'net'))
    for (const action of counted) {
      const own = lines.filter((line) => line['action'] === action)
      expect(closed[`payment_${action}_count`]).toBe(own.length)
    }
  }
  return seen
}

const nameOf = (line: Line): string =>
  `${line['tid']} ${line['action']} ${line['sub_id']} ${line['gross']}`

/** The lines of a payment are those of its outcome and its disputes. */
const expectAsTold = async (tid: string, own: readonly Line[]): Promise<void> => {
  const outcome = await place.outcome(tid)
  const of = (action: string) => own.filter((line) => line['action'] === action)
  expect(of('capture').length).toBe(outcome.captures.length)
  expect(of('refund').length).toBe(outcome.refunds.length)
  expect([of('request').length, of('auth').length]).toEqual([1, 1])
  const { disputes } = await place.get('/merchant/v1/dispute/')
  const mine = (disputes as readonly Line[]).filter((one) => one['tid'] === tid)
  const won = mine.filter(({ state }) => state === 'won')
  expect(of('dispute').length).toBe(mine.length + won.length)
  expect(sumOf(of('dispute'), 'gross')).toBe(sumOf(won, 'amount') - sumOf(mine, 'amount'))
  expect(sumOf(own, 'gross')).toBeGreaterThanOrEqual(0)
}

const expectSettledOnce = async (seen: readonly Line[]): Promise<void> => {
  const settled: string[] = []
  const isFee = ({ action }: Line) => action === 'fee'
  const sums = { net: 0, payout: 0 }
  for (const uri of (await place.get('/merchant/v1/settlement/')).uris) {
    const made = await place.get(uri)
    const lines = await place.lines(made.transaction_log_uris)
    settled.push(...lines.filter((line) => !isFee(line)).map(nameOf))
    expect(lines.filter(isFee)).toHaveLength(1)
    const [payout] = made.payout_details
    expect(sumOf(lines, 'net')).toBe(minor(payout.net))
    sums.net += minor(payout.net)
    sums.payout += minor(payout.payout)
  }
  expect(await owedNow()).toBe(0 - sums.net + sums.payout - writtenOff)
  expect(new Set(settled).size).toBe(settled.length)
  const moving = ['capture', 'refund', 'dispute', 'correction']
  for (const line of seen.filter(({ action = '' }) => moving.includes(action)))
    expect(settled).toContain(nameOf(line))
}

/** All transactions but fees of settlements, which stand in no report. */
const transactions = async (): Promise<readonly Line[]> => {
  const found: Line[] = []
  for (let path: string | null = '/merchant/v1/transaction/?size=1000'; path !== null;) {
    const page: { transactions: Line[]; next: string | null } = await place.get(path)
    found.push(...page.transactions)
    path = page.next
  }
  return found.filter(({ kind }) => kind !== 'settlement_fee')
}

test('in any order, each line is in one report and one settlement; debts add up', async () => {
  let net = 0
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.constantFrom(...steps), { minLength: 10, maxLength: 25 }),
      async (taken) => {
        const first = await openNow()
        const tids = await carryOut(taken)
        const seen = await linesFrom(first)
        expect(new Set(seen.map(nameOf)).size).toBe(seen.length)
        for (const tid of tids)
          await expectAsTold(
            tid,
            seen.filter((line) => line['tid'] === tid),
          )
        await settle()
        await expectSettledOnce(seen)
        net += sumOf(seen, 'net')
        expect(sumOf(await transactions(), 'net')).toBe(net)
        for (const { imbalance } of place.core.accounting.journal.trialBalance())
          expect(imbalance).toBe('0')
      },
    ),
    { numRuns: 5 },
  )
})
