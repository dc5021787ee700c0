// @module-tag long
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { codeOf, startPeopleService, type PeopleService } from '../support/people-service.ts'
import { codeAt } from '../../infrastructure/people/one-time-codes.ts'
import { makeVisitor } from '../people/visitor.ts'

let service: PeopleService
beforeAll(async () => {
  service = await startPeopleService()
})
afterAll(() => service.stop())

const business = {
  name: 'Kaffebaren på hjørnet',
  organization: '987 654 325',
  currency: 'nok',
  payout_account: 'NO93 8601 1117 947',
  time_zone: 'europe/oslo',
}

test('when a payer signs up a business, it is there, and they are its owner', async () => {
  const alice = makeVisitor(service)
  await alice.signIn('alice')
  const page = await alice.visit('/portal/sign-up')
  const wrong = await alice.submit(page, { ...business, payout_account: 'NO93 8601 1117 948' })
  expect([wrong.status, wrong.html.includes('a digit is wrong or missing')]).toEqual([400, true])
  for (const digits of ['8601 11 17948', '8601 11 1794'])
    expect((await alice.submit(wrong, { ...business, payout_account: digits })).status).toBe(400)
  const number = await alice.submit(wrong, { ...business, organization: '987 654 321' })
  expect([number.status, number.html.includes('organisation number; a digit')]).toEqual([400, true])
  for (const name of ['\u200b', 'Shop\nPaid', '\u202epohS', 'A\u0000'])
    expect((await alice.submit(wrong, { ...business, name })).status, name).toBe(400)
  const made = await alice.submit(wrong, business)
  const twice = await alice.submit(wrong, business)
  expect(made.location).toMatch(/^\/portal\/kaffebaren-pa-hjornet-[a-z0-9]{6}\/$/)
  expect(twice.location).toBe(made.location)
  const overview = await alice.visit(made.location ?? '')
  expect([overview.status, overview.html.includes('Kaffebaren på hjørnet')]).toEqual([200, true])
  const bob = makeVisitor(service)
  await bob.signIn('bob')
  const dashed = { ...business, organization: '987-654-325' }
  const taken = await bob.submit(await bob.visit('/portal/sign-up'), dashed)
  expect([taken.status, taken.html.includes('There is already a merchant with')]).toEqual([
    400,
    true,
  ])
})

test.each([
  ['nb', 'Europe/Oslo'],
  ['en-GB', 'Europe/London'],
  ['en-US', 'UTC'],
])('a form in %s begins with the time zone %s', async (language, zone) => {
  const visitor = makeVisitor(service, language)
  await visitor.signIn('alice')
  const { html } = await visitor.visit('/portal/sign-up')
  expect(html).toMatch(new RegExp(`name="time_zone"\\s+value="${zone}"\\s+data-own-zone`))
})

test('an unknown time zone is asked for again, otherwise days follow the given one', async () => {
  const alice = makeVisitor(service)
  await alice.signIn('alice')
  const asked = { ...business, organization: '911 222 337' }
  const page = await alice.visit('/portal/sign-up')
  const wrong = await alice.submit(page, { ...asked, time_zone: 'Oslo' })
  expect([wrong.status, wrong.html.includes('There is no such time zone.')]).toEqual([400, true])
  expect(wrong.html).not.toContain('data-own-zone')
  const made = await alice.submit(wrong, asked)
  const list = await alice.visit(`${made.location}payments`)
  expect(list.html).toContain('Time zone Europe/Oslo')
})

test('in production a merchant that has signed up takes payments once it is approved', async () => {
  const production = await startPeopleService({
    ...{ MODE: 'production', PUBLIC_URL: 'https://pay.example' },
  })
  onTestFinished(production.stop)
  const phone = '4740000009'
  const added = await production.operator('payer', 'add', phone, '--name', 'Kari', '--pin', '4711')
  const kari = makeVisitor(production)
  const pin = await kari.submit(await kari.visit('/payer/sign-in?next=%2Fportal%2Fsign-up'), {
    ...{ phone, pin: '4711' },
  })
  const code = codeAt(added['totp_secret'] ?? '', Date.now())
  expect((await kari.submit(pin, { code })).location).toBe('/portal/sign-up')
  const form = await kari.visit('/portal/sign-up')
  const made = await kari.submit(form, business)
  const overview = await kari.visit(made.location ?? '')
  expect(overview.html).toContain('Waiting for approval.')
  const [, id = ''] = /portal\/([^/]+)/.exec(made.location ?? '') ?? []
  await production.operator('user', 'add', id, 'till', '--secret', 'a-long-secret')
  const headers = production.merchantHeaders(id, 'till', 'a-long-secret')
  const pos = () =>
    production.call('POST', '/merchant/v1/pos/', { id: 'a', name: 'A', type: 'store' }, headers)
  expect((await pos()).status).toBe(401)
  expect(await production.operator('merchant', 'list')).toMatchObject([
    { id, enabled: false, awaits_approval: true },
  ])
  expect(await production.operator('merchant', 'approve', id)).toEqual({ id, enabled: true })
  expect((await pos()).status).toBe(201)
  expect((await kari.visit(made.location ?? '')).html).not.toContain('Waiting for approval.')
  expect((await kari.submit(form, business)).location).toBe(made.location)
  expect((await pos()).status).toBe(201)
})

