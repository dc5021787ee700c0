import { expect, test } from 'vitest'
import { newMerchant } from '../../domain/merchant/merchant.ts'
import { merchantListQueries, type MerchantState } from '../../projections/merchant-list.ts'
import { foldedFile } from './folded-file.ts'

const file = foldedFile()
const { happened } = file

const registered = (id: string, changes: object = {}) => {
  const known = { id, businessName: id, currency: 'NOK', lookupIds: [], netmask: null }
  const data = newMerchant({ ...known, ...changes })
  happened(`merchant-${id}`, { type: 'MerchantRegistered', data } as never)
  return data
}
const switched = (id: string, to: 'Disabled' | 'Enabled' | 'Removed') =>
  happened(`merchant-${id}`, { type: `Merchant${to}`, data: {} } as never)

test('the list of merchants can be searched by name and number, and filtered by state', () => {
  const { page, count, waitingCount, disabledCount } = merchantListQueries(file.db)
  const ids = (state: MerchantState, part = '', before = Number.MAX_SAFE_INTEGER, limit = 10) =>
    page({ state, part }, before, limit).map(({ merchant }) => merchant)
  registered('one', { businessName: 'Café Ølbaren', organizationId: '987654321' })
  registered('two', { hasSignedUp: true })
  switched('two', 'Disabled')
  const three = registered('three', { lookupIds: ['TILL-3'] })
  registered('gone')
  switched('gone', 'Removed')

  expect(ids('all')).toEqual(['three', 'two', 'one'])
  const [newest] = page({ state: 'all', part: '' }, Number.MAX_SAFE_INTEGER, 1)
  expect(ids('all', '', newest?.position)).toEqual(['two', 'one'])
  expect(['øLBar', 'CAFE\u0301', '8765', 'one'].map((part) => ids('all', part))).toEqual(
    Array.from({ length: 4 }, () => ['one']),
  )
  expect(ids('all', 'till-3')).toEqual(['three'])
  expect([ids('waiting'), ids('disabled')]).toEqual([['two'], []])

  switched('three', 'Disabled')
  const changed = { type: 'MerchantChanged', data: { ...three, businessName: 'Kiosk' } }
  happened('merchant-three', changed as never)
  expect([ids('waiting'), ids('disabled', 'kiosk')]).toEqual([['two'], ['three']])
  expect([count(), waitingCount(), disabledCount()]).toEqual([3, 1, 1])
  switched('two', 'Enabled')
  expect(waitingCount()).toBe(0)
  switched('two', 'Disabled')
  expect([ids('waiting'), ids('disabled')]).toEqual([[], ['three', 'two']])
  registered('four', { hasSignedUp: true })
  switched('four', 'Disabled')
  expect(ids('waiting')).toEqual(['four'])
  switched('four', 'Disabled')
  expect([ids('waiting'), disabledCount()]).toEqual([[], 3])
})
