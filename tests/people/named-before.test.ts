import { join } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import Database from '../../infrastructure/sqlite.ts'
import { startPeopleService, type PeopleService } from '../support/people-service.ts'

let service: PeopleService
beforeAll(async () => {
  service = await startPeopleService()
})
afterAll(() => service.stop())

test('response times do not reveal whether other merchants know a customer', async () => {
  const { byName } = service.core.payerDirectory
  const name = (customer: string, merchant: string) =>
    byName(customer, merchant, 0, () => Promise.resolve())
  await name('4746464601', 'other')
  await name('4746464602', 'sandbox')
  const other = new Database(join(service.folder, 'vault.sqlite'))
  onTestFinished(() => void other.close())
  other.exec('BEGIN IMMEDIATE')
  const answered: string[] = []
  const asked = ['4746464601', '4799999901', '4746464600'].map(async (customer) => {
    await name(customer, 'curious')
    answered.push(customer)
  })
  // A name that the merchant itself has used before needs no write.
  await name('4746464602', 'sandbox')
  for (let turn = 0; turn < 20; turn++) await nextTurn()
  expect(answered).toEqual([])
  other.exec('COMMIT')
  await Promise.all(asked)
  expect(answered).toHaveLength(3)
})
