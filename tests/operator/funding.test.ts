// @module-tag long
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { dateIn } from '../../domain/time-zone.ts'
import { startPeopleService, type PeopleService } from '../support/people-service.ts'
import { formIn, makeVisitor, type Shown, type TestVisitor } from '../people/visitor.ts'

const account = 'NO8330001234567'
const folder = mkdtempSync(join(tmpdir(), 'daybook-operator-funding-'))

let service: PeopleService
/** Works in finance. */
let bob: TestVisitor
/** Captured today: 300.00, 200.00 and 100.00. */
const tids: string[] = []
let today = ''

beforeAll(async () => {
  const profile = join(folder, 'profile.json')
  const accounts = [{ account, batch_prefix: 'DAY-', withholds: '0.01' }]
  const funding = { since: '2026-01-01', due_days: 0, accounts }
  writeFileSync(profile, JSON.stringify({ funding }))
  service = await startPeopleService({ BANK_ACCOUNT: 'NO9386011117947', BANK_PROFILE: profile })
  today = dateIn('Europe/Oslo', service.core.now())
  await service.operator('operator', 'add', '+4799999902', '--role', 'finance')
  bob = makeVisitor(service)
  await bob.signIn('bob')
  for (const amount of ['300.00', '200.00', '100.00']) {
    const customer = '+4799999901'
    const { id } = await service.requestPayment({ pos_tid: amount, amount, customer })
    await service.call('POST', `/sandbox/v1/payment_request/${id}/accept/`, {})
    await service.call('PUT', `/merchant/v1/payment_request/${id}/`, { action: 'capture' })
    tids.push(id)
  }
})

afterAll(async () => {
  await service.stop()
  rmSync(folder, { recursive: true })
})

const plain = ({ html }: Shown): string =>
  html
    .replaceAll(/<[^>]*>/g, ' ')
    .replaceAll(/[\s\u00a0]+/g, ' ')
    .replaceAll('−', '-')

const entry = (amount: string, name: string, charges = ''): string =>
  `<Ntry><Amt Ccy="NOK">${amount}</Amt><CdtDbtInd>CRDT</CdtDbtInd><Sts><Cd>BOOK</Cd></Sts>
    <BookgDt><Dt>${today}</Dt></BookgDt><AcctSvcrRef>ref-${name}-${amount}</AcctSvcrRef>${charges}
    <NtryDtls><TxDtls><Refs><EndToEndId>${name}</EndToEndId></Refs></TxDtls></NtryDtls></Ntry>`

const statement = (...entries: readonly string[]): string =>
  `<Document xmlns="urn:iso:std:iso:20022:tech:xsd:camt.053.001.08"><BkToCstmrStmt>
  <Stmt><Id>s${entries.length}</Id><Acct><Id><IBAN>${account}</IBAN></Id></Acct>
  ${entries.join('')}</Stmt></BkToCstmrStmt></Document>`

const upload = async (text: string): Promise<Shown> => {
  const page = await bob.visit('/operator/payouts/bank')
  const { action, fields } = formIn(page.html, 'file')
  const body = new FormData()
  for (const [field, value] of fields) if (field !== 'file') body.append(field, value)
  body.append('file', new Blob([text], { type: 'text/xml' }), 'statement.xml')
  return bob.visit(action, { method: 'POST', body })
}

const days = async () => (await service.operator('funding', 'days')) as unknown as object[]

const list = async () =>
  (await service.operator('funding', 'list')) as unknown as Record<string, string>[]

test('given captures, when a statement has what they paid, then each day adds up', async () => {
  expect(await days()).toMatchObject([
    { day: today, captured: '600.00', received: '0.00', explained: '0.00', open: '600.00' },
  ])
  const charges = '<Chrgs><Rcrd><Amt Ccy="NOK">7.50</Amt></Rcrd></Chrgs>'
  const text = statement(
    entry('292.50', tids[0] ?? '', charges),
    entry('198.00', tids[1] ?? ''),
    entry('55.00', 'GIFT'),
  )
  expect(plain(await upload(text))).toMatch(/Not matched 1 Known already 0 Received 2/)
  expect(await days()).toMatchObject([{ received: '490.50', explained: '9.50', open: '100.00' }])
  expect(plain(await upload(text))).toMatch(/Not matched 0 Known already 3/)
  expect(await days()).toMatchObject([{ received: '490.50', explained: '9.50', open: '100.00' }])
  expect(service.log()).toContain('money of payers is missing, or came in unexpected')
})

test('given money that pays nothing, then it is a difference until it is closed', async () => {
  const [gift, ...others] = await list()
  expect(others).toEqual([])
  expect(gift).toMatchObject({ open: '-55.00', end_to_end_id: 'GIFT', owner: null })
  expect(plain(await bob.visit('/operator/'))).toContain('Money that differs 1')
  expect((await service.call('GET', '/metrics')).body).toContain('daybook_funding_differences 1')

  const href = `/operator/funding/${gift?.['difference']}`
  const taken = await bob.submit(await bob.visit(href), { take: 'the bank is asked' })
  expect(taken.location).toBe('/operator/funding')
  const overview = plain(await bob.visit('/operator/funding'))
  expect(overview).toMatch(/Unexpected NOK 55.00 0 days Bob/i)
  expect(plain(await bob.visit(href))).toContain('the bank is asked')
  const story = await bob.visit(
    `/operator/story?subject=funding_difference-${gift?.['difference']}`,
  )
  expect(plain(story)).toMatch(/looks into the difference: “the bank is asked”/)
  expect(await list()).toMatchObject([{ owner: expect.stringMatching(/^operator:/) }])

  await service.operator('funding', 'close', gift?.['difference'] ?? '', '--reason', 'a gift')
  expect(await list()).toEqual([])
  expect(plain(await bob.visit('/operator/'))).not.toContain('Money that differs')
})

test('given money without a name, when somebody says its day, then it pays that day', async () => {
  await upload(statement(entry('60.00', 'NOTPROVIDED'), entry('1.00', 'x'), '', ''))
  const [money] = (await list()).filter(({ open }) => open === '-60.00')
  await service.operator('funding', 'place', money?.['difference'] ?? '', today)
  // The rate is taken of what is not paid by name: one per cent of 100.00.
  expect(await days()).toMatchObject([{ received: '550.50', explained: '10.50', open: '39.00' }])
  expect((await list()).map(({ open }) => open)).toEqual(['-1.00'])
})

test('given money that is due, then what is missing is a difference of its day', async () => {
  await service.advance(2 * 86_400)
  await bob.signIn('bob')
  const missing = (await list()).find(({ open }) => open === '39.00')
  expect(missing).toMatchObject({ difference: `${today}-NOK`, age_days: 1 })
  const page = await bob.visit(`/operator/funding/${today}-NOK`)
  expect(plain(page)).toContain('Missing Open NOK 39.00')
  await service.operator('funding', 'close', `${today}-NOK`, '--reason', 'lost')
  expect(await days()).toMatchObject([{ explained: '49.50', open: '0.00' }])
})
