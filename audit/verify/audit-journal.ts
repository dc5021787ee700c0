import { journalQueries } from '../../projections/journal.ts'
import type { ReadModelFile } from '../../infrastructure/read-models/read-model-file.ts'
import type { Problems } from './problems.ts'

/** The net of unsettled lines, and what the journal owes for them. */
const owedQuery = `
  WITH taken AS (
    SELECT merchant, max(startedPosition) AS cut FROM settlements
    WHERE made IS NOT NULL GROUP BY merchant
  ), unsettled AS (
    SELECT line.merchant, currency,
      sum(amount + additionalAmount - fee - interchange - vat) AS net
    FROM transaction_lines line LEFT JOIN taken ON taken.merchant = line.merchant
    WHERE fee IS NOT NULL AND line.position > coalesce(cut, 0)
    GROUP BY line.merchant, currency
  ), owed AS (
    SELECT merchant, currency, -CAST(balance AS INTEGER) AS net FROM journal_balances
    WHERE account = 'merchant_payable'
  )
  SELECT coalesce(owed.merchant, unsettled.merchant) AS merchant,
    coalesce(owed.currency, unsettled.currency) AS currency,
    coalesce(owed.net, 0) AS owed, coalesce(unsettled.net, 0) AS unsettled
  FROM owed FULL JOIN unsettled
    ON owed.merchant = unsettled.merchant AND owed.currency = unsettled.currency
  WHERE coalesce(owed.net, 0) <> coalesce(unsettled.net, 0)`

type Owed = {
  readonly merchant: string
  readonly currency: string
  readonly owed: bigint
  readonly unsettled: bigint
}

/** The journal must balance, and owe each merchant the sum of its unsettled lines. */
export const auditJournal = ({ sqlite, db }: ReadModelFile, problems: Problems): void => {
  const tell = (problem: string): void => problems.add({ check: 'books', position: null, problem })
  for (const { currency, imbalance } of journalQueries(db).trialBalance())
    if (imbalance !== '0') tell(`the journal is off by ${imbalance} minor units of ${currency}`)
  for (const wrong of sqlite.prepare<[], Owed>(owedQuery).safeIntegers().all()) {
    const { merchant, currency, owed, unsettled } = wrong
    tell(
      `the journal owes ${merchant} ${owed} minor units of ${currency}, ` +
        `and its unsettled lines add up to ${unsettled}`,
    )
  }
}
