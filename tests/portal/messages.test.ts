// @module-tag long
import { expect, test } from 'vitest'
import { messagesTo } from '../support/people-service.ts'
import { shopOfAlice } from './shop-of-alice.ts'
import { pay } from './shop-month.ts'

const { service, alice } = await shopOfAlice()
const page = '/portal/sandbox/messages'

const notices = async () => {
  const { body } = await service.call('GET', '/merchant/v1/callback/feed/')
  const messages = body.messages as { meta: { event: string }; object: { kind: string } }[]
  return messages.filter(({ meta }) => meta.event === 'portal').map(({ object }) => object)
}

test('when somebody becomes an owner, the messages, the feed and the owners tell it', async () => {
  await service.advance(1)
  await service.operator('staff', 'add', 'sandbox', '+4799999902', '--role', 'owner')
  await service.advance(1)
  expect(await notices()).toMatchObject([{ kind: 'new_owner' }, { kind: 'new_owner' }])
  const { html } = await alice.visit(page)
  expect(html).toContain('Bob Berg has become an owner')
  expect(html).not.toContain('Alice Andersen has become an owner')
  const told = await messagesTo(service, 'bob@example.com')
  expect(told.map(({ text }) => text)).toEqual([
    `Sandbox Shop: noen er blitt eier. ${service.address}/portal/sandbox/staff`,
  ])
})

test('owners of a merchant outside Norway are notified in English', async () => {
  const data = ['--name', 'Kaffe', '--currency', 'EUR', '--jurisdiction', 'DE']
  await service.operator('merchant', 'add', 'berlin', ...data)
  await service.operator('staff', 'add', 'berlin', '+4799999902', '--role', 'owner')
  await service.advance(1)
  const [told] = await messagesTo(service, 'bob@example.com')
  expect(told?.text).toBe(
    `Kaffe: somebody has become an owner. ${service.address}/portal/berlin/staff`,
  )
})

test('an authorisation of value that is about to end is raised once', async () => {
  const large = await pay(service, 'till-1', '1800.00')
  await pay(service, 'till-1', '40.00')
  await service.advance(1.5 * 86_400)
  expect(await notices()).toHaveLength(2)
  await service.advance(86_400)
  await service.advance(3600)
  expect((await notices()).slice(2)).toEqual([
    {
      ...{ kind: 'authorization_expires', about: large, currency: 'NOK', amount: '1800.00' },
      date_until: expect.any(String),
    },
  ])
  await alice.signIn('alice')
  const overview = await alice.visit('/portal/sandbox/')
  expect(overview.html).toMatch(/An authorisation of NOK\s1,800\.00 is about to expire/)
  expect(overview.html).toContain(`href="/portal/sandbox/payments/${large}"`)
})

test('when somebody has seen to it, it is on no list, and the log tells who has', async () => {
  const shown = await alice.visit(page)
  expect((await alice.submit(shown, { notice: 'none' })).status).toBe(303)
  const done = await alice.submit(shown, { csrf: '' }, ['csrf']).catch(() => undefined)
  expect(done?.status).toBe(403)
  for (let left = 2; left > 0; left -= 1) {
    const again = await alice.visit(page)
    const [, notice = ''] = /name="notice" value="([^"]+)"/.exec(again.html) ?? []
    await alice.submit(again, { notice })
  }
  expect((await alice.visit(page)).html).toContain('Nothing needs your attention.')
  const settled = (await service.events()).filter(({ type }) => type === 'NoticeSettled')
  expect(settled.map(({ metadata }) => metadata['actor'])).toEqual([
    expect.stringMatching(/^staff:/),
    expect.stringMatching(/^staff:/),
  ])
})
