import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { authorizations } from '../../domain/aggregates.ts'
import type { Scope } from '../../domain/people/scope.ts'
import { codeOf, startPeopleService, type PeopleService } from '../support/people-service.ts'
import { makeVisitor } from './visitor.ts'

let service: PeopleService
/** Clients with bob's consent, newest first. */
const clients: string[] = []
/** The scope each of them got. */
const allowed: string[] = []

/** As if he had consented on the application's page. */
const allow = async (client: string) => {
  const { handle, contextOf, now } = service.core
  const [at, id, context] = [now(), randomUUID().replaceAll('-', ''), contextOf('test', 'sandbox')]
  const scope: Scope[] = ['openid']
  const request = {
    ...{ client, merchant: 'sandbox', redirectUri: 'https://shop.example/', scope },
    ...{ isRedirectUriGiven: false, state: null, nonce: null, codeChallenge: null },
  }
  const hashes = { browserHash: 'b', qrHash: 'q' }
  await handle(
    authorizations,
    id,
    { type: 'RequestAuthorization', at, request, ...hashes },
    context,
  )
  const answer = { payer: 'bob', scope, signedInAt: at, channel: 'browser' } as const
  await handle(authorizations, id, { type: 'AllowAuthorization', at, ...answer }, context)
  allowed.push(`authorization-${id}`)
}

beforeAll(async () => {
  service = await startPeopleService()
  for (let n = 0; n < 103; n++) {
    await allow(`client-${n}`)
    clients.unshift(`client-${n}`)
  }
  // Again, a hundred times more than fit on a page: each is still one row.
  for (let n = 0; n < 150; n++) await allow('client-0')
  clients.unshift(clients.pop() ?? '')
})
afterAll(() => service.stop())

const newSession = async () => {
  const who = { phone: '4799999902', pin: '5678', code: codeOf('bob') }
  const { token } = (await service.call('POST', '/payer/v1/session/', who, {})).body
  return { Authorization: `Bearer ${token}` }
}

const withdrawn = async (): Promise<string[]> =>
  (await service.events()).flatMap(({ type, stream }) =>
    type === 'GrantRevoked' ? [stream.replace('grant-', '')] : [],
  )

test('given more permissions than a page holds, then all can be seen and withdrawn', async () => {
  const session = await newSession()
  const read = async (path: string) => (await service.call('GET', path, undefined, session)).body
  const first = await read('/payer/v1/permission/')
  const second = await read(first.next)
  const idsIn = ({ permissions }: typeof first) => permissions.map(({ id }: { id: string }) => id)
  expect([idsIn(first), idsIn(second)]).toEqual([clients.slice(0, 100), clients.slice(100)])
  expect(second.next).toBeNull()

  const bob = makeVisitor(service)
  await bob.signIn('bob')
  const seen: string[] = []
  let last = ''
  for (let path: string | undefined = '/payer/permissions'; path !== undefined;) {
    const { html } = await bob.visit(path)
    seen.push(...[...html.matchAll(/\?withdraw=([\w-]+)/g)].map(([, id]) => id ?? ''))
    last = path
    path = /href="(\/payer\/permissions\?before=\d+)"/.exec(html)?.[1]
  }
  expect(seen).toEqual(clients)
  const oldest = clients.at(-1) ?? ''
  const page = await bob.visit(last)
  expect(page.html).toContain(`?withdraw=${clients[100]}`)
  await bob.withdraw(oldest)
  expect(await withdrawn()).toEqual([allowed[1]])
  expect(idsIn(await read(first.next))).toEqual(clients.slice(100, -1))
})

test('given a client that was allowed often, when it is withdrawn, then all of it is', async () => {
  const session = await newSession()
  const before = (await withdrawn()).length
  const path = '/payer/v1/permission/client-0/'
  expect((await service.call('DELETE', path, undefined, session)).status).toBe(204)
  expect((await withdrawn()).length).toBe(before + 151)
  expect((await service.call('DELETE', path, undefined, session)).status).toBe(404)
})

test('given many permissions, when their payer is erased, each is withdrawn once', async () => {
  await service.operator('payer', 'erase', '4799999902')
  const all = await withdrawn()
  expect(all.toSorted()).toEqual(allowed.toSorted())
})
