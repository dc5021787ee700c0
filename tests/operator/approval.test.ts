// @module-tag long
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { merchants } from '../../domain/aggregates.ts'
import { newMerchant } from '../../domain/merchant/merchant.ts'
import { codeOf, startPeopleService, type PeopleService } from '../support/people-service.ts'
import { makeVisitor, type TestVisitor } from '../people/visitor.ts'

let service: PeopleService
let alice: TestVisitor

beforeAll(async () => {
  service = await startPeopleService()
  await service.operator('operator', 'add', '+4799999901', '--role', 'admin')
  alice = makeVisitor(service)
  await alice.signIn('alice')
})
afterAll(() => service.stop())

const enabled = async (id: string) =>
  ((await service.operator('merchant', 'list')) as any).find((one: any) => one.id === id)?.enabled

const listed = async (state: string) =>
  (await alice.visit(`/operator/merchants?state=${state}`)).html

describe('given a merchant that has signed up by itself, as in production,', () => {
  const signUp = async (id: string) => {
    const { core } = service
    const known = { id, businessName: 'Fersk', currency: 'NOK', lookupIds: [] }
    const data = newMerchant({ ...known, netmask: null, hasSignedUp: true })
    const context = core.contextOf('payer:x')
    await core.handle(merchants, id, { type: 'Register', data }, context)
    await core.handle(merchants, id, { type: 'AwaitApproval' }, context)
  }
  beforeAll(() => signUp('fresh'))

  test('when the overview is opened, it waits there', async () => {
    const { html } = await alice.visit('/operator/')
    expect(html).toContain('href="/operator/merchants/fresh"')
    expect(await listed('waiting')).toContain('>Fersk<')
  })

  test('when it is approved, which takes a code, it waits no longer', async () => {
    expect((await alice.visit('/operator/merchants/fresh')).html).toContain('/fresh/approve"')
    const page = await alice.visit('/operator/merchants/fresh/approve')
    const wrong = await alice.submit(page, { code: '000000' })
    expect([wrong.status, await enabled('fresh')]).toEqual([400, false])
    const done = await alice.submit(page, { code: codeOf('alice') })
    expect([done.location, await enabled('fresh')]).toEqual([
      '/operator/merchants/fresh?approved',
      true,
    ])
    expect((await alice.visit('/operator/')).html).toContain('Nobody waits for approval.')
    await service.operator('merchant', 'disable', 'fresh')
    const late = await alice.submit(page, { code: codeOf('alice') })
    expect([late.status, await enabled('fresh')]).toEqual([404, false])
    await expect(service.operator('merchant', 'approve', 'fresh')).rejects.toThrow('could not')
    expect(await listed('disabled')).toContain('>Fersk<')
  })

  test('when it was turned down while the page of its approval was open, it stays so', async () => {
    await signUp('second')
    const page = await alice.visit('/operator/merchants/second/approve')
    await service.operator('merchant', 'disable', 'second')
    const late = await alice.submit(page, { code: codeOf('alice') })
    expect([late.status, await enabled('second')]).toEqual([404, false])
    const way = await alice.visit('/operator/merchants/second/enable')
    await alice.submit(way, { code: codeOf('alice') })
    expect(await enabled('second')).toBe(true)
  })

  test('when it is turned down, its owner reads why, and it waits no longer', async () => {
    await signUp('third')
    await service.operator('staff', 'add', 'third', '+4799999902', '--role', 'owner')
    expect((await alice.visit('/operator/merchants/third/approve')).html).toContain('no fees yet')
    const page = await alice.visit('/operator/merchants/third/reject')
    const blank = await alice.submit(page, { reason: ' ', code: codeOf('alice') })
    expect([blank.status, blank.html.includes('Write why it is turned down.')]).toEqual([400, true])
    const reason = 'The account is not yours'
    const wrong = await alice.submit(page, { reason, code: '000000' })
    expect([wrong.status, wrong.html.includes('account is not yours')]).toEqual([400, true])
    expect(await listed('waiting')).toContain('/merchants/third"')
    const done = await alice.submit(wrong, { code: codeOf('alice') })
    expect(done.location).toBe('/operator/merchants/third?rejected')
    expect(await listed('waiting')).not.toContain('/merchants/third"')
    const bob = makeVisitor(service)
    await bob.signIn('bob')
    expect((await bob.visit('/portal/')).html).toContain('Turned down')
    expect((await bob.visit('/portal/third/')).html).toContain(
      'The sign-up was turned down: The account is not yours',
    )
    const again = await alice.submit(page, { reason, code: codeOf('alice') })
    expect(again.status).toBe(404)
    await expect(
      service.operator('merchant', 'reject', 'third', '--reason', 'again'),
    ).rejects.toThrow('could not')
  })
})

test('given a merchant that the operator has made, nobody approves it', async () => {
  const { core } = service
  const known = { id: 'made', businessName: 'Made', currency: 'NOK', lookupIds: [] }
  const data = newMerchant({ ...known, netmask: null })
  const context = core.contextOf('operator')
  await core.handle(merchants, 'made', { type: 'Register', data }, context)
  const approved = core.handle(merchants, 'made', { type: 'Approve' }, context)
  await expect(approved).rejects.toMatchObject({ code: 'resource_is_unknown' })
  expect((await alice.visit('/operator/merchants/made/approve')).status).toBe(404)
  await expect(service.operator('merchant', 'approve', 'made')).rejects.toThrow('could not')
})
