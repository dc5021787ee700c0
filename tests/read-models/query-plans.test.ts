import { getTableColumns, getTableName } from 'drizzle-orm'
import { expect, onTestFinished, test } from 'vitest'
import {
  openFile,
  indexStatements,
  tableStatements,
} from '../../infrastructure/read-models/read-model-file.ts'
import { gatherWrites, rowsOf, type Row } from '../../infrastructure/read-models/rows.ts'
import { projections } from '../../projections/read-models.ts'
import { grantQueries } from '../../projections/grants.ts'
import { merchantLookupQuery } from '../../projections/merchant-list.ts'
import { listStart, paymentListQueries } from '../../projections/payment-list.ts'
import { reportQueries } from '../../projections/reports.ts'
import { settlementQueries } from '../../projections/settlements.ts'
import { transactionLineQueries } from '../../projections/transaction-lines.ts'
import { foldedFile } from './folded-file.ts'

const file = foldedFile()

/** How the database executes a query: what it cannot look up it must scan. */
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
  expect(stepsOf(() => grantQueries(file.db), 'NOT EXISTS')).toEqual([
    expect.stringContaining('INDEX granted_permissions_by_payer (payer=? AND position<?)'),
    expect.stringContaining(
      'INDEX granted_permissions_by_client (payer=? AND client=? AND position>?)',
    ),
  ])
})

test.each(['"merchant" > ?', '"merchant" <= ?'])(
  'reports whose logs are to be made, of merchants %s, are found without a look at others',
  (turn) => {
    expect(stepsOf(() => reportQueries(file.db), turn)).toEqual([
      expect.stringContaining('SEARCH ledgers USING INDEX ledgers_closing'),
      expect.stringContaining('SEARCH reports USING INDEX sqlite_autoindex_reports_1 (key=?)'),
    ])
  },
)

test('where settlements cut the log between positions is found without those before', () => {
  expect(stepsOf(() => settlementQueries(file.db), '"startedPosition" > ?')).toEqual([
    expect.stringContaining('settlements_by_position (merchant=? AND startedPosition>?'),
  ])
})

test('each list of payments is read from an index in its order, without sorting', () => {
  const after = 'AND (requestedAt,requestedPosition)<(?,?))'
  const timed = `AND requestedAt>? ${after}`
  const range = { since: 0, behind: listStart, limit: 1 }
  const askAll = () => {
    const lists = paymentListQueries(file.db)
    lists.posIds('m', 1)
    lists.areMore('m', 0, 1, 1)
    lists.newest('m', range)
    lists.atPos('m', 'till', range)
    lists.ofAmount('m', 1, range)
    lists.ofShown('m', 1, range)
    lists.ofCustomer('m', 'c', range)
    lists.open('m', true, range)
    lists.failed('m', range)
    lists.refunded('m', range)
    lists.largest('m', { ...range, least: 0, before: 1 })
  }
  const plans = file.plansOf(askAll, 'order by')
  expect(plans.flat().sort()).toEqual([
    `SEARCH payments USING COVERING INDEX payments_by_pos (merchant=? AND posId>?)`,
    expect.stringMatching(/COVERING INDEX payments_by_time \(merchant=\? AND requestedAt>\?/),
    `SEARCH payments USING INDEX payments_by_amount (merchant=? AND amount=? ${timed}`,
    expect.stringContaining('INDEX payments_by_amount (merchant=? AND amount>? AND (amount,'),
    `SEARCH payments USING INDEX payments_by_customer (merchant=? AND customerKey=? ${timed}`,
    `SEARCH payments USING INDEX payments_by_pos (merchant=? AND posId=? ${timed}`,
    expect.stringContaining('INDEX payments_by_shown_amount (merchant=? AND <expr>=? AND requeste'),
    `SEARCH payments USING INDEX payments_by_time (merchant=? ${timed}`,
    `SEARCH payments USING INDEX payments_failed (merchant=? ${timed}`,
    `SEARCH payments USING INDEX payments_open (merchant=? AND isWaiting=? ${timed}`,
    `SEARCH payments USING INDEX payments_refunded (merchant=? ${timed}`,
  ])
})

test('a page of the lines of a ledger is read from an index in its order, without sorting', () => {
  expect(file.plansOf(() => transactionLineQueries(file.db), 'LEFT JOIN payments')).toEqual([
    [
      expect.stringContaining('transaction_lines_by_ledger (merchant=? AND ledger=? AND position'),
      expect.stringMatching(/SEARCH payment .*\(tid=\?\)/),
      expect.stringMatching(/SEARCH permission .*\(rid=\?\)/),
    ],
  ])
})

test('rows that are changed or removed together are found by their keys, in whatever table', () => {
  const tables = projections.map(({ table }) => table)
  const built = openFile(':memory:', [], [...tableStatements(tables), ...indexStatements(tables)])
  onTestFinished(() => void built.sqlite.close())
  for (const projection of projections) {
    const name = getTableName(projection.table)
    const members = Object.keys(getTableColumns(projection.table))
    const rowOf = (value: unknown): Row =>
      Object.fromEntries(members.map((member) => [member, value]))
    const writes = gatherWrites()
    const { write } = rowsOf(built, projection)
    write('key', { before: rowOf(1), after: rowOf(null) }, writes)
    write('key', { before: rowOf(1), after: undefined }, writes)
    const all = writes.all()
    expect(all).toHaveLength(2)
    for (const { batchSql = '' } of all) {
      const values = Array(batchSql.split('?').length - 1).fill(1)
      const plan = built.sqlite.prepare(`EXPLAIN QUERY PLAN ${batchSql}`).all(...values)
      const steps = plan.map((step) => (step as { detail: string }).detail)
      const ofTable = steps.filter((step) => new RegExp(`^(SCAN|SEARCH) ${name}\\b`).test(step))
      expect([batchSql.slice(0, 60), ofTable]).toEqual([
        expect.any(String),
        [
          expect.stringMatching(
            new RegExp(`^SEARCH ${name} USING .*(INDEX|PRIMARY KEY) .*\\(\\w+=\\?\\)$`),
          ),
        ],
      ])
    }
  }
})
