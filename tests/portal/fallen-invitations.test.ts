// @module-tag long
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { codeOf, startPeopleService, type PeopleService } from '../support/people-service.ts'
import { makeVisitor, type TestVisitor } from '../people/visitor.ts'

let service: PeopleService
/** An owner who invites, while another one is there. */
let bob: TestVisitor
beforeAll(async () => {
  service = await startPeopleService()
})
afterAll(() => service.stop())

const staffPage = '/portal/sandbox/staff'
const bobs = '4799999902'

/** What bob invites somebody to, who makes their account only later. */
const inviteBy = async (phone: string): Promise<void> => {
  const page = await bob.visit(`${staffPage}?invite`)
  const invited = { phone, role: 'owner', code: codeOf('bob') }
  expect((await bob.submit(page, invited)).location).toContain('?invited')
}

beforeEach(async () => {
  await service.operator('staff', 'add', 'sandbox', '+4799999901', '--role', 'owner')
  await service.operator('staff', 'add', 'sandbox', `+${bobs}`, '--role', 'owner')
  bob = makeVisitor(service)
  await bob.signIn('bob')
})
afterEach(() => service.operator('staff', 'remove', 'sandbox', bobs))

const guestOf = async (phone: string) => {
  const guest = makeVisitor(service)
  await guest.signUpAt(await guest.visit('/payer/sign-up'), { phone })
  return { guest, lobby: await guest.visit('/portal/') }
}

test('whom an owner invited does not become owner once that owner is removed', async () => {
  await inviteBy('+4790000061')
  const { guest, lobby } = await guestOf('+4790000061')
  expect(lobby.html).toContain('You are invited as owner')
  await service.operator('staff', 'remove', 'sandbox', bobs)
  expect((await guest.visit('/portal/')).html).not.toContain('You are invited as owner')
  expect((await guest.submit(lobby, { decision: 'accept' })).status).toBe(404)
  expect((await guest.visit(staffPage)).status).toBe(404)
  await service.operator('staff', 'add', 'sandbox', `+${bobs}`, '--role', 'developer')
})

test('whom an owner invited does not become owner once that owner has another role', async () => {
  await inviteBy('+4790000062')
  const alice = makeVisitor(service)
  await alice.signIn('alice')
  const list = await alice.visit(staffPage)
  const [, change = ''] = /Bob Berg[^]*?href="([^"]*\?member=[^"]*)"/.exec(list.html) ?? []
  const role = { role: 'developer', code: codeOf('alice') }
  expect((await alice.submit(await alice.visit(change), role)).location).toContain('?asked')
  await service.advance(86_401)
  const { lobby } = await guestOf('+4790000062')
  expect(lobby.html).not.toContain('You are invited as owner')
  expect(lobby.html).toContain('You are not on the staff of any merchant yet.')
})
