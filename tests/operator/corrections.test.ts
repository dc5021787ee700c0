import { afterAll, beforeAll, expect, test } from 'vitest'
import { codeOf, startPeopleService, type PeopleService } from '../support/people-service.ts'
import { formIn, makeVisitor, type Shown, type TestVisitor } from '../people/visitor.ts'

let service: PeopleService
/** Owns the shop, and is an admin of the operator. */
let alice: TestVisitor
/** Works in the operator's finance. */
let bob: TestVisitor

beforeAll(async () => {
  service = await startPeopleService()
  await service.operator('operator', 'add', '+4799999901', '--role', 'admin')
  await service.operator('operator', 'add', '+4799999902', '--role', 'finance')
  await service.operator('staff', 'add', 'sandbox', '+4799999901', '--role', 'owner')
  alice = makeVisitor(service)
  await alice.signIn('alice')
  bob = makeVisitor(service)
  await bob.signIn('bob')
})
afterAll(() => service.stop())

const plain = ({ html }: Shown): string =>
  html
    .replaceAll(/<[^>]*>/g, ' ')
    .replaceAll(/[\s\u00a0]+/g, ' ')
    .replaceAll('−', '-')

const path = '/operator/corrections'

const typed = () => ({
  ...{ merchant: 'sandbox', amount: '−12,50', currency: '', ledger: 'default' },
  ...{ reason: 'charged twice', code: codeOf('bob') },
})

const corrections = async () =>
  (await service.events()).filter(({ type }) => type.startsWith('Correction'))

/** The form that decides, of the first that waits. */
const decide = async (visitor: TestVisitor, act: string, who: 'alice' | 'bob') => {
  const { html } = await visitor.visit(path)
  const forms = html.split('<form').filter((form) => form.includes(`value="${act}"`))
  const { action, fields } = formIn(`<form${forms[0]}`, 'act')
  const body = new URLSearchParams({ ...Object.fromEntries(fields), code: codeOf(who) })
  return visitor.visit(action, { method: 'POST', body })
}

test('without a code, or with something wrong, nothing is proposed', async () => {
  const page = await bob.visit(path)
  const wrongs = [
    ...[{ code: '' }, { amount: 'much' }, { amount: '0' }, { merchant: 'nobody' }],
    ...[{ currency: 'XXZ' }, { reason: ' ' }, { ledger: 'none' }],
  ]
  for (const wrong of wrongs)
    expect((await bob.submit(page, { ...typed(), ...wrong })).status).toBe(400)
  expect(await corrections()).toEqual([])
})

test('a form that is sent twice proposes once; whoever proposed it may not approve', async () => {
  const page = await bob.visit(path)
  const answers = [await bob.submit(page, typed()), await bob.submit(page, typed())]
  expect(answers.map(({ location }) => location)).toEqual([path, path])
  const [event, ...more] = await corrections()
  expect(more).toEqual([])
  expect(event?.metadata['actor']).toMatch(/^operator:[\w-]{16}/)
  const shown = await bob.visit(path)
  expect(plain(shown)).toMatch(/-NOK 12.50.*charged twice.*Somebody else has to approve it/)
  expect(shown.html).not.toContain('value="approve"')
  const { fields } = formIn(shown.html, 'act')
  const forged = new URLSearchParams({
    ...Object.fromEntries(fields),
    ...{ act: 'approve', code: codeOf('bob') },
  })
  const refused = await bob.visit(path, { method: 'POST', body: forged })
  expect([refused.status, plain(refused)]).toEqual([
    400,
    expect.stringContaining('Whoever proposed it does not approve it: somebody else has to.'),
  ])
})

test('another person approves it, and the merchant sees the line and why', async () => {
  expect((await decide(alice, 'approve', 'alice')).location).toBe(path)
  expect(plain(await alice.visit(path))).toMatch(/Decided.*-NOK 12.50.*Approved charged twice/)
  const till = await alice.visit('/portal/sandbox/money/unsettled')
  expect(plain(till)).toMatch(/Correction charged twice .*-NOK 12.50/)
  const settled = await service.call('POST', '/sandbox/v1/settlement/', { merchant: 'sandbox' })
  expect(settled.status).toBeLessThan(300)
  const page = await alice.visit('/portal/sandbox/money/settlements/1')
  expect(plain(page)).toMatch(/Corrections.*-NOK 12.50.*Corrections.*charged twice/)
})

test('a debt is written off by two people, and another proposal is turned down', async () => {
  const owed = await bob.visit(path)
  expect(plain(owed)).toMatch(/What merchants owe.*NOK 27.50/)
  const form = { ...typed(), amount: '20.00', write_off: 'yes' }
  await bob.submit(owed, form)
  const more = await bob.visit(path)
  await bob.submit(more, { ...form, amount: '50.00', reason: 'all of it' })
  expect((await decide(alice, 'approve', 'alice')).location).toBe(path)
  expect(plain(await bob.visit(path))).toMatch(/What merchants owe.*NOK 7.50/)
  const tooMuch = await decide(alice, 'approve', 'alice')
  expect(plain(tooMuch)).toContain('More than what the merchant owes from earlier settlements.')
  expect((await decide(bob, 'reject', 'bob')).location).toBe(path)
  expect(plain(await bob.visit(path))).toMatch(/Turned down all of it/)
})
