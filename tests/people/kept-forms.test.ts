import { afterAll, beforeAll, expect, test } from 'vitest'
import { startPeopleService, type PeopleService } from '../support/people-service.ts'
import { formIn, makeVisitor, type TestVisitor } from './visitor.ts'

let service: PeopleService

beforeAll(async () => {
  service = await startPeopleService()
  for (const phone of ['+4799999901', '+4799999902'])
    await service.operator('staff', 'add', 'sandbox', phone, '--role', 'owner')
})
afterAll(() => service.stop())

const list = '/portal/sandbox/points-of-sale/new'
const typed = { id: 'till-7', name: 'Garden & "bar" æ' }

/** A form that is sent once its session has ended. */
const lateForm = async (alice: TestVisitor, more: Record<string, string> = {}) => {
  await alice.signIn('alice')
  const page = await alice.visit(list)
  const { action, fields } = formIn(page.html, 'id')
  const home = await alice.visit('/payer/')
  await alice.visit('/payer/sign-out', {
    method: 'POST',
    body: new URLSearchParams(Object.fromEntries(formIn(home.html, 'csrf').fields)),
  })
  const sent = { ...Object.fromEntries(fields), ...typed, ...more }
  return alice.visit(action, { method: 'POST', body: new URLSearchParams(sent) })
}

const nextOf = (location: string | null): string =>
  new URL(location ?? '', service.address).searchParams.get('next') ?? ''

const shopsPoints = async (alice: TestVisitor): Promise<string> =>
  (await alice.visit('/portal/sandbox/points-of-sale')).html

const name = 'Garden &amp; &quot;bar&quot; æ'

test('what was typed is sent after signing in again, and not before', async () => {
  const alice = makeVisitor(service)
  const late = await lateForm(alice)
  expect([late.status, nextOf(late.location)]).toEqual([
    303,
    expect.stringMatching(/^\/payer\/resume\?form=[\w-]+$/),
  ])
  const done = await alice.signInAt(await alice.follow(late), 'alice')
  const kept = await alice.follow(done)
  expect(kept.html).toContain('Your form is kept')
  expect(await shopsPoints(alice)).not.toContain(name)
  const made = await alice.submit(kept, { id: typed.id })
  expect(made.status).toBe(303)
  expect(await shopsPoints(alice)).toContain(name)
})

test('another person on the same browser is led to the page, without what was typed', async () => {
  const alice = makeVisitor(service)
  const late = await lateForm(alice)
  const other = await alice.follow(await alice.signInAt(await alice.follow(late), 'bob'))
  expect([other.status, other.url]).toEqual([200, service.address + list])
  expect(other.html).not.toContain('Garden')
})

test.each([
  ['from elsewhere', { csrf: 'made up' }],
  ['that is large', { name: 'x'.repeat(5_000) }],
])('a form %s is not kept: its page comes after signing in', async (_, more) => {
  const late = await lateForm(makeVisitor(service), more)
  expect([late.status, nextOf(late.location)]).toEqual([303, list])
})

test('a form is kept for a while only, and one that is altered leads to the start', async () => {
  const alice = makeVisitor(service)
  const late = await lateForm(alice)
  const path = nextOf(late.location)
  await alice.signIn('alice')
  expect((await alice.visit(path.replace('form=', 'form=A'))).location).toBe('/payer/')
  await service.advance(901)
  expect((await alice.visit(path)).location).toBe('/payer/')
})
