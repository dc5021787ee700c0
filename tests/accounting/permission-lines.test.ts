import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { feeSchedules } from '../../domain/aggregates.ts'
import { noFees } from '../../domain/accounting/fees.ts'
import { writeLogs } from '../../infrastructure/transaction-logs/transaction-log.ts'
import { openPlace, type Place } from '../../harness/ledger-service.ts'

let place: Place
beforeAll(async () => {
  place = await openPlace()
})
afterAll(async () => {
  await place.stop()
  place.remove()
})

const path = '/merchant/v1/permission_request/'
let count = 0
const ask = async (fields: object = {}): Promise<string> => {
  const request = { pos_id: 'till-1', pos_tid: `p${++count}`, scope: 'openid', ...fields }
  const { body, text, status } = await place.ask('POST', path, {
    customer: '4799999901',
    ...request,
  })
  if (status !== 201) throw new Error(text)
  return body.id
}
const answer = (rid: string, how: 'accept' | 'decline') =>
  place.sandbox(`permission_request/${rid}/${how}/`)
const outcome = (rid: string) => place.get(`${path}${rid}/outcome/`)

test('permission requests stand in the default ledger; answers cost fee and VAT', async () => {
  const [granted, declined, expiring, unknown] = [
    await ask({ text: 'Your age' }),
    await ask(),
    await ask({ expires_in: 60 }),
    await ask({ customer: 'nobody' }),
  ]
  await answer(granted, 'accept')
  await answer(granted, 'accept')
  await answer(declined, 'decline')
  await place.sandbox('clock/', { advance_seconds: 60 })
  expect(await outcome(granted)).toMatchObject({ transaction_fee: '2.00', report_id: '1' })
  expect(await outcome(declined)).toMatchObject({ transaction_fee: '2.00', currency: 'NOK' })
  expect(await outcome(expiring)).toMatchObject({ transaction_fee: '0.00', status_code: 5011 })

  const closed = await place.close(1)
  expect(closed).toMatchObject({
    permission_request_count: 4,
    permission_answered_count: 2,
    permission_fail_count: 2,
    payment_request_count: 0,
    report_summary: [
      {
        gross: '0.00',
        fees: [
          { type: 'scope_fee', amount: '4.00' },
          { type: 'scope_fee_vat', amount: '1.00' },
        ],
        net: '-5.00',
      },
    ],
  })
  expect(closed.scope_log_uris).toHaveLength(1)
  expect(await place.lines(closed.transaction_log_uris)).toEqual([])
  const lines = await place.lines(closed.scope_log_uris)
  const linesOf = (rid: string) => lines.filter((line) => line['rid'] === rid)
  const statuses = (rid: string) => linesOf(rid).map(({ status }) => status)
  expect([granted, declined, expiring, unknown].map(statuses)).toEqual([
    ['pending', 'ok'],
    ['pending', 'ok'],
    ['pending', 'fail'],
    ['pending', 'fail'],
  ])
  expect(linesOf(granted)[1]).toMatchObject({
    customer: '4799999901',
    currency: 'NOK',
    fee: '2.00',
    vat: '0.50',
    taxcode: 'NO:2013',
    merchant_id: 'sandbox',
    settlement_id: '',
  })
  expect(linesOf(granted)).toMatchObject([
    { pos_id: 'till-1', pos_tid: 'p1', text: 'Your age' },
    { pos_id: 'till-1', pos_tid: 'p1', text: 'Your age' },
  ])
  expect(linesOf(unknown)[0]).toMatchObject({ customer: 'nobody', fee: '0.00', taxcode: '' })
})

test('a settlement takes the answers once; their cost is owed if nothing came in', async () => {
  await place.sandbox('settlement/', { merchant: 'sandbox' })
  const first = await place.get('/merchant/v1/settlement/1/')
  expect(first).toMatchObject({
    settlement_summary: [
      { scope_fee: '4.00', settlement_fee: '15.00', net: '-20.00', gross: '0.00' },
    ],
    payout_details: [{ payout: '0.00', unsettled_fees_after: '-20.00' }],
  })
  const lines = await place.lines(first.scope_log_uris)
  expect(lines.map(({ status, fee }) => [status, fee])).toEqual([
    ['ok', '2.00'],
    ['ok', '2.00'],
  ])
  expect(new Set(lines.map((line) => line['settlement_id']))).toEqual(
    new Set([first.settlement_id]),
  )
  await place.sandbox('settlement/', { merchant: 'sandbox' })
  expect((await place.ask('GET', '/merchant/v1/settlement/2/')).status).toBe(404)
  expect(place.core.accounting.journal.trialBalance()).toMatchObject([
    { currency: 'NOK', imbalance: '0' },
  ])
})

test('an answer costs what was in force when it came, whatever was set for later', async () => {
  const { core } = place
  const day = 86_400
  const from = core.now() + day * 1000
  const schedule = { ...noFees, currency: 'NOK', from, permissionFixed: 300 }
  const command = { type: 'ScheduleFees', schedule } as const
  await core.handle(feeSchedules, 'sandbox', command, core.contextOf('test', 'sandbox'))
  const [early, late, declined] = [
    await ask(),
    await ask({ expires_in: 2 * day }),
    await ask({ expires_in: 2 * day }),
  ]
  await answer(early, 'accept')
  await place.sandbox('clock/', { advance_seconds: day })
  await answer(late, 'accept')
  await answer(declined, 'decline')
  const fees = [early, late, declined].map(async (rid) => (await outcome(rid)).transaction_fee)
  expect(await Promise.all(fees)).toEqual(['2.00', '3.00', '3.00'])
})

test('a line of a scope log has the columns of the interface', () => {
  const line = {
    ...{ position: 1, merchant: 'shop', ledger: 'default', tid: 'r1', subId: null, credit: false },
    ...{ at: Date.UTC(2026, 10, 21, 9, 30), customer: '=cmd', currency: 'JPY' },
    ...{ amount: 0, additionalAmount: 0, action: 'permission_answered' as const },
    charge: { fee: 200, interchange: 0, vat: 50, taxcode: 'NO:2013' },
    ...{ posId: 'till-1', posTid: 'p1', text: 'a\n=b' },
  }
  const none = { counts: [], lines: [] }
  const ofPermissions = { counts: [['r1', 1] as const], lines: [line] }
  const { directory } = place
  const draft = join(directory, 'some.draft')
  const [file] = writeLogs(draft, { ofPayments: none, ofPermissions }, () => 'S-1').scopeLogs
  expect(
    readFileSync(join(directory, `${file?.sha256}.csv`), 'utf8')
      .split('\n')
      .slice(0, 2),
  ).toEqual([
    'rid,timestamp,status,customer,currency,fee,vat,taxcode,merchant_id,settlement_id,' +
      'reserved1,reserved2,reserved3,pos_id,pos_tid,text',
    "r1,2026-11-21 09:30:00,ok,'=cmd,JPY,200,50,NO:2013,shop,S-1,,,,till-1,p1,a =b",
  ])
})
