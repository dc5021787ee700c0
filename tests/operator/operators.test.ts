import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { codeOf, startPeopleService, type PeopleService } from '../support/people-service.ts'
import { formIn, makeVisitor, type TestVisitor } from '../people/visitor.ts'

let service: PeopleService
let alice: TestVisitor
let bob: TestVisitor

const [phoneOfAlice, phoneOfBob] = ['4799999901', '4799999902']

beforeAll(async () => {
  service = await startPeopleService()
  await service.operator('operator', 'add', `+${phoneOfAlice}`, '--role', 'admin')
  alice = makeVisitor(service)
  await alice.signIn('alice')
  bob = makeVisitor(service)
  await bob.signIn('bob')
})
afterAll(() => service.stop())

const people = async () =>
  (await service.operator('operator', 'list')) as unknown as readonly Record<
    'member' | 'role' | 'status' | 'name' | 'phone',
    string
  >[]

test('given nobody signed in, a page leads to the sign-in and back', async () => {
  const visitor = makeVisitor(service)
  const first = await visitor.visit('/operator/')
  expect([first.status, first.location]).toEqual([303, '/payer/sign-in?next=%2Foperator%2F'])
  const after = await visitor.signInAt(await visitor.follow(first), 'alice')
  expect(after.location).toBe('/operator/')
})

test('given an admin, when they open the pages, their role and menu are there', async () => {
  expect((await alice.visit('/operator')).location).toBe('/operator/')
  const { status, html } = await alice.visit('/operator/')
  expect(status).toBe(200)
  expect(html).toContain('<span class="quiet small">Admin</span>')
  const norwegian = await alice.visit('/operator/', { headers: { 'Accept-Language': 'nb' } })
  expect(norwegian.html).toContain('<h1>Oversikt</h1>')
})

test('given the owner of a merchant, when they look, there is nothing', async () => {
  await service.operator('staff', 'add', 'sandbox', `+${phoneOfBob}`, '--role', 'owner')
  expect((await bob.visit('/operator/')).status).toBe(404)
  expect((await bob.visit('/operator/join')).status).toBe(404)
})

describe('given the commands of the operator,', () => {
  test('when somebody is added, they are listed, and have access at once', async () => {
    const added = await service.operator('operator', 'add', `+${phoneOfBob}`, '--role', 'support')
    expect(added).toMatchObject({ role: 'support', status: 'joined' })
    expect(await people()).toMatchObject([
      { name: 'Alice Andersen', phone: phoneOfAlice, role: 'admin' },
      { name: 'Bob Berg', phone: phoneOfBob, role: 'support' },
    ])
    expect((await bob.visit('/operator/')).status).toBe(200)
  })

  test('when the role changes, the next page follows it', async () => {
    await service.operator('operator', 'change', phoneOfBob, '--role', 'security')
    expect((await bob.visit('/operator/')).html).toContain('>Security</span>')
  })

  test('when somebody is removed, they are out at once, and the last admin stays', async () => {
    await service.operator('operator', 'remove', phoneOfBob)
    expect((await bob.visit('/operator/')).status).toBe(404)
    await expect(service.operator('operator', 'remove', phoneOfAlice)).rejects.toThrow()
    await expect(
      service.operator('operator', 'change', phoneOfAlice, '--role', 'finance'),
    ).rejects.toThrow()
    expect(await people()).toMatchObject([{ role: 'admin' }])
  })

  test.each([
    ['add', '12', '--role', 'admin'],
    ['add', `+${phoneOfBob}`, '--role', 'owner'],
    ['remove', phoneOfBob],
  ])('daybook operator %s %s %s %s is refused', async (...words) => {
    await expect(service.operator('operator', ...words)).rejects.toThrow()
  })
})