test('somebody removed from the staff does not return through the sign-up form', async () => {
  const bob = makeVisitor(service)
  await bob.signIn('bob')
  const page = await bob.visit('/portal/sign-up')
  const typed = { ...business, organization: '955 666 771' }
  const made = await bob.submit(page, typed)
  const [, id = ''] = /portal\/([^/]+)/.exec(made.location ?? '') ?? []
  await service.operator('staff', 'add', id, '+4799999901', '--role', 'owner')
  await service.operator('staff', 'remove', id, '4799999902')
  expect((await bob.visit(made.location ?? '')).status).toBe(404)
  await bob.submit(page, typed)
  expect((await bob.visit(made.location ?? '')).status).toBe(404)
})

const signedUpBy = async (payer: 'alice' | 'bob') => {
  const visitor = makeVisitor(service)
  await visitor.signIn(payer)
  return { visitor, page: await visitor.visit('/portal/sign-up') }
}

test('of sign-ups with one organisation number at once, one becomes a merchant', async () => {
  const both = [await signedUpBy('alice'), await signedUpBy('bob'), await signedUpBy('bob')]
  const asked = { ...business, organization: '922 333 440' }
  const answers = await Promise.all(both.map(({ visitor, page }) => visitor.submit(page, asked)))
  expect(answers.map(({ status }) => status).sort()).toEqual([303, 400, 400])
  const named = (await service.events()).filter(
    ({ type, data }) => type === 'MerchantRegistered' && data['organizationId'] === '922333440',
  )
  expect(named).toHaveLength(1)
})

test('a merchant that was turned down frees its number for the next one', async () => {
  const asked = { ...business, organization: '933 444 554' }
  const [first, second] = [await signedUpBy('bob'), await signedUpBy('alice')]
  const taken = await first.visitor.submit(first.page, asked)
  const [, id = ''] = /portal\/([^/]+)/.exec(taken.location ?? '') ?? []
  await service.operator('merchant', 'disable', id)
  expect((await second.visitor.submit(second.page, asked)).status).toBe(400)
  // It waits for approval now; a second time turns it down.
  await service.operator('merchant', 'disable', id)
  expect((await second.visitor.submit(second.page, asked)).status).toBe(303)
  expect((await first.visitor.submit(first.page, asked)).status).toBe(303)
  const third = await signedUpBy('bob')
  expect((await third.visitor.submit(third.page, asked)).status).toBe(400)
  // It does not come back beside the one that has its number now, by a command or a page.
  await expect(service.operator('merchant', 'enable', id)).rejects.toThrow('could not')
  await service.operator('operator', 'add', '+4799999902', '--role', 'admin')
  const way = await third.visitor.visit(`/operator/merchants/${id}/enable`)
  const refused = await third.visitor.submit(way, { code: codeOf('bob') })
  expect([refused.status, refused.html]).toEqual([
    409,
    expect.stringContaining('Another merchant has this organisation number now.'),
  ])
})

test('a number that the operator has given to a merchant signs up no other', async () => {
  const { visitor, page } = await signedUpBy('alice')
  const asked = { ...business, organization: '944 555 668' }
  const add = ['merchant', 'add', 'added', '--name', 'Added', '--currency', 'NOK']
  await service.operator(...add, '--organization-id', '944-555-668')
  const claims = (await service.events()).filter(({ type }) => type === 'OrganizationClaimed')
  expect(claims.at(-1)).toMatchObject({
    stream: 'organization-944555668',
    data: { merchant: 'added' },
  })
  expect((await visitor.submit(page, asked)).status).toBe(400)
  await service.operator('merchant', 'change', 'added', '--organization-id', '944555676')
  const other = { ...business, organization: '944 555 676' }
  expect((await visitor.submit(page, other)).status).toBe(400)
})
