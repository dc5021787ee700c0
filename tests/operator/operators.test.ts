import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startPeopleService, type PeopleService } from '../../harness/people-service.ts'
import { formIn, makeVisitor, type TestVisitor } from '../people/visitor.ts'

let service: PeopleService
let alice: TestVisitor
let bob: TestVisitor

const [phoneOfAlice, phoneOfBob] = ['4799999901', '4799999902']

beforeAll(async () => {
  service = await startPeopleService()
  await service.operator('operator', 'add', phoneOfAlice, '--role', 'admin')
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
  await service.operator('staff', 'add', 'sandbox', phoneOfBob, '--role', 'owner')
  expect((await bob.visit('/operator/')).status).toBe(404)
  expect((await bob.visit('/operator/join')).status).toBe(404)
})

describe('given the commands of the operator,', () => {
  test('when somebody is added, they are listed, and have access at once', async () => {
    const added = await service.operator('operator', 'add', phoneOfBob, '--role', 'support')
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
    ['add', phoneOfBob, '--role', 'owner'],
    ['remove', phoneOfBob],
  ])('daybook operator %s %s %s %s is refused', async (...words) => {
    await expect(service.operator('operator', ...words)).rejects.toThrow()
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
