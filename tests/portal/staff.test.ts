import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { codeOf, startPeopleService, type PeopleService } from '../support/people-service.ts'
import { formIn, makeVisitor, type TestVisitor } from '../people/visitor.ts'

let service: PeopleService
/** The owner of the merchant `sandbox`. */
let alice: TestVisitor
let bob: TestVisitor

const [phoneOfAlice, phoneOfBob] = ['4799999901', '4799999902']

beforeAll(async () => {
  service = await startPeopleService()
  await service.operator('staff', 'add', 'sandbox', `+${phoneOfAlice}`, '--role', 'owner')
  alice = makeVisitor(service)
  await alice.signIn('alice')
  bob = makeVisitor(service)
  await bob.signIn('bob')
})
afterAll(() => service.stop())

const staffPage = '/portal/sandbox/staff'

const invite = async (fields: Readonly<Record<string, string | readonly string[]>>) => {
  const page = await alice.visit(`${staffPage}?invite`)
  return alice.submit(page, { phone: `+${phoneOfBob}`, ...fields })
}

const members = async () =>
  (await service.operator('staff', 'list', 'sandbox')) as unknown as readonly Record<
    'member' | 'role' | 'status' | 'name',
    string
  >[]
const memberOf = async (role: string) =>
  (await members()).find((one) => one.role === role)?.member ?? ''

test('given nobody signed in, when a page is opened, it leads to the sign-in', async () => {
  const visitor = makeVisitor(service)
  const first = await visitor.visit('/portal/sandbox/')
  expect([first.status, first.location]).toEqual([
    303,
    '/payer/sign-in?next=%2Fportal%2Fsandbox%2F',
  ])
  const after = await visitor.signInAt(await visitor.follow(first), 'alice')
  expect(after.location).toBe('/portal/sandbox/')
})

test('given a payer on no staff, when they look, there is nothing but how to begin', async () => {
  expect((await bob.visit('/portal/sandbox/')).status).toBe(404)
  expect((await bob.visit('/portal/nobody/')).status).toBe(404)
  const lobby = await bob.visit('/portal/')
  expect(lobby.html).toContain('You are not on the staff of any merchant yet.')
  expect(lobby.html).toContain('href="/portal/sign-up"')
})

test('given an owner, when they open the portal, their merchant is there', async () => {
  expect((await alice.visit('/portal/')).html).toContain('href="/portal/sandbox/"')
  const { status, html } = await alice.visit('/portal/sandbox/')
  expect(status).toBe(200)
  for (const area of ['Overview', 'Payments', 'Money', 'Developers', 'Staff', 'Messages'])
    expect(html).toContain(`<span>${area}</span>`)
  const norwegian = await alice.visit('/portal/sandbox/', { headers: { 'Accept-Language': 'nb' } })
  expect(norwegian.html).toContain('<span>Utsalgssteder</span>')
})

describe('given somebody who was invited by their number,', () => {
  test('when a cashier has no point of sale, the form says so, and nobody is invited', async () => {
    const answer = await invite({ role: 'cashier' })
    expect(answer.status).toBe(400)
    expect(answer.html).toContain('Choose at least one point of sale for a cashier.')
    expect(await members()).toHaveLength(1)
  })

  test.each([
    ['12345678', 'The country code is missing. Write + and the code before the number'],
    ['412', 'The phone number is not complete.'],
  ])('when the number is %s, the form says what is missing and keeps it', async (phone, text) => {
    const answer = await invite({ phone, role: 'accountant' })
    expect(answer.status).toBe(400)
    expect(answer.html).toContain(text)
    expect(formIn(answer.html, 'role').fields).toContainEqual(['phone', phone])
    expect(answer.html).toMatch(/value="accountant"[^>]*checked/)
    expect(await members()).toHaveLength(1)
  })

  test('when they accept, then they see what their role may see, and no more', async () => {
    expect((await invite({ role: 'cashier', pos: ['till-1'] })).location).toContain('?invited')
    expect((await bob.visit('/portal/sandbox/')).status).toBe(404)
    const lobby = await bob.visit('/portal/')
    expect(lobby.html).toContain('You are invited as cashier')
    const joined = await bob.submit(lobby, { decision: 'accept' })
    expect(joined.location).toBe('/portal/sandbox/')
    const { status, html } = await bob.visit('/portal/sandbox/')
    expect(status).toBe(200)
    expect(html).not.toContain('<span>Staff</span>')
    const forbidden = await bob.visit(staffPage)
    expect(forbidden.status).toBe(403)
    expect(forbidden.html).toContain('Your role here is cashier.')
  })

  test('when the same invitation is sent again, then nobody is invited twice', async () => {
    const { length } = await members()
    expect((await invite({ role: 'cashier', pos: ['till-1'] })).status).toBe(303)
    expect(await members()).toHaveLength(length)
    expect((await invite({ role: 'accountant' })).status).toBe(409)
  })
})

