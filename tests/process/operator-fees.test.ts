import { afterAll, beforeAll, expect, test } from 'vitest'
import { dayMs } from '../../domain/time.ts'
import { readSettings } from '../../infrastructure/settings.ts'
import { openPlace, type Place } from '../../harness/ledger-service.ts'
import { operatorHere } from '../../harness/operator.ts'

let place: Place
beforeAll(async () => {
  place = await openPlace()
})
afterAll(async () => {
  await place.stop()
  place.remove()
})

const run = async (...words: string[]) => {
  const daybook = operatorHere(readSettings({ DATA_DIR: place.directory }))
  const { code, output, errors } = await daybook('--json', ...words)
  return code === 0 ? JSON.parse(output) : { code, errors }
}
const set = (...words: string[]) => run('fees', 'set', 'sandbox', ...words)
const today = () => new Date(place.core.now()).toISOString().slice(0, 10)
const read = async () => (await place.get('/merchant/v1/fee_schedule/')).fee_schedules

test('a merchant reads what the sandbox charges', async () => {
  expect(await read()).toEqual([
    {
      currency: 'NOK',
      valid_from: '1970-01-01 00:00:00',
      in_force: true,
      transaction_rate: '0',
      transaction_fixed: '1.80',
      interchange_rate: '0.01',
      permission_fixed: '2.00',
      settlement_fixed: '15.00',
      refunds_return_fees: false,
      taxcode: 'NO:2013',
      vat: { transaction: '0', permission: '0.25', settlement: '0' },
    },
  ])
})

test('given fees, when the operator sets one of them, then all others stay, and all that hold are printed', async () => {
  const kept = { transaction_fixed: '1.80', permission_fixed: '2.00', settlement_fixed: '15.00' }
  const printed = await set('--from', today(), '--transaction-rate', '0.009')
  expect(printed).toMatchObject({ ...kept, transaction_rate: '0.009', interchange_rate: '0.01' })
  const again = await set('--from', today(), '--refunds-return-fees', '--permission-fixed', '3')
  const changed = { transaction_rate: '0.009', permission_fixed: '3.00', refunds_return_fees: true }
  expect(again).toMatchObject({ ...kept, ...changed })
  expect(await set('--from', today(), '--no-refunds-return-fees')).toMatchObject({
    ...kept,
    ...changed,
    refunds_return_fees: false,
  })
  const later = new Date(place.core.now() + 7 * dayMs).toISOString().slice(0, 10)
  expect(await set('--from', later, '--settlement-fixed', '20')).toMatchObject({
    ...{ transaction_rate: '0.009', settlement_fixed: '20.00' },
  })
  expect(await read()).toMatchObject([
    { settlement_fixed: '20.00', in_force: false },
    { refunds_return_fees: false, in_force: true },
    { refunds_return_fees: true, in_force: false },
    { permission_fixed: '2.00', in_force: false },
    { transaction_rate: '0', in_force: false },
  ])
  const listed = await run('fees', 'list', 'sandbox')
  expect(listed.filter((one: { holds_now: boolean }) => one.holds_now)).toMatchObject([
    { permission_fixed: '3.00', refunds_return_fees: false },
  ])
  expect(await run('fees', 'list')).toEqual(listed)
})

test('given a tax code of the operator, then VAT is reckoned by it, and what it means never changes', async () => {
  const add = ['taxcode', 'add', 'SE:25', '--settlement-vat', '0.25', '--transaction-vat', '0.25']
  expect(await set('--from', today(), '--taxcode', 'SE:25')).toMatchObject({ code: 1 })
  const rates = { vat_on_transaction_fees: '0.25', vat_on_permission_fees: '0' }
  const added = { taxcode: 'SE:25', ...rates, vat_on_settlement_fees: '0.25' }
  expect(await run(...add)).toMatchObject(added)
  expect(await run(...add)).toMatchObject(added)
  expect(await run('taxcode', 'add', 'SE:25', '--settlement-vat', '0.2')).toMatchObject({ code: 1 })
  expect(await run('taxcode', 'add', 'NO:2013')).toMatchObject({ code: 1 })
  expect(await run('taxcode', 'add', 'sweden')).toMatchObject({ code: 1 })
  const [shipped, own] = await run('taxcode', 'list')
  expect([shipped.taxcode, own.taxcode]).toEqual(['NO:2013', 'SE:25'])
  expect(shipped.description).toContain('25 %')

  await set('--from', today(), '--taxcode', 'SE:25', '--transaction-rate', '0')
  await place.capture(await place.authorize({ amount: '100.00' }))
  await place.sandbox('settlement/', { merchant: 'sandbox' })
  const made = await place.get('/merchant/v1/settlement/1/')
  expect(made.settlement_summary).toMatchObject([
    {
      taxcode: 'SE:25',
      fees: [
        { type: 'transaction_fee', amount: '1.80' },
        { type: 'transaction_fee_vat', amount: '0.45' },
        { type: 'settlement_fee', amount: '15.00' },
        { type: 'settlement_fee_vat', amount: '3.75' },
      ],
      net: '79.00',
    },
  ])
  const lines = await place.lines(made.transaction_log_uris)
  expect(lines.map(({ action, vat, net }) => [action, vat, net])).toEqual([
    ['capture', '0.45', '97.75'],
    ['fee', '3.75', '-18.75'],
  ])
})
