import { afterAll, beforeAll, expect, test } from 'vitest'
import { codeOf, startPeopleService, type PeopleService } from './people-service.ts'
import { formIn, makeVisitor } from './visitor.ts'

let service: PeopleService
/** What bob has granted, newest first. */
const granted: string[] = []

beforeAll(async () => {
  service = await startPeopleService()
  const asked = { pos_id: 'till-1', customer: '4799999902', scope: 'openid' }
  for (let n = 0; n < 103; n++) {
    const request = { ...asked, pos_tid: `p${n}` }
    const { id } = (await service.call('POST', '/merchant/v1/permission_request/', request)).body
    await service.call('POST', `/sandbox/v1/permission_request/${id}/accept/`, { payer: 'bob' })
    granted.unshift(`permission-${id}`)
  }
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

test('given more permissions than a page holds, then the others are on the next ones, in app and browser, and each can be withdrawn', async () => {
  const session = await newSession()
  const read = async (path: string) => (await service.call('GET', path, undefined, session)).body
  const first = await read('/payer/v1/permission/')
  const second = await read(first.next)
  const idsIn = ({ permissions }: typeof first) => permissions.map(({ id }: { id: string }) => id)
  expect([idsIn(first), idsIn(second)]).toEqual([granted.slice(0, 100), granted.slice(100)])
  expect(second.next).toBeNull()

  const bob = makeVisitor(service)
  await bob.signIn('bob')
  const seen: string[] = []
  let last = ''
  for (let path: string | undefined = '/payer/permissions'; path !== undefined;) {
    const { html } = await bob.visit(path)
    seen.push(...[...html.matchAll(/name="grant" value="([^"]+)"/g)].map(([, id]) => id ?? ''))
    last = path
    path = /href="(\/payer\/permissions\?before=\d+)"/.exec(html)?.[1]
  }
  expect(seen).toEqual(granted)
  const oldest = granted.at(-1) ?? ''
  const page = await bob.visit(last)
  expect(formIn(page.html, 'grant').fields).toContainEqual(['grant', granted[100]])
  await bob.submit(page, { grant: oldest })
  expect(await withdrawn()).toEqual([oldest])
  expect(idsIn(await read(first.next))).toEqual(granted.slice(100, -1))
})

test('given more permissions than a page holds, when their payer is erased, then all are withdrawn, each once', async () => {
  await service.operator('payer', 'erase', '4799999902')
  const all = await withdrawn()
  expect(all.toSorted()).toEqual(granted.toSorted())
})
