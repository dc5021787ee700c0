// @module-tag long
import { afterAll, beforeAll, expect, test } from 'vitest'
import { views } from '../../audit/query/views.ts'
import { formatAmount } from '../../domain/money/money.ts'
import { openPlace, type Place } from '../../harness/ledger-service.ts'
import { operatorHere } from '../../harness/operator.ts'
import { readSettings } from '../../infrastructure/settings.ts'

let place: Place
let before = 0

const daybook = (...words: string[]) =>
  operatorHere(readSettings({ MODE: 'sandbox', DATA_DIR: place.directory }))(...words)
const ask = async (sql: string, ...words: string[]) => {
  const { code, output, errors } = await daybook('--json', 'query', ...words, sql)
  if (code !== 0) throw new Error(errors)
  return JSON.parse(output)
}

beforeAll(async () => {
  place = await openPlace()
  const tid = await place.authorize({ amount: '100.00', currency: 'NOK' })
  await place.capture(tid, { capture_id: 'a', amount: '40.00', currency: 'NOK' })
  before = Number((await ask('select max(position) as last from lines')).rows[0][0])
  await place.refund(tid, { refund_id: 'r', amount: '10.00', currency: 'NOK' })
  await place.sandbox('settlement/', { merchant: 'sandbox' })
})
afterAll(async () => {
  await place.stop()
  place.remove()
})

test('every view has its columns', async () => {
  for (const [name, view] of Object.entries(views)) {
    const { columns } = await ask(`select * from ${name}`)
    expect(columns).toEqual(Object.keys(view.columns))
  }
})

test('sums of lines and of payouts are those of the settlement', async () => {
  const { rows } = await ask(
    'select sum(gross), sum(net), max(amount) from lines join payouts using (merchant, currency)',
  )
  const [[gross, net, paidOut]] = rows
  const [told] = (await place.get('/merchant/v1/settlement/1/')).payout_details
  expect([gross, formatAmount(paidOut, 'NOK')]).toEqual([3_000, told.payout])
  // With the fee of the settlement, the lines are the payout.
  expect(net).toBe(paidOut)
})

test('a query as of an earlier position gives what it was, and the tree up to there', async () => {
  const sql = 'select sub_id, gross from lines where ledger is not null order by position'
  const earlier = await ask(sql, '--as-of', String(before))
  expect(earlier.rows).toEqual([['a', 4_000]])
  const now = await ask(sql)
  expect(now.rows).toEqual([
    ['a', 4_000],
    ['r', -1_000],
  ])
  expect(earlier).toMatchObject({ query: sql, position: before, has_more: false })
  const { output } = await daybook('audit', 'tree', '--size', String(earlier.tree.size))
  expect(JSON.parse(output).root).toBe(earlier.tree.root)
  expect(await ask(sql, '--as-of', String(before))).toEqual(earlier)
})

test('rows are bounded, and the answer says that there are more', async () => {
  const answer = await ask('select position from lines', '--rows', '1')
  expect([answer.rows.length, answer.has_more]).toEqual([1, true])
})

test('a query that does not end is stopped', async () => {
  const endless =
    'with recursive n(x) as (select 1 union all select x + 1 from n) select max(x) from n'
  const { code, errors } = await daybook('query', '--seconds', '1', endless)
  expect([code, errors]).toEqual([1, expect.stringContaining('it took more than 1 s')])
})

test.each([
  ["attach '/etc/passwd' as other", 'begins with select'],
  ['pragma query_only = 0', 'begins with select'],
  ['explain select 1', 'begins with select'],
  ['with a as (select 1) delete from lines', 'changes nothing'],
  ['with a as (select 1) delete from lines returning tid', 'changes nothing'],
  ['select 1; select 2', 'more than one statement'],
  ['select * from merchants', 'no such table'],
  ['select payer from payments', 'no such column'],
  ["select load_extension('x')", 'not authorized|no such function'],
  ["select readfile('/etc/passwd')", 'no such function'],
  ['select 1 from', 'incomplete input'],
])('%s is refused', async (sql, why) => {
  const { code, errors } = await daybook('query', sql)
  expect([code, errors]).toEqual([1, expect.stringMatching(why)])
})
