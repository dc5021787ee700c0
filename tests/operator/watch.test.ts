// @module-tag long
import { statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { codeAt } from '../../infrastructure/people/one-time-codes.ts'
import { sandboxPayers } from '../../service/sandbox/sandbox-data.ts'
import { startPeopleService, type PeopleService } from '../support/people-service.ts'
import { makeVisitor, type Shown, type TestVisitor } from '../people/visitor.ts'

let service: PeopleService
/** Works in security. */
let bob: TestVisitor

beforeAll(async () => {
  service = await startPeopleService()
  await service.operator('operator', 'add', '+4799999902', '--role', 'security')
  bob = makeVisitor(service)
  await bob.signIn('bob')
})
afterAll(() => service.stop())

const plain = ({ html }: Pick<Shown, 'html'>): string =>
  html
    .replaceAll(/<[^>]*>/g, ' ')
    .replaceAll(/[\s\u00a0]+/g, ' ')
    .replaceAll('−', '-')
const hrefIn = ({ html }: Shown): string | undefined =>
  /<a class="lone" href="([^"]*)"/.exec(html)?.[1]?.replaceAll('&amp;', '&')
const number = (value: number) => new Intl.NumberFormat('en').format(value)

test('given the service, then its health page shows the numbers of the probes', async () => {
  await service.call('POST', '/sandbox/v1/callback/', { callback_uri: 'http://127.0.0.1:9/' })
  const readiness = async () => (await service.call('GET', '/health/ready')).body
  let [ready, page] = [await readiness(), await bob.visit('/operator/health')]
  // Repeats until nothing is recorded meanwhile.
  for (let after = await readiness(); after.head !== ready.head; after = await readiness())
    [ready, page] = [after, await bob.visit('/operator/health')]
  expect(page.status).toBe(200)
  const { body: metrics } = await service.call('GET', '/metrics')
  const gauge = (name: string) => Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(metrics)?.[1])
  const text = plain(page)
  expect(text).toContain('Ready')
  expect(text).toContain(`End of the log ${number(ready.head)}`)
  expect(text).toContain(`Read models, together ${number(ready.position)} ${number(ready.behind)} `)
  const unfinished = gauge('daybook_callbacks_unfinished')
  expect(text).toContain(`messages that have not arrived ${number(unfinished)}`)
  expect(text).toContain(`Pusher connections ${gauge('daybook_pusher_connections')}`)
  expect(text).toContain('The log was never audited yet.')
  expect(text).toContain('its processes share nothing out')
  const norwegian = await bob.visit('/operator/health', { headers: { 'Accept-Language': 'nb' } })
  expect(norwegian.html).toContain('<h1>Helse</h1>')
})

test(
  'given many messages asked for from one network, then metrics and pages tell it',
  { tags: 'long' },
  async () => {
    const reached = async () =>
      /^daybook_message_limits_reached\{limit="network"\} (\d+)$/m.exec(
        (await service.call('GET', '/metrics')).body as string,
      )?.[1]
    expect(await reached()).toBe('0')
    for (let count = 0; count <= 100; count += 1) {
      const person = { phone: `+47480${10_000 + count}`, name: 'Pumped', pin: '8642' }
      const { status } = await service.call('POST', '/payer/v1/sign_up/', person, {})
      expect(status).toBe(count < 100 ? 200 : 429)
    }
    expect(await reached()).toBe('1')
    const limit = 'from 127.0.0.0/24'
    expect(plain(await bob.visit('/operator/health'))).toContain(`Text messages ${limit} reached`)
    expect(plain(await bob.visit('/operator/'))).toContain(`Text messages at their limit ${limit}`)
  },
)

const oldDay = '2026-01-02'
const oldLine = (index: number, merchant: string) =>
  `${JSON.stringify({
    ...{ at: `${oldDay}T00:00:00.000Z`, type: 'changed', actor: `user:u${index}`, merchant },
    about: `user-${merchant}/${'x'.repeat(300)}`,
  })}\n`

