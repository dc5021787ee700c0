// @module-tag long
import { afterEach, beforeEach, expect, test } from 'vitest'
import {
  codeOf,
  codeSentTo,
  messagesTo,
  startPeopleService,
  type PeopleService,
} from '../support/people-service.ts'
import { codeAt } from '../../infrastructure/people/one-time-codes.ts'
import { sandboxPayers } from '../../service/sandbox/sandbox-data.ts'
import { signIn } from '../people/newcomer.ts'
import { keyIn, makeVisitor, type TestVisitor } from '../people/visitor.ts'

let service: PeopleService
/** Two owners of the merchant `sandbox`; somebody else has alice's factors. */
let thief: TestVisitor
let bob: TestVisitor

beforeEach(async () => {
  service = await startPeopleService()
  await service.operator('staff', 'add', 'sandbox', '+4799999901', '--role', 'owner')
  await service.operator('staff', 'add', 'sandbox', '+4799999902', '--role', 'owner')
  ;[thief, bob] = [makeVisitor(service), makeVisitor(service)]
  await thief.signIn('alice')
  await bob.signIn('bob')
})
afterEach(() => service.stop())

const [alicesPhone, bobsPhone] = ['4799999901', '4799999902']
const staffPage = '/portal/sandbox/staff'
const day = 86_401

const members = async () =>
  (await service.operator('staff', 'list', 'sandbox')) as unknown as readonly Record<
    'member' | 'role' | 'name',
    string
  >[]
const memberOf = async (name: string) =>
  (await members()).find((one) => one.name === name)?.member ?? ''
const owners = async () =>
  (await members()).filter(({ role }) => role === 'owner').map(({ name }) => name)

const remove = async (visitor: TestVisitor, name: string, code = codeOf('alice')) => {
  const member = await memberOf(name)
  const page = await visitor.visit(`${staffPage}?remove=${member}`)
  return visitor.submit(page, { member, code })
}
const askAccount = async (account: string, code = codeOf('alice')) => {
  const path = '/portal/sandbox/money/account'
  return thief.submit(await thief.visit(path), { account, code })
}
const toldTo = async (phone: string) =>
  (await messagesTo(service, `+${phone}`)).map(({ text }) => text).join('\n')

test('an owner who is to be removed is told, stays for a day, and withdraws it', async () => {
  expect((await remove(thief, 'Bob Berg')).location).toBe(`${staffPage}?asked`)
  expect(await owners()).toContain('Bob Berg')
  for (const phone of [alicesPhone, bobsPhone])
    expect(await toldTo(phone)).toMatch(/en eier skal fjernes|an owner is to be removed/)
  const page = await bob.visit(staffPage)
  expect(page.html).toMatch(/Bob Berg<?[^]*is removed from the staff from/)
  const withdrawn = await bob.submit(page, { attempt: changeIn(page.html) })
  expect(withdrawn.location).toBe(`${staffPage}?withdrawn`)
  await service.advance(day)
  expect([...(await owners())].sort()).toEqual(['Alice Andersen', 'Bob Berg'])
})

const changeIn = (html: string): string =>
  /name="change" value="withdraw"[^]*?name="attempt" value="([^"]+)"/.exec(html)?.[1] ?? ''

test('an owner who is to get another role keeps theirs for a day, then has the other', async () => {
  const member = await memberOf('Bob Berg')
  const page = await thief.visit(`${staffPage}?member=${member}`)
  const asked = await thief.submit(page, { role: 'accountant', code: codeOf('alice') })
  expect(asked.location).toBe(`${staffPage}?asked`)
  expect(await owners()).toContain('Bob Berg')
  // Whatever else is asked of owners waits its turn.
  expect((await remove(bob, 'Alice Andersen', codeOf('bob'))).status).toBe(409)
  await service.advance(day)
  expect(await owners()).toEqual(['Alice Andersen'])
})