test('given a member, when an owner changes the role, then the next page follows it', async () => {
  const member = await memberOf('cashier')
  const page = await alice.visit(`${staffPage}?member=${member}`)
  expect(page.html).toContain('Change the role of Bob Berg')
  expect((await alice.submit(page, { role: 'accountant' })).location).toContain('?saved')
  const { status, html } = await bob.visit(staffPage)
  expect(status).toBe(200)
  expect(html).toContain('Alice Andersen')
  expect(html).not.toContain('?invite')
  const forged = new URLSearchParams({
    ...Object.fromEntries(formIn(page.html, 'role').fields),
    ...Object.fromEntries(formIn(html, 'csrf').fields),
    ...{ change: 'role', member, role: 'owner' },
  })
  expect((await bob.visit(staffPage, { method: 'POST', body: forged })).status).toBe(403)
})

describe('given owners,', () => {
  test('when another one is made, then the second factor is required', async () => {
    const member = await memberOf('accountant')
    const page = await alice.visit(`${staffPage}?member=${member}`)
    const without = await alice.submit(page, { role: 'owner' })
    expect([without.status, without.html.includes('Type the code')]).toEqual([400, true])
    const withCode = await alice.submit(page, { role: 'owner', code: codeOf('alice') })
    expect(withCode.location).toContain('?saved')
  })

  test('when one removes the other, that one is out a day later, and the last stays', async () => {
    const other = (await members()).find(({ name }) => name === 'Bob Berg')?.member ?? ''
    const page = await alice.visit(`${staffPage}?remove=${other}`)
    const removed = await alice.submit(page, { member: other, code: codeOf('alice') })
    expect(removed.location).toContain('?asked')
    expect((await bob.visit('/portal/sandbox/')).status).toBe(200)
    await service.advance(86_401)
    await alice.signIn('alice')
    await bob.signIn('bob')
    expect((await bob.visit('/portal/sandbox/')).status).toBe(404)
    const leave = await alice.submit(await alice.visit(`${staffPage}?leave`), { change: 'leave' })
    expect([leave.status, leave.html.includes('last owner')]).toEqual([409, true])
  })
})

test('when the log is read, the actor is a person without a name', async () => {
  const events = (await service.events()).filter(({ stream }) => stream === 'staff-sandbox')
  const owner = (await members())[0]?.member
  expect(events.map(({ type, metadata }) => [type, metadata['actor']])).toContainEqual([
    'StaffRoleChanged',
    `staff:${owner}`,
  ])
  const text = JSON.stringify(events)
  for (const personal of [phoneOfAlice, phoneOfBob, 'Andersen', 'Berg'])
    expect(text).not.toContain(personal)
})

test('given a form from elsewhere, when it is sent, then nothing is done', async () => {
  const body = new URLSearchParams({ change: 'leave', csrf: 'made up' })
  expect((await alice.visit(staffPage, { method: 'POST', body })).status).toBe(403)
})

test('when an owner opens the page, the security log shows what was changed', async () => {
  const { html } = await alice.visit(staffPage)
  expect(html).toContain('A role was changed')
  expect(html).toContain('StaffRoleChanged')
  expect(html).toContain('The operator')
})

test('when the log is verified, what the staff has done is by the rules', async () => {
  const verdict = await service.operator('audit', 'verify')
  expect(JSON.stringify(verdict)).not.toContain('staff-')
  expect(verdict).toMatchObject({ holds: true })
})
