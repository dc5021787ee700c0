// @module-tag long
import { readSheet } from 'read-excel-file/node'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { codeOf, startPeopleService, type PeopleService } from '../support/people-service.ts'
import { makeVisitor, type Shown, type TestVisitor } from '../people/visitor.ts'
import { soldAndRefunded } from './sold.ts'

let service: PeopleService
/** The owner of the merchant `sandbox`. */
let alice: TestVisitor
/** Its accountant. */
let bob: TestVisitor
const folder = mkdtempSync(join(tmpdir(), 'daybook-money-'))
const money = '/portal/sandbox/money'

beforeAll(async () => {
  service = await startPeopleService({ BANK_ACCOUNT: 'NO9386011117947' })
  await service.operator('staff', 'add', 'sandbox', '+4799999901', '--role', 'owner')
  await service.operator('staff', 'add', 'sandbox', '+4799999902', '--role', 'accountant')
  await service.operator('merchant', 'change', 'sandbox', '--time-zone', 'Europe/Oslo')
  alice = makeVisitor(service)
  await alice.signIn('alice')
  bob = makeVisitor(service)
  await bob.signIn('bob')
  await soldAndRefunded(service)
})
afterAll(async () => {
  await service.stop()
  rmSync(folder, { recursive: true })
})

const any = { headers: { Accept: '*/*' } }

const plain = ({ html }: Shown): string =>
  html
    .replaceAll(/<[^>]*>/g, ' ')
    .replaceAll(/[\s\u00a0]+/g, ' ')
    .replaceAll('−', '-')

test('given a settlement, then every bar from turnover to payout adds up', async () => {
  const list = await bob.visit(money)
  expect(list.html).toContain(`href="${money}/settlements/1"`)
  const page = await bob.visit(`${money}/settlements/1`)
  expect(page.status).toBe(200)
  const rows = [
    ...page.html.matchAll(
      /<th scope="row">([^<]*)<svg.*?<\/svg><\/th>\s*<td class="number">([^<]*)</g,
    ),
  ]
  const sums = rows.map(([, name = '', text = '']) => ({
    name,
    minor: Math.round(Number(text.replaceAll(/[^\d.−]/g, '').replace('−', '-')) * 100),
  }))
  const [captured, ...rest] = sums
  const payout = rest.pop()
  expect(captured).toEqual({ name: 'Turnover', minor: 50_000 })
  expect(rest.map(({ name }) => name)).toContain('Refunds')
  const parts = rest.reduce((sum, { minor }) => sum + minor, captured?.minor ?? 0)
  expect(payout).toEqual({ name: 'Payout', minor: parts })
  const bars = [...page.html.matchAll(/<rect class="(\w+)" x="([\d.]+)" width="([\d.]+)"/g)].map(
    ([, kind, x, width]) => ({ kind, from: Number(x), to: Number(x) + Number(width) }),
  )
  expect(bars.map(({ kind }) => kind)).toEqual(['total', ...rest.map(() => 'minus'), 'total'])
  const ends = bars.slice(0, -1).map(({ kind, from, to }) => (kind === 'total' ? to : from))
  bars.slice(1).forEach(({ to }, index) => expect(to).toBeCloseTo(ends[index] ?? 0, 0))
  expect(plain(page)).toContain('not ordered from the bank yet')
  expect(plain(page)).toContain('This payout covers all transactions up to')
  expect(page.html).toContain(`href="${money}/terms"`)
})

