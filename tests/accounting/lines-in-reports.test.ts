import fc from 'fast-check'
import { expect, test } from 'vitest'
import { operateDisputes } from '../../application/disputes.ts'
import { ignoreRefusal } from '../../domain/refusal.ts'
import { openPlace } from '../../harness/ledger-service.ts'

type Place = Awaited<ReturnType<typeof openPlace>>

type DisputeShown = { readonly tid: string; readonly amount: string; readonly state: string }

/** Does a history of steps. */
const played = async (place: Place, steps: readonly string[]) => {
  const disputes = operateDisputes(place.core)
  const byOperator = (merchant: string) => place.core.contextOf('operator', merchant)
  const tids: string[] = []
  const opened: string[] = []
  const openNow = async () => Number((await place.ledger()).open_report_uri.split('/').at(-2))
  const first = await openNow()
  for (const [index, name] of steps.entries()) {
    const tid = tids[index % Math.max(1, tids.length)]
    const part = { amount: '7.00', currency: 'NOK' }
    if (name === 'pay' || tid === undefined) {
      const wish = { amount: '31.00', additional_amount: '2.50', credit: index % 2 === 0 }
      tids.push(await place.authorize(wish))
    } else if (name === 'part') await place.capture(tid, { ...part, capture_id: `c${index}` })
    else if (name === 'refund') await place.refund(tid, { ...part, refund_id: `r${index}` })
    else if (name === 'dispute') {
      const wanted = { gross: 500 + index, fee: 150, reason: 'fraud', due: 4e12 }
      const made = disputes.openDispute(tid, wanted, byOperator)
      const { id } = await made.catch(() => ({ id: undefined }))
      if (id !== undefined) opened.push(id)
    } else if (name === 'won' || name === 'lost') {
      const id = opened[index % Math.max(1, opened.length)]
      if (id) await disputes.closeDispute(id, name, byOperator).catch(ignoreRefusal)
    } else if (name === 'release') await place.release(tid)
    else if (name === 'close') await place.close(await openNow())
    else await place.sandbox('settlement/', { merchant: 'sandbox' })
  }
  return { tids, openNow, first }
}

/** The lines of a payment are those of its outcome and its disputes. */
const expectAgreed = async (place: Place, tid: string, seen: readonly Record<string, string>[]) => {
  const outcome = await place.outcome(tid)
  const own = seen.filter((line) => line['tid'] === tid)
  const of = (action: string) => own.filter((line) => line['action'] === action).length
  expect(of('capture')).toBe(outcome.captures.length)
  expect(of('refund')).toBe(outcome.refunds.length)
  const all = (await place.get('/merchant/v1/dispute/')).disputes as DisputeShown[]
  const mine = all.filter((one) => one.tid === tid)
  const won = mine.filter(({ state }) => state === 'won')
  expect(of('dispute')).toBe(mine.length + won.length)
  const gross = (lines: typeof own) =>
    lines.reduce((sum, line) => sum + Math.round(Number(line['gross']) * 100), 0)
  const taken = mine.filter((one) => !won.includes(one))
  const minor = taken.reduce((sum, one) => sum + Math.round(Number(one.amount) * 100), 0)
  expect(gross(own.filter(({ action }) => action === 'dispute'))).toBe(0 - minor)
  expect(gross(own)).toBeGreaterThanOrEqual(0)
  expect([of('request'), of('auth')]).toEqual([1, 1])
}

const counts = 'request auth capture refund release fail abort expire'.split(' ')

const names = 'pay pay part refund dispute dispute won lost release close settle'.split(' ')

const step = fc.constantFrom(...names)

test('in any order, each line is in one report and at most one settlement', async () => {
  const place = await openPlace()
  try {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 10, maxLength: 25 }), async (steps) => {
        const { tids, openNow, first } = await played(place, steps)
        const last = await openNow()
        const seen: Record<string, string>[] = []
        for (let report = first; report <= last; report++) {
          const closed = await place.close(report)
          const lines = await place.lines(closed.transaction_log_uris)
          seen.push(...lines)
          const net = lines.reduce((sum, line) => sum + Math.round(Number(line['net']) * 100), 0)
          const [summary] = closed.report_summary
          expect(Math.round(Number(summary?.net ?? 0) * 100)).toBe(net)
          const counted = (action: string) =>
            lines.filter((line) => line['action'] === action).length
          for (const action of counts)
            expect(closed[`payment_${action}_count`]).toBe(counted(action))
        }
        const name = (line: Record<string, string>) =>
          `${line['tid']} ${line['action']} ${line['sub_id']} ${line['gross']}`
        expect(new Set(seen.map(name)).size).toBe(seen.length)
        for (const tid of tids) {
          await expectAgreed(place, tid, seen)
        }
        await place.sandbox('settlement/', { merchant: 'sandbox' })
        const settledLines: string[] = []
        for (const uri of (await place.get('/merchant/v1/settlement/')).uris) {
          const made = await place.get(uri)
          const lines = await place.lines(made.transaction_log_uris)
          const isFee = ({ action }: Record<string, string>) => action === 'fee'
          settledLines.push(...lines.filter((line) => !isFee(line)).map(name))
          expect(lines.filter(isFee)).toHaveLength(1)
          const nets = lines.reduce((sum, { net }) => sum + Math.round(Number(net) * 100), 0)
          expect(nets).toBe(Math.round(Number(made.payout_details[0].net) * 100))
        }
        expect(new Set(settledLines).size).toBe(settledLines.length)
        const moving = ['capture', 'refund', 'dispute']
        const money = seen.filter(({ action = '' }) => moving.includes(action))
        for (const line of money) expect(settledLines).toContain(name(line))
        for (const { imbalance } of place.core.accounting.journal.trialBalance())
          expect(imbalance).toBe('0')
      }),
      { numRuns: 5 },
    )
  } finally {
    await place.stop()
    place.remove()
  }
})
