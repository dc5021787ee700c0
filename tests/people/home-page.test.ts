import { afterAll, beforeAll, expect, test } from 'vitest'
import { deviceName } from '../../web/payer/devices.tsx'
import { sandboxPayers } from '../../service/sandbox/sandbox-data.ts'
import { codeOf, startPeopleService, type PeopleService } from '../support/people-service.ts'
import { formIn, makeVisitor } from './visitor.ts'

let service: PeopleService

beforeAll(async () => {
  service = await startPeopleService()
})

afterAll(() => service.stop())

const firefox = 'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:132.0) Gecko/20100101 Firefox/132.0'

const signedInWith = async (userAgent: string) => {
  const visitor = makeVisitor(service)
  const { phone, pin } = sandboxPayers.bob
  const page = await visitor.submit(await visitor.visit('/payer/sign-in'), { phone, pin })
  const { action, fields } = formIn(page.html, 'code')
  const known = fields.map(([name, value]): [string, string] => [name, value])
  const body = new URLSearchParams([
    ...known.filter(([name]) => name !== 'code'),
    ['code', codeOf('bob')],
  ])
  await visitor.visit(action, { method: 'POST', body, headers: { 'User-Agent': userAgent } })
  return visitor
}

test('given a payer who is signed in, when they come to the start page, then it greets them, and shows their details and devices', async () => {
  const bob = await signedInWith(firefox)
  const { html } = await bob.visit('/payer/')
  expect(html).toMatch(/<h1[^>]*>Hello, Bob Berg<\/h1>/)
  for (const detail of ['+4799999902', 'bob@example.com', 'Storgata 1, 0155 Oslo, Norway'])
    expect(html).toContain(detail)
  expect(html).toContain('Firefox, Windows')
  expect(html).toContain('This device')
})

test('given two devices, when one signs the other out, then that one is out, this one is not, and the page says so', async () => {
  const [computer, phone] = [await signedInWith(firefox), await signedInWith('Tool/1.0')]
  const home = await phone.visit('/payer/')
  expect(home.html).toMatch(/Sign out<span class="unseen"> Firefox, Windows, <time[^]*<\/span>/)
  const sessions = [...home.html.matchAll(/name="session" value="([\w-]+)"/g)]
  const csrf = new Map(formIn(home.html, 'session').fields).get('csrf') ?? ''
  for (const [, session = ''] of sessions) {
    const body = new URLSearchParams({ csrf, session })
    const { location } = await phone.visit('/payer/devices', { method: 'POST', body })
    expect(location).toBe('/payer/?device-out')
  }
  expect((await computer.visit('/payer/')).location).toContain('/payer/sign-in')
  const after = await phone.visit('/payer/?device-out')
  expect([after.status, after.html.includes('That device is signed out.')]).toEqual([200, true])
})

test('given the session of somebody else, when it is named, then nothing is signed out', async () => {
  const alice = makeVisitor(service)
  await alice.signIn()
  const bob = await signedInWith(firefox)
  await signedInWith('Tool/1.0')
  const home = await bob.visit('/payer/')
  const session = /name="session" value="([\w-]+)"/.exec(home.html)?.[1] ?? ''
  const csrf = formIn((await alice.visit('/payer/')).html, 'csrf').fields[0]?.[1] ?? ''
  const body = new URLSearchParams({ csrf, session })
  expect((await alice.visit('/payer/devices', { method: 'POST', body })).status).toBe(404)
})

test('given a payer’s details, when they change them, then errors are shown and valid values kept', async () => {
  const bob = await signedInWith(firefox)
  const page = await bob.visit('/payer/profile')
  const wrong = await bob.submit(page, { email: 'bob', name: '' })
  expect(wrong.status).toBe(400)
  expect(wrong.html).toMatch(/id="email-problem"/)
  expect(wrong.html).toMatch(/id="name-problem"/)
  const given = {
    email: 'bob@new.example',
    name: 'Bob B. Berg',
    country: 'NO',
    shipping_country: '',
  }
  const cleared = { shipping_street: '', shipping_postal_code: '', shipping_locality: '' }
  const { location } = await bob.submit(wrong, { ...given, ...cleared })
  expect(location).toBe('/payer/?saved')
  const { html } = await bob.visit('/payer/?saved')
  for (const shown of [
    'Your details are saved.',
    'Hello, Bob B. Berg',
    'bob@new.example',
    'Not entered yet',
  ])
    expect(html).toContain(shown)
})

test.each([
  [firefox, 'Firefox, Windows'],
  [
    'Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/130.0.0.0 Mobile Safari/537.36',
    'Chrome, Android',
  ],
  [
    'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.0 Mobile/15E148 Safari/604.1',
    'Safari, iPhone',
  ],
  ['curl/8.5.0', undefined],
  [undefined, undefined],
])('given the User-Agent %s, when its device is named, then people know it', (userAgent, name) => {
  expect(deviceName(userAgent)).toBe(name)
})

test('given two requests of one shop, when they wait, then their links are named by what they are about', async () => {
  for (const text of ['Lunch', 'Dinner'])
    await service.requestPayment({ customer: sandboxPayers.bob.phone, text })
  const bob = await signedInWith(firefox)
  const { html } = await bob.visit('/payer/')
  const names = [...html.matchAll(/<a class="row"[^>]*>([^]*?)<\/a>/g)].map(([, name = '']) =>
    name.replaceAll(/<[^>]*>/g, ' ').replaceAll(/\s+/g, ' '),
  )
  expect(names).toEqual([
    expect.stringContaining('Sandbox Shop Dinner'),
    expect.stringContaining('Sandbox Shop Lunch'),
  ])
})

test('given a permission that was withdrawn, when the history is read, then it says so', async () => {
  const request = { pos_id: 'till-1', pos_tid: 'history', scope: 'openid', text: 'Receipts' }
  const asked = { ...request, customer: sandboxPayers.bob.phone }
  const { id } = (await service.call('POST', '/merchant/v1/permission_request/', asked)).body
  const bob = await signedInWith(firefox)
  await bob.submit(await bob.visit(`/payer/permission/${id}`), { decision: 'allow' })
  expect((await bob.visit('/payer/history')).html).toMatch(/· Granted/)
  const session = (
    await service.call(
      'POST',
      '/payer/v1/session/',
      {
        ...{ phone: sandboxPayers.bob.phone, pin: sandboxPayers.bob.pin, code: codeOf('bob') },
      },
      {},
    )
  ).body
  const headers = { Authorization: `Bearer ${session.token}` }
  const { permissions } = (await service.call('GET', '/payer/v1/permission/', undefined, headers))
    .body
  await service.call('DELETE', `/payer/v1/permission/${permissions[0].id}/`, undefined, headers)
  const { html } = await bob.visit('/payer/history')
  expect(html).toMatch(/Receipts[^]*· Withdrawn/)
})
