import { afterAll, beforeAll, expect, test } from 'vitest'
import { startPeopleService, type PeopleService } from '../../harness/people-service.ts'
import { makeVisitor } from '../people/visitor.ts'

let service: PeopleService
beforeAll(async () => {
  service = await startPeopleService()
})
afterAll(() => service.stop())

const business = {
  name: 'Kaffebaren på hjørnet',
  organization: '987 654 321',
  currency: 'nok',
  payout_account: 'NO93 8601 1117 947',
}

test('when a payer signs up a business, it is there, and they are its owner', async () => {
  const alice = makeVisitor(service)
  await alice.signIn('alice')
  const page = await alice.visit('/portal/sign-up')
  const wrong = await alice.submit(page, { ...business, payout_account: 'NO93 8601 1117 948' })
  expect([wrong.status, wrong.html.includes('right check digits')]).toEqual([400, true])
  const made = await alice.submit(wrong, business)
  const twice = await alice.submit(wrong, business)
  expect(made.location).toMatch(/^\/portal\/kaffebaren-pa-hj-rnet-[a-z0-9]{6}\/$/)
  expect(twice.location).toBe(made.location)
  const overview = await alice.visit(made.location ?? '')
  expect([overview.status, overview.html.includes('Kaffebaren på hjørnet')]).toEqual([200, true])
  const bob = makeVisitor(service)
  await bob.signIn('bob')
  const taken = await bob.submit(await bob.visit('/portal/sign-up'), business)
  expect([taken.status, taken.html.includes('is here already')]).toEqual([400, true])
})
