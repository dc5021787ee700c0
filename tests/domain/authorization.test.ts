import { expect, test } from 'vitest'
import { parseEvent } from '../../domain/events.ts'
import {
  authorization,
  type AuthorizationCommand,
  type AuthorizationEvent,
  type AuthorizationRequest,
} from '../../domain/people/authorization.ts'
import { examplesOf } from './given.ts'

const morning = Date.UTC(2026, 0, 15, 8)

const given = examplesOf(authorization)

const request: AuthorizationRequest = {
  client: 'web-shop',
  merchant: 'sandbox',
  redirectUri: 'https://shop.example/callback',
  isRedirectUriGiven: true,
  scope: ['openid', 'phone'],
  state: null,
  nonce: null,
  codeChallenge: null,
}

const requested = (changes: Partial<AuthorizationRequest> = {}): AuthorizationEvent => ({
  type: 'AuthorizationRequested',
  data: {
    request: { ...request, ...changes },
    browserHash: 'browser',
    qrHash: 'code',
    expiresAt: morning + 600_000,
  },
})

const allowed: AuthorizationEvent = {
  type: 'AuthorizationAllowed',
  data: {
    ...{ payer: 'alice', client: 'web-shop', scope: ['openid'] },
    ...{ signedInAt: morning, channel: 'browser' },
  },
}

const allow = (
  changes: Partial<Extract<AuthorizationCommand, { type: 'AllowAuthorization' }>> = {},
): AuthorizationCommand => ({
  ...{ type: 'AllowAuthorization', at: morning + 1000, payer: 'alice', scope: ['openid'] },
  ...{ signedInAt: morning, channel: 'browser' },
  ...changes,
})

test('given a request that wants a sign-in since a time, when the payer allows it with an older one, then it is refused, on the phone too', () => {
  const pass = given(requested({ signedInSince: morning }))
  for (const channel of ['browser', 'phone'] as const)
    pass.when(allow({ signedInAt: morning - 1, channel })).thenRefused('sign_in_is_too_old')
  pass.when(allow()).then(allowed)
})

test('given a request that wants no new sign-in, when the payer allows it with an old one, then it is allowed', () => {
  const signedInAt = 0
  const data = { ...allowed.data, signedInAt } as typeof allowed.data
  given(requested())
    .when(allow({ signedInAt }))
    .then({ ...allowed, data } as AuthorizationEvent)
})

test('given an answer, when the same payer gives it again, even late, then nothing happens, and any other is refused', () => {
  const late = morning + 600_000
  const deny = (payer: string): AuthorizationCommand => ({
    ...{ type: 'DenyAuthorization', payer },
  })
  const answered = given(requested(), allowed)
  answered.when(allow({ at: late })).thenNothing()
  for (const other of [allow({ payer: 'bob' }), allow({ scope: ['openid', 'phone'] })])
    answered.when(other).thenRefused('authorization_is_answered')
  answered.when(allow({ scope: [] })).thenRefused('authorization_is_answered')
  answered.when(deny('alice')).thenRefused('authorization_is_answered')
  const denied = given(requested(), { type: 'AuthorizationDenied', data: { payer: 'alice' } })
  denied.when(deny('alice')).thenNothing()
  denied.when(deny('bob')).thenRefused('authorization_is_answered')
  denied.when(allow()).thenRefused('authorization_is_answered')
  denied.when(allow({ scope: [] })).thenRefused('authorization_is_answered')
})

test('given a request, when its payer allows more than or other than requested, then it is refused', () => {
  const asked = given(requested())
  for (const scope of [['openid', 'phone', 'email'], ['profile']] as const)
    asked.when(allow({ scope })).thenRefused('scope_is_too_wide')
  asked.when(allow()).then(allowed)
})

test('given a request that was allowed, when its code is fetched after its ten minutes, then there is none, and a moment before there is one', () => {
  const answered = given(requested(), allowed)
  const issue = (at: number): AuthorizationCommand => ({ type: 'IssueCode', at, codeHash: 'c' })
  const end = morning + 600_000
  answered.when(issue(end)).thenRefused('authorization_is_expired')
  const data = { codeHash: 'c', expiresAt: end - 1 + 60_000 }
  answered.when(issue(end - 1)).then({ type: 'CodeIssued', data })
})

test('given a request from before sign-ins had an age, when it is read from the log, then it is as it was', () => {
  const { type, data } = requested()
  const context = { at: morning, merchant: null, actor: 'client:web-shop', correlationId: 'r' }
  const metadata = { ...context, causationId: null, schema: 1 }
  const place = { id: 'e', stream: 'authorization-1', revision: 0, position: 1 }
  expect(parseEvent({ type, data, metadata, ...place }).data).toEqual(data)
})