describe('given the page of people,', () => {
  const path = '/operator/staff'

  test('when somebody is added, it takes a code, and the actor is the admin', async () => {
    const page = await alice.visit(`${path}?add`)
    const typed = { phone: `+${phoneOfBob}`, role: 'security' }
    const wrong = await alice.submit(page, { ...typed, phone: '12' })
    expect([wrong.status, wrong.html.includes('id="phone-problem"')]).toEqual([400, true])
    const national = await alice.submit(page, { ...typed, phone: '12345678' })
    expect([national.status, national.html]).toEqual([
      400,
      expect.stringContaining('The country code is missing.'),
    ])
    const without = await alice.submit(page, typed)
    expect([without.status, await people()]).toMatchObject([400, [{ role: 'admin' }]])
    const done = await alice.submit(page, { ...typed, code: codeOf('alice') })
    expect(done.location).toBe('/operator/staff?added')
    const sent = await service.call('GET', `/sandbox/v1/message/?to=%2B${phoneOfBob}`)
    expect(JSON.stringify(sent.body)).toMatch(/You were added .+\/operator\/"/)
    const [admin, added] = await people()
    expect(added).toMatchObject({ name: 'Bob Berg', role: 'security' })
    const events = (await service.events()).filter(({ stream }) => stream === 'operator-daybook')
    expect(events.findLast(({ type }) => type === 'OperatorJoined')?.metadata['actor']).toBe(
      `operator:${admin?.member}`,
    )
  })

  test('when who may only see opens it, there is nothing to change', async () => {
    const page = await bob.visit(path)
    expect(page.html).toContain('Alice Andersen')
    expect(page.html).not.toContain('?add')
    expect((await bob.visit(`${path}?add`)).status).toBe(403)
  })

  test('when a role is changed or somebody removed, the next page follows', async () => {
    const { member = '' } = (await people())[1] ?? {}
    const role = await alice.visit(`${path}?member=${member}`)
    expect(role.html).toContain('Change the role of Bob Berg')
    await alice.submit(role, { role: 'support', code: codeOf('alice') })
    expect((await bob.visit(path)).status).toBe(403)
    const end = await alice.visit(`${path}?remove=${member}`)
    const removed = await alice.submit(end, { member, code: codeOf('alice') })
    expect(removed.location).toBe('/operator/staff?removed')
    expect((await bob.visit('/operator/')).status).toBe(404)
  })

  test('when the last admin would go or step down, the page says why not', async () => {
    const { member = '' } = (await people())[0] ?? {}
    const end = await alice.visit(`${path}?remove=${member}`)
    const kept = await alice.submit(end, { member, code: codeOf('alice') })
    expect([kept.status, kept.html.includes('the last admin')]).toEqual([409, true])
    const role = await alice.visit(`${path}?member=${member}`)
    const same = await alice.submit(role, { role: 'finance', code: codeOf('alice') })
    expect(same.status).toBe(409)
  })

  test('given a form from elsewhere, when it is sent, nothing is done', async () => {
    const body = new URLSearchParams({ change: 'add', phone: phoneOfBob, role: 'admin', csrf: 'x' })
    expect((await alice.visit(path, { method: 'POST', body })).status).toBe(403)
    expect(await people()).toHaveLength(1)
  })
})

test('given a number without an account, when its owner signs up, they accept first', async () => {
  const phone = '+4740000077'
  const added = await service.operator('operator', 'add', phone, '--role', 'finance')
  expect(added).toMatchObject({ status: 'invited' })
  const carol = makeVisitor(service)
  await carol.signUpAt(await carol.visit('/payer/sign-up'), { phone, name: 'Carol' })
  const first = await carol.visit('/operator/')
  expect([first.status, first.location]).toEqual([303, '/operator/join'])
  const invitation = await carol.follow(first)
  expect(invitation.html).toContain('as finance')
  const joined = await carol.submit(invitation, {
    member: formIn(invitation.html, 'member').fields.find(([name]) => name === 'member')?.[1] ?? '',
  })
  expect(joined.location).toBe('/operator/')
  expect((await carol.visit('/operator/')).html).toContain('>Finance</span>')
  expect((await carol.visit('/operator/join')).status).toBe(404)
})

test('when the log is read, the actor is a person without a name, and it holds', async () => {
  const events = (await service.events()).filter(({ stream }) => stream === 'operator-daybook')
  const admin = (await people())[0]?.member
  expect(events.map(({ type, metadata }) => [type, metadata['actor']])).toContainEqual([
    'OperatorVisited',
    `operator:${admin}`,
  ])
  const text = JSON.stringify(events)
  for (const personal of [phoneOfAlice, phoneOfBob, 'Andersen', 'Berg'])
    expect(text).not.toContain(personal)
  expect(await service.operator('audit', 'verify')).toMatchObject({ holds: true })
})
