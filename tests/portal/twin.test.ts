// @module-tag long
import { SignJWT } from 'jose'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startPeopleService, type PeopleService } from '../support/people-service.ts'
import { codeAt } from '../../infrastructure/people/one-time-codes.ts'
import { makeVisitor } from '../people/visitor.ts'

const addresses = { production: 'https://pay.example', sandbox: 'https://test.example' }

const TWIN_SECRET = 'a secret that both services know of each other'

let production: PeopleService
let sandbox: PeopleService

const phones = { kari: '4740000009', dag: '4740000010' }

beforeAll(async () => {
  const own = { MODE: 'production', PUBLIC_URL: addresses.production }
  production = await startPeopleService({ ...own, TWIN_URL: addresses.sandbox, TWIN_SECRET })
  const other = { PUBLIC_URL: addresses.sandbox, TWIN_URL: addresses.production }
  sandbox = await startPeopleService({ ...other, TWIN_SECRET })
  const shop = ['merchant', 'add', 'kaffe', '--name', 'Kaffebaren AS', '--currency', 'SEK']
  await production.operator(...shop)
  for (const [name, phone] of Object.entries(phones)) {
    const person = ['payer', 'add', phone, '--name', `${name} Hansen`, '--pin', '4711']
    const added = await production.operator(...person)
    browsers.set(name, await browserOf(phone, added['totp_secret'] ?? ''))
  }
  await production.operator('staff', 'add', 'kaffe', `+${phones.kari}`, '--role', 'owner')
})
afterAll(async () => {
  await production.stop()
  await sandbox.stop()
})

/** Somebody with one browser at both services. */
const browserOf = async (phone: string, codeSecret: string) => {
  const there = makeVisitor(production)
  const here = makeVisitor(sandbox)
  const second = await there.submit(await there.visit('/payer/sign-in'), { phone, pin: '4711' })
  await there.submit(second, { code: codeAt(codeSecret, Date.now()) })
  const visit = (url: string) => {
    const { origin, pathname, search } = new URL(url)
    return (origin === addresses.production ? there : here).visit(pathname + search)
  }
  /** The address in the sandbox that production has signed for this browser. */
  const link = async (): Promise<string> => {
    const asked = await visit(`${addresses.sandbox}/payer/twin?merchant=kaffe`)
    return (await visit(asked.location ?? '')).location ?? ''
  }
  return { there, here, visit, link }
}

const browsers = new Map<string, Awaited<ReturnType<typeof browserOf>>>()

const of = (name: keyof typeof phones) => {
  const browser = browsers.get(name)
  if (!browser) throw new Error(`${name} has no browser`)
  return browser
}

test('who switches in production finds a twin with their role and without their name', async () => {
  const kari = of('kari')
  const { html } = await kari.there.visit('/portal/kaffe/')
  expect(html).toContain('https://test.example/payer/twin?merchant=kaffe')
  expect(html).not.toContain('No real money moves here.')
  const arrived = await kari.visit(await kari.link())
  expect([arrived.status, arrived.location]).toEqual([303, '/portal/kaffe/'])
  const overview = await kari.here.visit('/portal/kaffe/')
  expect(overview.html).toContain('No real money moves here.')
  expect(overview.html).toContain('href="https://pay.example/portal/"')
  expect(overview.html).not.toContain('/payer/twin')
  expect(overview.html).toMatch(/Kaffebaren AS<\/b><span class="quiet small">Owner/)
  const people = await kari.here.visit('/portal/kaffe/staff')
  expect(people.html).not.toMatch(/Hansen|40000009/)
  expect((await kari.here.visit('/portal/kaffe/money/account')).html).toContain('7947')
  const tries = await kari.here.visit('/portal/kaffe/developers/sandbox')
  expect(tries.html).toMatch(/you<\/dt>\s*<dd>One-time code now <code>\d{6}</)
})

test('the sandbox leads to people and codes to try, and production does not', async () => {
  const kari = of('kari')
  const signIn = async (from: 'here' | 'there') => (await kari[from].visit('/payer/sign-up')).html
  expect(await signIn('here')).toContain('href="/docs/sandbox"')
  expect(await signIn('there')).not.toContain('/docs/sandbox')
})

test('who comes again has the same account, in the role of production now', async () => {
  const add = ['staff', 'add', 'kaffe', `+${phones.dag}`, '--role']
  await production.operator(...add, 'accountant')
  const dag = of('dag')
  await dag.visit(await dag.link())
  const first = await dag.here.visit('/portal/kaffe/staff')
  expect(first.html.match(/Accountant/g)).not.toBeNull()
  const remove = ['staff', 'remove', 'kaffe', `+${phones.dag}`]
  await production.operator(...remove)
  await production.operator(...add, 'developer')
  await dag.visit(await dag.link())
  expect((await dag.here.visit('/portal/kaffe/')).html).toContain('Developer')
  await production.operator(...remove)
  const asked = await dag.visit(`${addresses.sandbox}/payer/twin?merchant=kaffe`)
  expect((await dag.visit(asked.location ?? '')).status).toBe(404)
})

test('a link that is used, old, altered or of another browser lets nobody in', async () => {
  const kari = of('kari')
  const other = makeVisitor(sandbox)
  await other.visit('/payer/twin?merchant=kaffe')
  const link = await kari.link()
  const { pathname, search } = new URL(link)
  const stolen = await other.visit(pathname + search)
  expect(stolen.status).toBe(400)
  expect(stolen.html).toContain('This link to the sandbox is old, used or of another browser.')
  expect((await kari.visit(link)).status).toBe(303)
  expect((await kari.visit(link)).status).toBe(400)
  expect(await sandbox.operator('audit', 'verify')).toMatchObject({ holds: true })

  const signedBy = async (secret: string, change: object, exp: number, about: object = {}) => {
    const token = new URL(await kari.link()).searchParams.get('token') ?? ''
    const [head = '', body = ''] = token
      .split('.')
      .map((part) => Buffer.from(part, 'base64url').toString())
    const claims = { ...JSON.parse(body), exp, ...change }
    const signed = await new SignJWT(claims)
      .setProtectedHeader({ ...JSON.parse(head), ...about })
      .sign(new TextEncoder().encode(secret))
    return (await kari.visit(`${addresses.sandbox}/payer/twin?token=${signed}`)).status
  }
  const soon = Math.floor(Date.now() / 1000) + 30
  expect(await signedBy(TWIN_SECRET, {}, soon)).toBe(303)
  expect(await signedBy('another secret that nobody knows of', {}, soon)).toBe(400)
  expect(await signedBy(TWIN_SECRET, {}, soon - 31)).toBe(400)
  expect(await signedBy(TWIN_SECRET, { aud: 'https://other.example' }, soon)).toBe(400)
  expect(await signedBy(TWIN_SECRET, { iss: 'https://other.example' }, soon)).toBe(400)
  expect(await signedBy(TWIN_SECRET, {}, soon, { typ: 'JWT' })).toBe(400)
  expect(await signedBy(TWIN_SECRET, { merchant: 7 }, soon)).toBe(400)
})

test('without the settings there is neither switch nor way in', async () => {
  const alone = await startPeopleService()
  const visitor = makeVisitor(alone)
  expect((await visitor.visit('/payer/twin?merchant=sandbox')).status).toBe(404)
  await visitor.signIn('alice')
  expect((await visitor.visit('/portal/')).html).not.toContain('Back to production')
  await alone.stop()
})