test('given years of a security log, then a page reads a bounded part and leads on', async () => {
  const file = join(service.folder, `security-${oldDay}.log`)
  const lines = Array.from({ length: 12_000 }, (_, index) => oldLine(index, 'others'))
  writeFileSync(file, [oldLine(99_999, 'wanted'), ...lines].join(''))
  expect(statSync(file).size).toBeGreaterThan(4_500_000)

  const first = await bob.visit('/operator/security?merchant=wanted')
  expect(plain(first)).toContain('There are no such lines here.')
  let page = first
  let pages = 1
  for (; hrefIn(page) !== undefined && pages < 10; pages++)
    page = await bob.visit(hrefIn(page) ?? '')
  expect(plain(page)).toContain('user:u99999')
  expect(plain(page)).toContain('That is all.')
  expect(pages).toBeLessThan(5)

  const seen: string[] = []
  page = await bob.visit(`/operator/security?day=${oldDay}&actor=user`)
  for (let more = 0; more < 3; more++) {
    seen.push(...[...page.html.matchAll(/user:(u\d+)/g)].map(([, actor = '']) => actor))
    page = await bob.visit(hrefIn(page) ?? '')
  }
  expect(seen).toEqual(Array.from({ length: 300 }, (_, index) => `u${11_999 - index}`))
})

test('given filters, then the lines are those that the command prints', async () => {
  await service.call('GET', '/merchant/v1/pos/', undefined, {
    ...service.merchantHeaders('sandbox', 'pos1', 'wrong'),
  })
  const since = new Date(Date.now() - 86_400_000).toISOString().slice(0, 10)
  const told = await service.operator(
    ...['audit', 'security', '--since', since, '--type', 'authentication_failed'],
  )
  const page = await bob.visit('/operator/security?type=authentication_failed&merchant=sandbox')
  const { actor, reason } = told as { readonly actor: string; readonly reason: string }
  expect(plain(page)).toContain(actor)
  expect(plain(page)).toContain(reason)
  expect(page.html.match(/<tr>/g)).toHaveLength(2)
})

/** A code can be used once, and the previous code is still valid. */
const codes = [0, -30_000, 30_000]
const nextCode = (): string => codeAt(sandboxPayers.bob.codeSecret, Date.now() + (codes.pop() ?? 0))

const states = async (kind: string) => {
  const { html } = await bob.visit('/operator/keys')
  const section = html.split(`<h2>${kind}</h2>`)[1]?.split('</section>')[0] ?? ''
  return [...section.matchAll(/<span class="badge \w*">(\w+)</g)].map(([, state]) => state)
}

test('given keys, when one is rotated by its form, then a new one is published', async () => {
  expect(await states('Callbacks')).toEqual(['Signs'])
  expect(await states('Checkpoints')).toEqual(['Signs'])
  expect((await bob.visit('/operator/keys')).html).not.toContain('1970')
  const page = await bob.visit('/operator/keys/callbacks')
  const refused = await bob.submit(page, { code: '' })
  const wrong = await bob.submit(refused, { code: '000000' })
  expect([refused.status, wrong.status]).toEqual([400, 400])
  expect(wrong.html).toContain('The code is wrong.')
  expect(await states('Callbacks')).toEqual(['Signs'])

  const done = await bob.submit(page, { code: nextCode() })
  expect(done.location).toBe('/operator/keys?rotated')
  expect(await states('Callbacks')).toEqual(['Comes', 'Signs'])
  const [rotated] = (await service.events()).filter(
    ({ type, metadata }) =>
      type === 'SigningKeyRegistered' && String(metadata['actor']).startsWith('operator:'),
  )
  const id = (rotated?.data as { readonly id: string } | undefined)?.id
  expect((await bob.visit('/operator/keys')).html).toContain(`<code>${id}</code>`)
  expect((await bob.visit('/operator/keys/nothing')).status).toBe(404)
  expect(await service.operator('audit', 'verify')).toMatchObject({ holds: true })
})

test('given keys that the command rotates, then the page shows them', async () => {
  const { id = '' } = await service.operator('key', 'rotate', 'checkpoints', '--overlap', '1.5')
  const { kid = '' } = await service.operator('key', 'rotate')
  const { html } = await bob.visit('/operator/keys')
  expect(html).toContain(`<code>${id}</code>`)
  expect(html).toContain(`<code>${kid}</code>`)
  expect(await states('ID tokens')).toEqual(['Comes', 'Signs'])
  expect(await states('Checkpoints')).toEqual(['Signs', 'Signs'])
  expect(plain({ html })).toContain('The keys of personal data are kept in clear.')
})
