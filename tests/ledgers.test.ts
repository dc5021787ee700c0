import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openPlace, type Place } from './ledger-place.ts'

let place: Place

beforeAll(async () => {
  place = await openPlace()
})

afterAll(async () => {
  await place.stop()
  place.remove()
})

const pick = (line: Record<string, string> | undefined, names: string): string[] =>
  names.split(' ').map((name) => line?.[name] ?? '?')

describe('the golden arithmetic, with the fees of the sandbox merchant and credit payments', () => {
  let whole: string
  let parts: string

  test('given captures in full and in parts, then each capture has its own fee', async () => {
    whole = await place.authorize({ amount: '200.00', credit: true })
    expect((await place.capture(whole)).status).toBe(204)
    parts = await place.authorize({ amount: '150.00', additional_amount: '15.00', credit: true })
    const part = { amount: '50.00', currency: 'NOK' }
    await place.capture(parts, { ...part, additional_amount: '10.00', capture_id: 'one' })
    await place.capture(parts, { ...part, capture_id: 'two' })
    expect(await place.outcome(whole)).toMatchObject({
      transaction_fee: '1.80',
      interchange_fee: '2.00',
      report_id: '1',
      report_uri: '/merchant/v1/ledger/default/report/1/',
      ledger: 'default',
    })
    expect(await place.outcome(parts)).toMatchObject({
      transaction_fee: '3.60',
      interchange_fee: '1.10',
      captures: [
        { id: 'one', transaction_fee: '1.80', interchange_fee: '0.60' },
        { id: 'two', transaction_fee: '1.80', interchange_fee: '0.50' },
      ],
    })
  })

  test('when the authorisation expires and the report is closed, then its log holds every line', async () => {
    await place.sandbox('clock/', { advance_seconds: 259_200 })
    const report = await place.close(1)
    expect(report).toMatchObject({ id: '1', status: 'closed', previous_report_uri: null })
    const lines = await place.lines(report.transaction_log_uris)
    const money = 'action sub_id amount additional_amount gross fee interchange vat net type'
    const shown = (tid: string) =>
      lines.filter((line) => line['tid'] === tid).map((line) => pick(line, money).join(' '))
    expect(shown(whole)).toEqual([
      'request  200.00 0.00 0.00 0.00 0.00 0.00 0.00 ',
      'auth  200.00 0.00 0.00 0.00 0.00 0.00 0.00 credit',
      'capture  200.00 0.00 200.00 1.80 2.00 0.00 196.20 credit',
    ])
    expect(shown(parts)).toEqual([
      'request  150.00 15.00 0.00 0.00 0.00 0.00 0.00 ',
      'auth  150.00 15.00 0.00 0.00 0.00 0.00 0.00 credit',
      'capture one 50.00 10.00 60.00 1.80 0.60 0.00 57.60 credit',
      'capture two 50.00 0.00 50.00 1.80 0.50 0.00 47.70 credit',
      'release  50.00 5.00 0.00 0.00 0.00 0.00 0.00 credit',
    ])
    expect(report.report_summary).toEqual([
      {
        currency: 'NOK',
        taxcode: 'NO:2013',
        gross: '310.00',
        amount_total: '300.00',
        additional_amount_total: '10.00',
        fees: [
          { type: 'transaction_fee', amount: '5.40' },
          { type: 'interchange', amount: '3.10' },
        ],
        interchange: '3.10',
        net: '301.50',
      },
    ])
    expect(report).toMatchObject({
      payment_request_count: 2,
      payment_auth_count: 2,
      payment_capture_count: 3,
      payment_release_count: 1,
      payment_expire_count: 0,
    })
  })
})
