import type { forge } from './forged.ts'
import type { Name } from './story.ts'

export type Change = Parameters<typeof forge>[2]
type Forgery = [what: string, change: Change, names: readonly Name[], reason: string]

const lessInNok = (totals: any[]) =>
  totals.map((total) =>
    total.currency === 'NOK' ? { ...total, amount: String(Number(total.amount) - 4000) } : total,
  )

/** Forgeries by an operator with the real key, and the verifier's response. */
export const forgeriesOf = (kept: string): readonly Forgery[] => [
  [
    'sums that do not follow from the events',
    (type, data) =>
      type === 'ReportCompleted' ? { ...data, totals: lessInNok(data['totals']) } : undefined,
    ['report1'],
    'NOK NO:2013 amount is -1000, and its events make 3000',
  ],
  [
    'a payout that is too low',
    (type, data) => {
      if (type !== 'SettlementMade') return undefined
      const [first, ...others] = data['payouts']
      return {
        ...data,
        payouts: [{ ...first, payout: `${Number(first.payout) - 1}` }, ...others],
      }
    },
    ['settlement1'],
    'the payout in EUR does not follow from its sums',
  ],
  [
    'a debt that the settlement before did not leave',
    (type, data) => {
      if (type !== 'SettlementMade' || data['serial'] !== 2) return undefined
      const [first, ...others] = data['payouts']
      const owed = { unsettledFeesBefore: '-100', payout: `${Number(first.payout) - 100}` }
      return { ...data, payouts: [{ ...first, ...owed }, ...others] }
    },
    ['settlement2'],
    'the payout in NOK does not follow from its sums',
  ],
  [
    'a range that begins later',
    (_, data) => {
      const { logRange } = data
      return logRange && { ...data, logRange: { ...logRange, from: logRange.from + 1 } }
    },
    ['report1'],
    'it names another range of the log',
  ],
  [
    'a checkpoint that the log does not continue',
    (_, data) => {
      const { logRange } = data
      return logRange && { ...data, logRange: { ...logRange, root: kept.split('\n')[2] } }
    },
    ['report2'],
    'it does not continue ledger-sandbox/default 2',
  ],
]
