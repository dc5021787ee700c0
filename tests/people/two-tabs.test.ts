import { afterAll, beforeAll, expect, test } from 'vitest'
import { startPeopleService, type PeopleService } from '../support/people-service.ts'
import { formIn, makeVisitor, type Shown, type TestVisitor } from './visitor.ts'
import { pkce } from './pkce.ts'

const redirectUri = 'https://shop.example/callback'
let service: PeopleService
let path: string
beforeAll(async () => {
  service = await startPeopleService()
  const add = ['app', 'add', 'sandbox', '--name', 'Web shop', '--redirect-uri', redirectUri]
  const { client_id = '' } = await service.operator(...add)
  const asked = { response_type: 'code', client_id, scope: 'openid', prompt: 'consent' }
  path = `/oauth2/auth?${new URLSearchParams({ ...asked, ...pkce.challenge }).toString()}`
})
afterAll(() => service.stop())

const signInAnew = async (visitor: TestVisitor, payer: 'alice' | 'bob') =>
  visitor.signInAt(await visitor.visit('/payer/sign-in?again'), payer)

test('given two tabs for signing in, when both are used, then both lead on, and the second payer is signed in', async () => {
  const visitor = makeVisitor(service)
  const [one, two] = [await visitor.visit('/payer/sign-in'), await visitor.visit('/payer/sign-in')]
  expect((await visitor.signInAt(two, 'alice')).location).toBe('/payer/')
  expect((await visitor.signInAt(one, 'bob')).location).toBe('/payer/')
  expect((await visitor.visit('/payer/')).status).toBe(200)
})

test('given two tabs on the way through an application, when the payer signs in on one, then the other goes on, too', async () => {
  const visitor = makeVisitor(service)
  const [one, two] = [await visitor.visit(path), await visitor.visit(path)]
  const asked = await visitor.follow(await visitor.signInAt(two, 'alice'))
  const other = await visitor.follow(await visitor.signInAt(one, 'alice'))
  for (const page of [asked, other])
    expect((await visitor.submit(page, { decision: 'allow' })).location).toContain('code=')
})

test('given a page of a payer, when they sign in anew in another tab, then what they answer on it is done', async () => {
  const visitor = makeVisitor(service)
  await visitor.signIn('alice')
  const { id } = await service.requestPayment({ customer: '4799999901' })
  const page = await visitor.visit(`/payer/payment/${id}`)
  await signInAnew(visitor, 'alice')
  expect((await visitor.submit(page, { decision: 'accept' })).status).toBe(303)
  expect(await service.outcome(id)).toMatchObject({ status: 'auth' })
})

test('given a page of a payer, when somebody else has signed in in another tab, then nothing is done, and they are asked themselves', async () => {
  const visitor = makeVisitor(service)
  await visitor.signIn('alice')
  const { id } = await service.requestPayment({
    ...{ success_return_uri: redirectUri, failure_return_uri: redirectUri },
  })
  const payment = await visitor.visit(`/payer/payment/${id}`)
  const asked = await visitor.follow(await visitor.visit(path))
  await signInAnew(visitor, 'bob')
  const answered = await visitor.submit(payment, { decision: 'accept' })
  expect([answered.status, answered.location]).toEqual([303, `/payer/payment/${id}`])
  expect(await service.outcome(id)).toMatchObject({ status: 'pending' })
  const again = await visitor.follow(await visitor.submit(asked, { decision: 'allow' }))
  expect(again.html).toContain('Bob')
  expect(formIn(again.html, 'decision').action).not.toBe(formIn(asked.html, 'decision').action)
})

test('given a form for signing out that is out of date, when it is sent, then the payer is at the start and still signed in', async () => {
  const visitor = makeVisitor(service)
  await visitor.signIn('alice')
  const body = new URLSearchParams({ csrf: 'of another page' })
  const headers = { 'Sec-Fetch-Site': 'same-origin' }
  const { status, location } = await visitor.visit('/payer/sign-out', {
    ...{ method: 'POST', body, headers },
  })
  expect([status, location]).toEqual([303, '/payer/'])
  expect((await visitor.visit('/payer/')).status).toBe(200)
})

test('given pages that were opened at once in a new browser, when the one is answered whose cookie is gone, then it is shown anew', async () => {
  const [visitor, sameBrowser] = [makeVisitor(service), makeVisitor(service)]
  const first = await visitor.visit('/payer/sign-in')
  await sameBrowser.visit('/payer/sign-in')
  for (const [name, value] of sameBrowser.cookies) visitor.cookies.set(name, value)
  const form = formIn(first.html, 'pin')
  const fields: [string, string][] = form.fields.map(([name, value]) => [name, value])
  const send = (site?: string): Promise<Shown> =>
    visitor.visit(form.action, {
      method: 'POST',
      body: new URLSearchParams(fields),
      headers: site === undefined ? {} : { 'Sec-Fetch-Site': site },
    })
  const shown = await send('same-origin')
  expect([shown.status, shown.location]).toEqual([303, form.action])
  for (const site of [undefined, 'cross-site']) expect((await send(site)).status).toBe(403)
})