test('given a workbook, then it is read back with the sums of the page', async () => {
  const path = `${service.address}${money}/settlements/1/transactions-1.xlsx`
  const cookie = [...bob.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
  const answer = await fetch(path, { headers: { Cookie: cookie } })
  expect(answer.status).toBe(200)
  expect(answer.headers.get('content-disposition')).toMatch(/attachment; filename="[\w-]+\.xlsx"/)
  const file = join(folder, 'settlement.xlsx')
  writeFileSync(file, new Uint8Array(await answer.arrayBuffer()))
  const summary = await readSheet(file, 1)
  expect(summary).toContainEqual(['Turnover', 500])
  const [columns = [], ...lines] = await readSheet(file, 2)
  const at = (name: string) => columns.indexOf(name)
  const net = lines.reduce((sum, line) => sum + Math.round(Number(line[at('net')]) * 100), 0)
  const payout = summary.find(([name]) => name === 'Payout')?.[1]
  expect(net).toBe(Math.round(Number(payout) * 100))
  expect(typeof lines[0]?.[at('tid')]).toBe('string')
  const csv = await bob.visit(`${money}/settlements/1/transactions-1.csv`, any)
  expect(csv.html.trim().split('\n')).toHaveLength(lines.length + 1)
  expect((await bob.visit(`${money}/settlements/1/transactions-2.csv`, any)).status).toBe(404)
})

test('given an open report, when an accountant closes it, then it is that person', async () => {
  const report = `${money}/ledgers/default/reports/1`
  const asked = await bob.visit(`${report}?close`)
  expect(plain(asked)).toContain('Close report 1 of default?')
  const done = await bob.submit(asked, { decision: 'close' })
  expect(done.location).toBe(`${report}?closed`)
  // A second click changes nothing.
  expect((await bob.submit(asked, { decision: 'close' })).status).toBe(303)
  await service.advance(0)
  const closed = await bob.visit(report)
  expect(plain(closed)).toContain('Closed')
  const events = await service.events()
  const closings = events.filter(({ type }) => type === 'ReportClosed')
  expect(closings).toHaveLength(1)
  expect(String(closings[0]?.metadata['actor'])).toMatch(/^staff:/)
})

test('given the fees of a merchant, then they are shown with the VAT on each', async () => {
  const page = plain(await bob.visit(`${money}/terms`))
  expect(page).toContain('Fees and terms')
  expect(page).toContain('NOK 1.80')
})

test('given ids of others, then nothing is found', async () => {
  for (const path of ['settlements/99', 'ledgers/nobody/reports/1', 'ledgers/default/reports/99'])
    expect((await bob.visit(`${money}/${path}`)).status, path).toBe(404)
  expect((await bob.visit('/portal/other/money')).status).toBe(404)
})

describe('given a new settlement account,', () => {
  const path = `${money}/account`
  const account = 'DE89370400440532013000'
  const code = () => codeOf('alice')
  const current = async () =>
    (await service.call('GET', '/merchant/v1/settlement_account/default/')).body.payout_account
  const sent = async () =>
    (await service.call('GET', '/sandbox/v1/message/?to=%2B4799999901')).body as unknown

  test('when an accountant asks, then the role forbids it', async () => {
    expect((await bob.visit(path)).html).not.toContain('name="account"')
    const page = await alice.visit(path)
    const stolen = await bob.submit(page, { account, code: code() })
    expect([403, 303, 400]).toContain(stolen.status)
    expect(await current()).not.toBe(account)
  })

  test('when the code is missing or the number wrong, then nothing is asked for', async () => {
    const page = await alice.visit(path)
    const wrong = await alice.submit(page, { account: 'NO00', code: code() })
    expect([wrong.status, plain(wrong)]).toEqual([400, expect.stringContaining('Write an IBAN')])
    expect((await alice.submit(page, { account, code: '000000' })).status).toBe(400)
    expect(plain(await alice.visit(path))).not.toContain('Withdraw')
  })

  test('when an owner asks, then owners are notified, and it applies after a day', async () => {
    const before = await current()
    const asked = await alice.submit(await alice.visit(path), { account, code: code() })
    expect(asked.location).toBe(`${path}?asked`)
    expect(plain(await alice.visit(path))).toContain(`Payouts go to ${account} from`)
    expect(JSON.stringify(await sent())).toContain('slutter på 3000')
    await service.advance(86_300)
    expect(await current()).toBe(before)
    await service.advance(200)
    expect(await current()).toBe(account)
    const types = (await service.events()).map(({ type }) => type)
    const ofIt = types.slice(types.indexOf('AccountChangeAsked'))
    expect(ofIt.filter((type) => /^(AccountChange|OwnersNotified)/.test(type))).toEqual([
      'AccountChangeAsked',
      'OwnersNotified',
      'AccountChangeDone',
    ])
  })

  test('when an owner takes it back, then payouts go where they went before', async () => {
    const other = 'GB29NWBK60161331926819'
    await alice.signIn('alice')
    const page = await alice.visit(path)
    await alice.submit(page, { account: other, code: code() })
    const waiting = await alice.visit(path)
    const done = await alice.submit(waiting, { decision: 'withdraw' })
    expect(done.location).toBe(`${path}?withdrawn`)
    await service.advance(90_000)
    expect(await current()).toBe(account)
  })

  test('when the merchant is disabled as it falls due, it is withdrawn with a notice', async () => {
    const other = 'GB29NWBK60161331926819'
    await alice.signIn('alice')
    await alice.submit(await alice.visit(path), { account: other, code: code() })
    await service.operator('merchant', 'disable', 'sandbox')
    expect(plain(await alice.visit(path))).toContain('If it is still disabled then')
    await service.advance(90_000)
    await service.operator('merchant', 'enable', 'sandbox')
    await service.advance(90_000)
    expect(await current()).toBe(account)
    const last = (await service.events()).findLast(({ type }) => type === 'AccountChangeWithdrawn')
    expect(last?.data).toMatchObject({ by: 'daybook' })
    expect(JSON.stringify(await sent())).toContain('slutter på 6819, er trukket tilbake')
  })

  test('when the requester is no longer an owner as it falls due, it is withdrawn', async () => {
    await service.operator('staff', 'remove', 'sandbox', '4799999902')
    await service.operator('staff', 'add', 'sandbox', '+4799999902', '--role', 'owner')
    await bob.signIn('bob')
    await bob.submit(await bob.visit(path), { account: 'BE68539007547034', code: codeOf('bob') })
    await service.operator('staff', 'remove', 'sandbox', '4799999902')
    await service.advance(90_000)
    expect(await current()).toBe(account)
    expect(JSON.stringify(await sent())).toContain('slutter på 7034, er trukket tilbake')
  })
})

test('given all of that, then the log follows from the rules', async () => {
  expect(await service.operator('audit', 'verify')).toMatchObject({ problems: [] })
})
