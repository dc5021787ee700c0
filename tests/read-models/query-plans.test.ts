import { expect, test } from 'vitest'
import { grantQueries } from '../../projections/grants.ts'
import { merchantLookupQuery } from '../../projections/merchant-lookups.ts'
import { reportQueries } from '../../projections/reports.ts'
import { settlementQueries } from '../../projections/settlements.ts'
import { foldedFile } from './folded-file.ts'

const file = foldedFile()

/** How the database finds what one query asks for: what it cannot look up it has to read. */
const stepsOf = (prepareAll: () => unknown, part: string): string[] => {
  const [plan = [], ...others] = file.plansOf(prepareAll, part)
  expect(others).toEqual([])
  return plan.filter((step) => /^(SCAN|SEARCH)/.test(step) && !step.includes('json_each'))
}

test('merchants are found by a secondary id without a look at those that never had it', () => {
  expect(stepsOf(() => merchantLookupQuery(file.db), 'json_each')).toEqual([
    expect.stringContaining('SEARCH merchants USING INDEX sqlite_autoindex_merchants_1 (stream=?)'),
    expect.stringContaining('SEARCH merchant_lookups USING INDEX merchant_lookups_by_id'),
  ])
})

test('a page of what a payer has granted is read without what was withdrawn', () => {
  expect(stepsOf(() => grantQueries(file.db), 'isRevoked = 0')).toEqual([
    expect.stringContaining('INDEX granted_permissions_by_payer (payer=? AND position<?)'),
  ])
})

test.each(['"merchant" > ?', '"merchant" <= ?'])(
  'reports whose logs are to be made, of merchants %s, are found without a look at other reports and ledgers',
  (turn) => {
    expect(stepsOf(() => reportQueries(file.db), turn)).toEqual([
      expect.stringContaining('SEARCH ledgers USING INDEX ledgers_closing'),
      expect.stringContaining('SEARCH reports USING INDEX sqlite_autoindex_reports_1 (key=?)'),
    ])
  },
)

test('where settlements cut the log between two positions is found without a look at those before', () => {
  expect(stepsOf(() => settlementQueries(file.db), '"startedPosition" > ?')).toEqual([
    expect.stringContaining('settlements_by_position (merchant=? AND startedPosition>?'),
  ])
})
