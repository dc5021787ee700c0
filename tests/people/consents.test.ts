import { afterAll, beforeAll, expect, test } from 'vitest'
import { startPeopleService, type PeopleService } from '../support/people-service.ts'
import { makeVisitor } from './visitor.ts'
import { pkce } from './pkce.ts'

const redirectUri = 'https://shop.example/callback'
let service: PeopleService
beforeAll(async () => {
  service = await startPeopleService()
})
afterAll(() => service.stop())

/** Alice's only consent according to the auditor, at a time or at all. */
const found = (...at: string[]): Promise<any> =>
  service.operator('audit', 'consents', 'alice', ...at)
const none = async (at: number) => {
  const words = ['audit', 'consents', 'alice', '--at', new Date(at).toISOString()]
  expect(await service.operator(...words)).toBeNull()
}

test('given a withdrawn consent, when an auditor asks for a time, the log proves it', async () => {
  const app = await service.operator(
    ...['app', 'add', 'sandbox', '--name', 'Web shop', '--redirect-uri', redirectUri],
  )
  const query = new URLSearchParams({
    response_type: 'code',
    client_id: app['client_id'] ?? '',
    scope: 'openid profile phone',
    ...pkce.challenge,
  })
  const alice = makeVisitor(service)
  await alice.signIn('alice')
  const asked = await alice.follow(await alice.visit(`/oauth2/auth?${query}`))
  // The page contains one of them already, as a hidden field.
  await alice.submit(asked, { decision: 'allow', scope: ['phone', 'openid', 'openid'] })
  const consent = await found()
  expect(consent).toMatchObject({
    merchant: 'sandbox',
    client: app['client_id'],
    scope: ['openid', 'phone'],
    withdrawal: null,
  })
  const { id, stream, revision, position } = consent.proof
  const event = (await service.events()).find((event) => event.position === position)
  expect(event).toMatchObject({ id, stream, revision, type: 'AuthorizationAllowed' })
  await none(consent.at - 1)

  // The application never fetched its tokens: there is nothing to withdraw yet, and the consent
  // remains.
  expect(await found('--at', new Date(consent.at).toISOString())).toEqual(consent)
})

test('given a withdrawal, when an auditor asks for before and after, they differ', async () => {
  const { body } = await service.call('POST', '/merchant/v1/permission_request/', {
    ...{ pos_id: 'till-1', pos_tid: 'consent', customer: '4799999902', scope: 'openid profile' },
  })
  await service.call('POST', `/sandbox/v1/permission_request/${body.id}/accept/`, {})
  const bob = makeVisitor(service)
  await bob.signIn('bob')
  await service.advance(60)
  const page = await bob.visit('/payer/permissions')
  await bob.withdraw(/\?withdraw=([\w-]+)/.exec(page.html)?.[1] ?? '')
  const consent: any = await service.operator('audit', 'consents', 'bob')
  expect(consent).toMatchObject({
    client: null,
    scope: ['openid', 'profile'],
    withdrawal: { by: 'payer', proof: { stream: `grant-${consent.proof.stream}` } },
  })
  expect(consent.withdrawal.at).toBeGreaterThanOrEqual(consent.at + 60_000)
  const at = async (time: number) =>
    service.operator('audit', 'consents', 'bob', '--at', new Date(time).toISOString())
  expect(await at(consent.withdrawal.at - 1)).toEqual(consent)
  expect(await at(consent.withdrawal.at)).toBeNull()
})