test('a former owner is told of the next account, and withdraws it for thirty days', async () => {
  await remove(thief, 'Bob Berg')
  await service.advance(day)
  expect(await owners()).toEqual(['Alice Andersen'])
  await thief.signIn('alice')
  await bob.signIn('bob')
  expect((await bob.visit(staffPage)).status).toBe(404)
  expect((await askAccount('DE89370400440532013000')).location).toContain('?asked')
  expect(await toldTo(bobsPhone)).toContain('3000')
  const lobby = await bob.visit('/portal/')
  expect(lobby.html).toContain('Where you were an owner lately')
  const fields = { kind: 'account', decision: 'withdraw' }
  expect((await bob.submit(lobby, fields)).location).toBe('/portal/')
  expect((await bob.visit('/portal/')).html).not.toContain('Where you were an owner lately')
  await service.advance(day)
  const account = await service.call('GET', '/merchant/v1/settlement_account/default/')
  expect(account.body.payout_account).not.toBe('DE89370400440532013000')

  await service.advance(30 * day)
  await thief.signIn('alice')
  await bob.signIn('bob')
  await askAccount('GB29NWBK60161331926819')
  expect(await toldTo(bobsPhone)).not.toContain('6819')
  expect((await bob.visit('/portal/')).html).not.toContain('Where you were an owner lately')
  expect((await bob.submit(lobby, fields)).status).not.toBe(303)
  // Whoever is the only owner still acts.
  await service.advance(day)
  const after = await service.call('GET', '/merchant/v1/settlement_account/default/')
  expect(after.body.payout_account).toBe('GB29NWBK60161331926819')
})

test('what two owners ask of each other leaves one, and all of it is by the rules', async () => {
  await remove(thief, 'Bob Berg')
  await service.operator('staff', 'remove', 'sandbox', alicesPhone)
  await service.advance(day)
  expect(await owners()).toEqual(['Bob Berg'])
  const last = (await service.events()).findLast(({ type }) => type.startsWith('OwnerChange'))
  expect([last?.type, last?.data]).toMatchObject(['OwnerChangeWithdrawn', { by: 'daybook' }])
  expect(await service.operator('audit', 'verify')).toMatchObject({ holds: true })
})

const enter = async (change: string, fields: Readonly<Record<string, string>>) => {
  const page = await thief.visit(`/payer/security?change=${change}`)
  return thief.submit(page, { ...fields, pin: sandboxPayers.alice.pin, code: codeOf('alice') })
}

/** Each with the key of the authenticator afterwards. */
const changes = {
  PIN: async () => {
    await enter('pin', { new_pin: '13579' })
    return sandboxPayers.alice.codeSecret
  },
  authenticator: async () => {
    const form = await thief.visit('/payer/security?change=authenticator')
    const key = keyIn(form)
    const factors = { pin: sandboxPayers.alice.pin, code: codeOf('alice') }
    await thief.submit(form, { new_code: codeAt(key, Date.now()), ...factors })
    return key
  },
  'phone number': async () => {
    const asked = await thief.visit('/payer/security?change=number')
    const proof = await thief.submit(asked, { phone: '4742000071' })
    const number_code = await codeSentTo(service, '4742000071')
    const factors = { pin: sandboxPayers.alice.pin, code: codeOf('alice') }
    await thief.submit(proof, { number_code, ...factors })
    return sandboxPayers.alice.codeSecret
  },
}

test.each(['PIN', 'authenticator', 'phone number'] as const)(
  'an owner’s new %s is told to owners, and lets nobody change owners or accounts for a day',
  async (what) => {
    const key = await changes[what]()
    for (const phone of [alicesPhone, bobsPhone])
      expect(await toldTo(phone)).toContain('Alice Andersen, som er eier, har nytt telefonnummer')
    const code = codeAt(key, Date.now())
    const refused = await remove(thief, 'Bob Berg', code)
    expect([refused.status, refused.html]).toEqual([409, expect.stringContaining('24 hours')])
    expect((await askAccount('DE89370400440532013000', code)).status).toBe(409)
    const page = await thief.visit(`${staffPage}?invite`)
    const owner = { phone: '+4790000073', role: 'owner', code }
    expect((await thief.submit(page, owner)).status).toBe(409)
    const cook = { phone: '+4790000073', role: 'accountant', code }
    expect((await thief.submit(page, cook)).location).toContain('?invited')
    // The other owner, whose factors are as before, removes whoever they belong to now.
    expect((await remove(bob, 'Alice Andersen', codeOf('bob'))).location).toContain('?asked')
  },
)

test('whoever recovered an owner’s account asks for changes a day later', async () => {
  const reset = await service.operator('payer', 'reset', alicesPhone)
  const [pin = '', key = ''] = [reset['pin'], reset['totp_secret']]
  await signIn(thief, alicesPhone, pin, codeAt(key, Date.now()))
  const ask = () => remove(thief, 'Bob Berg', codeAt(key, Date.now()))
  expect((await ask()).status).toBe(409)
  await service.advance(day)
  await signIn(thief, alicesPhone, pin, codeAt(key, Date.now()))
  expect((await ask()).location).toBe(`${staffPage}?asked`)
})
